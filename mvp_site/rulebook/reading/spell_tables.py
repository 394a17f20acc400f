"""The tables that say who may cast which spell: by level, by class, or one row a spell.

Read are "Cleric Level | Spells" (what a part of the class gets as it rises), "Level | Spells" and
"Spell | School" (a class's list), "Spell | Level | Classes" and a column of ticks for each class.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...retrieval.names import fold, title_key
from .levels import cell_level
from .spell_entries import class_parts, spell_level
from .spell_items import level_label, split_names
from .tables import Table

_NOBODY: Final = frozenset({
    "spell", "slot", "character", "class", "item", "caster", "minimum", "min", "max", "maximum",
    "total", "challenge", "party", "encounter", "player", "pc", "creature", "monster", "domain",
    "subclass", "patron", "circle", "oath", "unlock",
})
_NAMES: Final = frozenset({"name", "spell name", "title"})
_CLASSES: Final = frozenset({
    "class", "spell list", "class list", "caster", "available to", "list", "who",
})
_LEVELS: Final = frozenset({"level", "spell level", "lvl"})
_OTHER_TICKS: Final = frozenset({"ritual", "concentration", "v", "s", "m", "c", "r", "conc", "rit"})
_YES: Final = frozenset({"x", "✓", "✔", "●", "•", "yes", "y", "*", "☑", "✅"})
_NO: Final = frozenset({"", "no", "n", "-", "–", "—", "☐"})
_ODD: Final = 2


@dataclass(frozen=True, slots=True)
class Row:
    """A spell in a table. ``to`` is the class that the table names, '' for the list's own.

    ``part`` is a part of the class in parentheses. ``gained`` is the level of the class at which
    the spell comes, None where the table is of spell levels.
    """

    name: str
    level: int | None
    to: str
    part: str = ""
    gained: int | None = None


def table_spells(
    table: Table, level: int | None, listed: bool, known: Container[str]
) -> Iterator[Row]:
    """The spells that ``table`` lists; ``listed``: it stands in a spell list, under ``level``."""
    named = [title_key(column) for column in table.columns]
    if listed and all(map(level_label, table.columns)):
        yield from _by_columns(table, known)
        return
    spells = _spell_column(named, table, listed)
    if spells is None:
        return
    for column, name in enumerate(named):
        parts = name.split()
        if column != spells and len(parts) <= 4 and parts[-1:] == ["level"]:
            owner = " ".join(parts[:-1])
            if owner and not _NOBODY.intersection(parts) and not level_label(name):
                written = " ".join(table.columns[column].split()[:-1])
                yield from _of_part(table, column, spells, written, known)
                return
    classes = next((n for n, name in enumerate(named) if n != spells and name in _CLASSES), None)
    if classes is not None:
        yield from _by_spell(table, spells, classes, _level_column(named, spells), known)
        return
    ticks = _tick_columns(table, spells)
    if ticks:
        yield from _by_tick(table, spells, ticks, _level_column(named, spells), known)
    elif listed:
        yield from _by_level(table, spells, _level_column(named, spells), level, known)


def _spell_column(named: Sequence[str], table: Table, listed: bool) -> int | None:
    """The column that names spells, not how many there are; None without one."""
    for column, name in enumerate(named):
        parts = name.split()
        if (parts[-1:] == ["spell"] or name in {"spell name", "cantrip"} or
                (listed and name in _NAMES)) and any(
                    any(map(str.isalpha, row[column])) and cell_level(row[column]) is None
                    for row in table.rows):
            return column
    return None


def _level_column(named: Sequence[str], spells: int) -> int | None:
    return next(
        (n for n, name in enumerate(named) if n != spells and name in _LEVELS),
        None,
    )


def _of_part(
    table: Table, column: int, spells: int, owner: str, known: Container[str]
) -> Iterator[Row]:
    for row in table.rows:
        gained = cell_level(row[column])
        for name, level in split_names(row[spells], known):
            yield Row(name, level, owner, gained=gained)


def _by_spell(
    table: Table, spells: int, classes: int, levels: int | None, known: Container[str]
) -> Iterator[Row]:
    rows = [row for row in table.rows if row[spells]]
    if "spell" not in title_key(table.columns[spells]) and not _described(rows, spells, known):
        return
    for row in rows:
        level = spell_level(row[levels]) if levels is not None else None
        for name, said in split_names(row[spells], known):
            for owner, part in class_parts(row[classes]):
                yield Row(name, said if level is None else level, owner, part)


def _tick_columns(table: Table, spells: int) -> list[int]:
    marks = _YES | _NO
    return [
        column for column in range(len(table.columns))
        if column != spells and table.columns[column]
        and all(fold(row[column]) in marks for row in table.rows)
        and title_key(table.columns[column]) not in _OTHER_TICKS
        and any(fold(row[column]) in _YES for row in table.rows)
    ]


def _by_tick(
    table: Table, spells: int, ticks: Sequence[int], levels: int | None, known: Container[str]
) -> Iterator[Row]:
    if not _described(table.rows, spells, known):
        return
    for row in table.rows:
        level = spell_level(row[levels]) if levels is not None else None
        for name, said in split_names(row[spells], known):
            for column in ticks:
                if fold(row[column]) in _YES:
                    yield Row(name, said if level is None else level, table.columns[column])


def _by_level(
    table: Table, spells: int, levels: int | None, level: int | None, known: Container[str]
) -> Iterator[Row]:
    at = [cell_level(row[levels]) for row in table.rows] if levels is not None else []
    rising = (
        levels is not None and title_key(table.columns[levels]) != "spell level"
        and bool(at) and all(number is not None and number % _ODD for number in at) and len(at) > 2
    )
    for row in table.rows:
        for name, said in split_names(row[spells], known):
            if levels is None:
                yield Row(name, level if said is None else said, "")
            elif rising:  # 1st, 3rd, 5th, …: at which level of the class the spells come
                yield Row(name, said, "", gained=cell_level(row[levels]))
            else:
                label = level_label(row[levels])
                own = label[0] if label else spell_level(row[levels])
                yield Row(name, own if own is not None else level, "")


def _by_columns(table: Table, known: Container[str]) -> Iterator[Row]:
    """A column for each level of spells, with as many spells as it has rows."""
    labels = [level_label(column) for column in table.columns]
    for row in table.rows:
        for label, cell in zip(labels, row, strict=True):
            if label and any(map(str.isalpha, cell)):
                for name, _ in split_names(cell, known):
                    yield Row(name, label[0], "")


def _described(
    rows: Sequence[tuple[str, ...]], column: int, known: Container[str]
) -> bool:
    """Whether most of the names in ``column`` are spells that the book describes."""
    found = sum(title_key(row[column]) in known for row in rows)
    return bool(rows) and found * 2 >= len(rows)
