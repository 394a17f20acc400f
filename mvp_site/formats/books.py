"""Books, which :mod:`mvp_site.library` reads; here they are known by their content."""

from __future__ import annotations

from typing import Final

from ..text.homebrewery import is_homebrew
from .types import Format, Sample

PDF: Final = "a PDF"
EPUB: Final = "an EPUB"
WORD: Final = "a Word document"


def _zip_of(sample: Sample, *names: bytes) -> bool:
    return sample.content.startswith(b"PK\x03\x04") and any(
        name in sample.content for name in names)


FORMATS: Final = (
    Format(PDF, "books", lambda sample: sample.content.startswith(b"%PDF-"),
           "text with headings by size and weight, tables, bookmarks, printed page numbers",
           "pictures; scans have no text and say so", extent="read in part"),
    Format(EPUB, "books", lambda sample: _zip_of(sample, b"application/epub+zip"),
           "chapters in their order, headings, tables", "pictures, styles, scripts",
           extent="read in part"),
    Format(WORD, "books", lambda sample: _zip_of(sample, b"word/"),
           "headings by style or outline, else short lines in bold; tables, boxes, pages",
           "pictures, comments, deleted text", extent="read in part"),
    Format("a Homebrewery document (version 3 and before)", "books",
           lambda sample: is_homebrew(sample.text),
           "headings, stat blocks, tables, notes", "styles, page marks, pictures, footers",
           extent="read in part"),
    Format("an old Office document", "books",
           lambda sample: sample.content.startswith(b"\xd0\xcf\x11\xe0"),
           aside="save it as .docx", extent="refused"),
    Format("Markdown or plain text as a book", "books",
           lambda sample: bool(sample.text) and sample.value is None,
           "headings, tables, lists; front matter says title and audience; what is marked for the "
           "game master is a source of its own, for dm; UTF-8, UTF-16 with its mark, else what it "
           "most likely is"),
)
