"""A book's contents as a tree that stays light: what is looked at is open, the rest is in reach.

Sections stand in it from the top down until there are enough of them; those on the way to a
section that the page is about always do. Long rows of siblings are windows with gaps, and a gap
leads to the first section in it, where the window then stands. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..rulebook.sections import Section, Sections

NODES: Final = 300
"""How many sections stand in a tree beside those that must."""
SIBLINGS: Final = 60
"""How many of one row of siblings do before it becomes a window."""
AROUND: Final = 8
"""How many stand on each side of one that is wanted."""
OPENED: Final = 5
"""To how many of a response's sections the tree is opened."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Siblings that are left out: how many, and the first of them."""

    count: int
    first: str


Row = list[Section | Gap]


@dataclass(frozen=True, slots=True)
class Contents:
    """The row at the top, the rows under sections by their ids, and which are seen at once."""

    top: Row
    rows: dict[str, Row]
    opened: set[str]


def tree(sections: Sections, current: str | None = None, results: Iterable[str] = ()) -> Contents:
    """The contents, open at ``current`` and at the first :data:`OPENED` of ``results``.

    An id that the book does not have is passed over.
    """
    marked = [name for name in (current, *list(results)[:OPENED]) if name and name in sections]
    opened = {above.id for name in marked for above in sections.ancestors(sections[name])}
    wanted = opened.union(marked)
    if current is not None:
        opened.add(current)
    if len(sections.roots) == 1:  # a book under one title
        opened.add(sections.roots[0].id)
    top, rows, room = window(sections.roots, wanted), dict[str, Row](), NODES
    pending = deque(top)
    while pending:
        section = pending.popleft()
        if isinstance(section, Gap) or not section.children_ids:
            continue
        below = window(sections.children(section), wanted)
        if section.id not in opened:
            if len(below) > room:
                continue
            room -= len(below)
        rows[section.id] = below
        pending.extend(below)
    return Contents(top, rows, opened)


def window(siblings: Sequence[Section], wanted: set[str]) -> Row:
    """``siblings``, or where they are many those around the ``wanted`` ones, with gaps between.

    Where none is wanted, the first :data:`SIBLINGS`.
    """
    if len(siblings) <= SIBLINGS:
        return list(siblings)
    kept = {
        near for place, section in enumerate(siblings) if section.id in wanted
        for near in range(place - AROUND, place + AROUND + 1)
    } or set(range(SIBLINGS))
    found: Row = []
    for place, section in enumerate(siblings):
        if place in kept:
            found.append(section)
        elif found and isinstance(found[-1], Gap):
            found[-1] = Gap(found[-1].count + 1, found[-1].first)
        else:
            found.append(Gap(1, section.id))
    return found
