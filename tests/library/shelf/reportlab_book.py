"""A PDF set by reportlab, which tells on which page each thing came to stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportlab import platypus
from reportlab.lib import colors, enums
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus.tableofcontents import TableOfContents

from .outline import Part, Piece, Place, ShelfBook, inline

_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_DEJAVU = Path("/usr/share/fonts/truetype/dejavu")
_LONG = re.compile(r"[^\W\d_]{9,}")
_SYLLABLE = re.compile(r"(?<=[aeiou][bcdfgklmnprstvw])(?=[bcdfgklmnprstvw]?[aeiou]\w{2})")
_HEAD_SIZES = (2.4, 1.7, 1.3, 1.1, 1.0)


@dataclass(frozen=True, slots=True)
class Design:
    """How a book looks; ``bookmarked`` is how many levels of headings its outline has."""

    font: str
    size: float
    columns: int
    bookmarked: int
    front: bool = False
    capitals: bool = False
    hyphens: bool = False
    head_font: str = ""


def serif() -> str:
    """DejaVu's serif where it is installed, else Times."""
    names = {"": "DejaVuSerif.ttf", "-Bold": "DejaVuSerif-Bold.ttf"}
    if not all((_DEJAVU / file).exists() for file in names.values()):
        return "Times-Roman"
    for suffix, file in names.items():
        pdfmetrics.registerFont(TTFont("DejaVuSerif" + suffix, str(_DEJAVU / file)))
    pdfmetrics.registerFontFamily(
        "DejaVuSerif", normal="DejaVuSerif", bold="DejaVuSerif-Bold", italic="DejaVuSerif",
        boldItalic="DejaVuSerif-Bold")
    return "DejaVuSerif"


class _Heading(platypus.Paragraph):
    def __init__(self, text: str, style: ParagraphStyle, part: Part, level: int) -> None:
        super().__init__(text, style)
        self.part, self.level = part, level


class _Press(platypus.BaseDocTemplate):
    """Notes the page of each heading."""

    def __init__(self, path: Path, title: str, design: Design) -> None:
        super().__init__(str(path), pagesize=A4, title=title, author="The Shelf", invariant=1,
                         leftMargin=54, rightMargin=54, topMargin=64, bottomMargin=60)
        self.design, self.title, self.front = design, title, 0
        self.places: list[Place] = []
        self.chapter = ""
        gap, width = 18.0, (self.width - 18.0 * (design.columns - 1)) / design.columns
        body = [platypus.Frame(self.leftMargin + number * (width + gap), self.bottomMargin, width,
                      self.height, 0, 0, 0, 0) for number in range(design.columns)]
        whole = [platypus.Frame(self.leftMargin, self.bottomMargin, self.width, self.height, 0, 0, 0, 0)]
        self.addPageTemplates([platypus.PageTemplate("cover", whole),
                               platypus.PageTemplate("front", whole, onPageEnd=self.furniture),
                               platypus.PageTemplate("body", body, onPageEnd=self.furniture)])

    def beforeDocument(self) -> None:  # noqa: N802  # reportlab's name
        """Starts over: a book with contents is set several times."""
        self.places, self.chapter = [], ""

    def printed(self, page: int) -> str:
        """The number as it stands on the page."""
        return _ROMAN[page] if page <= self.front else str(page - self.front)

    def furniture(self, canvas: Any, _document: Any) -> None:
        """The running head, and the page's number at its foot."""
        canvas.saveState()
        canvas.setFont("Helvetica", 8)
        head = self.title if canvas.getPageNumber() % 2 else self.chapter or self.title
        canvas.drawString(self.leftMargin, A4[1] - 40, head)
        canvas.drawCentredString(A4[0] / 2, 34, self.printed(canvas.getPageNumber()))
        canvas.restoreState()

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802  # reportlab's name
        """Notes what stands on this page now."""
        if isinstance(flowable, _Heading):
            self.begin(flowable.part, flowable.level)

    def begin(self, part: Part, level: int) -> None:
        """A thing starts on this page."""
        if not self.places and self.design.front:
            self.front = self.page - 1
            self.canv.addPageLabel(0, "ROMAN_LOWER", 1)
            self.canv.addPageLabel(self.front, "ARABIC", 1)
        if level == 1:
            self.chapter = part.title
        if level <= self.design.bookmarked:
            key = f"place-{len(self.places)}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(part.title, key, level - 1, closed=level > 1)
            if self.design.front:
                self.notify("TOCEntry", (level - 1, part.title, self.page, key))
        self.places.append(Place(part.title, part.type, self.page, self.printed(self.page)))


def print_book(key: str, title: str, parts: tuple[Part, ...], design: Design, folder: Path,
               ) -> ShelfBook:
    """The book of ``parts``, in a file of its own in ``folder``."""
    path = folder / f"{key}.pdf"
    press = _Press(path, title, design)
    story = [*_cover(press, design), *(flowable for part in parts
                                       for flowable in _Setting(design).set(part, 1))]
    if design.front:
        press.multiBuild(story)
    else:
        press.build(story)
    return ShelfBook(key, title, path, tuple(press.places), press.page)


def _cover(press: _Press, design: Design) -> Iterator[Any]:
    big = ParagraphStyle("cover", fontName="Helvetica-Bold", fontSize=34, leading=40)
    text = ParagraphStyle("text", fontName="Helvetica", fontSize=10, leading=14)
    yield platypus.Spacer(1, 200)
    yield platypus.Paragraph(press.title, big)
    if design.front:
        contents = TableOfContents(
            dotsMinLevel=0, formatter=press.printed, levelStyles=[
                ParagraphStyle(f"contents-{level}", parent=text, leftIndent=14 * level)
                for level in range(design.bookmarked)])
        yield from (platypus.NextPageTemplate("front"), platypus.PageBreak())
        yield platypus.Paragraph("This copy belongs to whoever brought the snacks.", text)
        yield from (platypus.PageBreak(), platypus.Paragraph("Contents", big), contents)
    yield platypus.NextPageTemplate("body")


class _Setting:
    """Parts to flowables."""

    def __init__(self, design: Design) -> None:
        self.design = design
        narrow = design.columns > 1
        self.body = ParagraphStyle(
            "body", fontName=design.font, fontSize=design.size, leading=design.size * 1.25,
            spaceAfter=design.size * 0.4, alignment=enums.TA_JUSTIFY if design.hyphens else enums.TA_LEFT)
        self.item = ParagraphStyle("item", parent=self.body, leftIndent=12, bulletIndent=2)
        self.cell = ParagraphStyle("cell", parent=self.body, fontSize=design.size * 0.8,
                                   leading=design.size, alignment=enums.TA_LEFT, spaceAfter=0,
                                   splitLongWords=1)
        self.small = ParagraphStyle("small", parent=self.cell, fontSize=design.size * 0.55)
        bold = design.head_font or "Helvetica-Bold"
        self.heads = [ParagraphStyle(
            f"head-{level}", fontName=bold, fontSize=design.size * size,
            leading=design.size * size * 1.15, spaceBefore=design.size * 0.8,
            spaceAfter=design.size * 0.3, keepWithNext=1,
            textColor=colors.HexColor("#58180D"),
        ) for level, size in enumerate(_HEAD_SIZES)]
        self.subhead = ParagraphStyle("subhead", parent=self.heads[3], fontSize=design.size * 1.15,
                                      textColor=colors.black)
        self.box = ParagraphStyle("box", parent=self.body, fontName="Helvetica-Oblique",
                                  backColor=colors.HexColor("#EEE8D5"), borderPadding=4,
                                  leftIndent=8, rightIndent=8, spaceBefore=8, spaceAfter=10)
        self.columns_width = (A4[0] - 108 - (18 if narrow else 0)) / design.columns

    def set(self, part: Part, level: int) -> Iterator[Any]:
        """The flowables of a part and all below it."""
        if level == 1:
            yield platypus.PageBreak()
        shown = part.title.upper() if self.design.capitals else part.title
        yield _Heading(inline(shown), self.heads[min(level, len(self.heads)) - 1], part, level)
        first = level == 1
        for piece in part.pieces:
            yield from self.piece(piece, first and piece.kind == "paragraph")
            first = first and piece.kind != "paragraph"
        for child in part.children:
            yield from self.set(child, level + 1)

    def piece(self, piece: Piece, initial: bool) -> Iterator[Any]:
        """The flowables of a piece; ``initial`` is set with a tall first letter."""
        text = self.hyphenated(inline(piece.text))
        match piece.kind:
            case "table":
                yield self.table(piece.rows)
            case "item":
                yield platypus.Paragraph(text, self.item, bulletText="•")
            case "subhead":
                yield platypus.Paragraph(text, self.subhead)
            case "sidebar":
                yield platypus.Paragraph(text, self.box)
            case _ if initial and text[0].isalpha():
                size = self.design.size * 3
                yield platypus.Paragraph(f'<font size="{size}">{text[0]}</font>{text[1:]}', self.body)
            case _:
                yield platypus.Paragraph(text, self.body)

    def hyphenated(self, text: str) -> str:
        """``text`` with places where its long words may break, if the book has such."""
        if not self.design.hyphens:
            return text
        return _LONG.sub(lambda word: _SYLLABLE.sub("\u00ad", word[0]), text)

    def table(self, rows: tuple[tuple[str, ...], ...]) -> Any:
        """A table as wide as the column, cells in proportion to what they hold."""
        count = max(map(len, rows))
        filled = [[*row, *[""] * (count - len(row))] for row in rows]
        words = [max(len(word) for row in filled for word in (row[at].split() or [""]))
                 for at in range(count)]
        weights = [max(5, words[at]) + min(30, max(len(row[at]) for row in filled)) / 4
                   for at in range(count)]
        widths = [self.columns_width * weight / sum(weights) for weight in weights]
        style = self.cell if count <= 8 else self.small
        cells = [[platypus.Paragraph(inline(cell), style) for cell in row] for row in filled]
        table = platypus.Table(cells, colWidths=widths, repeatRows=1, spaceBefore=4, spaceAfter=6)
        table.setStyle(platypus.TableStyle([
            ("LINEBELOW", (0, 0), (-1, 0), 0.6, colors.black),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, colors.HexColor("#F2F2F2")]),
            ("LEFTPADDING", (0, 0), (-1, -1), 2), ("RIGHTPADDING", (0, 0), (-1, -1), 2),
            ("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ]))
        return table
