"""Phrasings of constraints by kind: bounds, measures, orders, classes of values, further ways."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site.content.constraints.numerals import value
from mvp_site.content.constraints.reading import StatedReader
from mvp_site.content.constraints.words import SPEECH
from mvp_site.content.types import EntityType, fields_of
from mvp_site.retrieval.filters import as_filters

VALUES: dict[str, dict[str, list[str]]] = {
    "spells": {
        "school": ["evocation", "tidecraft"], "classes": ["druid", "wizard"], "damage_type": ["cold", "fire"],
        "save": ["wisdom"], "area_shape": ["cone", "cube", "line"], "attack": ["melee", "ranged"],
        "casting_time": ["1 action", "1 hour", "12 hours"], "range": ["60 feet", "self", "touch"],
        "duration": ["1 hour", "concentration, up to 1 hour", "instantaneous", "until dispelled"],
        "subclasses": ["circle of tides"],
    },
    "monsters": {
        "type": ["dragon", "fey", "undead"], "size": ["tiny", "large", "huge"], "languages": ["common"],
        "alignment": ["any non good alignment", "chaotic evil", "lawful evil", "lawful good", "neutral good"],
        "subtype": ["demon", "demon, shapechanger", "shapechanger"], "damage_types": ["cold", "fire"],
        "immunities": ["cold", "fire"], "resistances": ["cold", "fire"], "vulnerabilities": ["fire"],
        "condition_immunities": ["charmed"],
    },
    "weapons": {"category": ["martial"], "style": ["melee"], "damage_type": ["piercing"],
                "damage_dice": ["1d8", "2d6"], "properties": ["finesse", "sailor"]},
    "armor": {"category": ["heavy", "light"]},
    "equipment": {"category": ["tools"], "group": ["druidic foci", "gaming sets"]},
    "magic-items": {"rarity": ["common", "uncommon", "rare", "very rare"], "item_type": ["staff", "wondrous item"],
                    "attunement_by": ["a bard or druid", "a druid", "a dwarf"]},
    "classes": {"proficiencies": ["martial weapons", "shields"], "saving_throws": ["wisdom"]},
    "races": {"race": ["dwarf"], "ability_bonuses": ["strength", "wisdom"], "size": ["small", "medium"]},
    "traits": {"races": ["elf", "half elf"], "damage_type": ["cold"]},
    "rules": {"category": ["alignment", "language", "school of magic", "skill"], "chapter": ["combat"]},
    "backgrounds": {"proficiencies": ["insight"]},
    "feats": {"prerequisites": ["strength"]},
}
READERS = {type_: StatedReader(EntityType(type_), values) for type_, values in VALUES.items()}
UP_TO_ONE_HOUR = ["1 hour", "concentration, up to 1 hour"]


@pytest.mark.parametrize(("type_", "query", "filters"), [
    ("spells", "range of 90 feet or more", {"range_feet": {"min": 90}}),
    ("spells", "60 ft. range", {"range_feet": 60}),
    ("spells", "touch range", {"range": "touch"}), ("spells", "range: self", {"range": "self"}),
    ("spells", "twelve hours to cast", {"casting_time": "12 hours"}),
    ("spells", "lasts for one hour", {"duration": UP_TO_ONE_HOUR}),
    ("spells", "instantaneous", {"duration": "instantaneous"}),
    ("spells", "needs a somatic component", {"components": "s"}),
    ("spells", "restores lost hit points", {"healing": True}),
    ("spells", "melee spell attack", {"attack": "melee"}),
    ("spells", "30-foot cone", {"area_shape": "cone", "area_size": 30}),
    ("spells", "cube of up to 20 feet", {"area_shape": "cube", "area_size": {"max": 20}}),
    ("spells", "a line of cold damage", {"area_shape": "line", "damage_type": "cold"}),
    ("spells", "circle of tides spells", {"subclasses": "circle of tides"}),
    ("spells", "tidecraft of level 4 at most", {"school": "tidecraft", "level": {"max": 4}}),
    ("monsters", "sub-3 CR", {"challenge_rating": {"max": 2.99}}),
    ("monsters", "double-digit CR", {"challenge_rating": {"min": 10, "max": 99}}),
    ("monsters", "more than two thousand five hundred xp", {"xp": {"min": 2501}}),
    ("monsters", "between one hundred and two hundred hp", {"hit_points": {"min": 100, "max": 200}}),
    ("monsters", "CR 5 at most 40 hp", {"challenge_rating": 5, "hit_points": {"max": 40}}),
    ("monsters", "swim speed of 40 feet", {"swim": 40}), ("monsters", "60-foot darkvision", {"darkvision": 60}),
    ("monsters", "no tremorsense", {"tremorsense": 0}), ("monsters", "tremorsense", {"tremorsense": {"min": 1}}),
    ("monsters", "a Charisma score over 15", {"charisma": {"min": 16}}),
    ("monsters", "16+ Wisdom", {"wisdom": {"min": 16}}),
    ("monsters", "Large or smaller", {"size": ["large", "medium", "small", "tiny"]}),
    ("monsters", "evil fey", {"alignment": ["chaotic evil", "lawful evil"], "type": "fey"}),
    ("monsters", "good-aligned", {"alignment": ["lawful good", "neutral good"]}),
    ("monsters", "demons", {"subtype": ["demon", "demon, shapechanger"]}),
    ("monsters", "cold-immune", {"immunities": "cold"}), ("monsters", "fire damage resistance", {"resistances": "fire"}),
    ("monsters", "fire vulnerability", {"vulnerabilities": "fire"}),
    ("monsters", "inflicts cold damage", {"damage_types": "cold"}),
    ("monsters", "telepathic", {"languages": {"contains": "telepathy"}}),
    ("weapons", "2d6", {"damage_dice": "2d6"}), ("weapons", "d8 damage", {"damage_dice": "1d8"}),
    ("weapons", "average damage under 4", {"damage_average": {"max": 3.99}}),
    ("weapons", "normal range of 80 feet or more", {"range_normal": {"min": 80}}),
    ("weapons", "needs no ammunition", {"ammunition": False}), ("weapons", "sailor weapons", {"properties": "sailor"}),
    ("weapons", "between 5 sp and 2 gp", {"cost": {"min": 0.5, "max": 2}}),
    ("weapons", "10 gp max", {"cost": {"max": 10}}), ("weapons", "forty-five gold", {"cost": 45}),
    ("weapons", "roughly 10 gp, no more than that", {"cost": {"max": 10}}),
    ("armor", "usable with 11 strength", {"strength": {"max": 11}}), ("armor", "light, 10 gp", {"category": "light", "cost": 10}),
    ("equipment", "a druidic focus", {"group": "druidic foci"}), ("equipment", "gaming set", {"group": "gaming sets"}),
    ("magic-items", "rare or better", {"rarity": ["artifact", "legendary", "rare", "very rare"]}),
    ("magic-items", "attunement by a druid", {"attunement_by": ["a bard or druid", "a druid"]}),
    ("magic-items", "only a dwarf can attune to it", {"attunement_by": "a dwarf"}),
    ("magic-items", "attunement not required", {"attunement": False}), ("magic-items", "wondrous", {"item_type": "wondrous item"}),
    ("magic-items", "staves", {"item_type": "staff"}),
    ("classes", "hit die of d8 or more", {"hit_die": {"min": 8}}), ("classes", "proficient with shields", {"proficiencies": "shields"}),
    ("races", "speed of 30 feet", {"speed": 30}), ("races", "dwarf subraces", {"race": "dwarf"}),
    ("races", "raises Wisdom", {"ability_bonuses": "wisdom"}),
    ("traits", "half-elves or elves", {"races": ["elf", "half elf"]}),
    ("rules", "skills", {"category": "skill"}), ("rules", "a school of magic that mends", {}),
    ("rules", "school of magic that mends", {"category": "school of magic"}), ("rules", "combat chapter", {"chapter": "combat"}),
    ("backgrounds", "proficiency in insight", {"proficiencies": "insight"}), ("feats", "needs strength", {"prerequisites": "strength"}),
])
def test_what_is_stated(type_: str, query: str, filters: dict[str, Any]) -> None:
    assert as_filters(READERS[type_].read(query).condition) == filters


@pytest.mark.parametrize(("type_", "query"), [
    ("spells", "without verbal or somatic components"), ("spells", "a range of 2 miles"), ("spells", "lasts for 1 hour or more"),
    ("spells", "break a rival's concentration"), ("spells", "hidden in a cube"), ("spells", "about level 5"),
    ("monsters", "a good mount"), ("monsters", "evil plans"), ("monsters", "a DC 15 Wisdom save"), ("monsters", "+2 strength"),
    ("monsters", "not immune to fire"), ("monsters", "ignores fire resistance"), ("monsters", "takes fire damage"),
    ("monsters", "about 50 hp"), ("monsters", "undead or anything that flies"), ("monsters", "bigger than a barn"),
    ("weapons", "to reach someone"), ("weapons", "at least 1d8 damage"), ("armor", "a light in the dark"),
    ("classes", "not proficient with shields"), ("rules", "alignment"), ("rules", "skill checks"),
])
def test_what_states_nothing(type_: str, query: str) -> None:
    assert READERS[type_].read(query).condition == ()


@pytest.mark.parametrize(("said", "number"), [
    ("a hundred", 100), ("two hundred and fifty", 250), ("ten thousand", 10_000), ("a hundred thousand", 100_000),
    ("two thousand five hundred", 2_500), ("seventy-five", 75), ("twenty first", 21), ("two and a half", 2.5),
    ("10k", 10_000), ("3 hundred", 300), ("1,800", 1_800), ("3rd", 3), ("one-eighth", 0.125),
])
def test_numbers_in_words(said: str, number: float) -> None:
    assert value(said) == number


@pytest.mark.parametrize("type_", sorted(EntityType))
def test_every_way_is_of_a_field_of_the_type(type_: EntityType) -> None:
    if type_ in SPEECH:
        speech, known = SPEECH[type_], {field.name for field in fields_of(type_)}
        clauses = {clause.field for clause in speech.phrases.values()}
        assert {*speech.said, *clauses, *speech.within, *speech.within.values()} <= known
        assert speech.feet | speech.dice | speech.bounded <= set(speech.numbers)
