"""An entity as people read it: the line under a name, the stat block, fields as people write them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.content.cards import card
from mvp_site.content.stat_block import caption, stat_block
from mvp_site.content.types import EntityType, fields_of

SPELL = {"level": 2, "school": "Evocation", "casting_time": "1 action", "range": "60 feet", "ritual": True, "concentration": False}


@pytest.mark.parametrize(("type_", "document", "line"), [
    ("spells", SPELL, "2nd-level evocation · 1 action · 60 feet · ritual"), ("spells", {**SPELL, "level": 0}, "Evocation cantrip · 1 action · 60 feet · ritual"),
    ("spells", {"level": 11}, "11th-level spell"), ("spells", {"level": 0}, "Cantrip"), ("spells", {}, ""),
    ("monsters", {"size": "Small", "type": "humanoid", "subtype": "imp", "challenge_rating": 0.25, "armor_class": 12, "hit_points": 7, "flying": True}, "Small humanoid (imp) · Challenge 1/4 · AC 12 · 7 HP · flies"),
    ("weapons", {"category": "Simple", "style": "Melee", "damage_dice": "1d6", "damage_type": "Slashing", "properties": ["Light"], "cost": 0.2}, "Simple melee · 1d6 slashing · light · 2 sp"),
    ("armor", {"category": "Heavy", "armor_class": 16, "cost": 1500, "weight": 55, "stealth_disadvantage": True}, "Heavy · AC 16 · 1,500 gp · 55 lb · disadvantage on Stealth"),
    ("magic-items", {"item_type": "Ring", "rarity": ["Rare", "Very Rare"], "attunement": True, "attunement_by": "a druid"}, "Ring · rare, very rare · attunement by a druid"),
    ("magic-items", {"attunement": True}, "Attunement"), ("classes", {"hit_die": 8, "saving_throws": ["Wisdom"]}, "Hit die d8 · saves Wisdom"),
    ("races", {"race": "Elf", "size": "Medium", "speed": 30}, "Subrace of Elf · Medium · 30 ft"), ("features", {"class": "Bard", "level": 3}, "Bard · level 3"), ("conditions", {}, ""),
])
def test_a_line_tells_what_it_is(type_: str, document: dict[str, Any], line: str) -> None:
    assert caption(EntityType(type_), document) == line


LEVELS = [
    {"level": 1, "proficiency_bonus": 2, "features": ["Rage", "Defense"], "Rages": "2"}, {"level": 2, "proficiency_bonus": 2, "spell_slots": {"1": 3}, "Rages": "2"},
    {"level": 3, "proficiency_bonus": 2, "features": ["Path"], "spell_slots": {"1": 4, "2": 2}, "Rages": "3"}, {"level": 9, "spell_slots": {"2": 1}},
]


@pytest.mark.parametrize(("levels", "columns", "rows"), [
    (LEVELS, ["Level", "Proficiency bonus", "Features", "Rages", "Spell slots 1/2"],
     [["1", "+2", "Rage, Defense", "2", ""], ["2", "+2", "", "2", "3"], ["3", "+2", "Path", "3", "4/2"], ["9", "", "", "", "–/1"]]),
    ([{"level": 1}], ["Level"], [["1"]]), ([], [], []), (None, [], []), ("many", [], []), (7, [], []), (["one", {"level": 1}], [], []), ([{}], [], []),
])
def test_the_levels_of_a_class_are_a_table(levels: Any, columns: list[str], rows: list[list[str]]) -> None:
    block = stat_block(EntityType.CLASSES, {"name": "Reaver", "levels": levels})
    assert block.levels.narrow == (columns, rows)
    assert ("Levels" in {line.label for line in block.facts}) is (levels in ("many", 7, ["one", {"level": 1}]))


MONSTER = {
    "name": "Bog Wyrm", "size": "Large", "type": "dragon", "alignment": "neutral", "armor_class": 12, "armor_class_note": "mud", "hit_points": 11, "challenge_rating": 0.25, "xp": 1800, "walk": 30,
    "fly": 60, "strength": 8, "languages": ["Common"], "darkvision": 60, "immunities": ["Fire", "Cold"], "resistances": ["Acid"], "resists": "acid from afar", "saves": {"Wisdom": -1}, "found_in": "the marsh",
}


@pytest.mark.parametrize(("more", "label_", "text"), [
    ({}, "Armor Class", "12 (mud)"), ({}, "Hit Points", "11"), ({"hit_dice": "2d6+4"}, "Hit Points", "11 (2d6 + 4)"), ({}, "Speed", "30 ft, fly 60 ft"), ({"speed": "30 ft., fly"}, "Speed", "30 ft., fly"), ({"speed": {"walk": 30, "fly": 60}}, "Speed", "walk 30 ft, fly 60 ft"),
    ({}, "Saving Throws", "Wisdom -1"), ({"skills": "many"}, "Skills", "many"), ({}, "Damage Immunities", "fire, cold"), ({}, "Damage Resistances", "acid from afar"), ({}, "Senses", "darkvision 60 ft"),
    ({}, "Languages", "Common"), ({"languages": []}, "Languages", "—"), ({}, "Challenge", "1/4 (1,800 XP)"), ({}, "Found in", "the marsh"), ({"legendary": True}, "Legendary", "yes"),
])
def test_a_monster_s_stat_block(more: dict[str, Any], label_: str, text: str) -> None:
    block = stat_block(EntityType.MONSTERS, {**MONSTER, **more})
    assert {line.label: line.text for line in (*block.head, *block.lines, *block.facts)}[label_] == text
    assert (block.kind, [(one.name, one.score, one.modifier) for one in block.abilities]) == ("Large dragon, neutral", [("Strength", "8", "-1")])


def test_values_lead_to_all_that_have_them() -> None:
    block = stat_block(EntityType.MONSTERS, {**MONSTER, "damage_types": ["Fire"]})
    filters = {line.label: [value.filter for value in line.values] for line in (*block.lines, *block.facts)}
    assert (filters["Damage Immunities"], filters["Damage types"], filters["Damage Resistances"]) == ([("immunities", "Fire"), ("immunities", "Cold")], [("damage_types", "Fire")], [None])


anything = st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()), lambda inner: st.lists(inner, max_size=3))


@given(st.sampled_from(EntityType), st.data())
def test_any_document_has_a_line_and_a_stat_block(type_: EntityType, data: st.DataObject) -> None:
    document = {field.name: data.draw(anything) for field in fields_of(type_)}
    assert isinstance(caption(type_, document), str)
    assert card(type_, {"name": "X", **document})
    assert all(line.label and isinstance(line.text, str) for line in stat_block(type_, document).facts)
