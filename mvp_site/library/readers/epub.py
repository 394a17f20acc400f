"""EPUB to blocks, in the order of its spine; its contents as bookmarks, its page list as pages."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from lxml import etree

from ...errors import LibraryError
from ..types import Bookmark, Text
from .packed import Packed, open_packed
from .written import Written, readable, title_of
from .xhtml import EPUB_TYPE, Place, name_of, numbered, read_xhtml

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONTS: Final = frozenset({
    "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC",
})
"""Ways to obscure fonts alone."""
_TEXTS: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_NCX: Final = "application/x-dtbncx+xml"


class _Item(NamedTuple):
    """A part of the book, by its name in the file."""

    part: str
    type: str
    nav: bool


class _Point(NamedTuple):
    """An entry of the contents or of the list of pages; ``target`` is a part and an id in it."""

    title: str
    level: int
    target: tuple[str, str] | None


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
        _check_protection(packed, {one.part for one in spine})
        written = Written(path.name)
        places: dict[tuple[str, str], Place] = {}
        begins: list[tuple[int, str]] = []
        notes: list[str] = []
        for part in dict.fromkeys(one.part for one in spine):
            if part not in packed.parts:
                notes.append(f"{part} is missing from the file.")
                continue
            places[part, ""] = (len(written.blocks),) * 2
            found, breaks = read_xhtml(packed.xhtml(part), written)
            places |= {(part, name): place for name, place in found.items()}
            begins += breaks
        points, pages = _contents(packed, package, items)
    if pages:
        begins = sorted(
            ((places[page.target][1], page.title) for page in pages if page.target in places),
            key=itemgetter(0),
        )
    blocks, labels = numbered(written.blocks, begins)
    title = next((readable(element.text or "") for element in package.iter("{*}title")), "")
    bookmarks = tuple(
        Bookmark(point.title, point.level, blocks[block].page, block)
        for point, block in _resolved(points, places, len(blocks))
    )
    return Text(
        title or title_of(path), blocks, bookmarks, len(labels), labels, notes=tuple(notes),
    )


def _package(packed: Packed) -> str:
    if _CONTAINER not in packed.parts:
        raise LibraryError(f"{packed.name} is no EPUB: it has no {_CONTAINER}")
    for element in packed.xml(_CONTAINER).iter("{*}rootfile"):
        if part := element.get("full-path"):
            return unquote(part) if unquote(part) in packed.parts else part
    raise LibraryError(f"{packed.name} is no EPUB: {_CONTAINER} names no package")


def _items(package: etree._Element, base: str) -> Mapping[str, _Item]:
    found: dict[str, _Item] = {}
    for one in package.iter("{*}item"):
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
    for data in packed.xml(_ENCRYPTION).iter("{*}EncryptedData"):
        ways = {element.get("Algorithm") for element in data.iter("{*}EncryptionMethod")}
        parts = {unquote(element.get("URI", "")) for element in data.iter("{*}CipherReference")}
        if parts & texts and not ways <= _FONTS:
            raise LibraryError(
                f"{packed.name} is protected (DRM): its text is encrypted; only a copy without "
                "protection can be read"
            )


def _contents(
    packed: Packed, package: etree._Element, items: Mapping[str, _Item]
) -> tuple[list[_Point], list[_Point]]:
    """The contents and the pages by the book's navigation document, else by its NCX."""
    for item in items.values():
        if item.nav and item.part in packed.parts:
            found = _navigation(packed.xhtml(item.part), item.part)
            if found[0]:
                return found
    stated = {element.get("toc") for element in package.iter("{*}spine")}
    for key, item in items.items():
        if (key in stated or item.type == _NCX) and item.part in packed.parts:
            root = packed.xml(item.part)
            return _labelled(root, item.part, "navPoint"), _labelled(root, item.part, "pageTarget")
    return [], []


def _navigation(root: etree._Element, base: str) -> tuple[list[_Point], list[_Point]]:
    found: dict[str, list[_Point]] = {"toc": [], "page-list": []}
    for nav in root.iter("{*}nav"):
        kinds = (nav.get(EPUB_TYPE) or nav.get("type") or "").split()
        for element in nav.iter("{*}a", "{*}span"):
            parent = element.getparent()
            if parent is None or name_of(parent) != "li":
                continue
            title = readable("".join(map(str, element.itertext())))
            level = max(sum(1 for _ in element.iterancestors("{*}ol")), 1)
            for kind in found.keys() & kinds:
                found[kind].append(_Point(title, level, _target(element.get("href", ""), base)))
    return found["toc"], found["page-list"]


def _labelled(root: etree._Element, base: str, name: str) -> list[_Point]:
    """The elements ``name`` of an NCX, each with its label and where it leads."""
    found = []
    for element in root.iter(f"{{*}}{name}"):
        title = readable(element.findtext("{*}navLabel/{*}text") or "")
        content = element.find("{*}content")
        source = "" if content is None else content.get("src", "")
        level = 1 + sum(1 for _ in element.iterancestors("{*}navPoint"))
        found.append(_Point(title, level, _target(source, base)))
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
            block = min(place[0], blocks - 1) if place else None
        if block is None and found and found[-1][0].level > point.level:
            block = found[-1][1]
        if block is not None and block >= 0 and point.title:
            found.append((point, block))
    return found[::-1]
