"""Books of formats without pages: EPUB, DOCX and Markdown."""

from __future__ import annotations

from html import escape
from pathlib import Path
from shutil import copyfile
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from docx import Document
from docx.document import Document as DocxDocument

from .html import document, markup
from .outline import Part, Piece, Place, ShelfBook, flat, plain

_CONTAINER = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)


def places_of(parts: tuple[Part, ...]) -> tuple[Place, ...]:
    """The truth of parts without pages."""
    return tuple(Place(plain(part.title), part.type) for part in flat(parts))


def zip_epub(key: str, title: str, parts: tuple[Part, ...], folder: Path) -> ShelfBook:
    """An EPUB of a file a chapter, whose nav leads to the chapters and their sections."""
    path = folder / f"{key}.epub"
    files = {f"chapter{number}.xhtml": part for number, part in enumerate(parts, 1)}
    nav = "".join(
        f'<li><a href="{name}">{escape(part.title)}</a><ol>' + "".join(
            f'<li><a href="{name}#s{number}">{escape(child.title)}</a></li>'
            for number, child in enumerate(part.children)) + "</ol></li>"
        for name, part in files.items())
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">{key}</dc:identifier><dc:title>{escape(title)}</dc:title>'
        "<dc:language>en</dc:language></metadata><manifest>"
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        + "".join(f'<item id="{name[:-6]}" href="{name}" media-type="application/xhtml+xml"/>'
                  for name in files)
        + "</manifest><spine>" + "".join(f'<itemref idref="{name[:-6]}"/>' for name in files)
        + "</spine></package>"
    )
    with ZipFile(path, "w") as archive:
        def add(name: str, content: str, method: int = ZIP_DEFLATED) -> None:
            archive.writestr(ZipInfo(name), content, method)  # a ZipInfo's time is always 1980

        add("mimetype", "application/epub+zip", ZIP_STORED)
        add("META-INF/container.xml", _CONTAINER)
        add("OEBPS/book.opf", package)
        add("OEBPS/nav.xhtml", document("Contents", (
            '<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc">'
            f"<h1>Contents</h1><ol>{nav}</ol></nav>")))
        for name, part in files.items():
            add(f"OEBPS/{name}", document(part.title, _anchored(part)))
    return ShelfBook(key, title, path, places_of(parts))


def _anchored(part: Part) -> str:
    number, lines = 0, []
    for line in markup(part):
        if line.startswith("<h2>"):
            line = line.replace("<h2>", f'<h2 id="s{number}">', 1)  # noqa: PLW2901
            number += 1
        lines.append(line)
    return "\n".join(lines)


def type_docx(key: str, title: str, parts: tuple[Part, ...], folder: Path) -> ShelfBook:
    """A DOCX whose headings have the styles of headings."""
    path = folder / f"{key}.docx"
    paper = Document()
    paper.core_properties.title = title
    for part in parts:
        _type(paper, part, 1)
    paper.save(str(path))
    return ShelfBook(key, title, path, places_of(parts))


def _type(paper: DocxDocument, part: Part, level: int) -> None:
    paper.add_heading(plain(part.title), level)
    for piece in part.pieces:
        _type_piece(paper, piece)
    for child in part.children:
        _type(paper, child, level + 1)


def _type_piece(paper: DocxDocument, piece: Piece) -> None:
    if piece.kind == "table":
        count = max(map(len, piece.rows))
        table = paper.add_table(0, count)
        for row in piece.rows:
            for cell, text in zip(table.add_row().cells, row, strict=False):
                cell.text = text
    else:
        style = "List Bullet" if piece.kind == "item" else None
        paper.add_paragraph(plain(piece.text), style)


def copy_markdown(key: str, title: str, parts: tuple[Part, ...], source: Path, folder: Path,
                  ) -> ShelfBook:
    """A Markdown file as it is."""
    path = folder / f"{key}.md"
    copyfile(source, path)
    return ShelfBook(key, title, path, places_of(parts))
