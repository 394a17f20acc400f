"""Parts as HTML, for a browser to print and for the chapters of an EPUB."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from .outline import Part, Piece, inline

CSS = Path(__file__).with_name("book.css").read_text(encoding="utf-8")
ONE_COLUMN = CSS.replace("columns: 2;", "")


def document(title: str, body: str, css: str = CSS) -> str:
    """A whole page, well-formed as XML too."""
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>'
        f"<title>{escape(title)}</title><style>{css}</style></head><body>{body}</body></html>"
    )


def markup(part: Part, level: int = 1) -> Iterator[str]:
    """The elements of a part and all below it, a line each."""
    tag = f"h{min(level, 6)}"
    yield f"<{tag}>{inline(part.title)}</{tag}>"
    if level == 1:
        yield '<div class="text">'
    yield from map(_piece, part.pieces)
    for child in part.children:
        yield from markup(child, level + 1)
    if level == 1:
        yield "</div>"


def _piece(piece: Piece) -> str:
    match piece.kind:
        case "table":
            head, *rows = piece.rows
            return "<table>{}{}</table>".format(
                _row(head, "th"), "".join(_row(row, "td") for row in rows))
        case "item":
            return f"<ul><li>{inline(piece.text)}</li></ul>"
        case "subhead":
            return f'<p class="subhead">{inline(piece.text)}</p>'
        case "sidebar":
            return f"<aside><p>{inline(piece.text)}</p></aside>"
        case _:
            return f"<p>{inline(piece.text)}</p>"


def _row(cells: tuple[str, ...], tag: str) -> str:
    return "<tr>{}</tr>".format("".join(f"<{tag}>{inline(cell)}</{tag}>" for cell in cells))
