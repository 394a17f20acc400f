"""A book's contents as a tree that stays light: what is looked at is open, the rest is in reach.

Sections stand in it from the top down until there are enough of them; those on the way to a
section that the page is about always do. Long rows of siblings are windows with gaps, and a gap
leads to the first section in it, where the window then stands. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
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
class Node:
    """A section in the tree. ``below`` is how many stand right under it in the book.

    ``number`` is its place among the page's results, 0 where it is none. ``rows`` are those under
    it that the tree holds, and ``shown`` whether they are to be seen at once.
    """

    id: str
    title: str
    below: int
    number: int
    current: bool
    shown: bool
    rows: tuple[Node | Gap, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """Siblings that are left out: how many, and the first of them."""

    count: int
    first: str


def tree(sections: Sections, current: str | None = None,
         results: Mapping[str, int] | None = None) -> tuple[Node | Gap, ...]:
    """The contents, open at ``current`` and at the first :data:`OPENED` of ``results``.

    ``results`` are the numbers of sections by id, from 1. An id that the book does not have is
    passed over.
    """
    results = results or {}
    marked = [name for name in (current, *list(results)[:OPENED]) if name and name in sections]
    opened = {above.id for name in marked for above in sections.ancestors(sections[name])}
    wanted = opened.union(marked)
    if current is not None:
        opened.add(current)
    roots = sections.roots
    if len(roots) == 1:  # a book under one title
        opened.add(roots[0].id)
    rows = _rows(sections, roots, wanted, opened)

    def nodes(held: Iterable[Section | Gap]) -> tuple[Node | Gap, ...]:
        return tuple(
            row if isinstance(row, Gap) else Node(
                row.id, row.title, len(row.children_ids), results.get(row.id, 0),
                row.id == current, row.id in opened, nodes(rows.get(row.id, ())),
            )
            for row in held
        )

    return nodes(window(roots, wanted))


def _rows(sections: Sections, roots: Sequence[Section], wanted: set[str], opened: set[str],
          ) -> dict[str, list[Section | Gap]]:
    """What stands under each section of the tree, by its id."""
    found: dict[str, list[Section | Gap]] = {}
    room = NODES
    pending = deque(window(roots, wanted))
    while pending:
        section = pending.popleft()
        if isinstance(section, Gap) or not section.children_ids:
            continue
        below = window(sections.children(section), wanted)
        if section.id not in opened:
            if len(below) > room:
                continue
            room -= len(below)
        found[section.id] = below
        pending.extend(below)
    return found


def window(siblings: Sequence[Section], wanted: set[str]) -> list[Section | Gap]:
    """``siblings``, or where they are many those around the ``wanted`` ones, with gaps between.

    Where none is wanted, the first :data:`SIBLINGS`.
    """
    if len(siblings) <= SIBLINGS:
        return list(siblings)
    places = [place for place, section in enumerate(siblings) if section.id in wanted]
    if places:
        kept = {
            near for place in places
            for near in range(max(place - AROUND, 0), min(place + AROUND + 1, len(siblings)))
        }
    else:
        kept = set(range(SIBLINGS))
    found: list[Section | Gap] = []
    for place, section in enumerate(siblings):
        if place in kept:
            found.append(section)
        elif found and isinstance(found[-1], Gap):
            found[-1] = Gap(found[-1].count + 1, found[-1].first)
        else:
            found.append(Gap(1, section.id))
    return found
