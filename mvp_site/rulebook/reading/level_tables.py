"""Which tables have a row for each level, and how much they say of a class.

A header may take two rows ("Spell Slots" over "1st", "2nd", …); both then make one. A column of
spell levels is not one of character levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Final

from ...retrieval.names import words
from .levels import cell_level, is_ordinal
from .tables import Table

FULL_ROWS: Final = 10
"""A table of so many levels shows how a class advances; one of fewer, when a feature grows."""
MIN_ROWS: Final = 2
MIN_UNNAMED: Final = 3
"""So many ordinals make a column of levels that is not called so."""

_LEVEL: Final = frozenset({"level", "lvl", "lv"})
_OF_CLASS: Final = frozenset({"feature", "proficiency", "prof", "proficieny", "ability", "trait"})
_NOT_CHARACTERS: Final = frozenset({
    "spell", "slot", "cost", "challenge", "exhaustion", "madness", "item", "roll", "dc", "age",
})
_SECOND_HEADER: Final = 2
_MAX_NAME: Final = 3


class Grade(IntEnum):
    """How much a table says: of a few levels, of most levels, of a class with its features."""

    PART = 1
    FULL = 2
    CLASS = 3


@dataclass(frozen=True, slots=True)
class LevelTable:
    """A table whose rows are levels: one of ``levels`` a row, as ``column`` has them."""

    table: Table
    levels: tuple[int, ...]
    column: int
    grade: Grade


def level_table(table: Table) -> LevelTable | None:
    """``table`` with its levels where its rows are levels of a character, else None."""
    for candidate in _readings(table):
        rows = tuple(row for row in candidate.rows if any(row))
        for column, name in enumerate(candidate.columns):
            named = words(name)
            called = _called(name)
            if _NOT_CHARACTERS.intersection(named) or (column and not called):
                continue
            levels = _levels(rows, column, called)
            if levels is None:
                continue
            kept = tuple(row for row in rows if cell_level(row[column]) is not None)
            read = Table(candidate.columns, kept, candidate.caption, candidate.line)
            return LevelTable(read, levels, column, _grade(levels, read.columns))
    return None


def joined(tables: Sequence[LevelTable]) -> list[LevelTable]:
    """``tables`` of one section, those in one that were printed in two halves."""
    found: list[LevelTable] = []
    for table in tables:
        last = found[-1] if found else None
        if (last and last.table.columns == table.table.columns
                and table.levels[0] == last.levels[-1] + 1):
            levels = (*last.levels, *table.levels)
            whole = Table(last.table.columns, (*last.table.rows, *table.table.rows),
                          last.table.caption, last.table.line)
            found[-1] = LevelTable(
                whole, levels, last.column, _grade(levels, whole.columns)
            )
        else:
            found.append(table)
    return found


def _grade(levels: Sequence[int], columns: Sequence[str]) -> Grade:
    if len(levels) < FULL_ROWS:
        return Grade.PART
    of_class = any(_OF_CLASS.intersection(words(name)) for name in columns)
    return Grade.CLASS if of_class else Grade.FULL


def _levels(rows: Sequence[tuple[str, ...]], column: int, called: bool) -> tuple[int, ...] | None:
    """The levels of ``column``, increasing, in nearly all rows; None if it does not hold them."""
    cells = [row[column] for row in rows if row[column]]
    found = [level for cell in cells if (level := cell_level(cell)) is not None]
    least = MIN_ROWS if called else MIN_UNNAMED
    if len(found) < least or len(found) * 5 < len(rows) * 4 or not found[0]:
        return None
    if any(later <= earlier for earlier, later in pairwise(found)):
        return None
    if not called and not all(map(is_ordinal, cells)):
        return None
    return tuple(found)


def _readings(table: Table) -> list[Table]:
    """``table``, and before it what its header and its first row say as one header."""
    if not table.rows:
        return []
    first = table.rows[0]
    filled = sum(map(bool, first))
    whole = Table(
        tuple(_both(above, below) for above, below in zip(table.columns, first, strict=True)),
        table.rows[1:], table.caption, table.line,
    )
    at = next((number for number, name in enumerate(table.columns) if _called(name)), None)
    if at is None:
        more = any(_called(cell) and cell_level(cell) is None for cell in first)
    else:
        more = filled >= _SECOND_HEADER and not first[at]
    return [whole, table] if more else [table]


def _called(name: str) -> bool:
    """Whether a column of this ``name`` holds the levels of a character."""
    named = words(name)
    return (
        len(named) <= _MAX_NAME and bool(_LEVEL.intersection(named))
        and not _NOT_CHARACTERS.intersection(named)
    )


def _both(above: str, below: str) -> str:
    return above if above == below or not below else f"{above} {below}".strip()
