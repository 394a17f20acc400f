"""Tables of spells: of parts of classes, of lists, one row a spell."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.reading.spell_tables import Row, table_spells
from mvp_site.rulebook.reading.tables import Table

KNOWN = frozenset({"big fire", "cold hand"})


def rows(columns: str, *lines: str, level: int | None = None, listed: bool = True) -> list[Row]:
    table = Table(tuple(columns.split("|")), tuple(tuple(line.split("|")) for line in lines), "", 0)
    return list(table_spells(table, level, listed, KNOWN))


@pytest.mark.parametrize("column", ["Spells", "Path Spells", "Prepared Spells", "Spell"])
def test_what_a_part_of_a_class_gets(column: str) -> None:
    assert rows(f"Hexer Level|{column}", "3rd|big fire, cold hand", "5|x", listed=False) == [
        Row("big fire", None, "Hexer", gained=3), Row("cold hand", None, "Hexer", gained=3), Row("x", None, "Hexer", gained=5),
    ]


@pytest.mark.parametrize(
    ("columns", "lines", "expected"),
    [
        ("Level|Spells", ("Cantrip|Cold Hand", "1st|Big Fire", "2nd|x"), [("Cold Hand", 0), ("Big Fire", 1), ("x", 2)]),
        ("Spell Level|Spells", ("1st|Cold Hand", "3rd|Big Fire", "5th|x"), [("Cold Hand", 1), ("Big Fire", 3), ("x", 5)]),
        ("Spell Level|Name|School", ("0 (Cantrip)|Cold Hand|E", "3|Big Fire|E"), [("Cold Hand", 0), ("Big Fire", 3)]),
        ("Spell|School", ("Cold Hand|E", "Big Fire|E"), [("Cold Hand", 4), ("Big Fire", 4)]),
        ("Cantrips|1st Level", ("Cold Hand|Big Fire", "|x"), [("Cold Hand", 0), ("Big Fire", 1), ("x", 1)]),
    ],
)
def test_the_list_of_a_class(columns: str, lines: tuple[str, ...], expected: list[tuple[str, int]]) -> None:
    assert [(row.name, row.level) for row in rows(columns, *lines, level=4)] == expected
    assert rows(columns, *lines, level=4, listed=False) == []


def test_odd_levels_are_those_of_the_class() -> None:
    assert [(row.name, row.level, row.gained) for row in rows("Level|Spells", "3rd|Cold Hand", "5th|Big Fire", "9th|x")] == [
        ("Cold Hand", None, 3), ("Big Fire", None, 5), ("x", None, 9),
    ]


def test_a_row_for_each_spell() -> None:
    assert rows("Spell|Level|Classes", "Big Fire|3|Hexer, Singer (College of Ash)", listed=False) == [
        Row("Big Fire", 3, "Hexer"), Row("Big Fire", 3, "Singer", "College of Ash"),
    ]


def test_a_column_of_ticks_for_each_class() -> None:
    assert rows("Spell|Level|Hexer|Singer|Ritual", "Big Fire|3|x||x", "Cold Hand|Cantrip|✓|X|", listed=False) == [
        Row("Big Fire", 3, "Hexer"), Row("Cold Hand", 0, "Hexer"), Row("Cold Hand", 0, "Singer"),
    ]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ("Level|Spells Known", ("1st|2", "2nd|3")), ("Level|Prepared Spells", ("1st|2", "2nd|3")),
        ("Character Level|Spells", ("1st|Big Fire",)), ("Item|Class", ("Sword|Hexer",)), ("Level|Features", ("1st|Brand",)),
        ("Spell|Hexer", ("Sword|x", "Bow|x")),
    ],
)
def test_other_tables(columns: str, lines: tuple[str, ...]) -> None:
    assert rows(columns, *lines, listed=False) == []
