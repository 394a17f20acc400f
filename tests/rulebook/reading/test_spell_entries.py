"""Spell entries: known by their form, in any style."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.spell_entries import class_parts, spell_entries, spell_level

BOTH = (("Hexer", ""), ("Singer", ""))


@pytest.mark.parametrize(
    ("body", "level", "school", "classes"),
    [
        ("*3rd-level evocation*\n\n**Casting Time:** 1 action\n\n**Classes:** Hexer, Singer", 3, "evocation", BOTH),
        ("*Evocation cantrip*\n\n**Casting Time** 1 action\n\nIt burns.", 0, "evocation", ()),
        ("_2nd-level abjuration (ritual)_\n\nIt wards.", 2, "abjuration", ()),
        ("*Level 3 Evocation (Hexer, Singer)*\n\nIt burns.", 3, "evocation", BOTH),
        ("Evocation Cantrip (Hexer, Singer)\n\n- Casting Time: Action", 0, "evocation", BOTH),
        ("- **Casting Time:** 1 action\n- **Level:** 4\n- **School:** Illusion\n- **Classes:** Hexer and Singer", 4, "Illusion", BOTH),
        ("**Casting Time:** 1 action\n\n**Spell Lists.** Hexer; Singer", None, "", BOTH),
        ("> *1st-level illusion*\n>\n> **Casting Time:** 1 action\n>\n> **Class:** Hexer", 1, "illusion", (("Hexer", ""),)),
        ("*5th-level chronurgy*\n\n**Casting Time:** 1 action", 5, "chronurgy", ()),
        ("*1st-level illusion*\n\n**Classes:** Hexer, Singer (College of Ash)", 1, "illusion", (("Hexer", ""), ("Singer", "College of Ash"))),
    ],
)
def test_an_entry(body: str, level: int | None, school: str, classes: tuple[tuple[str, str], ...]) -> None:
    (entry,) = spell_entries(parse_rulebook(f"# Spells\n\n## Big Fire\n\n{body}\n")).values()
    assert (entry.name, entry.level, entry.school, entry.classes) == ("Big Fire", level, school, classes)
    assert entry.section_id == "spells/big-fire"


@pytest.mark.parametrize(
    "body",
    [
        "A rule of 3rd-level spells.", "*3rd-level Path of Ash feature*\n\nYou fade.", "**Classes:** Hexer",
        "*Medium humanoid, any alignment*\n\nAt 3rd level.", "At 3rd level, you cast.", "5th-level chronurgy", "",
        "*Wondrous item, rare*\n\nIt holds a 3rd-level spell.",
    ],
)
def test_what_is_no_entry(body: str) -> None:
    assert spell_entries(parse_rulebook(f"# Big Fire\n\n{body}\n")) == {}


def test_entries_under_one_heading() -> None:
    text = (
        "# Spells\n\n**Ash Bolt**\n*Evocation cantrip*\n**Casting Time:** 1 action\n**Classes:** Hexer\n\nIt burns.\n\n"
        "**Big Fire**  \n*3rd-level evocation (Singer)*  \n**Casting Time:** 1 action\n\nIt burns more.\n"
    )
    found = spell_entries(parse_rulebook(text))
    assert {entry.name: (entry.level, entry.classes) for entry in found.values()} == {
        "Ash Bolt": (0, (("Hexer", ""),)), "Big Fire": (3, (("Singer", ""),)),
    }


def test_the_first_entry_of_a_name_counts() -> None:
    text = "# A\n\n## Fire\n\n*1st-level evocation*\n\n# B\n\n## Fire\n\n*2nd-level evocation*\n"
    assert [entry.level for entry in spell_entries(parse_rulebook(text)).values()] == [1]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Hexer, Singer", BOTH), ("Hexer; Singer", BOTH), ("Hexer/Singer", BOTH), ("Hexer and Singer", BOTH),
        ("Hexer, and Singer.", BOTH), ("Hexer (Path of Ash, Path of Snow)", (("Hexer", "Path of Ash, Path of Snow"),)),
        ("None", ()), ("—", ()), ("", ()), ("ritual", ()), ("12", ()), ("((((", ()), ("*Hexer*", (("Hexer", ""),)),
        ("this is a sentence of many words", ()),
    ],
)
def test_class_parts(value: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert class_parts(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Cantrip", 0), ("0 (Cantrip)", 0), ("0", 0), ("3", 3), ("3rd", 3), ("9th level", 9), ("10th", None), ("", None), ("x", None)],
)
def test_spell_level(text: str, expected: int | None) -> None:
    assert spell_level(text) == expected
