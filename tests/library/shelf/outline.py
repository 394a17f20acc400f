"""Markdown to the parts that the books are set from, and the truth of where these stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Literal

from mvp_site.library.types import ContentType
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Section

_BOLD_LINE = re.compile(r"\*\*[^*]+\*\*")
_MARKS = ((re.compile(r"\*\*\*(.+?)\*\*\*"), r"<b><i>\1</i></b>"),
          (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
          (re.compile(r"\*(.+?)\*"), r"<i>\1</i>"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, a list item, a sub-heading that is no entry, a sidebar, or a table's rows."""

    kind: Literal["paragraph", "item", "subhead", "sidebar", "table"]
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with what stands below it; ``type`` is what the truth says of it."""

    title: str
    type: ContentType = ContentType.RULE
    pieces: tuple[Piece, ...] = ()
    children: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing stands: ``page`` counted from 1, ``printed`` as on the page.

    The page is None, and ``printed`` is '', in formats without pages.
    """

    title: str
    type: ContentType
    page: int | None = None
    printed: str = ""


@dataclass(frozen=True, slots=True)
class ShelfBook:
    """A book's file, and its truth in the order of the text; ``pages`` is 0 where it has none."""

    key: str
    title: str
    path: Path
    places: tuple[Place, ...]
    pages: int = 0


def read_outline(markdown: str) -> tuple[Part, ...]:
    """The parts of the first level, each with all below it."""
    sections = parse_rulebook(markdown)

    def part(section: Section) -> Part:
        blocks = ([line.strip() for line in block.splitlines() if line.strip()]
                  for block in re.split(r"\n\s*\n", section.content))
        return Part(section.title, pieces=tuple(piece for lines in blocks for piece in _pieces(lines)),
                    children=tuple(map(part, sections.children(section))))

    return tuple(part(section) for section in sections.roots if section.level)


def _pieces(lines: list[str]) -> Iterator[Piece]:
    if not lines:
        return
    if lines[0].startswith("|"):
        rows = tuple(tuple(plain(cell.strip()) for cell in line.strip("|").split("|"))
                     for line in lines if not re.fullmatch(r"[|\s:-]+", line))
        yield Piece("table", rows=rows)
    elif lines[0].startswith("- "):
        yield from (Piece("item", line.removeprefix("- ")) for line in lines)
    elif len(lines) == 1 and _BOLD_LINE.fullmatch(lines[0]):
        yield Piece("subhead", plain(lines[0]))
    else:
        yield Piece("paragraph", " ".join(lines))


def folded(part: Part, titles: frozenset[str]) -> Part:
    """``part`` with the children of these titles made sub-headings of it, which are no entries."""
    pieces, children = list(part.pieces), []
    for child in part.children:
        if child.title in titles:
            pieces += [Piece("subhead", child.title), *child.pieces]
        else:
            children.append(folded(child, titles))
    return replace(part, pieces=tuple(pieces), children=tuple(children))


def typed(part: Part, kind: ContentType) -> Part:
    """``part`` and all below it as things of a type."""
    return replace(part, type=kind, children=tuple(typed(one, kind) for one in part.children))


def flat(parts: Iterable[Part]) -> Iterator[Part]:
    """All the parts in the order of the text, each before those below it."""
    for part in parts:
        yield part
        yield from flat(part.children)


def plain(text: str) -> str:
    """``text`` without its marks."""
    return text.replace("*", "")


def inline(text: str) -> str:
    """``text`` as HTML, its marks as elements."""
    text = escape(text, quote=False)
    for mark, element in _MARKS:
        text = mark.sub(element, text)
    return text
