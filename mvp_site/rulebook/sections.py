"""Sections: one a heading, in the order of the book, with the tree that the headings make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..text.names import title_key
from .categories import Assignment

SEPARATOR: Final = " > "
LONGEST: Final = 120
"""The most characters of a title that are printed."""


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and the text under it, up to the next heading of any level.

    ``level`` is 1 to 6, and 0 for the text before the first heading. ``content`` has neither the
    heading nor the blank lines at its ends; ``lines`` are the first and last line of both in the
    source, 1-based. ``path`` are the titles from the top down to its own. ``anchor`` is the id
    that the author gave the heading, if any. ``tokens`` are the o200k tokens of ``content``.
    """

    id: str
    title: str
    level: int
    content: str
    parent_id: str | None
    children_ids: tuple[str, ...]
    path: tuple[str, ...]
    lines: tuple[int, int]
    anchor: str | None = None
    categories: tuple[Assignment, ...] = ()
    tokens: int = 0

    @property
    def heading_path(self) -> str:
        """The path as one line."""
        return SEPARATOR.join(self.path)

    @property
    def heading(self) -> str:
        """The heading as a line of Markdown."""
        title = self.title if len(self.title) <= LONGEST else f"{self.title[:LONGEST]}…"
        return f"{'#' * min(max(self.level, 1), 6)} {title}"


class Sections:
    """The sections of one rulebook: parents before their children, in the order of the text."""

    __slots__ = ("_by_title", "_ends", "_numbers", "_ordered")

    def __init__(self, ordered: Iterable[Section]) -> None:
        self._ordered = tuple(ordered)
        self._numbers = {section.id: number for number, section in enumerate(self._ordered)}
        self._ends = list(range(1, len(self._ordered) + 1))  # the place behind what stands below
        for number in range(len(self._ordered) - 1, -1, -1):
            if (parent := self._ordered[number].parent_id) is not None:
                above = self._numbers[parent]
                self._ends[above] = max(self._ends[above], self._ends[number])
        self._by_title: dict[str, list[Section]] = {}
        for section in self._ordered:
            self._by_title.setdefault(title_key(section.title), []).append(section)

    def __iter__(self) -> Iterator[Section]:
        return iter(self._ordered)

    def __len__(self) -> int:
        return len(self._ordered)

    def __contains__(self, section_id: object) -> bool:
        return section_id in self._numbers

    def __getitem__(self, section_id: str) -> Section:
        """The section of that id; KeyError where there is none."""
        return self._ordered[self._numbers[section_id]]

    def get(self, section_id: str) -> Section | None:
        """The section of that id, or None."""
        number = self._numbers.get(section_id)
        return None if number is None else self._ordered[number]

    def at(self, number: int) -> Section:
        """The section with that place in the book."""
        return self._ordered[number]

    def number(self, section_id: str) -> int:
        """The place of a section in the order of the book, from 0."""
        return self._numbers[section_id]

    @property
    def roots(self) -> tuple[Section, ...]:
        """The sections that stand under no other."""
        return tuple(section for section in self._ordered if section.parent_id is None)

    def parent(self, section: Section) -> Section | None:
        """The section right above, or None at the top."""
        return None if section.parent_id is None else self[section.parent_id]

    def children(self, section: Section) -> tuple[Section, ...]:
        """The sections right below, in order."""
        return tuple(self[child] for child in section.children_ids)

    def ancestors(self, section: Section) -> tuple[Section, ...]:
        """The sections above, the nearest first."""
        sections: list[Section] = []
        above = self.parent(section)
        while above is not None:
            sections.append(above)
            above = self.parent(above)
        return tuple(sections)

    def descendants(self, section: Section) -> tuple[Section, ...]:
        """All sections below, in order."""
        return tuple(map(self.at, self.below(self._numbers[section.id])))

    def below(self, number: int) -> range:
        """The places of all sections below the one of that place."""
        return range(number + 1, self._ends[number])

    def titled(self, title: str) -> tuple[Section, ...]:
        """The sections of that title, in order; case, plurals, hyphens and quotes do not matter."""
        return tuple(self._by_title.get(title_key(title), ()))
