"""Word documents to blocks: headings by their styles, tables in place, pages as last printed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from lxml import etree

from ...errors import LibraryError
from ...text.titles import LINE_ENDS
from ..types import Text
from .packed import Packed, open_packed
from .written import Written, readable, title_of

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SPACES: Final = {
    f"{_W}tab": " ", f"{_W}br": LINE_ENDS, f"{_W}cr": LINE_ENDS, f"{_W}noBreakHyphen": "-",
}
_BOX: Final = f"{_W}txbxContent"
_NOT_READ: Final = frozenset({_FALLBACK, f"{_W}del", f"{_W}moveFrom"})
_HEADING: Final = re.compile(r"heading ([1-9])\b")
_BUILT_IN: Final = {"Title": 1, **{f"Heading{level}": level for level in range(1, 10)}}
"""The levels of the styles that a document has which states none."""
_BODY_TEXT: Final = 9
"""The outline level that says a paragraph is no heading."""


def read_docx(path: Path) -> Text:
    """The text of a Word document.

    A page begins where Word last began one, else where one is asked for; a document without
    either has none.

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
        styles, core = _related(packed, main, "styles"), _related(packed, "", "core-properties")
        levels = _levels(_root(packed, styles)) if styles else _BUILT_IN
        stated = _root(packed, core).findtext("{http://purl.org/dc/elements/1.1/}title")
    written = Written(path.name)
    pages = _Pages(body)
    for element in _parts(body, {f"{_W}p", f"{_W}tbl"}):
        if element.tag == f"{_W}tbl":
            page = pages.number
            rows = [_parts(row, {f"{_W}tc"}) for row in _parts(element, {f"{_W}tr"})]
            written.add_table([
                ["".join(text for text, _ in _said(cell, pages)) for cell in row] for row in rows
            ], page)
        else:
            _paragraph(element, written, levels, pages)
    title = readable(stated or "") or title_of(path, written.blocks)
    return Text(title, tuple(written.blocks), pages=pages.number or 0)


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


class _Pages:
    """The page that is being read; None where the document says nothing of pages."""

    def __init__(self, body: Any) -> None:
        paths = f"{_W}br[@{_W}type='page']", f"{_W}pageBreakBefore"
        self._begin = set(body.iter(f"{_W}lastRenderedPageBreak")) or {
            element for path in paths for element in body.iterfind(f".//{path}")
            if element.get(f"{_W}val", "1") not in {"0", "false", "off"}
        }
        self.number = 1 if self._begin else None

    def turn(self, element: Any) -> None:
        """Count the page that begins at ``element``, if one does."""
        if self.number is not None and element in self._begin:
            self.number += 1


def _parts(root: Any, tags: Iterable[str]) -> Iterator[Any]:
    """The outermost elements of ``tags`` below ``root``, in order, but for what was deleted."""
    pending = list(reversed(root))
    while pending:
        element = pending.pop()
        if element.tag in tags:
            yield element
        elif element.tag not in _NOT_READ:
            pending.extend(reversed(element))


def _paragraph(element: Any, written: Written, levels: dict[str, int], pages: _Pages) -> None:
    """Append a paragraph with the level of its heading, 0 where it is none, and its boxes."""
    own, style = (element.find(f"{_W}pPr/{_W}{tag}") for tag in ("outlineLvl", "pStyle"))
    level = levels.get(_value(style), 0) if own is None else _outline(own)
    runs = list(_said(element, pages))
    page = next((page for text, page in runs if text.strip()), pages.number)
    written.add("".join(text for text, _ in runs), level, page)
    for box in _parts(element, {_BOX}):
        for inner in _parts(box, {f"{_W}p"}):
            _paragraph(inner, written, levels, pages)


def _said(element: Any, pages: _Pages) -> Iterator[tuple[str, int | None]]:
    """The texts of an element, each with its page; but for those of its boxes."""
    pending = [element]
    while pending:
        part = pending.pop()
        pages.turn(part)
        if part.tag == f"{_W}t":
            yield part.text or "", pages.number
        elif part.tag in _SPACES:
            yield _SPACES[part.tag], pages.number
        elif part.tag not in _NOT_READ and part.tag != _BOX:
            if part.tag == f"{_W}p":
                yield " ", pages.number
            pending.extend(reversed(part))


def _outline(element: Any) -> int:
    value = _value(element)
    return int(value) + 1 if value.isdecimal() and int(value) < _BODY_TEXT else 0


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
