"""A book's paragraphs, tables and headings, from the words of its pages and where they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..types import BookBlock
from . import layout
from .layout import LineSegment, merge

_ITEM = re.compile(rf"(?:{layout.BULLET.pattern})\s")
_HYPHENED = re.compile(r"\w+(?:[-\u2010]\w+)+")
_BROKEN = re.compile(r"(\w+)[-\u2010\u00ad]$")
_WORD = re.compile(r"\w+")
_NUMBER_END = re.compile(r"(?:^|[\s.·…_-])(\d{1,5}|[ivxlc]+)$")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_TITLE = re.compile(r"[\w\s&,:'’()–—-]+")
_NUMBERED = re.compile(rf"{layout.SECTION.pattern}\s")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines that make one paragraph, heading or table; a line is its segments, left to right.

    ``first`` is the first of a column, ``leader`` a line with dots that lead to its end.
    """

    lines: list[tuple[LineSegment, ...]]
    page: int
    table: bool
    first: bool
    leader: bool


def _pieces(region: list[LineSegment], page: int, body: float, leading: float) -> list[_Piece]:
    """Return a column's paragraphs, headings and tables."""
    lines = layout.rows_of(region)
    right: dict[int, float] = {}
    for s in region:
        right[round(s.size)] = max(s.x1, right.get(round(s.size), 0.0))
    pieces: list[_Piece] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        leader = layout.leads(line)
        rows = layout.table(lines[at:]) if len(line) > 1 and not leader else 0
        last = pieces[-1] if pieces else None
        if leader or rows or not last or last.leader or last.table or _breaks(
            last.lines, line, right, body, leading
        ):
            own = lines[at : at + (rows or 1)]
            pieces.append(_Piece(own, page, rows > 0, not pieces, leader))
        else:
            last.lines.append(line)
        at += rows or 1
    return pieces


def _breaks(above: Sequence[tuple[LineSegment, ...]], below: tuple[LineSegment, ...],
            right: dict[int, float], body: float, leading: float) -> bool:
    """Whether a line starts a paragraph of its own below others; ``right`` is where sizes end."""
    first, last, line = merge(above[0]), merge(above[-1]), merge(below)
    size = line.size
    if abs(last.size - size) > 0.08 * size or not 0 <= last.y - line.y < 1.25 * leading * size:
        return True
    if line.text[0].islower():
        return False
    if (line.bold and not last.bold) or (last.bold and not line.opens) or _ITEM.match(line.text):
        return True
    ended = _SENTENCE_END.search(last.text) is not None
    indented = line.x0 > last.x0 + 0.8 * size and (ended or len(above) > 1)
    hung = line.x0 < last.x0 - 0.8 * size and abs(line.x0 - first.x0) < 2 and len(above) > 1
    run_in = line.opens and not last.bold and (ended or first.opens)
    # A line was ended on purpose where the next word would have fitted.
    word = line.text.split(" ", 1)[0]
    room = (line.x1 - line.x0) * len(word) / len(line.text) + 1.5 * size
    short = not line.bold and size < 1.1 * body and last.x1 + room < right[round(size)]
    return indented or hung or run_in or short


class _Words:
    """The words of a book, by which a hyphen at a line's end is judged."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.plain: Counter[str] = Counter()
        self.hyphened: set[str] = set()
        for text in texts:
            lowered = text.casefold()
            self.plain.update(_WORD.findall(lowered))
            self.hyphened.update(w.replace("\u2010", "-") for w in _HYPHENED.findall(lowered))

    def join(self, texts: Iterable[str]) -> str:
        """Return lines as one, words that were broken at a line's end made whole."""
        whole = ""
        for text in texts:
            broken, after = _BROKEN.search(whole), _WORD.match(text)
            if not broken or not after:
                whole = f"{whole} {text}" if whole else text
                continue
            one, two = broken[1].casefold(), after[0].casefold()
            hyphenated = not text[0].islower() or (
                f"{one}-{two}" in self.hyphened and one + two not in self.plain
            )
            whole = whole[:-1] + "-" * hyphenated + text
        return whole

    def capital(self, letter: str, text: str) -> str:
        """Return a drop capital with the text that it opens."""
        word = _WORD.match(text)
        apart = word and letter in "AIO" and self.plain[(letter + word[0]).casefold()] == 0
        return f"{letter} {text}" if apart and self.plain[word[0].casefold()] > 1 else letter + text  # type: ignore[index]


def _capitals(segments: Sequence[LineSegment], body: float, words: _Words) -> list[LineSegment]:
    """Return a page's segments with each drop capital joined to its word."""
    styled = list(segments)
    for cap in segments:
        if len(cap.text) != 1 or not cap.text.isupper() or cap.size < 1.8 * body:
            continue
        beside = [s for s in styled if cap.y - 2 < s.y < cap.y + cap.size
                  and s.size < 0.6 * cap.size and -body < s.x0 - cap.x1 < cap.size]
        if beside:
            top = max(beside, key=lambda s: s.y)
            styled[styled.index(top)] = replace(top, text=words.capital(cap.text, top.text))
            styled.remove(cap)
    return styled


def blocks(pages: Sequence[Sequence[LineSegment]], heights: Sequence[float]) -> list[BookBlock]:
    """Return the text of a book's pages as headed blocks in reading order.

    Running heads and feet are to be left out of ``pages``.
    """
    sizes: Counter[float] = Counter()
    for page in pages:
        for s in page:
            sizes[round(s.size * 2) / 2] += len(s.text)
    if not sizes:
        return []
    body = max(sizes, key=lambda size: (sizes[size], -size))
    words = _Words(s.text for page in pages for s in page)
    ordered = [
        list(layout.regions(sorted(_capitals(page, body, words), key=lambda s: (-s.y, s.x0)), tall))
        for page, tall in zip(pages, heights, strict=True)
    ]
    leading = _leading((region for columns in ordered for region in columns), body)
    pieces: list[_Piece] = []
    for number, columns in enumerate(ordered, 1):
        on_page = [p for region in columns for p in _pieces(region, number, body, leading)]
        pieces += _without_contents(on_page)
    return _levelled(pieces, body, leading, words)


def _leading(regions: Iterable[list[LineSegment]], body: float) -> float:
    """Return the book's usual distance of baselines, in multiples of the letters' size."""
    counts = Counter(
        round((a.y - b.y) / body, 1)
        for region in regions for a, b in pairwise(region)
        if abs(a.size - body) < 0.5 and 0.9 * body < a.y - b.y < 2 * body
    )
    return max(counts, key=lambda d: (counts[d], -d)) if counts else 1.2


def _without_contents(pieces: list[_Piece]) -> list[_Piece]:
    """Return a page's pieces without a table of contents: leaders to rising numbers.

    Other lines on such a page that end with a number set apart are of the table too.
    """
    numbers = [n for p in pieces if p.leader and (n := _number(p.lines[0][-1])) is not None]
    rising = sum(a <= b for a, b in pairwise(numbers))
    if len(numbers) < 3 or rising < 0.8 * (len(numbers) - 1):
        return pieces
    return [p for p in pieces if not p.leader
            and (len(p.lines[-1]) == 1 or _number(p.lines[-1][-1]) is None)]


def _number(segment: LineSegment) -> int | None:
    """Return the number that a segment ends with, 0 for a roman one."""
    end = _NUMBER_END.search(segment.text)
    return (int(end[1]) if end[1].isdecimal() else 0) if end else None


def _levelled(pieces: list[_Piece], body: float, leading: float, words: _Words,
              ) -> list[BookBlock]:
    """Return pieces as blocks: levels given, and paragraphs that a column's end parted joined."""
    heads = [_heading(p, body) for p in pieces]
    ranks: list[float] = []
    for size in sorted({size for size in heads if size > body}, reverse=True):
        if not ranks or size < 0.95 * ranks[-1]:
            ranks.append(size)
    headed: list[BookBlock] = []
    for piece, size in zip(pieces, heads, strict=True):
        lines = [merge(line) for line in piece.lines]
        text = (layout.table_text(piece.lines, leading) if piece.table
                else words.join(s.text for s in lines))
        text = layout.LEADER.sub(" | ", text) if piece.leader else text
        text = text.replace("\u00ad", "-" if text.endswith("\u00ad") else "")
        # The levels are those of the sizes, and one below them for bold letters of the body's.
        level = min(1 + sum(size <= 0.95 * rank for rank in ranks), 6) if size else 0
        before = headed[-1] if headed else None
        if before and piece.first and _goes_on(before, text, piece.table or level > 0):
            headed[-1] = replace(before, text=words.join((before.text, text)))
        elif text:
            headed.append(BookBlock(text, level, piece.page))
    return headed


def _goes_on(before: BookBlock, text: str, other: bool) -> bool:
    """Whether a column opens with the rest of the paragraph before it."""
    if other or before.level or "\n" in before.text or len(before.text) < 40:
        return False
    return text[:1].islower() and not _SENTENCE_END.search(before.text)


def _heading(piece: _Piece, body: float) -> float:
    """Return the size of a heading's letters, at most the body's for one in bold; 0 for none."""
    lines = [merge(line) for line in piece.lines]
    text = " ".join(s.text for s in lines)
    name = _NUMBERED.sub("", text)
    letters = sum(map(str.isalpha, name))
    if piece.table or piece.leader or letters < max(2, 0.4 * len(name.replace(" ", ""))):
        return 0
    if len(lines) > 4 or len(text) > 150 or (_ITEM.match(text) and not text[0].isalnum()):
        return 0
    size = layout.most_letters([s for line in piece.lines for s in line])
    ends = text.endswith((".", ",", ";"))
    if size > 1.1 * body:
        return 0 if ends and len(text) > 60 else size
    capitals = text.isupper() and letters > 4 and _TITLE.fullmatch(text) is not None
    stands = capitals or all(s.bold for s in lines)
    short = len(text) <= 80 and len(lines) < 3 and all(len(line) == 1 for line in piece.lines)
    return body if stands and short and not ends and size > 0.85 * body else 0
