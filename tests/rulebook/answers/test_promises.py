"""What the intentions promise, asked of a small book through its front door."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.rulebook import Rulebook

from ..small_book import TEXT, opened

GOODS = """\

# Goods

## Blades

| Name | Cost | Damage | Weight |
| --- | --- | --- | --- |
| Long blade | 15 gp | 1d8 slashing | 3 lb. |
| Great blade | 50 gp | 2d6 slashing | 6 lb. |

# Careers

## Warden

**Hit Die:** d10

| Level | Proficiency Bonus | Features |
| --- | --- | --- |
| 1st | +2 | Watch |
| 2nd | +2 | Ward |
| 3rd | +2 | Wall |
"""


@pytest.fixture(scope="module")
def book() -> Rulebook:
    return opened(TEXT + GOODS)


CASES = [
    ("compare_entities", ["long blade", "great blade"], "", "cost", "50 gp"),
    ("compare_entities", ["emberburst", "slow fall"], "", "level", "3"),
    ("cost_lookup", ["great blade"], "", "Great blade", "50 gp"),
    ("level_progression", ["warden"], "", "3rd", "Wall"),
    ("class_spell_access", ["emberburst"], "", "Emberburst", "Wizard"),
    ("class_spell_access", ["bard", "slow fall"], "", "Bard", "yes"),
    ("find_by_criteria", ["spells"], "of 3rd level", "Emberburst", "3"),
    ("find_by_criteria", [], "evocation spells that take an action", "Emberburst", "evocation"),
]


@pytest.mark.parametrize(("intention", "entities", "words", "cell", "beside"), CASES)
def test_the_promised_table_is_there_with_its_sections(
    book: Rulebook, intention: str, entities: list[str], words: str, cell: str, beside: str
) -> None:
    response = book.query(intention, entities, user_query=words)
    assert len(response.tables) == 1
    table = response.tables[0]
    rows = [row for row in table.rows if cell.lower() in " ".join(row).lower()]
    assert any(beside.lower() in " ".join(row).lower() for row in rows), table
    given = [section.section.id for section in response.sections]
    assert given[0] in table.section_ids
    assert table.markdown() in response.text


def test_both_sections_of_a_comparison_come_first(book: Rulebook) -> None:
    response = book.query("compare_entities", ["emberburst", "slow fall"])
    assert {section.section.title for section in response.sections[:2]} == {
        "Emberburst", "Slow Fall"
    }


@pytest.mark.parametrize(("intention", "entities"), [
    ("compare_entities", ["emberburst"]), ("compare_entities", ["emberburst", "nothing such"]),
    ("cost_lookup", ["emberburst"]), ("level_progression", ["emberburst"]),
    ("class_spell_access", ["great blade"]), ("rule_mechanics", ["long blade", "great blade"]),
])
def test_without_what_it_takes_there_is_no_table(
    book: Rulebook, intention: str, entities: list[str]
) -> None:
    response = book.query(intention, entities)
    assert response.tables == ()


def test_what_was_looked_for_is_said(book: Rulebook) -> None:
    response = book.query("find_by_criteria", ["spells"], user_query="of 3rd level")
    assert "1 meet" in response.explanation
    assert "level" in response.explanation


def test_a_long_table_keeps_to_its_share_of_the_budget() -> None:
    rows = "\n".join(f"| Thing {n} | {n} gp |" for n in range(1, 120))
    book = opened(f"# Things\n\n| Name | Cost |\n| --- | --- |\n{rows}\n")
    response = book.query("cost_lookup", ["things"], max_tokens=400)
    assert response.total_tokens <= 400
    assert 0 < len(response.tables[0].rows) < 119
    assert "of 119" in response.tables[0].title


def test_a_calculation_gives_the_section_with_the_formula() -> None:
    book = opened("""\
# Saves

## Told to the Player

The save DC of a trick is told to the player.

## Working It Out

The save DC of a trick equals 8 + your modifier.
""")
    assert book.search("", "calculate_values", ["save dc"])[0].title == "Working It Out"
