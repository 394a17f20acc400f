"""What some intentions promise beside the sections: a table, and the sections it was read from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...retrieval.names import words
from ..answer_table import AnswerTable
from ..intentions import Intention
from ..query_parsing import Asked
from ..reading.fact_book import FactBook
from ..reading.formulas import formula_sections
from ..reading.progression import Progressions
from ..reading.spell_lists import SpellAccess
from ..reading.tables import section_tables
from ..reading.vocabulary import KIND
from ..sections import Sections
from .comparison import compare
from .criteria import as_table, find
from .criteria_reading import read_criteria
from .prices import prices

FILES: Final = ("facts.jsonl", "progressions.json", "spell_access.json", "formulas.json")
_LONGEST: Final = 5
FORMULA: Final = 0.5
"""What having a formula counts for, beside having been read for a table."""


@dataclass(frozen=True, slots=True)
class Promise:
    """The tables that a question was promised, and the numbers of the sections they cite.

    Without a table, ``numbers`` are the sections that have what was promised, a formula, whatever
    it is of, and count for ``weight`` of those that a table cites. ``note`` says in words what was
    read of the question, and what could not be.
    """

    tables: tuple[AnswerTable, ...] = ()
    numbers: tuple[int, ...] = ()
    note: str = ""
    weight: float = 1.0

    def within(self, allowed: npt.NDArray[np.bool_]) -> Promise:
        """The promise as far as a caller's filter allows the sections that it was read from."""
        kept = tuple(number for number in self.numbers if allowed[number])
        tables = self.tables if kept else ()
        return replace(self, tables=tables, numbers=kept)


NOTHING: Final = Promise()


class Answers:
    """What was read from a book once, for the intentions that promise a table."""

    def __init__(self, sections: Sections, facts: FactBook, progressions: Progressions,
                 access: SpellAccess, formulas: tuple[int, ...]) -> None:
        self._sections = sections
        self.facts = facts
        self.progressions = progressions
        self.access = access
        self._formulas = Promise(numbers=formulas, weight=FORMULA)
        self._promised: Mapping[Intention, Callable[[Asked], Promise]] = {
            Intention.COMPARE_ENTITIES: self._compared,
            Intention.LEVEL_PROGRESSION: self._levels,
            Intention.CLASS_SPELL_ACCESS: self._casters,
            Intention.COST_LOOKUP: self._prices,
            Intention.FIND_BY_CRITERIA: self._found,
            Intention.CALCULATE_VALUES: lambda _asked: self._formulas,
        }

    @classmethod
    def build(cls, sections: Sections) -> Answers:
        """Read a book; linear in its length."""
        tables = section_tables(sections)
        progressions = Progressions.build(sections, tables)
        access = SpellAccess.build(sections, tables, progressions.class_names())
        return cls(sections, FactBook.build(sections, tables, access), progressions, access,
                   formula_sections(sections))

    def promise(self, asked: Asked) -> Promise:
        """What ``asked`` is promised; nothing for most intentions, and for no intention."""
        make = self._promised.get(asked.intention) if asked.intention else None
        return make(asked) if make else NOTHING

    def _compared(self, asked: Asked) -> Promise:
        names = self._names(asked, wanted=2)
        missing = [name for name in names if not self.facts.named(name)]
        table = compare(self.facts, names)
        if table is None or missing:
            why = f"nothing to compare is told of {', '.join(missing)}" if missing else (
                "a comparison takes two things of the book"
            )
            return self._cited(table, note=why)
        return self._cited(table)

    def _levels(self, asked: Asked) -> Promise:
        tables: dict[AnswerTable, None] = {}
        for name in self._names(asked):
            for section in self._sections.titled(name):
                table = self.progressions.of(section.id)
                if table is not None:
                    tables[table] = None
                    break
        return self._cited(*tables)

    def _casters(self, asked: Asked) -> Promise:
        return self._cited(self.access.table_for(self._names(asked)))

    def _prices(self, asked: Asked) -> Promise:
        return self._cited(prices(self.facts, self._names(asked)))

    def _found(self, asked: Asked) -> Promise:
        texts = [entity.name for entity in asked.entities]
        texts += [*(" ".join(hint) for hint in asked.hints), asked.words]
        reading = read_criteria([text for text in texts if text], self.facts)
        found = find(self.facts, reading.criteria)
        note = ""
        if reading.criteria:
            note = f"{len(found)} meet {'; '.join(dict.fromkeys(map(str, reading.criteria)))}"
        if reading.unread:
            note += f"{', ' if note else ''}not read: {', '.join(reading.unread)}"
        only_kinds = all(criterion.field == KIND for criterion in reading.criteria)
        if not found or (only_kinds and reading.unread):
            return Promise(note=note)  # all spells there are answer no question about some
        table = as_table(found, reading.criteria, self.facts)
        numbers = dict.fromkeys(
            self._sections.number(match.facts.section_id) for match in found
        )
        return Promise((table,), tuple(numbers), note)

    def _names(self, asked: Asked, wanted: int = 1) -> Sequence[str]:
        """The entities; where they are fewer than ``wanted``, also what the words name.

        Words name a thing by a title, or by a row of a table.
        """
        names = [entity.name for entity in asked.entities]
        if len(names) >= wanted:
            return names
        said = words(asked.words)
        at = 0
        while at < len(said):
            length = next(
                (n for n in range(min(_LONGEST, len(said) - at), 0, -1)
                 if self.facts.named(" ".join(said[at : at + n]))), 0,
            )
            if length:
                names.append(" ".join(said[at : at + length]))
            at += max(length, 1)
        return list(dict.fromkeys([*names, *(str(name) for name in asked.names)]))

    def _cited(self, *tables: AnswerTable | None, note: str = "") -> Promise:
        made = tuple(table for table in tables if table is not None)
        numbers = dict.fromkeys(
            self._sections.number(name) for table in made for name in table.section_ids
        )
        return Promise(made, tuple(numbers), note)

    def dump(self) -> dict[str, bytes]:
        """What was read, as files."""
        formulas = json.dumps(self._formulas.numbers).encode()
        read = (self.facts.dump(), self.progressions.dump(), self.access.dump(), formulas)
        return dict(zip(FILES, read, strict=True))

    @classmethod
    def load(cls, files: Mapping[str, bytes], sections: Sections) -> Answers:
        """What was read, from the files of :meth:`dump`."""
        facts, progressions, access, formulas = (files[name] for name in FILES)
        return cls(
            sections, FactBook.load(facts, sections), Progressions.load(progressions, sections),
            SpellAccess.load(access), tuple(map(int, json.loads(formulas))),
        )
