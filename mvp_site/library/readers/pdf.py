"""A PDF as headed blocks with pages, bookmarks and printed page numbers; pictures of its pages.

pdfium is not thread-safe: one document is open at a time. Whoever reads several files at once does
it in processes.
"""

from __future__ import annotations

import re
import struct
import threading
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
from pypdfium2 import raw
from rapidfuzz import fuzz, process

from ...errors import LibraryError
from ..types import BookBlock, Bookmark, Text
from .book_blocks import title_of
from .paragraphs import blocks
from .running_heads import PageSegments, strip
from .words import clean, read_page

MAX_PAGES = 20_000
MAX_BOOKMARKS = 20_000
MAX_DEPTH = 20
MAX_NOTED = 10

_REASONS = {
    raw.FPDF_ERR_PASSWORD: "asks for a password; save a copy without one",
    raw.FPDF_ERR_SECURITY: "is encrypted in a way that cannot be read; save a copy without it",
}
_DAMAGED = "is not a PDF, is damaged or cut short, or has no pages; get a whole copy"
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
            reason = _REASONS.get(error.err_code, _DAMAGED)
            raise LibraryError(f"{path.name} {reason}") from error
        except OSError as error:
            why = error.strerror or "no file"
            raise LibraryError(f"{path.name} cannot be read: {why}") from error
        with document:
            yield document


def read_pdf(path: Path) -> Text:
    """Return a PDF's text; LibraryError names the file, why it cannot be read, and the remedy."""
    with _opened(path) as document:
        count, notes = len(document), []
        if count > MAX_PAGES:
            notes.append(f"Only the first {MAX_PAGES:,} of {count:,} pages were read.")
            count = MAX_PAGES
        pages, failed = [], []
        for n in range(count):
            try:
                pages.append(read_page(document, n, notes))
            except (pdfium.PdfiumError, ValueError) as error:
                pages.append(PageSegments())
                failed.append(f"Page {n + 1} could not be read: {error}")
        notes += failed[:MAX_NOTED]
        if len(failed) > MAX_NOTED:
            notes.append(f"In all {len(failed):,} pages could not be read.")
        if len(failed) == count:
            raise LibraryError(f"{path.name} has no page that can be read; get a whole copy")
        if not any(page.segments for page in pages):
            raise LibraryError(f"{path.name} holds no text, only pictures of pages; run it through "
                               "OCR")
        labels = tuple(document.get_page_label(n) for n in range(count))
        headed = blocks(strip(pages), [page.top - page.bottom for page in pages])
        title = " ".join(clean(document.get_metadata_value("Title")).split())
        if _SAYS_NOTHING.fullmatch(title):
            title = title_of(path, [block for block in headed if block.page == 1])
        return Text(title, tuple(headed), _bookmarks(document, headed, count), count,
                    labels if any(labels) else (), notes=tuple(notes))


def _bookmarks(document: Any, headed: Sequence[BookBlock], pages: int) -> tuple[Bookmark, ...]:
    """Return the outline, in the order of the text that its entries lead to; within bounds."""
    stand = [block.page or 1 for block in headed]
    bookmarks: list[Bookmark] = []
    last = 0
    for entry in islice(document.get_toc(MAX_DEPTH), MAX_BOOKMARKS):
        title = " ".join(clean(entry.get_title()).split())
        target = entry.get_dest()
        index = target.get_index() if target else None
        block = -1
        if index is not None and index < pages:
            start = min(bisect_left(stand, index + 1), max(len(stand) - 1, 0))
            span = range(start, bisect_right(stand, index + 1))
            block = last = _block(title, headed, span, last)
        bookmarks.append(Bookmark(title, entry.level + 1, block))
    block = len(headed) - 1
    for at, mark in reversed(list(enumerate(bookmarks))):  # what leads nowhere joins the next
        block = mark.block if mark.block >= 0 else block
        bookmarks[at] = replace(mark, block=block)
    return tuple(sorted(bookmarks, key=lambda mark: mark.block))


def _block(title: str, headed: Sequence[BookBlock], span: range, last: int) -> int:
    """Return where on its page a bookmark leads: to what is headed so, else to its beginning."""
    if not span:
        return span.start
    key = _key(title)
    # Of equals the first counts: what was not passed yet comes first.
    order = sorted(span, key=lambda at: (at < last, at))
    texts = {at: _key(headed[at].text[: 3 * len(title) + 20]) for at in order}
    heads = {at: text for at, text in texts.items() if headed[at].level}
    for choices, least in ((heads, 85), (texts, 90)):
        if best := process.extractOne(key, choices, scorer=fuzz.ratio, score_cutoff=least):
            return int(best[2])
    return span.start


def _key(text: str) -> str:
    """Return a heading's words, a number before them left out."""
    return re.sub(r"^(?:\d+ )+(?=\D)", "", " ".join(re.findall(r"\w+", text.casefold())))


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
    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    png = b"\x89PNG\r\n\x1a\n"
    for name, content in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
                          (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b"")):
        crc = zlib.crc32(name + content)
        png += struct.pack(">I", len(content)) + name + content + struct.pack(">I", crc)
    return png
