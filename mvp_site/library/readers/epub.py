"""EPUB to blocks, in the order of its spine; its contents as bookmarks, its page list as pages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from lxml import etree

from ...errors import LibraryError
from ..types import Bookmark, Text
from .packed import Packed, open_packed
from .written import Written, readable, title_of
from .xhtml import EPUB_TYPE, Pages, Place, name_of, read_xhtml, xhtml

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONTS: Final = frozenset({
    "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC",
})
"""Ways to obscure fonts alone."""
_TEXTS: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_NCX: Final = "application/x-dtbncx+xml"


@dataclass(frozen=True, slots=True)
class _Item:
    """A part of the book, by its name in the file."""

    part: str
    type: str
    nav: bool


@dataclass(frozen=True, slots=True)
class _Point:
    """An entry of the contents or of the list of pages; ``target`` is a part and an id in it."""

    title: str
    level: int
    target: tuple[str, str] | None


@dataclass(slots=True)
class _Contents:
    points: list[_Point] = field(default_factory=list)
    pages: list[_Point] = field(default_factory=list)


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
            items[ref] for one in _named(package, "itemref")
            if (ref := one.get("idref", "")) in items and items[ref].type in _TEXTS
        ]
        if not spine:
            raise LibraryError(f"{path.name} has no text: its spine, the order of it, is empty")
        _check_protection(packed, {one.part for one in spine})
        written, pages = Written(path.name), Pages()
        places: dict[tuple[str, str], Place] = {}
        notes: list[str] = []
        for part in dict.fromkeys(one.part for one in spine):
            if part not in packed.parts:
                notes.append(f"{part} is missing from the file.")
                continue
            root = xhtml(packed.read(part), f"{path.name}: its part {part[:200]!r}")
            places[part, ""] = Place(len(written.blocks), within=False)
            for name, place in read_xhtml(root, written, pages).items():
                places[part, name] = place
        contents = _contents(packed, package, items)
    if contents.pages:
        pages.replace([
            (places[one.target], one.title) for one in contents.pages if one.target in places
        ])
    blocks = pages.numbered(written.blocks)
    title = next((readable(one.text or "") for one in _named(package, "title")), "")
    bookmarks = tuple(
        Bookmark(point.title, point.level, blocks[block].page, block)
        for point, block in _resolved(contents.points, places, len(blocks))
    )
    return Text(
        title or title_of(path), blocks, bookmarks, pages.count, pages.labels, notes=tuple(notes),
    )


def _named(root: etree._Element, name: str) -> Iterator[etree._Element]:
    return (one for one in root.iter() if name_of(one) == name)


def _package(packed: Packed) -> str:
    if _CONTAINER not in packed.parts:
        raise LibraryError(f"{packed.name} is no EPUB: it has no {_CONTAINER}")
    for one in _named(packed.xml(_CONTAINER), "rootfile"):
        if part := one.get("full-path"):
            return unquote(part) if unquote(part) in packed.parts else part
    raise LibraryError(f"{packed.name} is no EPUB: {_CONTAINER} names no package")


def _items(package: etree._Element, base: str) -> Mapping[str, _Item]:
    found: dict[str, _Item] = {}
    for one in _named(package, "item"):
        target = _target(one.get("href", ""), base)
        if target:
            found[one.get("id", "")] = _Item(
                target[0], one.get("media-type", ""), "nav" in one.get("properties", "").split()
            )
    return found


def _target(href: str, base: str) -> tuple[str, str] | None:
    """The part and the id that ``href`` in ``base`` leads to; None where it leads out."""
    try:
        address = urlsplit(href.strip())
    except ValueError:
        return None
    if address.scheme or address.netloc or not (address.path or address.fragment):
        return None
    path = unquote(address.path)
    part = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
    if part.startswith(("../", "/")):
        return None
    return part, unquote(address.fragment)


def _check_protection(packed: Packed, texts: set[str]) -> None:
    if _ENCRYPTION not in packed.parts:
        return
    for data in _named(packed.xml(_ENCRYPTION), "EncryptedData"):
        ways = {one.get("Algorithm") for one in _named(data, "EncryptionMethod")}
        parts = {unquote(one.get("URI", "")) for one in _named(data, "CipherReference")}
        if parts & texts and not ways <= _FONTS:
            raise LibraryError(
                f"{packed.name} is protected (DRM): its text is encrypted; only a copy without "
                "protection can be read"
            )


def _contents(
    packed: Packed, package: etree._Element, items: Mapping[str, _Item]
) -> _Contents:
    """The contents that the book's navigation document has, else its NCX."""
    for item in items.values():
        if item.nav and item.part in packed.parts:
            what = f"{packed.name}: its part {item.part[:200]!r}"
            found = _navigation(xhtml(packed.read(item.part), what), item.part)
            if found.points:
                return found
    spine = next(_named(package, "spine"), None)
    stated = items.get(spine.get("toc", "")) if spine is not None else None
    for one in (stated, *(item for item in items.values() if item.type == _NCX)):
        if one and one.part in packed.parts:
            return _ncx(packed.xml(one.part), one.part)
    return _Contents()


def _navigation(root: etree._Element, base: str) -> _Contents:
    found = _Contents()
    for nav in _named(root, "nav"):
        kinds = (nav.get(EPUB_TYPE) or nav.get("type") or "").split()
        points = found.pages if "page-list" in kinds else found.points if "toc" in kinds else None
        if points is None:
            continue
        level = 0
        for event, one in etree.iterwalk(nav, events=("start", "end")):
            name = name_of(one)
            if name == "ol":
                level += 1 if event == "start" else -1
            elif event == "start" and name in {"a", "span"} and _heads(one):
                title = readable("".join(one.itertext()))
                points.append(_Point(title, max(level, 1), _target(one.get("href", ""), base)))
    return found


def _heads(element: etree._Element) -> bool:
    parent = element.getparent()
    return parent is not None and name_of(parent) == "li"


def _ncx(root: etree._Element, base: str) -> _Contents:
    found = _Contents()
    level = 0
    for event, one in etree.iterwalk(root, events=("start", "end")):
        name = name_of(one)
        if name == "navPoint":
            level += 1 if event == "start" else -1
        if event == "end" or name not in {"navPoint", "pageTarget"}:
            continue
        parts = {name_of(child): child for child in one}
        title = readable("".join(parts["navLabel"].itertext())) if "navLabel" in parts else ""
        source = parts["content"].get("src", "") if "content" in parts else ""
        points = found.points if name == "navPoint" else found.pages
        points.append(_Point(title, max(level, 1), _target(source, base)))
    return found


def _resolved(
    points: list[_Point], places: Mapping[tuple[str, str], Place], blocks: int
) -> list[tuple[_Point, int]]:
    """The points that lead to a block; one that leads nowhere itself leads to its first child."""
    found: list[tuple[_Point, int]] = []
    for point in reversed(points):
        block = None
        if point.target:
            place = places.get(point.target) or places.get((point.target[0], ""))
            block = min(place.block, blocks - 1) if place else None
        if block is None and found and found[-1][0].level > point.level:
            block = found[-1][1]
        if block is not None and block >= 0 and point.title:
            found.append((point, block))
    return found[::-1]
