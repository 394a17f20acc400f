"""The XHTML of a book to blocks: without recursion, so that no depth can hurt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from lxml import etree

from ...text.titles import LINE_ENDS
from ..types import BookBlock
from .written import Written, readable

EPUB_TYPE: Final = "{http://www.idpf.org/2007/ops}type"
_NOT_READ: Final = frozenset({"head", "script", "style", "template", "nav", "svg", "math"})
_INLINE: Final = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rb
    rp rt s samp small span strike strong sub sup time tt u var wbr img br""".split()  # noqa: SIM905
)
_ROW: Final = "\x1e"
"""Stands before a row of a table while it is read."""
_CELL: Final = "\x1f"
_MARKS: Final = {"tr": _ROW, "td": _CELL, "th": _CELL}
_HEADING: Final = re.compile(r"h[1-6]")


Place: TypeAlias = tuple[int, int]
"""The block that a place of the text is in, and the first that begins there or after it."""


def numbered(
    blocks: Sequence[BookBlock], begins: Sequence[tuple[int, str]]
) -> tuple[tuple[BookBlock, ...], tuple[str, ...]]:
    """``blocks`` with their pages, and the pages' numbers as printed.

    ``begins`` are the blocks that pages begin with, in order, and the pages' numbers. What stands
    before the first is a page without a number.
    """
    if not begins:
        return tuple(blocks), ()
    begins = [*([(0, "")] if begins[0][0] else []), *begins]
    starts = [start for start, _ in begins]
    found = (
        replace(block, page=bisect_right(starts, number)) for number, block in enumerate(blocks)
    )
    return tuple(found), tuple(label for _, label in begins)


def name_of(element: etree._Element) -> str:
    """The name of an element without its namespace; '' of what is no element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def read_xhtml(
    root: etree._Element, written: Written
) -> tuple[dict[str, Place], list[tuple[int, str]]]:
    """Append the blocks of a text to ``written``.

    Returns the places of its ids, and the blocks that printed pages begin with, with their numbers.
    """
    reader = _Reader(written)
    body = next(root.iter("{*}body"), root)
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
    return reader.places, reader.begins


class _Reader:
    """What stands between two tags: the text of the block that is not ended.

    A heading or a table is one block with all that stands in it.
    """

    def __init__(self, written: Written) -> None:
        self._written = written
        self._said: list[str] = []
        self._within = False
        self._whole: etree._Element | None = None
        self.places: dict[str, Place] = {}
        self.begins: list[tuple[int, str]] = []

    def start(self, element: etree._Element) -> bool:
        """Take an element's start tag and first text; whether it is to be read further."""
        name = name_of(element)
        if not name or name in _NOT_READ:
            return False
        if name not in _INLINE and self._whole is not None:
            own = next(element.iterancestors("{*}table"), None) is self._whole
            self._said.append(_MARKS.get(name, " ") if own else " ")
        elif name not in _INLINE:
            self.flush()
            self._whole = element if name == "table" or _HEADING.fullmatch(name) else None
        block = len(self._written.blocks)
        place = block, block + self._within
        for key in (element.get("id"), element.get("name")):
            if key:
                self.places.setdefault(key, place)
        if "pagebreak" in element.get(EPUB_TYPE, "") or element.get("role") == "doc-pagebreak":
            label = element.get("title") or element.get("aria-label")
            self.begins.append((place[1], readable(label or "".join(map(str, element.itertext())))))
            return False
        self.say(LINE_ENDS if name == "br" else element.text)
        return True

    def end(self, element: etree._Element) -> None:
        """Take an element's end tag."""
        if name_of(element) in _INLINE:
            return
        if self._whole is None or self._whole is element:
            self.flush()
        else:
            self._said.append(" ")

    def say(self, text: str | None) -> None:
        """Take a text."""
        if text:
            self._said.append(text)
            self._within = self._within or not text.isspace()

    def flush(self) -> None:
        """End the block that is being read."""
        text, name = "".join(self._said), "" if self._whole is None else name_of(self._whole)
        if name == "table":
            rows = [row.split(_CELL) for row in text.split(_ROW)]
            # What stands before the first cell, such as a caption, is a cell if it is anything.
            rows = [row if row[0].strip() else row[1:] for row in rows]
            self._written.add_table(filter(None, rows))
        else:
            self._written.add(text, int(name[1]) if name else 0)
        self._said, self._within, self._whole = [], False, None
