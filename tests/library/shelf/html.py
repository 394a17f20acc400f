"""Parts as HTML, for a browser to print and for the chapters of an EPUB."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .outline import Part, Piece, inline

CSS = """
@page { size: A4; margin: 20mm 16mm }
body { font: 10.5pt/1.35 "Palatino", "P052", "DejaVu Serif", serif }
.text { columns: 2; column-gap: 8mm }
h1 { font: bold 28pt "URW Gothic", sans-serif; break-before: page }
h2 { font: small-caps bold 17pt serif; border-bottom: 1px solid #933; margin: 1em 0 .3em }
h3 { font: bold 13pt serif; color: #58180d; margin: .9em 0 .2em }
h4 { font: bold 11.5pt serif; margin: .8em 0 .2em }
h5, h6 { font: bold 10.5pt serif; margin: .6em 0 .1em }
h1, h2, h3, h4, h5, h6, .subhead { break-after: avoid }
.subhead { font: bold 10.5pt "DejaVu Sans", sans-serif; margin: .6em 0 .2em }
h1 + .text > p:first-child::first-letter { float: left; font-size: 3.2em; line-height: .8; padding-right: 3px }
aside { background: #eee8d5; border: 1px solid #998; padding: 2mm; font-family: sans-serif }
table { border-collapse: collapse; font: 8.5pt sans-serif; margin: .5em 0; width: 100% }
td, th { border: 1px solid #bbb; padding: 1px 3px; text-align: left; overflow-wrap: anywhere }
"""
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
