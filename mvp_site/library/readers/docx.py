"""Word documents to blocks: headings by their styles, tables in place, pages as last printed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from lxml import etree

from ...errors import LibraryError
from ...text.titles import LINE_ENDS
from ..types import Text
from .book_blocks import Written, readable, title_of
from .zipped_book import Packed, open_packed

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SPACES: Final = {
    f"{_W}tab": " ", f"{_W}br": LINE_ENDS, f"{_W}cr": LINE_ENDS, f"{_W}noBreakHyphen": "-",
}
_PAGE_BEGINS: Final = f"{_W}lastRenderedPageBreak"
_BOX: Final = f"{_W}txbxContent"
_NOT_READ: Final = frozenset({_FALLBACK, f"{_W}del", f"{_W}moveFrom"})
_OFF: Final = frozenset({"0", "false", "off"})
_TITLE: Final = 80
_DEEPEST: Final = 6
_HEADING: Final = re.compile(r"heading ([1-9])\b")


def read_docx(path: Path) -> Text:
    """The text of a Word document, with pages where Word noted how it printed them last.

    Raises:
        LibraryError: it is protected, an older format, damaged, or no Word document.
    """
    with path.open("rb") as file:
        start = file.read(len(_OLE))
        if start == _OLE:
            if _ENCRYPTED in start + file.read():
                raise LibraryError(f"{path.name} is protected by a password: save it without one")
            raise LibraryError(f"{path.name} is a document of Word 97 or older: save it as .docx")
    with open_packed(path) as packed:
        main = _related(packed, "", "officeDocument")
        body = _root(packed, main).find(f"{_W}body")
        if body is None:
            raise LibraryError(f"{path.name} is no Word document: it has no text of one")
        levels = _levels(_root(packed, _related(packed, main, "styles")))
        core = _root(packed, _related(packed, "", "core-properties"))
    paged = body.find(f".//{_PAGE_BEGINS}") is not None
    reader = _BodyReader(path.name, levels, 1 if paged else None)
    reader.read(body)
    reader.head_by_bold()
    stated = core.findtext("{http://purl.org/dc/elements/1.1/}title")
    return Text(readable(stated or "") or title_of(path, reader.written.blocks),
                tuple(reader.written.blocks), pages=reader.page or 0)


def _related(packed: Packed, part: str, kind: str) -> str:
    """The part that stands in that relation to ``part``, or to the file as a whole; '' for none."""
    folder, name = posixpath.split(part)
    relations = _root(packed, posixpath.join(folder, f"_rels/{name}.rels"))
    targets = [relation.get("Target", "") for relation in relations
               if relation.get("Type", "").endswith(f"/{kind}")]
    return posixpath.normpath(posixpath.join("/", folder, targets[0]))[1:] if targets else ""


def _root(packed: Packed, part: str) -> Any:
    """The root of a part; an empty element where there is no such part."""
    if part not in packed.parts:
        return etree.Element("none")
    root = packed.xml(part)
    if root.getroottree().docinfo.internalDTD is not None:
        raise LibraryError(f"{packed.name}: its part {part[:200]!r} has a DOCTYPE, and Word writes "
                           "none")
    return root


def _parts(root: Any, tags: Collection[str]) -> Iterator[Any]:
    """The outermost elements of ``tags`` below ``root``, in order, but for what was deleted."""
    pending = list(reversed(root))
    while pending:
        element = pending.pop()
        if element.tag in tags:
            yield element
        elif element.tag not in _NOT_READ:
            pending.extend(reversed(element))


class _BodyReader:
    """The blocks of a document; ``page`` is the one that is being read, None without pages."""

    def __init__(self, name: str, levels: dict[str, int], page: int | None) -> None:
        self.written, self.page = Written(name), page
        self._levels = levels
        self._bold: dict[int, int] = {}  # sizes of blocks in bold, in half points, by their places

    def read(self, root: Any) -> None:
        """Append the paragraphs and tables below ``root``, each paragraph with its boxes."""
        for element in _parts(root, (f"{_W}p", f"{_W}tbl")):
            if element.tag == f"{_W}tbl":
                page = self.page
                rows = [[self._text_and_page(cell)[0] for cell in _parts(row, (f"{_W}tc",))]
                        for row in _parts(element, (f"{_W}tr",))]
                self.written.add_table(rows, page)
                continue
            own, style = (element.find(f"{_W}pPr/{_W}{tag}") for tag in ("outlineLvl", "pStyle"))
            level = self._levels.get(_value(style), 0) if own is None else _outline(own)
            text, page = self._text_and_page(element)
            if not level and _is_title(text) and (size := _bold_size(element)) is not None:
                self._bold[len(self.written.blocks)] = size
            self.written.add(text, level, page)
            for box in _parts(element, (_BOX,)):
                self.read(box)

    def head_by_bold(self) -> None:
        """Make short lines in bold headings where no style is one, but for a title's."""
        blocks = self.written.blocks
        styled = [block.level for block in blocks if block.level]
        if len(styled) > 1 or 2 * len(self._bold) > len(blocks) + 1:
            return
        sizes = sorted({*self._bold.values()}, reverse=True)
        for place, size in self._bold.items():
            blocks[place] = replace(blocks[place], level=min(
                1 + len(styled) + sizes.index(size), _DEEPEST))

    def _text_and_page(self, element: Any) -> tuple[str, int | None]:
        """The text of an element, but for that of its boxes, and the page where it begins."""
        text, page, pending = "", self.page, [element]
        while pending:
            part = pending.pop()
            if part.tag == _PAGE_BEGINS and self.page is not None:
                self.page += 1
            elif part.tag == f"{_W}t" or part.tag in _SPACES:
                text += _SPACES.get(part.tag) or part.text or ""
            elif part.tag not in _NOT_READ and part.tag != _BOX:
                text += " " if part.tag == f"{_W}p" else ""
                pending.extend(reversed(part))
            if not text.strip():
                page = self.page
        return text, page


def _is_title(text: str) -> bool:
    """Whether a line that is set in bold reads as a title."""
    text = text.strip()
    return 0 < len(text) <= _TITLE and text[-1] not in ".,;" and LINE_ENDS not in text


def _bold_size(paragraph: Any) -> int | None:
    """The size of its letters in half points, 0 for the usual; None where some are not bold."""
    sizes = [0]
    for run in paragraph.iter(f"{_W}r"):
        if "".join(run.itertext(f"{_W}t")).strip():
            bold, size = (run.find(f"{_W}rPr/{_W}{tag}") for tag in ("b", "sz"))
            if bold is None or _value(bold) in _OFF:
                return None
            sizes.append(int(value) if (value := _value(size)).isdecimal() else 0)
    return max(sizes)


def _outline(element: Any) -> int:
    value = _value(element)
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else 0  # 9 is body text


def _levels(styles: Any) -> dict[str, int]:
    """The heading levels of the styles that have one, or that are based on one that has."""
    own: dict[str, int | None] = {}
    bases: dict[str, str] = {}
    for style in styles.iter(f"{_W}style"):
        key = style.get(f"{_W}styleId", "")
        bases[key] = _value(style.find(f"{_W}basedOn"))
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        name = _value(style.find(f"{_W}name")).casefold()
        heading = _HEADING.match(name)
        named = int(heading[1]) if heading else 1 if name == "title" else None
        own[key] = named if outline is None else _outline(outline)
    levels: dict[str, int] = {}
    for key in own:
        chain = [key]
        while own.get(chain[-1]) is None and (base := bases.get(chain[-1], "")) not in chain:
            chain.append(base)
        levels[key] = own.get(chain[-1]) or 0
    return levels


def _value(element: Any) -> str:
    return "" if element is None else element.get(f"{_W}val", "")
