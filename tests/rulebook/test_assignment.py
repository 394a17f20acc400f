"""Categories: from title, form, words and chapter; each says why; no section has none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.rulebook.assignment import (
    FLOOR,
    NO_CUE,
    categorised,
)
from mvp_site.rulebook.categories import Assignment, Category
from mvp_site.rulebook.markdown import parse_rulebook

from .books import Part, book, parts

C = Category

TITLES = [
    # title, every category it must have; the first ones are the surest
    ("Races", [C.CHARACTER_CREATION]),
    ("Multiclassing", [C.CHARACTER_CREATION, C.CLASS_FEATURES]),
    ("Chapter 3: Classes", [C.CLASS_FEATURES]),
    ("Oath of the Ancients", [C.CLASS_FEATURES]),
    ("Spell Lists", [C.SPELLCASTING]),
    ("Two-Weapon Fighting", [C.COMBAT]),
    ("Appendix A: Conditions", [C.CONDITIONS]),
    ("Armour", [C.EQUIPMENT]),
    ("Saving Throws", [C.COMBAT, C.CORE_MECHANICS]),
    ("Resting", [C.CORE_MECHANICS, C.EXPLORATION]),
    ("Vision and Light", [C.EXPLORATION]),
    ("Monsters (A)", [C.CREATURES]),
    ("Legendary Actions", [C.CREATURES]),
    ("Gods & Pantheons", [C.WORLD_LORE]),
    ("Dungeons & Dragons Rules", [C.CORE_MECHANICS]),
    ("Introduction", [C.CORE_MECHANICS]),
]


def of(text: str, section_id: str = "") -> tuple[Assignment, ...]:
    """The categories of a section, the last one unless it is named."""
    sections = parse_rulebook(text)
    return (sections[section_id] if section_id else list(sections)[-1]).categories


@pytest.mark.parametrize(("title", "expected"), TITLES, ids=[title for title, _ in TITLES])
def test_titles(title: str, expected: list[Category]) -> None:
    found = of(f"# {title}")
    assert [assignment.category for assignment in found[: len(expected)]] == expected


@pytest.mark.parametrize(("title", "never"), [
    ("Magic Items", C.SPELLCASTING), ("Dungeons & Dragons", C.CREATURES),
    ("Legendary Actions", C.COMBAT), ("Classic Rulings", C.CLASS_FEATURES), ("Beholding", C.CREATURES),
])
def test_a_cue_is_a_whole_word_and_the_longest_one(title: str, never: Category) -> None:
    assert never not in {assignment.category for assignment in of(f"# {title}")}


SPELL = "*2nd-level transmutation*\n\n**Casting Time:** 1 action\n\n**Duration:** 1 hour\n\nIron glows."
CANTRIP = "Evocation Cantrip (Sorcerer, Wizard)\n\nA mote of fire."
MONSTER = (
    "*Large ooze*\n\n**Armor Class** 8\n\n**Hit Points** 90\n\n**Speed** 10 ft.\n\n**Challenge** 2\n\n"
    "***Slam.*** Melee Weapon Attack: +4 to hit. Hit: the target is grappled and restrained."
)
TABLED_MONSTER = "HP 9, Speed 30 ft.\n\n| STR | DEX | CON | INT | WIS | CHA |\n|---|---|---|---|---|---|\n| 1 | 2 | 3 | 4 | 5 | 6 |"
WEAPON = "_Weapon (any sword), rare_\n\nIt burns."
PRICES = "| Item | Cost | Weight |\n|---|---|---|\n| Rope | 1 gp | 10 lb. |\n| Torch | 1 cp | 1 lb. |"
LEVELS = "| Level | Proficiency Bonus | Features |\n|---|---|---|\n| 1st | +2 | Fury |"

FORMS_OF = [
    ("a spell named like armor", "Mage Armor", SPELL, C.SPELLCASTING, True),
    ("a cantrip", "Fire Bolt", CANTRIP, C.SPELLCASTING, True),
    ("a monster named like a class", "Fallen Paladin", MONSTER, C.CREATURES, True),
    ("a monster by its table", "Rust Eater", TABLED_MONSTER, C.CREATURES, True),
    ("a magic weapon", "Flame of Dawn", WEAPON, C.EQUIPMENT, True),
    ("prices", "Things to Have", PRICES, C.EQUIPMENT, False),
    ("levels", "The Warden", LEVELS, C.CLASS_FEATURES, False),
    ("a feature", "Iron Skin", "Starting at 6th level, your skin is iron.", C.CLASS_FEATURES, False),
    ("a people", "Stonefolk", "Ability Score Increase. Your Strength score increases by 2.", C.CHARACTER_CREATION, False),
    ("a background", "Lamplighter", "Skill Proficiencies: Stealth. Tool Proficiencies: lamps. Feature: known by night.",
     C.CHARACTER_CREATION, False),
]


@pytest.mark.parametrize(("title", "text", "category", "alone"), [row[1:] for row in FORMS_OF], ids=[row[0] for row in FORMS_OF])
def test_the_form_of_an_entry(title: str, text: str, category: Category, alone: bool) -> None:
    found = of(f"# {title}\n\n{text}")
    assert found[0].category == category
    assert found[0].why.startswith("text ")
    if alone:
        assert len(found) == 1


def test_words_in_passing_weigh_less_than_a_title() -> None:
    found = of("# Traps\n\nMake an attack roll on your turn, with a bonus action or an opportunity attack.")
    assert [assignment.category for assignment in found] == [C.EXPLORATION, C.COMBAT]
    assert found[1].why == "text speaks of 'attack roll', 'on your turn', 'bonus action'"
    assert found[1].weight < 0.5 < found[0].weight


def test_children_inherit_with_less_weight_and_say_so() -> None:
    text = "# Spells\n\n## Zephyr\n\n### Higher Levels\n\n#### Deeper\n"
    top, zephyr, higher, deeper = (section.categories for section in parse_rulebook(text))
    assert top == (Assignment(C.SPELLCASTING, "title has 'spell'", 1.0),)
    assert zephyr == (Assignment(C.SPELLCASTING, "under 'Spells', whose title has 'spell'", 0.7),)
    assert [a.category for a in higher] == [C.SPELLCASTING]
    assert top[0].weight > zephyr[0].weight > higher[0].weight > deeper[0].weight
    assert higher[0].why == zephyr[0].why


def test_no_cue_is_a_core_rule_and_is_not_inherited() -> None:
    assert of("# Foreword\n\nHello.") == (NO_CUE,)
    assert of("# Foreword\n\n## Thanks") == (NO_CUE,)
    assert NO_CUE.category == C.CORE_MECHANICS
    assert [a.category for a in of("# Foreword\n\n## Monsters\n")] == [C.CREATURES]


@settings(max_examples=150, deadline=None)
@given(st.lists(parts, min_size=1, max_size=10))
def test_every_section_has_categories_each_once_and_in_order(held: list[Part]) -> None:
    sections = parse_rulebook(book(held))
    for section in sections:
        found = section.categories
        assert found
        assert len({a.category for a in found}) == len(found)
        assert list(found) == sorted(found, key=lambda a: (-a.weight, a.category))
        assert all(a.why and 0 < a.weight <= 1 for a in found)
        assert found == (NO_CUE,) or len(found) == 1 or found[-1].weight >= FLOOR
    assert list(categorised(sections)) == list(sections)
