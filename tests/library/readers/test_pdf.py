from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.pagesizes import A5
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph

from mvp_site.errors import LibraryError
from mvp_site.library.readers import pdf, words
from mvp_site.library.readers.pdf import page_picture, read_pdf

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=9, leading=11, alignment=4, spaceAfter=5)
HEAD = ParagraphStyle("head", fontName="Helvetica-Bold", fontSize=18, leading=21, spaceAfter=6)
SUB = ParagraphStyle("sub", fontName="Helvetica-Bold", fontSize=12, leading=14, spaceAfter=2)
SAID = (
    "The lamplighter of {} keeps a list of every lantern in the lower town and pays a silver piece to whoever "
    "brings word of a broken one. Her ledger says which of them burned on the night when the bell fell silent."
)
NAMES = ["Ashford", "Birchwick", "Cold Harbour", "Dunmere", "Elder Gate", "Fenwold", "Greyhithe", "Hollin"]
PARTS = ("Streets", "People", "Rumours", "Dangers")


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    """Make a PDF by drawing on a canvas; what it says is the drawing's own affair."""

    def make(draw: Callable[[Canvas], object], name: str = "book.pdf", **options: object) -> Path:
        path = tmp_path / name
        canvas = Canvas(str(path), pagesize=A5, **options)
        draw(canvas)
        canvas.save()
        return path

    return make


def book(path: Path, columns: int) -> Path:
    """Write a book of chapters with sections, running heads, numbers from i and from 1, and bookmarks."""

    def around(canvas: Canvas, document: BaseDocTemplate) -> None:
        n = canvas.getPageNumber()
        shown = ("i", "ii")[n - 1] if n < 3 else str(n - 2)
        lines(canvas, ["The Lantern Towns" if n % 2 else "A Gazetteer"], 300 if n % 2 else 40, 575, 8)
        lines(canvas, [shown], 208, 20, 8)

    class Book(BaseDocTemplate):
        def afterFlowable(self, flowable):  # noqa: N802
            if isinstance(flowable, Paragraph) and flowable.style in (HEAD, SUB):
                text, key = flowable.getPlainText(), f"k{self.page}-{flowable.getPlainText()}"
                self.canv.bookmarkPage(key)
                self.canv.addOutlineEntry(text, key, 0 if flowable.style is HEAD else 1)

    wide = (340 - 15 * (columns - 1)) / columns
    frames = [Frame(40 + i * (wide + 15), 40, wide, 525, 0, 0, 0, 0) for i in range(columns)]
    document = Book(str(path), pagesize=A5, title="The Lantern Towns")
    document.addPageTemplates(PageTemplate("all", frames, onPage=around))
    story: list[object] = []
    for i, name in enumerate(NAMES):
        story.append(Paragraph(f"The Town of {name}", HEAD))
        for k, part in enumerate(PARTS):
            story.append(Paragraph(f"{part} of {name}", SUB))
            story += [Paragraph(f"{SAID.format(name)} Item {i}.{k}.{m} ends.", BODY) for m in range(4)]
        story.append(FrameBreak())
    document.build(story)
    return path


@pytest.mark.parametrize("columns", [1, 2])
def test_a_book_is_headed_text_in_order_whose_bookmarks_lead_to_headings(tmp_path: Path, columns: int):
    path = book(tmp_path / "lanterns.pdf", columns)
    text = read_pdf(path)
    assert [(b.level, b.text) for b in text.blocks if b.level] == [
        entry for name in NAMES for entry in [(1, f"The Town of {name}"), *((2, f"{part} of {name}") for part in PARTS)]]
    said = " ".join(b.text for b in text.blocks if not b.level)
    items = [(int(a), int(b), int(c)) for a, b, c in re.findall(r"Item (\d)\.(\d)\.(\d) ends\.", said)]
    assert items == sorted(items)
    assert len(items) == len(NAMES) * 16
    assert said.count(SAID.format("Fenwold")) == 16
    assert "Gazetteer" not in said
    assert "The Lantern Towns" not in said
    assert text.title == "The Lantern Towns"
    assert text.pages == len(pypdfium2.PdfDocument(path))
    assert [b.page for b in text.blocks] == sorted(b.page or 0 for b in text.blocks)
    assert text.notes == ()
    assert len(text.bookmarks) == 5 * len(NAMES)
    for mark in text.bookmarks:
        block = text.blocks[mark.block]
        assert (block.text, block.level) == (mark.title, mark.level)


def lines(canvas: Canvas, texts: list[str], x: float = 40, y: float = 500, size: float = 10, font: str = "Times-Roman") -> None:
    canvas.setFont(font, size)
    for i, text in enumerate(texts):
        canvas.drawString(x, y - 12 * i, text)


def said(path: Path) -> str:
    return "\n".join(b.text for b in read_pdf(path).blocks)


PROSE = "the keeper of the gate counts every lantern before the"
BOLD = "Helvetica-Bold"
# What stands on a page, (x, y, size, font) with lines below each other; then its blocks, headings with their level.
LAYOUTS: dict[str, tuple[list[tuple[float, float, float, str, list[str]]], list[str | tuple[int, str]]]] = {
    "words broken at a line's end": (
        [(40, 500, 10, "Times-Roman", ["They came with the light of many lan-", "terns to the gate of the old half-", "Elven court, as was then well-", "known to be so in the years 1320-", "1340, and to this well-known end."])],
        ["They came with the light of many lanterns to the gate of the old half-Elven court, as was then well-known to be so in the years 1320-1340, and to this well-known end."]),
    "a table": (
        [(40, 500, 9, "Helvetica", ["Club", "Dagger", "Mace"]), (140, 500, 9, "Helvetica", ["1 sp", "2 gp", "5 gp"]),
         (240, 500, 9, "Helvetica", ["1d4 bludgeoning", "1d4 piercing", "1d6 bludgeoning"])],
        ["Club | 1 sp | 1d4 bludgeoning\nDagger | 2 gp | 1d4 piercing\nMace | 5 gp | 1d6 bludgeoning"]),
    "paragraphs": (
        [(40, 500, 10, "Times-Roman", [f"{PROSE} end.", "• one of these things", f"{PROSE.capitalize()}", "long night falls.", "Another starts here, and is as long as the first line was."]),
         (40, 420, 10, "Times-Roman", ["A gap stands above this."])],
        [f"{PROSE} end.", "• one of these things", f"{PROSE.capitalize()} long night falls.",
         "Another starts here, and is as long as the first line was.", "A gap stands above this."]),
    "headings by size, then bold": (
        [(40, 560, 30, BOLD, ["Lanterns"]), (40, 520, 20, BOLD, ["Chapter"]), (40, 495, 10, "Times-Roman", [PROSE, PROSE, PROSE]),
         (40, 440, 14, BOLD, ["Section"]), (40, 420, 10, "Times-Roman", [PROSE, PROSE, PROSE]), (40, 370, 10, BOLD, ["Run of the mill"]),
         (40, 350, 10, "Times-Roman", [PROSE, PROSE]), (40, 310, 10, BOLD, ["• Item in bold"])],
        [(1, "Lanterns"), (2, "Chapter"), " ".join([PROSE] * 3), (3, "Section"), " ".join([PROSE] * 3), (4, "Run of the mill"), f"{PROSE} {PROSE}", "• Item in bold"]),
    "a drop capital": (
        [(40, 476, 36, "Times-Roman", ["O"]), (68, 500, 10, "Times-Roman", ["nce there was a long way from home and", "nobody knew its name, which is why it was", "not to be found."])],
        ["Once there was a long way from home and nobody knew its name, which is why it was not to be found."]),
    "a printed table of contents": (
        [(40, 540, 20, BOLD, ["Contents"]), (40, 500, 10, "Times-Roman", [f"{name} . . . . . . . . . . {n}" for name, n in (("Armour", 9), ("Weapons", 12), ("Traps", 47))]),
         (40, 420, 10, "Times-Roman", ["Ends."])],
        [(1, "Contents"), "Ends."]),
    "prices behind dots": (
        [(40, 500, 10, "Times-Roman", [f"{name} .......... {n} gp" for name, n in (("Armour", 9), ("Weapons", 12), ("Traps", 47))])],
        ["Armour | 9 gp", "Weapons | 12 gp", "Traps | 47 gp"]),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_stands_on_a_page(made: Callable[..., Path], name: str):
    texts, expected = LAYOUTS[name]

    def draw(canvas: Canvas) -> None:
        for x, y, size, font, rows in texts:
            lines(canvas, rows, x, y, size, font)

    found = [(block.level, block.text) if block.level else block.text for block in read_pdf(made(draw)).blocks]
    assert found == expected


def test_running_heads_and_numbers_are_left_out_and_a_paragraph_goes_on_over_pages(made: Callable[..., Path]):
    def draw(canvas: Canvas) -> None:
        for number in range(1, 9):
            lines(canvas, ["The Book" if number % 2 else f"Lanterns {number}"], 40, 575, 8)
            lines(canvas, [f"- {number} -"], 200, 20, 8)
            lines(canvas, [f"{PROSE},"] * 6 if number < 8 else ["night falls."], 40, 500)
            canvas.showPage()

    assert said(made(draw)) == " ".join([f"{PROSE},"] * 42 + ["night falls."])


def test_ligatures_and_text_that_lies_on_its_side(made: Callable[..., Path]):
    def draw(canvas: Canvas) -> None:
        lines(canvas, ["tab"])
        canvas.rotate(90)
        lines(canvas, ["The whole page was turned, as wide", "tables often are."], 100, -200)

    assert said(made(draw)) == "The whole page was turned, as wide tables often are."
    assert words.clean("\ufb01rst co\ufb00er,\u200b soft\u00adened") == "first coffer, softened"


def outlined(*titles: str) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        for n, title in enumerate(titles, 1):
            lines(canvas, [f"This is the text of page {n}, and it says nothing of its name."])
            canvas.bookmarkPage(f"p{n}")
            canvas.addOutlineEntry(title, f"p{n}", 0)
            canvas.showPage()

    return draw


def test_an_outline_that_runs_in_a_circle_ends_and_what_leads_nowhere_stands_before_the_next(made: Callable[..., Path]):
    path = made(outlined("One", "Two", "Three"), pageCompression=0)
    data = path.read_bytes()
    entries = list(re.finditer(rb"(\d+) 0 obj\n<<[^>]*?/Title \((?:One|Two|Three)\)[^>]*>>", data))
    number, second, third = entries[0][1], entries[1][0], entries[2][0]
    for entry, broken in (
        (third, third.replace(b"/Title", b"/First %s 0 R /Last %s 0 R /Title" % (number, number))),
        (second, re.sub(rb"/Next \d+ 0 R", b"/Next %s 0 R" % number, second)),
    ):
        path.write_bytes(data.replace(entry, broken))
        titles = [m.title for m in read_pdf(path).bookmarks]
        assert titles == ["One", "Two", "Three"][: len(titles)]
        assert len(titles) > 1
    path.write_bytes(data.replace(second, re.sub(rb"/Dest\b", b"/Gone", second)))
    assert [(m.title, m.block) for m in read_pdf(path).bookmarks] == [("One", 0), ("Two", 2), ("Three", 2)]


def test_the_pdfs_own_page_labels_come_first(made: Callable[..., Path]):
    def draw(canvas: Canvas) -> None:
        canvas.addPageLabel(0, "ROMAN_LOWER", 1)
        canvas.addPageLabel(2, "ARABIC", 1, prefix="A-")
        outlined("One", "Two", "Three", "Four")(canvas)

    assert read_pdf(made(draw)).labels == ("i", "ii", "A-1", "A-2")


CATALOG, PAGES = b"1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n", b"2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"
EMPTY = b"%%PDF-1.4\n%s%sxref\n0 3\n0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \ntrailer\n<</Size 3/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
    CATALOG, PAGES, 9, 9 + len(CATALOG), 9 + len(CATALOG) + len(PAGES),
)


def test_what_cannot_be_read_is_refused_with_its_reason(made: Callable[..., Path], tmp_path: Path):
    whole = made(outlined("One", "Two"))
    locked = made(outlined("One"), "locked.pdf", encrypt=StandardEncryption("user", "owner"))
    pictures = made(lambda canvas: canvas.rect(40, 40, 100, 100, fill=1), "pictures.pdf")
    cases = {locked: "asks for a password", pictures: "OCR", tmp_path / "gone.pdf": "cannot be read"}
    for content, reason in ((whole.read_bytes()[: len(whole.read_bytes()) // 3], "cut short"), (b"", "not a PDF"),
                            (b"<html><body>Not found</body></html>", "not a PDF"), (EMPTY, "no pages")):
        path = tmp_path / f"{len(cases)}.pdf"
        path.write_bytes(content)
        cases[path] = reason
    for path, reason in cases.items():
        with pytest.raises(LibraryError, match=reason) as raised:
            read_pdf(path)
        assert path.name in str(raised.value)
        assert str(tmp_path) not in str(raised.value)


def test_a_page_that_fails_is_noted_and_the_rest_read(made: Callable[..., Path], monkeypatch: pytest.MonkeyPatch):
    whole = pdf.read_page

    def failing(document: object, number: int, notes: list[str]) -> object:
        if number == 1:
            raise pypdfium2.PdfiumError("Failed to load page.")
        return whole(document, number, notes)

    monkeypatch.setattr(pdf, "read_page", failing)
    text = read_pdf(made(outlined("One", "Two", "Three")))
    assert text.notes == ("Page 2 could not be read: Failed to load page.",)
    assert [b.page for b in text.blocks] == [1, 3]
    assert [m.block for m in text.bookmarks] == [0, 1, 1]


def test_pages_characters_and_outline_are_bounded(made: Callable[..., Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)
    monkeypatch.setattr(pdf, "MAX_BOOKMARKS", 1)
    monkeypatch.setattr(words, "MAX_CHARACTERS", 20)
    text = read_pdf(made(outlined("One", "Two", "Three")))
    assert (text.pages, [m.title for m in text.bookmarks]) == (2, ["One"])
    assert [b.text for b in text.blocks] == ["This is the text of"] * 2
    assert len(text.notes) == 3


def test_the_title_is_the_files_own_else_its_name(made: Callable[..., Path]):
    for stated, name, title in (
        ("The Lantern Towns", "x.pdf", "The Lantern Towns"), ("untitled", "lantern_towns-of the_north.pdf", "Lantern Towns Of The North"),
        ("Microsoft Word - draft3.doc", "towns.pdf", "Towns"), ("final_v2.indd", "towns.pdf", "Towns"),
    ):
        def draw(canvas: Canvas, stated: str = stated) -> None:
            canvas.setTitle(stated)
            lines(canvas, ["Nothing but a text, which goes on here."])

        assert read_pdf(made(draw, name)).title == title


def test_the_picture_of_a_page(made: Callable[..., Path]):
    from PIL import Image

    for size, width, expected in ((A5, 900, (900, 1278)), (A5, 9, (100, 142)), ((20, 14000), 900, (6, 4000))):
        def draw(canvas: Canvas, size: tuple[float, float] = size) -> None:
            canvas.setPageSize(size)
            canvas.setFillColorRGB(1, 0, 0)
            canvas.rect(0, 0, size[0], size[1], fill=1, stroke=0)

        path = made(draw)
        picture = Image.open(BytesIO(page_picture(path, 1, width)))
        assert picture.size == pytest.approx(expected, abs=1)
        assert picture.getpixel((picture.width // 2, picture.height // 2)) == (255, 0, 0)
    for page in (0, 2):
        with pytest.raises(LibraryError, match="no page"):
            page_picture(path, page)
