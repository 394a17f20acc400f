"""The words of a PDF's page in segments, asked of pdfium a word at a time."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import pairwise
from typing import Any

from pypdfium2 import raw

from .layout import GAP, LineSegment, merge
from .running_heads import PageSegments

MAX_CHARACTERS = 100_000
"""Of one page."""

# pdfium marks a hyphen that it takes for a word's break by U+0002 or U+FFFE.
_WORD = re.compile("([^\\s\x00-\x01\x03-\x1f\ufffe\x02]+)[\x02\ufffe]?")
_PLAIN = str.maketrans(
    {chr(0xFB00 + i): s for i, s in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))}
    | {"\x02": "\u00ad", "\ufffe": "\u00ad", "\u00a0": " ", "\uf0b7": "•", "\uf0a7": "▪"}
    | {chr(c): None for c in (0x7F, 0x200B, 0xFEFF, 0xFFFD)}
)
_JUNK = re.compile("[\ue000-\uf8ff\ud800-\udfff\x00-\x1f\x80-\x9f]|\u00ad(?!$)")
_BOLD = re.compile(rb"bold|black|heavy|semi|demi|cmbx|sfbx|cmssbx", re.IGNORECASE)


def clean(text: str) -> str:
    """Return text without ligatures, control and private characters; a hyphen's mark stays last."""
    return _JUNK.sub("", text.translate(_PLAIN))


@lru_cache(maxsize=256)
def _bold(font: bytes) -> bool:
    return _BOLD.search(font) is not None


def _style(text: Any, index: int, m: Any, flags: Any, name: Any) -> tuple[float, bool, int]:
    """Return a letter's size in points (0 unknown), whether it is bold, and quarter turns.

    ``m``, ``flags`` and ``name`` are room for pdfium's answers.
    """
    if not raw.FPDFText_GetMatrix(text, index, m):
        return 0.0, False, 0
    turn = 0 if abs(m.a) >= abs(m.b) else 1
    turn += 2 * ((m.b if turn else m.a) < 0)
    size = abs(raw.FPDFText_GetFontSize(text, index) * math.hypot(m.c, m.d))
    length = raw.FPDFText_GetFontInfo(text, index, name, len(name), flags)
    forced = length and flags.value & 1 << 18
    return size, bool(forced or (0 < length <= len(name) and _bold(name.value))), turn


def _turned(turn: int, x: float, y: float) -> tuple[float, float]:
    """Return a point of a page as it stands once text of these quarter turns lies level."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turn]


def read_page(document: Any, number: int, notes: list[str]) -> PageSegments:
    """Return the words of a page in segments; text across the page's main direction is left out."""
    with closing(document[number]) as page:
        text = page.get_textpage()
        box = page.get_bbox()
        page_words = _words(text, box, number, notes)
    turns = Counter[int]()
    for word, turn in page_words:
        turns[turn] += len(word.text)
    main = max(turns, key=lambda t: (turns[t], -t), default=0)
    (_, low), (_, high) = (_turned(main, *corner) for corner in (box[:2], box[2:]))
    words = [word for word, turn in page_words if turn == main]
    return PageSegments(tuple(_segments(words)), min(low, high), max(low, high))


def _words(page: Any, box: tuple[float, ...], number: int, notes: list[str],
           ) -> list[tuple[LineSegment, int]]:
    """Return the words within a page's box, each once, with their quarter turns."""
    text, count = page.raw, page.count_chars()
    if count > MAX_CHARACTERS:
        notes.append(f"Of page {number + 1} only {MAX_CHARACTERS:,} characters were read.")
        count = MAX_CHARACTERS
    characters = page.get_text_range(0, count) if count else ""
    if len(characters) != count:
        characters = "".join(chr(raw.FPDFText_GetUnicode(text, i)) for i in range(count))
    rect, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    room = raw.FS_MATRIX(), ctypes.c_int(), ctypes.create_string_buffer(128)
    visited, page_words = set(), []
    for match in _WORD.finditer(characters):
        first, last = match.start(1), match.end(1) - 1
        size, bold, turn = _style(text, first, *room)
        raw.FPDFText_GetCharOrigin(text, first, x, y)
        if not (box[0] <= x.value <= box[2] and box[1] <= y.value <= box[3]) or not size:
            continue
        written = clean(match[0])
        spot = written, round(x.value / 2), round(y.value / 2)
        if not written or spot in visited:
            continue
        visited.add(spot)
        raw.FPDFText_GetLooseCharBox(text, last, rect)
        left, base = _turned(turn, x.value, y.value)
        corner = _turned(turn, rect.left, rect.bottom)
        right = max(corner[0], _turned(turn, rect.right, rect.top)[0])
        if math.isfinite(size + right):
            page_words.append((LineSegment(written, left, right, base, size, bold, bold), turn))
    return page_words


def _segments(words: Sequence[LineSegment]) -> Iterator[LineSegment]:
    """Yield words that follow close upon each other as one segment."""
    segments = list(words[:1])
    for last, word in pairwise(words):
        size = max(last.size, word.size)
        level = abs(word.y - segments[0].y) < 0.4 * size
        drop = last.size > 1.8 * word.size and len(last.text) == 1
        if drop or not level or not -0.4 * size < word.x0 - last.x1 < GAP * size:
            yield merge(segments)
            segments = []
        segments.append(word)
    if segments:
        yield merge(segments)
