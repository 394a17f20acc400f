"""Level tables: known by their rows and columns."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.reading.level_tables import Grade, joined, level_table
from mvp_site.rulebook.reading.levels import ordinal
from mvp_site.rulebook.reading.tables import Table

ALL = range(1, 21)


def table(columns: str, rows: list[str]) -> Table:
    return Table(tuple(columns.split("|")), tuple(tuple(row.split("|")) for row in rows), "", 0)


def steps(numbers: range, rest: str = "|x", ordinals: bool = True) -> list[str]:
    return [f"{ordinal(number) if ordinals else number}{rest}" for number in numbers]


@pytest.mark.parametrize(
    ("columns", "rows", "grade"),
    [
        ("Level|Features", steps(ALL), Grade.CLASS),
        ("Level|Proficiency Bonus", steps(ALL, ordinals=False), Grade.CLASS),
        ("Class Level|Class Features", steps(ALL), Grade.CLASS),
        ("Hexer Level|Cantrips Known", steps(range(3, 21)), Grade.FULL),
        ("Hexer Level|Spells", ["1st|a", "3rd|b"], Grade.PART),
        ("|Features", ["1st|a", "2nd|b", "3rd|c"], Grade.PART),
        ("Stufe|Merkmale", ["1st|a", "2nd|b", "3rd|c"], Grade.PART),
        ("Character Level|Damage", ["1st-4th|1d6", "5th-10th|2d6"], Grade.PART),
        ("Level|Effect", ["1|a", "2|b", "3|c"], Grade.PART),
    ],
)
def test_level_tables(columns: str, rows: list[str], grade: Grade) -> None:
    found = level_table(table(columns, rows))
    assert found is not None
    assert found.grade is grade
    assert len(found.levels) == len(rows)


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ("Spell Level|Spells", ["1st|a", "2nd|b", "3rd|c"]),
        ("Slot Level|Points", ["1st|2", "2nd|3", "3rd|5"]),
        ("Spell|Level|School", ["a|1|x", "b|1|x", "c|2|x"]),
        ("Level|Name", ["1|a", "1|b", "2|c"]),
        ("d6|Effect", ["1|a", "2|b", "3|c", "4|d"]),
        ("Roll|Effect", ["1st|a", "2nd|b", "3rd|c"]),
        ("Level|x", ["first of all|a", "later|b"]),
        ("Level|x", ["3rd|a"]),
        ("Level|x", []),
        ("Level|x", ["3rd|a", "2nd|b", "1st|c"]),
    ],
)
def test_other_tables(columns: str, rows: list[str]) -> None:
    assert level_table(table(columns, rows)) is None


def test_a_header_of_two_rows_is_one() -> None:
    found = level_table(table("|Proficiency||Slots per Level|", ["Level|Bonus|Features|1st|2nd", *steps(ALL, "|+2|x|1|-")]))
    assert found is not None
    assert found.table.columns == ("Level", "Proficiency Bonus", "Features", "Slots per Level 1st", "2nd")
    assert found.grade is Grade.CLASS
    found = level_table(table("Level|Features|Slots||", ["||1st|2nd|3rd", *steps(ALL, "|x|1|-|-")]))
    assert found is not None
    assert found.table.columns == ("Level", "Features", "Slots 1st", "2nd", "3rd")


def test_an_empty_row_is_left_out() -> None:
    found = level_table(table("Level|Features", [*steps(ALL), "|"]))
    assert found is not None
    assert len(found.table.rows) == 20


def test_two_halves_are_one_table() -> None:
    first, second = (level_table(table("Level|Features", steps(part))) for part in (range(1, 8), range(8, 15)))
    assert first is not None
    assert second is not None
    (whole,) = joined([first, second])
    assert (whole.grade, whole.levels) == (Grade.CLASS, tuple(range(1, 15)))
    assert len(joined([second, first])) == 2
