"""Word documents to blocks: styles, tables, pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from mvp_site.library.readers.docx import read_docx
from mvp_site.library.types import Text


def read(tmp_path: Path, document: Any) -> Text:
    path = tmp_path / "my-doc.docx"
    document.save(str(path))
    return read_docx(path)


def element(tag: str, **values: str) -> Any:
    found = OxmlElement(f"w:{tag}")
    for name, value in values.items():
        found.set(qn(f"w:{name}"), value)
    return found


@pytest.fixture
def document() -> Any:
    found = Document()
    found.core_properties.title = ""
    return found


def test_structure(tmp_path: Path, document: Any) -> None:
    document.add_paragraph("Book", style="Title")
    document.add_heading("Two", 2)
    document.add_paragraph("a\tb\u00ad").add_run(" c\nd").bold = True
    document.add_paragraph("item", style="List Bullet")
    table = document.add_table(2, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = str(number)
    table.cell(0, 0).add_paragraph("more")
    document.add_table(1, 1).cell(0, 0).text = "aside"
    found = read(tmp_path, document)
    assert [(block.text, block.level, block.page) for block in found.blocks] == [
        ("Book", 1, None), ("Two", 2, None), ("a b c", 0, None), ("d", 0, None), ("item", 0, None),
        ("0 more | 1\n2 | 3", 0, None), ("aside", 0, None)]
    assert (found.title, found.pages) == ("Book", 0)


def test_headings_by_outline_level(tmp_path: Path, document: Any) -> None:
    own = document.styles.add_style("Kapitel", 1)
    own.element.get_or_add_pPr().append(element("outlineLvl", val="2"))
    based = document.styles.add_style("Unterart", 1)
    based.base_style = own
    loop = document.styles.add_style("Loop", 1)
    loop.element.insert(1, element("basedOn", val="Loop"))
    for style in ("Kapitel", "Unterart", "Loop"):
        document.add_paragraph(style, style=style)
    document.add_paragraph("own")._p.get_or_add_pPr().append(element("outlineLvl", val="0"))
    document.add_paragraph("body", style="Kapitel")._p.get_or_add_pPr().append(element("outlineLvl", val="9"))
    found = read(tmp_path, document)
    assert [block.level for block in found.blocks] == [3, 3, 0, 1, 0]


def test_pages_as_last_printed(tmp_path: Path, document: Any) -> None:
    document.add_paragraph("a")
    second = document.add_paragraph("")
    second.add_run()._r.append(element("lastRenderedPageBreak"))
    second.add_run("b")
    document.add_table(1, 2).cell(0, 1).text = "c"
    found = read(tmp_path, document)
    assert [(block.text, block.page) for block in found.blocks] == [("a", 1), ("b", 2), ("| c", 2)]


def test_changes_controls_and_boxes(tmp_path: Path, document: Any) -> None:
    paragraph = document.add_paragraph("kept")
    gone, added, box = element("del"), element("ins"), element("txbxContent")
    for parent, text in ((gone, " gone"), (added, " added")):
        parent.append(Document().add_paragraph(text)._p.r_lst[0])
        paragraph._p.append(parent)
    box.append(Document().add_heading("Aside", 1)._p)
    box[0].pPr.pStyle.val = "Heading1"
    paragraph.add_run()._r.append(box)
    control, content = element("sdt"), element("sdtContent")
    content.append(Document().add_paragraph("held")._p)
    control.append(content)
    document.element.body.insert(1, control)
    assert [(b.text, b.level) for b in read(tmp_path, document).blocks] == [
        ("kept added", 0), ("Aside", 1), ("held", 0)]
