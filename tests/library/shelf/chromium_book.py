"""A PDF without bookmarks, printed by Debian's Chromium.

Its things stand where their titles are found in its text, one after the other, alone on a line. What
is not found is left out.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdfium2

from .html import document, markup
from .outline import Part, Place, ShelfBook, flat, plain

CHROMIUM = Path(os.environ.get("CHROMIUM") or "/usr/bin/chromium")


def print_book(key: str, title: str, parts: tuple[Part, ...], folder: Path, css: str | None = None,
               ) -> ShelfBook:
    """The book of ``parts``, in a file of its own in ``folder``."""
    body = "\n".join(line for part in parts for line in markup(part))
    page = document(title, body) if css is None else document(title, body, css)
    path = folder / f"{key}.pdf"
    with TemporaryDirectory() as name:
        html = Path(name) / "book.html"
        html.write_text(page, encoding="utf-8")
        subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
             f"--user-data-dir={name}/profile", f"--print-to-pdf={path}", html.as_uri()],
            check=True, capture_output=True, timeout=180,
        )
    with pypdfium2.PdfDocument(path) as pdf:
        lines = [(number, _squeezed(line)) for number, page in enumerate(pdf, 1)
                 for line in page.get_textpage().get_text_range().splitlines()]
        return ShelfBook(key, title, path, tuple(_places(parts, lines)), len(pdf))


def _squeezed(text: str) -> str:
    """``text`` without marks, blanks and case: what a title keeps in any text layer."""
    return "".join(plain(text).split()).casefold()


def _places(parts: tuple[Part, ...], lines: list[tuple[int, str]]) -> Iterator[Place]:
    at = 0
    for part in flat(parts):
        start = _find(_squeezed(part.title), lines, at)
        if start is not None:
            page, at = lines[start][0], start + 1
            yield Place(" ".join(plain(part.title).split()), part.type, page, str(page))


def _find(title: str, lines: list[tuple[int, str]], start: int) -> int | None:
    """The line from ``start`` on at which ``title`` stands, alone on up to three lines."""
    for number in range(start, len(lines)):
        said = ""
        for _, line in lines[number:number + 3]:
            said += line
            if said == title:
                return number
            if not title.startswith(said):
                break
    return None


