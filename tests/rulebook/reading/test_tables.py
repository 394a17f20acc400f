"""Tables: as GitHub reads them, cells as plain text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.tables import (
    MAX_COLUMNS,
    Table,
    plain_cell,
    read_tables,
    section_tables,
)

from ..books import anything, odd_lines


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", [("ab", ["12"])]),
        ("a | b\n- | -\n1 | 2\n", []),  # a list mark, to GitHub
        ("a | b\n-- | --\n1 | 2\n", [("ab", ["12"])]),
        ("   | a |\n   |---|\n   | 1 |", [("a", ["1"])]),
        ("    | a |\n    |---|\n    | 1 |", []),
        ("```\n| a |\n|---|\n| 1 |\n```", []),
        ("~~~\n```\n| a |\n|---|\n~~~\n\n| b |\n|---|\n| 1 |", [("b", ["1"])]),
        ("> | a | b |\n> |---|---|\n> | 1 | 2 |\nrest", [("ab", ["12"])]),
        ("- | a | b |\n  |---|---|\n  | 1 | 2 |", [("ab", ["12"])]),
        ("text\n| a |\n|---|\n| 1 |\n\nafter", [("a", ["1"])]),
        ("| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n", [("ab", ["12"])]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n| c |\n|---|\n| 3 |", [("ab", ["12"]), ("c", ["3"])]),
        ("| a | b |\n|---|---|", [("ab", [])]),
        ("", []),
        ("no table", []),
        ("one | two", []),
        ("a\n|---|", []),
        ("|---|---|", []),
    ],
)
def test_where_tables_are(content: str, expected: list[tuple[str, list[str]]]) -> None:
    found = [("".join(table.columns), ["".join(row) for row in table.rows]) for table in read_tables(content)]
    assert found == expected


@pytest.mark.parametrize(
    ("content", "columns", "row"),
    [
        # a row of too few cells, and one of too many
        ("| a | b |\n|---|---|\n| 1 |", ("a", "b"), ("1", "")),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", ("a", "b"), ("1", "2 | 3")),
        ("> | a | b |\n> |---|---|\n> | 1 | 2 | 3 |", ("a", "b"), ("1", "2 | 3")),
        ("| a | b |\n|---|---|\n| 1 \\| 2 | 3 |", ("a", "b"), ("1 | 2", "3")),
        # a header and an alignment row of different widths
        ("| a | b | c |\n|---|---|\n| 1 | 2 | 3 |", ("a", "b", "c"), ("1", "2", "3")),
        ("| a | b |\n|---|---|---|\n| 1 | 2 | 3 |", ("a", "b", ""), ("1", "2", "3")),
        ("a | b\n---|---|---\n1 | 2 | 3", ("a", "b", ""), ("1", "2", "3")),
        # no header but the first row
        ("|  |  |\n|---|---|\n| a | b |\n| 1 | 2 |", ("a", "b"), ("1", "2")),
    ],
)
def test_ragged_tables(content: str, columns: tuple[str, ...], row: tuple[str, ...]) -> None:
    assert [(table.columns, table.rows) for table in read_tables(content)] == [(columns, (row,))]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("**bold** and *italic*", "bold and italic"),
        ("[Fireball](/spells#fireball), _Shield_", "Fireball, Shield"),
        ("`code` ~~gone~~", "code gone"),
        ("one<br>two<br/>three", "one two three"),
        ("<b>x</b> &mdash; y", "x — y"),
        (r"1\*", "1*"),
        ("![a *map*](map.png)", "a map"),
        ("[[Rage]], [[spells/Fireball|Fireball]]", "Rage, Fireball"),
        ("snake_case 2 * 3", "snake_case 2 * 3"),
        ("—", "—"),
        ("", ""),
        ("**[a](b)** *c* " * 500, "a c " * 500),
    ],
)
def test_cells_are_plain(cell: str, expected: str) -> None:
    assert plain_cell(cell) == expected.strip()


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ("**The Barbarian**", "The Barbarian"),
        ("*Light Armor*\n", "Light Armor"),
        ("***Coins***\n", "Coins"),
        ("__Coins__\n", "Coins"),
        ("_Coins_:\n", "Coins"),
        ("Table: Starting Wealth", "Starting Wealth"),
        ("**Table- The Wizard**", "The Wizard"),
        ("Table 3-1: Starting Wealth", "Table 3-1: Starting Wealth"),
        ("The Sorcerer table", "The Sorcerer table"),
        ("Roll on the following table:", ""),
        ("You find what the Trinkets table names, and keep it.", ""),
        ("**Grapple.** You hold on.", ""),
        ("**One** and **two**", ""),
        ("**Far off**\n\n", ""),
        ("plain words", ""),
        ("- an item\n", ""),
        ("", ""),
        ("**" + "long " * 60 + "name**", ""),
    ],
)
def test_captions(above: str, expected: str) -> None:
    content = f"first\n\n{above}\n| a |\n|---|\n| 1 |"
    assert [table.caption for table in read_tables(content)] == [expected]


def test_caption_and_line_in_a_block_quote() -> None:
    content = "text\n\n> ##### Wealth\n>\n> | a |\n> |---|\n> | 1 |"
    assert read_tables(content) == (Table(("a",), (("1",),), "Wealth", 4),)


def test_section_tables_are_those_of_each_section() -> None:
    sections = parse_rulebook("# One\n\n| a |\n|---|\n| 1 |\n\n## Two\n\nnone\n\n## Three\n\n| b |\n|---|\n")
    assert {key: [table.columns for table in held] for key, held in section_tables(sections).items()} == {
        "one": [("a",)], "one/three": [("b",)],
    }


def test_a_header_is_not_widened_without_end() -> None:
    assert read_tables("| a | b |\n" + "|---" * (MAX_COLUMNS + 1) + "|") == ()


@pytest.mark.parametrize(
    "content",
    [
        "| a |\n|---|\n| " + "![" * 300 + "](x)" * 300 + " |",
        "| a |\n|---|\n| " + "[" * 5000 + " |",
        "> " * 3000 + "| a |\n" + "> " * 3000 + "|---|",
        "- " * 500 + "| a |\n|---|",
        "|" * 10_000 + "\n" + "|-" * 10_000,
        "> " * 50_000,
        "| a |\n|---|\n" * 2_000,
    ],
)
def test_odd_content_is_read_soon(content: str) -> None:
    read_tables(content)


@settings(max_examples=150, deadline=None)
@given(st.one_of(anything, odd_lines.map("\n".join)))
def test_every_row_is_as_wide_as_its_header(content: str) -> None:
    for table in read_tables(content):
        assert table.columns
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert all("\n" not in cell for row in (table.columns, *table.rows) for cell in row)
        assert "|" in content.replace("\r\n", "\n").replace("\r", "\n").split("\n")[table.line]
