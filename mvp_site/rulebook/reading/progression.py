"""What is gained at which level: the level table of a class, the steps of a feature or subclass.

Tables and texts are read once, by :meth:`Progressions.build`; a question only picks from what was
found. The table of a class is known by its rows, one a level, and its columns, never by its name.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...errors import CorruptIndexError
from ...retrieval.names import stands_in, title_key, words
from ..answer_table import MISSING, AnswerTable
from ..sections import Section, Sections
from .level_gains import Gain, section_gains
from .level_tables import FULL_ROWS, Grade, LevelTable, joined, level_table
from .levels import ordinal
from .tables import Table, section_tables

MAX_GAINS: Final = 150
"""More steps than any class has: a section with more of them is a chapter, and has no levels."""
MAX_ABOVE: Final = 2
"""How far below a class its table may stand for the class's features to look it up there."""
MIN_STEPS: Final = 2
COLUMNS: Final = ("Level", "Feature", "What the text says")
MEND: Final = "build again: mvp-site rulebook build --force"

_FILLER: Final = frozenset({
    "table", "feature", "level", "lvl", "progression", "class", "advancement", "summary", "of",
    "by", "and", "for", "at", "a", "an", "the", "up", "overview", "chart", "trait", "leveling",
})
"""Words of a table's title that name no class."""


@dataclass(frozen=True, slots=True)
class Progression:
    """A level table as it stands in ``section_id``; ``name`` is the class that it shows, or ''."""

    section_id: str
    title: str
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    grade: Grade

    def answer(self) -> AnswerTable:
        """The whole table."""
        rows = tuple(tuple(cell or MISSING for cell in row) for row in self.rows)
        return AnswerTable(self.title, self.columns, rows, (self.section_id,))


class Progressions:
    """The level tables of a book, and what its texts say is gained at which level."""

    __slots__ = ("_at", "_by_name", "_gained", "_gains", "_sections", "_tables")

    def __init__(
        self, sections: Sections, tables: Iterable[Progression],
        gains: Iterable[tuple[str, Gain]],
    ) -> None:
        self._sections = sections
        self._tables = sorted(tables, key=lambda table: sections.number(table.section_id))
        self._gains = sorted(gains, key=lambda gain: sections.number(gain[0]))
        self._at = [sections.number(table.section_id) for table in self._tables]
        self._gained = [sections.number(section_id) for section_id, _ in self._gains]
        self._by_name: dict[str, Progression] = {}
        for table in self._tables:
            if table.grade is Grade.CLASS and title_key(table.name):
                self._by_name.setdefault(title_key(table.name), table)

    @classmethod
    def build(
        cls, sections: Sections, tables: Mapping[str, Sequence[Table]] | None = None
    ) -> Progressions:
        """Read a book once; ``tables`` are those of :func:`~.tables.section_tables`."""
        if tables is None:
            tables = section_tables(sections)
        found: list[Progression] = []
        gains: list[tuple[str, Gain]] = []
        for section in sections:
            gains += ((section.id, gain) for gain in section_gains(sections, section))
            read = [level_table(table) for table in tables.get(section.id, ())]
            for table in joined([table for table in read if table is not None]):
                kept = _progression(sections, section, table)
                found.append(kept)
                if kept.grade is Grade.PART:
                    gains += ((section.id, gain) for gain in _steps(kept, table))
        return cls(sections, found, gains)

    def of(self, section_id: str) -> AnswerTable | None:
        """The one table that shows best how a section advances by level; None if nothing does."""
        return next(iter(self.tables(section_id)), None)

    def tables(self, section_id: str) -> tuple[AnswerTable, ...]:
        """All that shows how a section advances by level, the best first; () if nothing does.

        A level table in the section itself or the one of a class below it; else the steps that
        its text and the sections below name; else the level table of the class that it is part of.
        """
        section = self._sections.get(section_id)
        if section is None:
            return ()
        start = self._sections.number(section_id)
        end = start + 1 + len(self._sections.descendants(section))
        own = self._between(start, start + 1)
        if own:
            return (max(own, key=lambda table: table.grade).answer(),)
        below = self._between(start, end)
        of_class = [table for table in below if table.grade is Grade.CLASS]
        if of_class:
            chosen = self._chosen(section, of_class)
            return (chosen.answer(),) if chosen else ()
        gains = self._gains_between(start, end)
        told = [_gains_table(section, gains)] if gains else []
        steps = len({gain.level for _, gain in gains})
        full = [table.answer() for table in below if table.grade is Grade.FULL][:1]
        if full:
            return (*told, *full) if steps > FULL_ROWS // 2 else (*full, *told)
        return self._of_feature(section, told, steps)

    def _of_feature(
        self, section: Section, told: Sequence[AnswerTable], steps: int
    ) -> tuple[AnswerTable, ...]:
        """What its text told in so many ``steps``, and the level table of its class."""
        named = self._by_name.get(title_key(section.title))
        if named:
            return (named.answer(), *told)
        above = self._above(section)
        if above is None or (told and not _names(above, section.title)):
            return tuple(told)
        if steps < MIN_STEPS:
            return (above.answer(), *told)
        return (*told, above.answer())

    def class_names(self) -> tuple[str, ...]:
        """The names of the classes that have a table of their features, in order, each once."""
        return tuple(
            table.name for table in self._by_name.values()
            if any("feature" in words(column) for column in table.columns)
        )

    def dump(self) -> bytes:
        """What was read, as JSON."""
        held = {
            "tables": [
                [table.section_id, table.title, table.name, table.columns, table.rows, table.grade]
                for table in self._tables
            ],
            "gains": [
                [section_id, gain.level, gain.name, gain.quote] for section_id, gain in self._gains
            ],
        }
        return json.dumps(held, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def load(cls, data: bytes, sections: Sections) -> Progressions:
        """What :meth:`dump` wrote for the same sections.

        Raises:
            CorruptIndexError: it is not that.
        """
        try:
            held = json.loads(data)
            tables = [
                Progression(str(section_id), str(title), str(name), tuple(map(str, columns)),
                            tuple(tuple(map(str, row)) for row in rows), Grade(grade))
                for section_id, title, name, columns, rows, grade in held["tables"]
            ]
            gains = [
                (str(section_id), Gain(int(level), str(name), str(quote)))
                for section_id, level, name, quote in held["gains"]
            ]
            return cls(sections, tables, gains)
        except (ValueError, TypeError, KeyError) as error:
            raise CorruptIndexError(
                f"the level tables of the rulebook cannot be read ({error}); {MEND}"
            ) from error

    def _between(self, start: int, end: int) -> list[Progression]:
        return self._tables[bisect_left(self._at, start) : bisect_left(self._at, end)]

    def _gains_between(self, start: int, end: int) -> list[tuple[str, Gain]]:
        """The steps of sections ``start`` to ``end``, none where there are too many."""
        first, last = bisect_left(self._gained, start), bisect_left(self._gained, end)
        return self._gains[first:last] if last - first <= MAX_GAINS else []

    @staticmethod
    def _chosen(section: Section, tables: Sequence[Progression]) -> Progression | None:
        """The one of ``tables`` below ``section`` that is its own; None if all are of others."""
        key = title_key(section.title)
        named = next((table for table in tables if title_key(table.name) == key), None)
        return named or (tables[0] if len(tables) == 1 else None)

    def _above(self, section: Section) -> Progression | None:
        """The table of the class that ``section`` is a part of."""
        for above in self._sections.ancestors(section):
            start = self._sections.number(above.id)
            end = start + 1 + len(self._sections.descendants(above))
            found = [
                table for table in self._between(start, end) if table.grade is Grade.CLASS
            ]
            if found:
                chosen = self._chosen(above, found)
                if chosen is None:
                    return None
                far = len(self._sections[chosen.section_id].path) - len(above.path)
                return chosen if far <= MAX_ABOVE else None
        return None


def _names(table: Progression, title: str) -> bool:
    """Whether ``table`` names ``title`` in a column or a cell."""
    wanted = title_key(title).split()
    return any(
        stands_in(wanted, words(cell)) for row in (table.columns, *table.rows) for cell in row
    )


def _progression(sections: Sections, section: Section, found: LevelTable) -> Progression:
    table = found.table
    titles = [table.caption, section.title, *(above.title for above in sections.ancestors(section))]
    name = next((name for title in titles if (name := _class_name(title))), "")
    title = table.caption or section.title
    if not _class_name(title) and name:
        title = f"{name}: {title}"
    return Progression(section.id, title, name, table.columns, table.rows, found.grade)


def _class_name(title: str) -> str:
    """``title`` without the words of every such table: "The Barbarian Table" → "Barbarian"."""
    parts = title.strip(" :.").split()
    while parts and (not words(parts[0]) or words(parts[0])[0] in _FILLER):
        del parts[0]
    while parts and (not words(parts[-1]) or words(parts[-1])[0] in _FILLER):
        del parts[-1]
    return " ".join(parts)


def _steps(kept: Progression, found: LevelTable) -> list[Gain]:
    """The rows of a small level table, each as a step."""
    steps: list[Gain] = []
    for level, row in zip(found.levels, kept.rows, strict=True):
        said = "; ".join(
            f"{column}: {cell}" if column else cell
            for number, (column, cell) in enumerate(zip(kept.columns, row, strict=True))
            if cell and number != found.column
        )
        steps.append(Gain(level, kept.title, said))
    return steps


def _gains_table(section: Section, gains: Sequence[tuple[str, Gain]]) -> AnswerTable:
    """The steps by level, then in the order of the book."""
    ordered = sorted(gains, key=lambda gain: gain[1].level)
    rows = tuple((ordinal(gain.level), gain.name, gain.quote or MISSING) for _, gain in ordered)
    return AnswerTable(
        f"{section.title}: gained by level", COLUMNS, rows,
        tuple(dict.fromkeys(section_id for section_id, _ in gains)),
    )
