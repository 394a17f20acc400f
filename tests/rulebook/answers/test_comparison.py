"""Comparison: what differs, between things of one kind."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.answer_table import AnswerTable
from mvp_site.rulebook.answers.comparison import compare
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.fact_book import FactBook

from ..fact_styles import STYLES

BOOK = """\
# Armor

| Armor | AC | Cost |
|---|---|---|
| Shield | +2 | 10 gp |
| Plate | 18 | 1,500 gp |

# Spells

## Shield

*1st-level abjuration*

**Casting Time:** 1 reaction
**Range:** Self

## Ember

*3rd-level evocation*

**Casting Time:** 1 action
**Range:** Self

# Languages

| Language | Script |
|---|---|
| Elf | Runes |
| Dwarf | Runes |

# Races

## Dwarf

***Ability Score Increase.*** Your Constitution grows.

***Speed.*** Your speed is 25 feet.

***Stone Lore.*** You know stone.

## Elf

***Ability Score Increase.*** Your Dexterity grows.

***Speed.*** Your speed is 30 feet.

***Trance.*** You do not sleep.
"""


@pytest.fixture(scope="module")
def book() -> FactBook:
    return FactBook.build(parse_rulebook(BOOK))


def rows(table: AnswerTable | None) -> dict[str, tuple[str, ...]]:
    assert table is not None
    return {row[0]: row[1:] for row in table.rows}


def test_the_spell_is_held_against_the_spell(book: FactBook) -> None:
    table = compare(book, ["shield", "ember"])
    assert table is not None
    assert table.columns == ("field", "Shield", "Ember")
    assert rows(table) == {"casting time": ("1 reaction", "1 action"), "level": ("1st", "3rd"), "school": ("abjuration", "evocation")}
    assert table.section_ids == ("spells/shield", "spells/ember")
    assert table.title == "Shield and Ember: 3 fields differ; the same: range, ritual"


def test_the_armor_is_held_against_the_armor(book: FactBook) -> None:
    assert rows(compare(book, ["Plate", "Shields"])) == {"armor class": ("18", "+2"), "cost": ("1,500 gp", "10 gp")}


def test_what_is_preferred_breaks_a_tie(book: FactBook) -> None:
    text = "# A\n\n## Ring\n\n**Cost:** 1 gp\n\n# B\n\n## Ring\n\n**Cost:** 2 gp\n\n# C\n\n## Rod\n\n**Cost:** 3 gp"
    twice = FactBook.build(parse_rulebook(text))
    assert rows(compare(twice, ["ring", "rod"])) == {"cost": ("1 gp", "3 gp")}
    assert rows(compare(twice, ["ring", "rod"], {"b/ring"})) == {"cost": ("2 gp", "3 gp")}


def test_races_are_compared_by_the_traits_they_share(book: FactBook) -> None:
    assert rows(compare(book, ["dwarf", "elf"])) == {
        "speed": ("Your speed is 25 feet.", "Your speed is 30 feet."),
        "ability score increase": ("Your Constitution grows.", "Your Dexterity grows."),
    }


def test_what_only_some_have_is_a_dash() -> None:
    book = FactBook.build(parse_rulebook("# A\n\n**Cost:** 1 gp\n\n# B\n\n**Cost:** 1 gp\n**Weight:** 2 lb.\n\n# C\n\n**Cost:** 3 gp"))
    table = compare(book, ["a", "b", "c"])
    assert rows(table) == {"cost": ("1 gp", "1 gp", "3 gp"), "weight": ("—", "2 lb.", "—")}
    assert table is not None
    assert table.title == "A, B and C: 2 fields differ"


def test_things_that_are_alike_leave_no_row() -> None:
    book = FactBook.build(parse_rulebook("# A\n\n**Senses:** keen, sharp\n\n# B\n\n**Senses:** sharp, keen"))
    table = compare(book, ["a", "b"])
    assert table is not None
    assert (table.rows, table.title) == ((), "A and B: 0 fields differ; the same: senses")


@pytest.mark.parametrize("names", [[], ["ember"], ["ember", "Ember!"], ["ember", "nothing"], ["", "*"]])
def test_fewer_than_two_things(book: FactBook, names: list[str]) -> None:
    assert compare(book, names) is None


@pytest.mark.parametrize("style", STYLES)
def test_in_every_style(style: str) -> None:
    book = FactBook.build(parse_rulebook(STYLES[style]))
    found = rows(compare(book, ["marsh imp", "old toad"]))
    assert found["challenge rating"] == ("1/2", "2")
    assert {"armor class", "hit points", "speed", "size", "type", "strength"} <= found.keys()
    assert {"range", "school", "casting time"} <= rows(compare(book, ["ember lance", "reed cage"])).keys()


def test_many_of_one_name_are_compared_in_linear_time() -> None:
    text = "# Rings\n\n" + "\n\n".join(f"## Ring\n\n**Cost:** {at} gp\n**Rank {at}:** x" for at in range(60)) + "\n\n# Rod\n\n**Cost:** 1 gp"
    assert compare(FactBook.build(parse_rulebook(text)), ["ring", "rod", *(f"x{at}" for at in range(60))]) is not None
