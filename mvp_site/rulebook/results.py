"""What a rulebook gives back: ranked sections, and the response that a budget was filled with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from .intentions import Intention
from .sections import SEPARATOR, Section

MISSING: Final = "—"
"""What stands in a cell where the book says nothing."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Rows of plain text under named columns, each as long as ``columns``.

    ``section_ids`` are the sections that the rows were read from, each once.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    section_ids: tuple[str, ...]

    @classmethod
    def of(cls, title: str, columns: Iterable[str], rows: Iterable[Iterable[str]],
           section_ids: Iterable[str]) -> AnswerTable:
        """The table of those rows; a section may be named more than once."""
        return cls(title, tuple(columns), tuple(map(tuple, rows)),
                   tuple(dict.fromkeys(section_ids)))

    def markdown(self) -> str:
        """The table in Markdown under its title; a pipe in a cell is escaped, a line end a space.

        '' where there is neither a title nor a column.
        """
        lines = [f"**{_plain(self.title)}**", ""] if self.title.strip() else []
        if self.columns:
            lines += map(_line, (self.columns, ["---"] * len(self.columns), *self.rows))
        return "\n".join(lines)

    def first(self, rows: int) -> AnswerTable:
        """The table with its first ``rows`` rows; its title says how many there are in all."""
        title = f"{self.title} (first {rows} of {len(self.rows)})"
        return replace(self, title=title, rows=self.rows[:rows])


@dataclass(frozen=True, slots=True)
class Promise:
    """The tables that a question was promised, and the numbers of the sections they cite.

    ``note`` says in words what was read of the question, and what could not be.
    """

    tables: tuple[AnswerTable, ...] = ()
    numbers: tuple[int, ...] = ()
    note: str = ""

    def within(self, allowed: npt.NDArray[np.bool_]) -> Promise:
        """The promise as far as a caller's filter allows the sections that it cites."""
        rest = tuple(number for number in self.numbers if allowed[number])
        return replace(self, tables=self.tables if rest else (), numbers=rest)


NOTHING: Final = Promise()


def _line(cells: Sequence[str]) -> str:
    # A backslash in front of a pipe would undo its escape.
    escaped = (_plain(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _plain(text: str) -> str:
    return " ".join(text.split())


Reason = Literal["nothing_asked", "no_evidence", "filtered", "nothing_fits", "nothing_left"]
"""Why a response is empty: no word to look up, nothing over the floor, nothing of the caller's
categories where others answer, nothing that fits, or a continuation with nothing behind it."""
_TITLE: Final = 80
_PATH: Final = 200
"""The most characters of a title and of a path that a citation prints."""


How = Literal["title", "variation", "owner", "typo", "as given"]


@dataclass(frozen=True, slots=True)
class ResolvedEntity:
    """What an entity was taken for: ``name`` is normalised, and ``how`` says why it is that one.

    ``title``: it is a title of the book. ``variation``: it stands in the variation table.
    ``owner``: it is a title once whoever the book does not know is left out in front ("Somebody's
    Tiny Hut"). ``typo``: one title alone is that close (:mod:`mvp_site.text.typos`), or differs
    in spaces only. ``as given``: none of these.
    """

    given: str
    name: str
    how: How


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of a score: what it adds to the sum, in words why."""

    name: str
    value: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class RankedSection:
    """A section with its relevance in [0, 1], and the parts of the score that it follows from."""

    section: Section
    relevance: float
    parts: tuple[ScorePart, ...]

    @property
    def id(self) -> str:
        """The section's id."""
        return self.section.id

    @property
    def title(self) -> str:
        """The section's title."""
        return self.section.title

    @property
    def path(self) -> tuple[str, ...]:
        """The titles from the top down to its own."""
        return self.section.path


class RankedSections(tuple[RankedSection, ...]):
    """A ranking, the best first; ``lanes_failed`` has the lanes that it was found without."""

    lanes_failed: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a text stands: the source's name, the heading path, the lines of the source."""

    source: str
    path: tuple[str, ...]
    lines: tuple[int, int]

    @classmethod
    def of(cls, section: Section, source: str, last: Section | None = None) -> Citation:
        """Where the section stands, down to the end of ``last``, a section below it."""
        return cls(source, section.path, (section.lines[0], (last or section).lines[1]))

    def __str__(self) -> str:
        """As printed; very long titles are cut."""
        first, last = self.lines
        path = SEPARATOR.join(_cut(title, _TITLE) for title in self.path)
        if len(path) > _PATH:
            path = f"… {path[-_PATH:]}"
        return f"{_cut(self.source, _TITLE)}, {path} (lines {first}-{last})"


@dataclass(frozen=True, slots=True)
class RetrievedSection:
    """A section as it is given to a model: whole, or down to what the budget had room for.

    ``content`` is the section's own text and, with ``includes_children``, that of the sections
    below it under their headings: ``children`` are their ids, and ``children_left`` those of the
    ones that did not fit. ``cut``
    says that the section's own text is larger than a whole budget and goes on in the
    continuation. ``tokens`` are the o200k tokens of heading, citation and content as printed.
    """

    section: Section
    content: str
    relevance: float
    includes_children: bool
    children: tuple[str, ...]
    children_left: tuple[str, ...]
    cut: bool
    tokens: int
    citation: Citation
    parts: tuple[ScorePart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookText:
    """The answer to one query as text, and what is left: tables, if there are any, then sections.

    ``continuation`` asks for what did not fit or hardly answers beside the rest; None where nothing
    is left. An empty response has a ``reason`` and says in ``explanation`` what was looked for and
    what may help.
    """

    query: str
    tables: tuple[AnswerTable, ...] = ()
    text: str = field(default="", repr=False)
    continuation: str | None = None
    reason: Reason | None = None
    explanation: str = ""
    source: str = ""
    attribution: str = ""
    rulebook: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookResponse(RulebookText):
    """The answer to one query: tables first where the intention promises one, then sections.

    ``total_tokens`` are no fewer than those of ``text`` and never more than was asked for. ``left``
    sections are for the continuation. ``lanes_failed`` has the lanes that this was found without.
    """

    intention: Intention | None
    entities: tuple[ResolvedEntity, ...]
    sections: tuple[RetrievedSection, ...]
    total_tokens: int = 0
    left: int = 0
    lanes_failed: Mapping[str, str] = field(default_factory=dict)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
