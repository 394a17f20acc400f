"""Parts as HTML, for the chapters of an EPUB."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .outline import Part, Piece, inline


def document(title: str, body: str) -> str:
    """A whole page, well-formed as XML too."""
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>'
        f"<title>{escape(title)}</title><style></style></head><body>{body}</body></html>"
    )


def markup(part: Part, level: int = 1) -> Iterator[str]:
    """The elements of a part and all below it, a line each."""
    tag = f"h{min(level, 6)}"
    yield f"<{tag}>{inline(part.title)}</{tag}>"
    yield from map(_piece, part.pieces)
    for child in part.children:
        yield from markup(child, level + 1)


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
