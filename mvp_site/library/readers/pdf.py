"""A PDF as headed blocks with pages, bookmarks and printed page numbers; pictures of its pages.

pdfium is not thread-safe: one document is open at a time. Whoever reads several files at once does
it in processes.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
from pypdfium2 import raw
from rapidfuzz import fuzz, process

from ...errors import LibraryError
from ..types import Block, Bookmark, Text
from .layout import GAP, Placed, Segment, blocks
from .running import Page, strip

MAX_PAGES = 20_000
MAX_CHARACTERS = 100_000
"""Of one page."""
MAX_BOOKMARKS = 20_000
MAX_DEPTH = 20

_REASONS = {
    raw.FPDF_ERR_SUCCESS: "has no pages; get a whole copy",
    raw.FPDF_ERR_PASSWORD: "asks for a password; save a copy without one",
    raw.FPDF_ERR_SECURITY: "is encrypted in a way that cannot be read; save a copy without it",
    raw.FPDF_ERR_FORMAT: "is not a PDF, or is cut short or damaged; get a whole copy",
}
# pdfium marks a hyphen that it takes for a word's break by U+0002 or U+FFFE.
_WORD = re.compile("[^\\s\x00-\x01\x03-\x1f\ufffe\x02]+[\x02\ufffe]?")
_PLAIN = str.maketrans(
    {chr(0xFB00 + i): s for i, s in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))}
    | {"\x02": "\u00ad", "\ufffe": "\u00ad", "\u00a0": " ", "\uf0b7": "•", "\uf0a7": "▪"}
    | {chr(c): None for c in (0x7F, 0x200B, 0xFEFF, 0xFFFD)}
)
_JUNK = re.compile("[\ue000-\uf8ff\ud800-\udfff\x00-\x1f\x80-\x9f]|\u00ad(?!$)")
_BOLD = re.compile(r"bold|black|heavy|semi|demi|cmbx|sfbx|cmssbx", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"\s*|untitled.*|(?:microsoft (?:word|powerpoint)|\(?anonymous\)?).*|.*\.\w{2,5}|\W*\d*\W*",
    re.IGNORECASE,
)


_ALONE = threading.Lock()


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Yield the open document, the only one; LibraryError if it cannot be read or has no pages."""
    with _ALONE:
        try:
            document = pdfium.PdfDocument(path)
        except pdfium.PdfiumError as error:
            reason = _REASONS.get(error.err_code, "cannot be opened as a PDF; get a whole copy")
            raise LibraryError(f"{path.name} {reason}") from error
        except OSError as error:
            why = error.strerror or "no file"
            raise LibraryError(f"{path.name} cannot be read: {why}") from error
        try:
            if not len(document):
                raise LibraryError(f"{path.name} has no pages; get a whole copy")
            yield document
        finally:
            document.close()


def read_pdf(path: Path) -> Text:
    """Return a PDF's text; LibraryError names the file, why it cannot be read, and the remedy."""
    with _opened(path) as document:
        count, notes = len(document), []
        if count > MAX_PAGES:
            notes.append(f"Only the first {MAX_PAGES:,} of {count:,} pages were read.")
            count = MAX_PAGES
        pages = []
        for n in range(count):
            try:
                pages.append(_page(document, n, notes))
            except (pdfium.PdfiumError, ValueError) as error:
                pages.append(Page())
                notes.append(f"Page {n + 1} could not be read: {error}")
        if not any(page.segments for page in pages):
            raise LibraryError(
                f"{path.name} holds no text, only pictures of pages; run it through OCR"
                if len(notes) < count
                else f"{path.name} has no page that can be read; get a whole copy"
            )
        segments, printed = strip(pages)
        own = [document.get_page_label(n) for n in range(count)]
        if any(own):
            printed = () if all(s == str(n) for n, s in enumerate(own, 1)) else tuple(own)
        placed = blocks(segments, [page.top - page.bottom for page in pages])
        found = tuple(p.block for p in placed)
        return Text(
            title=_title(path, document.get_metadata_value("Title"), found),
            blocks=found,
            bookmarks=_bookmarks(document, placed, count, notes),
            pages=count,
            labels=printed,
            notes=tuple(notes),
        )


def _title(path: Path, stated: str, found: Sequence[Block]) -> str:
    stated = " ".join(_clean(stated).split())
    if not _SAYS_NOTHING.fullmatch(stated):
        return stated
    heads = [b for b in found if b.level and b.page == found[0].page]
    if heads:
        return min(heads, key=lambda b: b.level).text
    return " ".join(re.split(r"[\s_]+|(?<=\w)-(?=\w)", path.stem)).strip() or path.name


def _clean(text: str) -> str:
    return _JUNK.sub("", text.translate(_PLAIN))


class _Fonts:
    """Size, boldness and direction of a page's letters."""

    def __init__(self, text: Any) -> None:
        self.text = text
        self.matrix = raw.FS_MATRIX()
        self.bold: dict[int, bool] = {}

    def style(self, index: int) -> tuple[float, bool, int]:
        """Return a letter's size in points (0 unknown), whether it is bold, and quarter turns."""
        item = raw.FPDFText_GetTextObject(self.text, index)
        if not item or not raw.FPDFText_GetMatrix(self.text, index, self.matrix):
            return 0.0, False, 0
        m = self.matrix
        turn = 0 if abs(m.a) >= abs(m.b) else 1
        turn += 2 * ((m.b if turn else m.a) < 0)
        size = raw.FPDFText_GetFontSize(self.text, index) * math.hypot(m.c, m.d)
        font = raw.FPDFTextObj_GetFont(item)
        if not font:
            return abs(size), False, turn
        key = ctypes.addressof(font.contents)
        if key not in self.bold:
            name = ctypes.create_string_buffer(128)
            raw.FPDFFont_GetBaseFontName(font, name, 128)
            forced = raw.FPDFFont_GetFlags(font) & 1 << 18
            self.bold[key] = bool(forced or _BOLD.search(name.value.decode("latin-1")))
        return abs(size), self.bold[key], turn


def _turned(turn: int, x: float, y: float) -> tuple[float, float]:
    """Return a point of a page as it stands once text of these quarter turns lies level."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turn]


def _page(document: Any, number: int, notes: list[str]) -> Page:
    """Return the words of a page in segments; text across the page's main direction is left out."""
    page = document[number]
    try:
        text = page.get_textpage()
        box = page.get_bbox()
        found = _words(text.raw, text, box, number, notes)
        turns = Counter[int]()
        for word, turn in found:
            turns[turn] += len(word.text)
        main = max(turns, key=lambda t: (turns[t], -t), default=0)
        (_, low), (_, high) = (_turned(main, *corner) for corner in (box[:2], box[2:]))
        words = [word for word, turn in found if turn == main]
        return Page(tuple(_segments(words)), min(low, high), max(low, high))
    finally:
        page.close()


def _words(
    text: Any, helper: Any, box: tuple[float, ...], number: int, notes: list[str]
) -> list[tuple[Segment, int]]:
    count = helper.count_chars()
    if count > MAX_CHARACTERS:
        notes.append(f"Of page {number + 1} only {MAX_CHARACTERS:,} characters were read.")
        count = MAX_CHARACTERS
    characters = helper.get_text_range(0, count) if count else ""
    if len(characters) != count:
        characters = "".join(chr(raw.FPDFText_GetUnicode(text, i)) for i in range(count))
    fonts, rect = _Fonts(text), raw.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    seen, found, before = set(), [], 0.0
    for match in _WORD.finditer(characters):
        first, end = match.start(), match.end() - 1
        last = end - (end > first and characters[end] in "\x02\ufffe")
        size, bold, turn = fonts.style(first)
        cuts = [(first, last, end)]
        if last > first and size > 1.8 * before and size > 1.8 * fonts.style(first + 1)[0] > 0:
            cuts = [(first, first, first), (first + 1, last, end)]
        for start, stop, full in cuts:
            if start > first:
                size, bold, turn = fonts.style(start)
            raw.FPDFText_GetCharOrigin(text, start, x, y)
            if not (box[0] <= x.value <= box[2] and box[1] <= y.value <= box[3]) or not size:
                continue
            written = _clean(characters[start : full + 1])
            spot = written, round(x.value / 2), round(y.value / 2)
            if not written or spot in seen:
                continue
            seen.add(spot)
            raw.FPDFText_GetLooseCharBox(text, stop, rect)
            left, base = _turned(turn, x.value, y.value)
            one = _turned(turn, rect.left, rect.bottom)
            right = max(one[0], _turned(turn, rect.right, rect.top)[0])
            found.append((Segment(written, left, right, base, size, bold, bold), turn))
            before = size
    return found


def _segments(words: Sequence[Segment]) -> Iterator[Segment]:
    """Yield words that follow close upon each other as one segment."""
    held: list[Segment] = []
    for word in words:
        if held:
            last = held[-1]
            size = max(last.size, word.size)
            level = abs(word.y - held[0].y) < 0.4 * size
            drop = last.size > 1.8 * word.size and len(last.text) == 1
            if drop or not level or not -0.4 * size < word.x0 - last.x1 < GAP * size:
                yield _joined(held)
                held = []
        held.append(word)
    if held:
        yield _joined(held)


def _joined(words: Sequence[Segment]) -> Segment:
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    size = max(sizes, key=lambda s: (sizes[s], s))
    return Segment(
        " ".join(w.text for w in words),
        words[0].x0,
        words[-1].x1,
        next(w.y for w in words if w.size == size),
        size,
        all(w.bold for w in words),
        words[0].bold,
        max((b.x0 - a.x1 for a, b in pairwise(words)), default=0.0),
    )


def _outline(document: Any, notes: list[str]) -> Iterator[tuple[int, Any]]:
    """Yield the outline's entries with their levels from 1, each once, within bounds."""
    seen: set[int] = set()
    waiting = [(1, raw.FPDFBookmark_GetFirstChild(document, None))]
    while waiting:
        level, item = waiting.pop()
        if not item:
            continue
        key = ctypes.addressof(item.contents)
        if key in seen or level > MAX_DEPTH or len(seen) >= MAX_BOOKMARKS:
            notes.append("The outline runs in a circle or is too large: the rest was left out.")
            return
        seen.add(key)
        yield level, item
        waiting.append((level, raw.FPDFBookmark_GetNextSibling(document, item)))
        waiting.append((level + 1, raw.FPDFBookmark_GetFirstChild(document, item)))


def _bookmarks(
    document: Any, placed: Sequence[Placed], pages: int, notes: list[str]
) -> tuple[Bookmark, ...]:
    """Return the outline, in the order of the text that its entries lead to."""
    starts = {}
    for at in reversed(range(len(placed))):
        starts[placed[at].block.page or 1] = at
    for page in range(pages, 0, -1):
        starts.setdefault(page, starts.get(page + 1, len(placed) - 1))
    starts[pages + 1] = len(placed)
    found: list[Bookmark] = []
    last = 0
    for level, item in _outline(document, notes):
        entry = pdfium.PdfBookmark(item, document, level)
        title = " ".join(_clean(entry.get_title()).split())
        target = entry.get_dest()
        index = target.get_index() if target else None
        if index is None or index >= pages:
            found.append(Bookmark(title, level, None, -1))
            continue
        page = index + 1
        span = range(starts[page], starts[page + 1])
        last = _block(title, placed, span, last, target.get_view(tuple))
        found.append(Bookmark(title, level, page, last))
    block = len(placed) - 1
    for at in reversed(range(len(found))):
        mark = found[at]
        block = mark.block if mark.page else block
        found[at] = Bookmark(mark.title, mark.level, mark.page, block)
    return tuple(sorted(found, key=lambda mark: mark.block))


def _block(
    title: str,
    placed: Sequence[Placed],
    span: range,
    last: int,
    view: tuple[int, tuple[float, ...]],
) -> int:
    """Return where on its page a bookmark leads: to what is headed so, else where it points."""
    if not span:
        return span.start
    wanted = _key(title)
    onward = range(max(span.start, last), span.stop) if last in span else span
    for among in (onward, span):
        texts = {at: _key(placed[at].block.text[: 3 * len(title) + 20]) for at in among}
        heads = {at: text for at, text in texts.items() if placed[at].block.level}
        best = process.extractOne(wanted, heads, scorer=fuzz.ratio, score_cutoff=85)
        best = best or process.extractOne(wanted, texts, scorer=fuzz.ratio, score_cutoff=90)
        if best:
            return int(best[2])
    mode, place = view
    spot = {raw.PDFDEST_VIEW_XYZ: 1, raw.PDFDEST_VIEW_FITH: 0, raw.PDFDEST_VIEW_FITBH: 0}.get(mode)
    if spot is None or len(place) <= spot or not place[spot]:
        return span.start
    x = place[0] if spot else 0.0
    below = [at for at in span if placed[at].y <= place[spot] + 6]
    return min(
        below or [span.start],
        key=lambda at: (place[spot] - placed[at].y + (abs(placed[at].x - x) if x else 0), at),
    )


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def page_picture(path: Path, page: int, width: int = 900) -> bytes:
    """Return a page, counted from 1, as a PNG about ``width`` pixels wide (100 to 2,000).

    A page that is very tall is scaled to 4,000 pixels. LibraryError if there is no such page.
    """
    with _opened(path) as document:
        if not 1 <= page <= len(document):
            raise LibraryError(f"{path.name} has no page {page}: it has 1 to {len(document)}")
        try:
            sheet = document[page - 1]
            across, down = (max(side, 1.0) for side in sheet.get_size())
            scale = min(min(max(width, 100), 2000) / across, 4000 / down)
            picture = sheet.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3]
        except pdfium.PdfiumError as error:
            raise LibraryError(f"page {page} of {path.name} cannot be drawn: {error}") from error
        return _png(picture)


def _png(picture: Any) -> bytes:
    """Return rows of RGB pixels as a PNG (ISO/IEC 15948), without filters."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    height, width, _ = picture.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows, 6))
        + chunk(b"IEND", b"")
    )
