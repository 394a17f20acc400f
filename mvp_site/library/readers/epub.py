"""EPUB to blocks, in the order of its spine; its contents as bookmarks, its page list as pages.

XHTML is read without recursion, so that no depth can hurt.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from lxml import etree

from ...errors import LibraryError
from ...text.titles import LINE_ENDS
from ..types import Bookmark, Text
from .book_blocks import Written, readable, title_of
from .zipped_book import Packed, open_packed

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONTS: Final = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""Ways to obscure fonts alone."""
_TEXTS: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_NCX: Final = "application/x-dtbncx+xml"
_EPUB_TYPE: Final = "{http://www.idpf.org/2007/ops}type"
_NOT_READ: Final = frozenset({"", "head", "script", "style", "template", "nav", "svg", "math"})
_INLINE: Final = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rb
    rp rt s samp small span strike strong sub sup time tt u var wbr img br""".split()  # noqa: SIM905
)
_ROW: Final = "\x1e"
"""Stands before a row of a table while it is read."""
_CELL: Final = "\x1f"
_MARKS: Final = {"tr": _ROW, "td": _CELL, "th": _CELL}
_HEADING: Final = re.compile(r"h[1-6]")
_Target: TypeAlias = tuple[str, str]
"""A part and an id in it."""


class _Item(NamedTuple):
    """A part of the book, by its name in the file."""

    part: str
    type: str
    nav: bool


class _Point(NamedTuple):
    """An entry of the contents or of the list of pages."""

    title: str
    level: int
    target: _Target | None


def read_epub(path: Path) -> Text:
    """The text of an EPUB; it has pages where it says where those of a printed book begin.

    Raises:
        LibraryError: it is protected, damaged, unpacks to too much, or is no EPUB.
    """
    with open_packed(path) as packed:
        package_part = _package(packed)
        package = packed.xml(package_part)
        items = _items(package, package_part)
        spine = [
            items[ref] for element in package.iter("{*}itemref")
            if (ref := element.get("idref", "")) in items and items[ref].type in _TEXTS
        ]
        if not spine:
            raise LibraryError(f"{path.name} has no text: its spine, the order of it, is empty")
        _check_protection(packed, {item.part for item in spine})
        reader, parts = _Reader(path.name), dict.fromkeys(item.part for item in spine)
        for part in parts:
            if part in packed.parts:
                reader.read(part, packed.xhtml(part))
        notes = tuple(f"{part} is missing from the file." for part in parts
                      if part not in packed.parts)
        points, pages = _contents(packed, package, items)
    blocks, places = reader.written.blocks, reader.places
    begins = sorted((places[page.target], page.title) for page in pages if page.target in places)
    if begins and begins[0][0]:
        begins = [(0, ""), *begins]  # what stands before the first is a page without a number
    if begins:
        starts = [start for start, _ in begins]
        blocks = [replace(block, page=bisect_right(starts, n)) for n, block in enumerate(blocks)]
    title = next((readable(element.text or "") for element in package.iter("{*}title")), "")
    bookmarks = tuple(Bookmark(point.title, point.level, block)
                      for point, block in _resolved(points, places, len(blocks)))
    return Text(title or title_of(path), tuple(blocks), bookmarks, len(begins),
                tuple(label for _, label in begins), notes=notes)


def _package(packed: Packed) -> str:
    if _CONTAINER not in packed.parts:
        raise LibraryError(f"{packed.name} is no EPUB: it has no {_CONTAINER}")
    named = (element.get("full-path") for element in packed.xml(_CONTAINER).iter("{*}rootfile"))
    if not (part := next(filter(None, named), "")):
        raise LibraryError(f"{packed.name} is no EPUB: {_CONTAINER} names no package")
    return unquote(part) if unquote(part) in packed.parts else part


def _items(package: etree._Element, base: str) -> Mapping[str, _Item]:
    items: dict[str, _Item] = {}
    for item in package.iter("{*}item"):
        if target := _target(item.get("href", ""), base):
            is_nav = "nav" in item.get("properties", "").split()
            items[item.get("id", "")] = _Item(target[0], item.get("media-type", ""), is_nav)
    return items


def _target(href: str, base: str) -> _Target | None:
    """The part and the id that ``href`` in ``base`` leads to; None where it leads out."""
    try:
        address = urlsplit(href.strip())
    except ValueError:
        return None
    if address.scheme or address.netloc or not (address.path or address.fragment):
        return None
    path = unquote(address.path)
    part = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
    return None if part.startswith(("../", "/")) else (part, unquote(address.fragment))


def _check_protection(packed: Packed, texts: set[str]) -> None:
    if _ENCRYPTION not in packed.parts:
        return
    for data in packed.xml(_ENCRYPTION).iter("{*}EncryptedData"):
        ways = {element.get("Algorithm") for element in data.iter("{*}EncryptionMethod")}
        parts = {unquote(element.get("URI", "")) for element in data.iter("{*}CipherReference")}
        if parts & texts and not ways <= _FONTS:
            raise LibraryError(f"{packed.name} is protected (DRM): its text is encrypted; only a "
                               "copy without protection can be read")


def _contents(packed: Packed, package: etree._Element,
              items: Mapping[str, _Item]) -> tuple[list[_Point], list[_Point]]:
    """The contents and the pages by the book's navigation document, else by its NCX."""
    for item in items.values():
        if item.nav and item.part in packed.parts:
            points, pages = _navigation(packed.xhtml(item.part), item.part)
            if points:
                return points, pages
    stated = {element.get("toc") for element in package.iter("{*}spine")}
    for key, item in items.items():
        if (key in stated or item.type == _NCX) and item.part in packed.parts:
            root = packed.xml(item.part)
            return _labelled(root, item.part, "navPoint"), _labelled(root, item.part, "pageTarget")
    return [], []


def _navigation(root: etree._Element, base: str) -> tuple[list[_Point], list[_Point]]:
    lists: dict[str, list[_Point]] = {"toc": [], "page-list": []}
    for nav in root.iter("{*}nav"):
        kinds = nav.get(_EPUB_TYPE, "").split()
        for element in nav.iter("{*}a", "{*}span"):
            if _name_of(element.getparent()) != "li":
                continue
            title = readable("".join(map(str, element.itertext())))
            level = max(sum(1 for _ in element.iterancestors("{*}ol")), 1)
            for kind in lists.keys() & kinds:
                lists[kind].append(_Point(title, level, _target(element.get("href", ""), base)))
    return lists["toc"], lists["page-list"]


def _labelled(root: etree._Element, base: str, name: str) -> list[_Point]:
    """The elements ``name`` of an NCX, each with its label and where it leads."""
    points = []
    for element in root.iter(f"{{*}}{name}"):
        title = readable(element.findtext("{*}navLabel/{*}text") or "")
        content = element.find("{*}content")
        source = "" if content is None else content.get("src", "")
        level = 1 + sum(1 for _ in element.iterancestors("{*}navPoint"))
        points.append(_Point(title, level, _target(source, base)))
    return points


def _resolved(points: list[_Point], places: Mapping[_Target, int],
              blocks: int) -> list[tuple[_Point, int]]:
    """The points that lead to a block; one that leads nowhere itself leads to its first child."""
    resolved: list[tuple[_Point, int]] = []
    for point in reversed(points):
        block = None
        if point.target:
            block = places.get(point.target, places.get((point.target[0], "")))
            block = None if block is None else min(block, blocks - 1)
        if block is None and resolved and resolved[-1][0].level > point.level:
            block = resolved[-1][1]
        if block is not None and block >= 0 and point.title:
            resolved.append((point, block))
    return resolved[::-1]


def _name_of(element: etree._Element | None) -> str:
    """The name of an element without its namespace; '' of what is no element."""
    tag = None if element is None else element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


class _Reader:
    """The text of a book, and of what stands between two tags the block that is not ended.

    A heading or a table is one block with all that stands in it. ``places`` are the blocks that
    the ids of each part stand in.
    """

    def __init__(self, name: str) -> None:
        self.written = Written(name)
        self.places: dict[_Target, int] = {}
        self._texts: list[str] = []
        self._whole: etree._Element | None = None

    def read(self, part: str, root: etree._Element) -> None:
        """Append the blocks of a part."""
        self.places[part, ""] = len(self.written.blocks)
        walk = etree.iterwalk(next(root.iter("{*}body"), root), events=("start", "end"))
        for event, element in walk:
            name = _name_of(element)
            if event == "end":
                self._end(element, name)
                self._texts.append(element.tail or "")
            elif name in _NOT_READ:
                walk.skip_subtree()
            else:
                self._start(element, name)
                for key in filter(None, (element.get("id"), element.get("name"))):
                    self.places.setdefault((part, key), len(self.written.blocks))
                self._texts.append(LINE_ENDS if name == "br" else element.text or "")
        self._flush()

    def _start(self, element: etree._Element, name: str) -> None:
        if name not in _INLINE and self._whole is not None:
            own = next(element.iterancestors("{*}table"), None) is self._whole
            self._texts.append(_MARKS.get(name, " ") if own else " ")
        elif name not in _INLINE:
            self._flush()
            self._whole = element if name == "table" or _HEADING.fullmatch(name) else None

    def _end(self, element: etree._Element, name: str) -> None:
        if name in _INLINE or name in _NOT_READ:
            return
        if self._whole is None or self._whole is element:
            self._flush()
        else:
            self._texts.append(" ")

    def _flush(self) -> None:
        """End the block that is being read."""
        text, name = "".join(self._texts), "" if self._whole is None else _name_of(self._whole)
        if name == "table":
            rows = [row.split(_CELL) for row in text.split(_ROW)]
            # What stands before the first cell, such as a caption, is a cell if it is anything.
            rows = [row if row[0].strip() else row[1:] for row in rows]
            self.written.add_table(filter(None, rows))
        else:
            self.written.add(text, int(name[1]) if name else 0)
        self._texts, self._whole = [], None
