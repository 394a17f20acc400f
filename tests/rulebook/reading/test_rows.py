"""Rows: the things in a table, and the tables that have none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.reading.rows import Row, fields_of, read_rows
from mvp_site.rulebook.reading.tables import Table, read_tables


def read(text: str) -> tuple[Row, ...]:
    (table,) = read_tables(text.strip("\n"))
    return read_rows(table)


def test_a_row_is_a_thing_with_the_other_columns_as_fields() -> None:
    (row,) = read("*Blades*\n\n| Weapon | Price (gp) | Wt. | Mastery |\n|---|---|---|---|\n| Hook | 15 | 3 lb. | — |")
    assert row == Row("Hook", (("cost", "15 gp"), ("weight", "3 lb.")), "Blades", "weapon")


@pytest.mark.parametrize(
    "header",
    ["| d20 | Result |", "| 1d100 | Result |", "| Level | Features |", "| Druid Level | Spells |", "| Roll % | Result |"],
)
def test_rolls_and_levels_are_no_things(header: str) -> None:
    assert read(f"{header}\n|---|---|\n| 1 | One |\n| 2 | Two |") == ()


@pytest.mark.parametrize("cells", [("1", "2", "3"), ("1st", "2nd", "3rd"), ("01–10", "11–20", "21-00"), ("1,000", "2,000", "3,000")])
def test_numbers_name_nothing(cells: tuple[str, ...]) -> None:
    rows = "\n".join(f"| {cell} | x |" for cell in cells)
    assert read(f"| Score | Modifier |\n|---|---|\n{rows}") == ()


def test_a_row_with_a_name_alone_heads_the_rows_below() -> None:
    rows = read("| Name | Cost |\n|---|---|\n| Simple | |\n| Club | 1 sp |\n| Martial | |\n| Axe | 5 gp |\n| Whip | 2 gp |\n| Exotic | |\n| Net | 1 gp |")
    assert [(row.name, row.group) for row in rows] == [("Club", "Simple"), ("Axe", "Martial"), ("Whip", "Martial"), ("Net", "Exotic")]


def test_headings_within_an_alphabetical_list_end_where_it_goes_on() -> None:
    rows = read(
        "| Item | Cost |\n|---|---|\n| Abacus | 2 gp |\n| Ammunition | |\n| Arrows | 1 gp |\n| Needles | 1 gp |\n| Antitoxin | 50 gp |\n"
        "| Focus | |\n| Orb | 20 gp |\n| Rod | 10 gp |\n| Hammer | 1 gp |\n| Inn stay | |\n| Squalid | 7 cp |\n| Poor | 1 sp |\n| Meals | |\n| Poor | 6 cp |"
    )
    assert [(row.name, row.group) for row in rows] == [
        ("Abacus", ""), ("Arrows", "Ammunition"), ("Needles", "Ammunition"), ("Antitoxin", ""), ("Orb", "Focus"), ("Rod", "Focus"),
        ("Hammer", ""), ("Squalid", "Inn stay"), ("Poor", "Inn stay"), ("Poor", "Meals"),
    ]


def test_a_row_of_dashes_heads_nothing() -> None:
    rows = read("| Item | Cost | Weight |\n|---|---|---|\n| Bag | — | — |\n| Rope | 1 gp | 10 lb. |")
    assert [(row.name, row.group) for row in rows] == [("Rope", "")]


def test_a_row_without_a_name_goes_on() -> None:
    (row,) = read("| Name | Damage | Properties |\n|---|---|---|\n| Crossbow | 1d10 | Heavy, |\n|  |  | Two-Handed |")
    assert row.fields == (("damage", "1d10"), ("properties", "Heavy, Two-Handed"))


def test_columns_that_repeat_are_one_table() -> None:
    rows = read("| Item | Cost | Item | Cost |\n|---|---|---|---|\n| Rope | 1 gp | Torch | 1 cp |\n| Sack | 1 cp |  |  |")
    assert [(row.name, row.fields) for row in rows] == [("Rope", (("cost", "1 gp"),)), ("Sack", (("cost", "1 cp"),)), ("Torch", (("cost", "1 cp"),))]


def test_a_title_over_the_header_is_a_group() -> None:
    (row,) = read("| Light things | | |\n|---|---|---|\n| Armor | AC | Cost |\n| Quilt | 11 | 5 gp |")
    assert row == Row("Quilt", (("armor class", "11"), ("cost", "5 gp")), "Light things", "armor")


def test_the_column_of_names_may_not_be_the_first() -> None:
    (row,) = read("| Level | Spell | School |\n|---|---|---|\n| 3 | Ember Lance | evocation |")
    assert (row.name, row.fields) == ("Ember Lance", (("level", "3"), ("school", "evocation")))


@pytest.mark.parametrize(
    "text",
    [
        "| STR | DEX |\n|---|---|\n| 10 (+0) | 12 (+1) |",
        "| | |\n|---|---|\n| STR | 10 (+0) |\n| DEX | 12 (+1) |",
        "| STR | 10 (+0) |\n|---|---|\n| DEX | 12 (+1) |",
    ],
)
def test_a_small_table_of_known_labels_states_fields(text: str) -> None:
    (table,) = read_tables(text)
    assert dict(fields_of(table)) == {"strength": "10 (+0)", "dexterity": "12 (+1)"}


def test_a_row_for_each_ability_states_its_score() -> None:
    rows = "\n".join(f"| {name} | 1{at} | +{at} |" for at, name in enumerate(("STR", "DEX", "CON", "INT", "WIS", "CHA")))
    (table,) = read_tables(f"| Ability | Score | Mod |\n|---|---|---|\n{rows}")
    assert fields_of(table)[:2] == (("strength", "10 +0"), ("dexterity", "11 +1"))


_cells = st.sampled_from(("", "—", "Name", "Item", "d20", "Level", "Cost (gp)", "STR", "12", "1st", "Rope", "5 gp", "a" * 80, "AC 12"))


@given(st.integers(1, 6).flatmap(lambda width: st.tuples(
    st.lists(_cells, min_size=width, max_size=width).map(tuple),
    st.lists(st.lists(_cells, min_size=width, max_size=width).map(tuple), max_size=6).map(tuple),
)))
def test_any_table_is_read(drawn: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]) -> None:
    table = Table(drawn[0], drawn[1], "", 0)
    assert all(row.name and all(name and value for name, value in row.fields) for row in read_rows(table))
    assert all(name and value for name, value in fields_of(table))
