"""The things that stand in the rows of a table: each with the other columns as its fields.

A table of levels or of rolls has no things in it. A row with nothing but its name is a heading
for the rows below, one without a name goes on with the row above, and a table that is laid out
twice side by side is read as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...retrieval.names import fold, title_key
from .fields import ABILITIES, field_name, known, with_unit
from .tables import Table

MAX_NAME: Final = 60
_NAME_COLUMNS: Final = frozenset(
    {"name", "item", "spell", "monster", "creature", "weapon", "armor", "armour"}
)
_LEVEL: Final = "level"
_DICE: Final = re.compile(r"\d{0,3}d\d{1,3}\b|%", re.IGNORECASE)
_NUMERIC: Final = re.compile(
    r"[\d½¼⅛]+(?:[\s,./\u2010-\u2015-]*\d+)*(?:st|nd|rd|th)?\+?%?", re.IGNORECASE
)
_MISSING: Final = frozenset({"", "-", "–", "—", "−", "―"})
_VALUE_CELLS: Final = 2
_PAST_ALL: Final = "\U0010ffff"
"""Sorts behind every name."""

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A named row: its ``fields`` are the cells that say something, under their columns' names.

    ``group`` is the heading row above it, else the table's caption, else ''.
    ``noun`` is what the column of names calls such things ("armor"), or ''.
    """

    name: str
    fields: Fields
    group: str
    noun: str


def read_rows(table: Table, above: str = "") -> tuple[Row, ...]:
    """The things in the rows of ``table``; ``above`` names them where it has no caption."""
    caption = table.caption or above
    found: list[Row] = []
    for columns, rows in _halves(table):
        columns, rows, named = _with_header(columns, rows)  # noqa: PLW2901 - the header found below
        at = _name_column(columns)
        if at is None or _is_laid_out(columns, rows, at):
            continue
        found += _rows(columns, rows, at, named or caption)
    return tuple(found)


def fields_of(table: Table) -> Fields:
    """The fields that a table states of what it stands under, instead of things in its rows.

    That is a table of one row with known columns (ability scores, a spell's lines), or one whose
    two columns are known labels and their values.
    """
    columns = [known(column) for column in table.columns]
    if len(table.rows) == 1 and len(columns) > 1 and all(columns):
        cells = zip(table.columns, table.rows[0], strict=True)
        return tuple((known(label) or label, cell) for label, cell in cells if is_value(cell))
    pairs = [table.columns, *table.rows]
    labelled = [(known(row[0]), row[1]) for row in pairs if len(row) == 2 and row[0]]
    if len(labelled) > 1 and 3 * sum(name is not None for name, _ in labelled) >= 2 * len(labelled):
        return tuple((name, value) for name, value in labelled if name and is_value(value))
    return _by_ability(table)


def is_value(cell: str) -> bool:
    """Whether a cell says something: it is neither empty nor a dash."""
    return cell.strip() not in _MISSING


def _by_ability(table: Table) -> Fields:
    """A table with a row for each ability: its score, and where it is next, its modifier."""
    named = [known(row[0]) if row else None for row in table.rows]
    if len(named) != len(ABILITIES) or any(name not in ABILITIES for name in named):
        return ()
    return tuple(
        (name, " ".join(cell for cell in row[1:3] if is_value(cell)))
        for name, row in zip(named, table.rows, strict=True) if name and any(map(is_value, row[1:]))
    )


def _halves(table: Table) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """The table, or its parts where its columns repeat from left to right."""
    columns = tuple(fold(column) for column in table.columns)
    width = len(columns)
    period = next(
        (n for n in range(2, width // 2 + 1)
         if width % n == 0 and columns[:n] * (width // n) == columns and any(columns)),
        width,
    )
    for start in range(0, width, max(period, 1)):
        part = [row[start : start + period] for row in table.rows]
        yield table.columns[start : start + period], part


def _with_header(
    columns: tuple[str, ...], rows: list[tuple[str, ...]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
    """Columns, rows and, where the first row is the header in truth, the title above it."""
    wanted = min(len(columns) - 1, _VALUE_CELLS)
    if not wanted or any(columns[1:]) or not rows or sum(map(bool, rows[0][1:])) < wanted:
        return columns, rows, ""
    return rows[0], rows[1:], columns[0]


def _name_column(columns: Sequence[str]) -> int | None:
    """The column that names the things; None where there is none."""
    first = title_key(columns[0]) if columns else ""
    if len(columns) < 2 or _DICE.search(columns[0]) or first.endswith(f" {_LEVEL}"):
        return None
    named = next((at for at, column in enumerate(columns) if fold(column) in _NAME_COLUMNS), 0)
    return None if not named and first == _LEVEL else named


def _is_laid_out(columns: Sequence[str], rows: Sequence[Sequence[str]], at: int) -> bool:
    """Whether the cells of column ``at`` are numbers, or the abilities of a stat block."""
    names = [row[at] for row in rows if row[at]]
    if not names or known(columns[0]) in ABILITIES:
        return True
    numeric = sum(1 for name in names if _NUMERIC.fullmatch(name.strip()) or _DICE.fullmatch(name))
    abilities = sum(1 for name in names if known(name.partition(" ")[0]) in ABILITIES)
    return 2 * numeric >= len(names) or (
        abilities > 1 and 2 * abilities >= len(names) and len(names) < len(ABILITIES)
    )


def _rows(
    columns: Sequence[str], rows: Sequence[Sequence[str]], at: int, caption: str
) -> list[Row]:
    labels = [field_name(column) for column in columns]
    noun = title_key(columns[at])
    noun = "" if noun in {"name", "item"} else noun
    groups = _groups(rows, at)
    found: list[Row] = []
    for row, group in zip(rows, groups, strict=True):
        name = row[at].strip()
        if not any(is_value(cell) for place, cell in enumerate(row) if place != at):
            continue
        if not name and found:
            found[-1] = _continued(found[-1], labels, row, at)
        if not name or len(name) > MAX_NAME:
            continue
        fields = tuple(
            (label, with_unit(cell, columns[place]))
            for place, (label, cell) in enumerate(zip(labels, row, strict=True))
            if place != at and label and is_value(cell)
        )
        found.append(Row(name, fields, group or caption, noun))
    return found


def _groups(rows: Sequence[Sequence[str]], at: int) -> list[str]:
    """For each row the heading row that it stands under, or ''.

    Where the headings part the table, the last one holds until the next. Where they stand in
    alphabetical order they are entries of one list with what the row above begins, and the first
    row that goes on with that list ends it.
    """
    headings = {
        number: row[at].strip() for number, row in enumerate(rows)
        if 0 < len(row[at].strip()) <= MAX_NAME
        and not any(cell for place, cell in enumerate(row) if place != at)
    }
    names = [fold(name) for name in headings.values()]
    parted = names != sorted(names) or (len(names) == 1 and 0 in headings)
    following = dict(zip(headings, [*names[1:], _PAST_ALL], strict=False))
    found: list[str] = []
    heading = previous = last = ""
    for number, row in enumerate(rows):
        name = fold(row[at])
        if number in headings:
            heading, last, previous = headings[number], following[number], ""
        elif heading and not parted and previous > name and fold(heading) < name < last:
            heading = ""
        else:
            previous = name or previous
        found.append(heading)
    return found


def _continued(row: Row, labels: Sequence[str], cells: Sequence[str], at: int) -> Row:
    more = {
        label: cell for place, (label, cell) in enumerate(zip(labels, cells, strict=True))
        if place != at and label and is_value(cell)
    }
    fields = [(label, f"{value} {more.pop(label, '')}".strip()) for label, value in row.fields]
    return Row(row.name, (*fields, *more.items()), row.group, row.noun)
