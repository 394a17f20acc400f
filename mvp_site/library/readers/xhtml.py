"""The XHTML of a book to blocks: without recursion, so that no depth can hurt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html.entities import html5
from typing import Final

from lxml import etree

from ...retrieval.titles import LINE_ENDS
from ..types import Block
from .packed import parse_xml
from .written import Written, readable

EPUB_TYPE: Final = "{http://www.idpf.org/2007/ops}type"
_ENTITY: Final = re.compile(rb"&([A-Za-z][A-Za-z0-9]*;)")
_XML: Final = frozenset({b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"})
_NOT_READ: Final = frozenset({"head", "script", "style", "template", "nav", "svg", "math"})
_INLINE: Final = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rb
    rp rt s samp small span strike strong sub sup time tt u var wbr img br""".split()  # noqa: SIM905
)
_CELLS: Final = frozenset({"tr", "td", "th"})
_HEADING: Final = re.compile(r"h[1-6]")


@dataclass(frozen=True, slots=True)
class Place:
    """The block that a place of the text is in; ``within`` where text of that block precedes it."""

    block: int
    within: bool


class Pages:
    """Where the pages of a printed book begin, with their numbers as printed."""

    def __init__(self) -> None:
        self._begin: list[tuple[int, str]] = []
        self.count = 0
        self.labels: tuple[str, ...] = ()

    def begin(self, place: Place, label: str) -> None:
        """Add a page that begins at ``place``: with the next block, where it is within one."""
        self._begin.append((place.block + place.within, label))

    def replace(self, pages: Iterable[tuple[Place, str]]) -> None:
        """Take these instead of those that were met in the text."""
        self._begin = []
        for place, label in pages:
            self.begin(place, label)
        self._begin.sort(key=lambda page: page[0])

    def numbered(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """``blocks`` with their pages; ``count`` and ``labels`` are known from then on.

        What stands before the first page that is marked is a page without a number.
        """
        if not self._begin:
            return tuple(blocks)
        begin = self._begin if self._begin[0][0] == 0 else [(0, ""), *self._begin]
        self.count, self.labels = len(begin), tuple(label for _, label in begin)
        found: list[Block] = []
        page = 0
        for number, block in enumerate(blocks):
            while page < len(begin) and begin[page][0] <= number:
                page += 1
            found.append(replace(block, page=page))
        return tuple(found)


def name_of(element: etree._Element) -> str:
    """The name of an element without its namespace; '' of what is no element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def xhtml(content: bytes, what: str) -> etree._Element:
    """The root of an XHTML text, or of what a browser makes of it where it is not well formed.

    Raises:
        LibraryError: it is nested too deeply, declares entities, or is empty.
    """
    return parse_xml(_ENTITY.sub(_reference, content), what, lenient=True)


def _reference(found: re.Match[bytes]) -> bytes:
    """An entity of HTML as XML knows it, by number."""
    if found[1] in _XML:
        return found[0]
    said = html5.get(found[1].decode())
    return "".join(f"&#{ord(char)};" for char in said).encode() if said else found[0]


def read_xhtml(root: etree._Element, written: Written, pages: Pages) -> dict[str, Place]:
    """Append the blocks of a text to ``written`` and its page breaks to ``pages``.

    Returns the places of its ids.
    """
    reader = _Reader(written, pages)
    body = next((one for one in root.iter() if name_of(one) == "body"), root)
    walk = etree.iterwalk(body, events=("start", "end"))
    skipped: etree._Element | None = None
    for event, element in walk:
        if event == "start":
            if not reader.start(element):
                skipped = element
                walk.skip_subtree()
            continue
        if element is not skipped:
            reader.end(element)
        if element is not body:
            reader.say(element.tail)
    reader.flush()
    return reader.places


class _Reader:
    """What stands between two tags: the text of the block that is not ended, and its table."""

    def __init__(self, written: Written, pages: Pages) -> None:
        self._written = written
        self._pages = pages
        self._said: list[str] = []
        self._within = False
        self._level = 0
        self._tables = 0
        self._rows: list[list[str]] = []
        self.places: dict[str, Place] = {}

    def start(self, element: etree._Element) -> bool:
        """Take an element's start tag and first text; whether it is to be read further."""
        name = name_of(element)
        if not name or name in _NOT_READ:
            return False
        if name not in _INLINE:
            self._begin(name)
        place = Place(len(self._written.blocks), self._within)
        for key in (element.get("id"), element.get("name")):
            if key:
                self.places.setdefault(key, place)
        if "pagebreak" in element.get(EPUB_TYPE, "") or element.get("role") == "doc-pagebreak":
            label = element.get("title") or element.get("aria-label")
            self._pages.begin(place, readable(label or "".join(map(str, element.itertext()))))
            return False
        self.say(LINE_ENDS if name == "br" else element.text)
        return True

    def end(self, element: etree._Element) -> None:
        """Take an element's end tag."""
        name = name_of(element)
        if name == "table":
            if self._tables == 1:
                self._cell()
                self._written.add_table(self._rows)
                self._rows, self._within = [], False
            self._tables -= 1
        elif name not in _INLINE:
            if self._tables or (self._level and not _HEADING.fullmatch(name)):
                self.say(" ")
            else:
                self.flush()

    def say(self, text: str | None) -> None:
        """Take a text."""
        if text:
            self._said.append(text)
            self._within = self._within or not text.isspace()

    def flush(self) -> None:
        """End the block that is being read."""
        self._written.add("".join(self._said), self._level)
        self._said, self._level, self._within = [], 0, False

    def _begin(self, name: str) -> None:
        """Begin a block; in a table a row, a cell or a word, and in a heading a word."""
        if self._tables == 1 and name in _CELLS:
            self._cell()
            if name == "tr" or not self._rows:
                self._rows.append([])
            if name != "tr":
                self._rows[-1].append("")
        elif self._tables or (self._level and not _HEADING.fullmatch(name)):
            self.say(" ")
        else:
            self.flush()
            self._level = int(name[1]) if _HEADING.fullmatch(name) else 0
        self._tables += name == "table"

    def _cell(self) -> None:
        """End the cell that is being read; what stands outside of cells is a row of its own."""
        text, self._said = "".join(self._said), []
        if self._rows and self._rows[-1]:
            self._rows[-1][-1] += text
        elif text.strip():
            self._rows.append([text])
