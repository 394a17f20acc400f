from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from mvp_site.content.document import NAMED_TEXTS, Document
from mvp_site.content.own_model import read_entity
from mvp_site.content.parsing import Parsed, gear_type, parsed
from mvp_site.content.srd_documents import srd_documents
from mvp_site.content.types import EntityType, fields_of
from mvp_site.retrieval.filters import fold
from mvp_site.rulebook.srd_book import characters, classes, equipment, monsters, spells
from mvp_site.rulebook.srd_book.part import BookPart
from mvp_site.srd import load_srd

Blocks = list[tuple[str, int]]

OLD_MONSTER: Blocks = [
    ("Fen Hound", 2), ("*Medium beast (hound), neutral evil*", 0),
    ("**Armor Class** 13 (natural armor)", 0),
    ("**Hit Points** 36 (6d8 + 9)", 0), ("**Speed** 40 ft., swim 30 ft.", 0),
    ("| STR | DEX | CON | INT | WIS | CHA |\n|---|---|---|---|---|---|\n| 14 (+2) | 16 (+3) | 12 (+1) | 3 (−4) | 12 (+1) | 6 (−2) |", 0),
    ("**Saving Throws** Dex +5", 0), ("**Skills** Perception +3, Sleight of Hand +5", 0),
    ("**Damage Resistances** cold; piercing from nonmagical attacks", 0),
    ("**Condition Immunities** charmed, prone", 0),
    ("**Senses** darkvision 60 ft., passive Perception 13", 0), ("**Languages** —", 0),
    ("**Challenge** 1/2 (100 XP)", 0),
    ("***Wet Nose.*** The hound smells what is wet.", 0),
    ("It smells it twice.", 0),
    ("Actions", 0),
    ("***Bite.*** Melee Weapon Attack: +5 to hit. Hit: 6 (1d8 + 2) piercing damage.", 0),
    ("***Spit (Recharge 5–6).*** The hound spits 7 (2d6) acid damage.", 0),
    ("Legendary Actions", 3), ("The hound can take 2 of these.", 0), ("**Howl.** It howls.", 0),
]
NEW_MONSTER: Blocks = [
    ("Fen Hound", 2), ("Medium Beast (Hound), Neutral Evil", 0),
    ("AC 13 Initiative +3 (13)", 0), ("HP 36 (6d8 + 9)", 0), ("Speed 40 ft., Swim 30 ft.", 0),
    ("MOD SAVE MOD SAVE MOD SAVE", 0),
    ("Str 14 +2 +2 Dex 16 +3 +5 Con 12 +1 +1\nInt 3 −4 −4 Wis 12 +1 +1 Cha 6 −2 −2", 0),
    ("Skills Perception +3, Sleight of Hand +5", 0), ("Resistances Cold, Piercing", 0),
    ("Immunities Acid; Charmed, Prone", 0), ("Senses Darkvision 60 ft.; Passive Perception 13", 0),
    ("Languages None", 0), ("CR 1/2 (XP 100; PB +2)", 0), ("Traits", 0),
    ("Wet Nose. The hound smells what is wet.", 0), ("Actions", 0),
    ("Bite. Melee Attack Roll: +5, reach 5 ft. Hit: 6 (1d8 + 2) Piercing damage.", 0),
    ("Spit (Recharge 5–6). The hound spits 7 (2d6) Acid damage.", 0),
    ("Bonus Actions", 0), ("Dash. The hound runs.", 0),
    ("Legendary Actions", 3), ("Howl. It howls.", 0),
]


@pytest.mark.parametrize("blocks", [OLD_MONSTER, NEW_MONSTER])
def test_a_stat_block_is_read_however_it_is_printed(blocks: Blocks) -> None:
    found = parsed(EntityType.MONSTERS, "Fen Hound", blocks)
    read = found.document
    assert {key: read.get(key) for key in (
        "armor_class", "hit_points", "hit_dice", "challenge_rating", "xp", "walk", "swim", "fly",
        "darkvision", "passive_perception", "strength", "dexterity", "intelligence", "charisma",
        "saves", "skills", "condition_immunities", "languages",
    )} == {
        "armor_class": 13, "hit_points": 36, "hit_dice": "6d8+9", "challenge_rating": 0.5,
        "xp": 100, "walk": 40, "swim": 30, "fly": 0, "darkvision": 60, "passive_perception": 13,
        "strength": 14, "dexterity": 16, "intelligence": 3, "charisma": 6,
        "saves": {"Dexterity": 5}, "skills": {"Perception": 3, "Sleight of Hand": 5},
        "condition_immunities": ["Charmed", "Prone"], "languages": read.get("languages"),
    }
    assert (read["size"], fold(read["type"]), fold(read["subtype"]), fold(read["alignment"])) == (
        "Medium", "beast", "hound", "neutral evil")
    assert read["resistances"] == ["Cold", "Piercing"]
    assert [one["name"] for one in read["special_abilities"]] == ["Wet Nose"]
    assert [one["name"] for one in read["actions"]][:2] == ["Bite", "Spit"]
    assert read["actions"][1]["usage"] == "Recharge 5–6"
    assert [one["name"] for one in read["legendary_actions"]] == ["Howl"]
    assert (read["legendary"], read["damage_types"]) == (True, ["Piercing", "Acid"])
    assert (found.confidence, found.missing) == (1.0, ())


def test_what_belongs_to_a_trait_and_what_opens_legendary_actions_is_kept() -> None:
    read = parsed(EntityType.MONSTERS, "Fen Hound", OLD_MONSTER).document
    assert read["special_abilities"][0]["desc"].endswith("It smells it twice.")
    assert read["legendary_actions_note"] == "The hound can take 2 of these."
    read = parsed(EntityType.MONSTERS, "Fen Hound", NEW_MONSTER).document
    assert read["actions"][2] == {"name": "Dash", "desc": "The hound runs.", "usage": "Bonus Action"}
    assert (read["immunities"], read["initiative"]) == (["Acid"], "+3 (13)")


SPELLS = {
    "2014": [("*3rd-level evocation (ritual)*", 0), ("**Casting Time:** 1 action", 0), ("**Range:** 60 feet", 0),
             ("**Components:** V, S, M (a wet stone, from a brook)", 0), ("**Duration:** Concentration, up to 1 minute", 0),
             ("Water fills a 20-foot-radius sphere. Each creature in it must make a Dexterity saving throw or take 3d6 cold damage.", 0),
             ("***At Higher Levels.*** It deals 1d6 more.", 0)],
    "2024": [("Level 3 Evocation (Druid, Wizard)", 0), ("Casting Time: 1 action or Ritual", 0), ("Range: 60 feet", 0),
             ("Components: V, S, M (a wet stone, from a brook)", 0), ("Duration: Concentration, up to 1 minute", 0),
             ("Water fills a 20-foot-radius Sphere. Each creature in it makes a Dexterity saving throw or takes 3d6 Cold damage.", 0),
             ("Using a Higher-Level Spell Slot. It deals 1d6 more.", 0)],
}


@pytest.mark.parametrize("wording", SPELLS)
def test_a_spell_is_read_however_it_is_printed(wording: str) -> None:
    found = parsed(EntityType.SPELLS, "Wet Blast", [("Wet Blast", 3), *SPELLS[wording]])
    wanted = {
        "level": 3, "school": "Evocation", "ritual": True, "concentration": True, "casting_time": "1 action",
        "range": "60 feet", "range_feet": 60, "components": ["V", "S", "M"], "material": "a wet stone, from a brook",
        "duration": "Concentration, up to 1 minute", "damage_type": ["Cold"], "save": "Dexterity",
        "area_shape": "sphere", "area_size": 20, "higher_level": "It deals 1d6 more.", "healing": False,
    }
    assert {key: found.document.get(key) for key in wanted} == wanted
    assert found.document["desc"].startswith("Water fills")
    assert found.document.get("classes") == (["Druid", "Wizard"] if wording == "2024" else None)
    assert found.confidence == 1.0


@pytest.mark.parametrize(("line", "fields"), [
    ("*Wondrous item, rare (requires attunement by a wizard)*",
     {"item_type": "Wondrous item", "rarity": ["rare"], "attunement": True, "attunement_by": "a wizard"}),
    ("Weapon (any sword), uncommon", {"item_type": "Weapon", "subtype": "any sword", "rarity": ["uncommon"], "attunement": False}),
    ("Armor (Shield), Rare (+1), Very Rare (+2), or Legendary (+3) (Requires Attunement)",
     {"rarity": ["rare", "very rare", "legendary"], "attunement": True, "attunement_by": None}),
    ("Potion, rarity varies", {"item_type": "Potion", "rarity": None, "rarity_printed": "rarity varies"}),
    ("Ring, very rare (requires attunement) While you wear it you are wet.", {"rarity": ["very rare"], "attunement": True}),
])
def test_a_magic_item_states_its_kind_in_one_line(line: str, fields: dict[str, Any]) -> None:
    found = parsed(EntityType.MAGIC_ITEMS, "Wet Thing", [("Wet Thing", 2), (line, 0), ("It drips.", 0)])
    assert {key: found.document.get(key) for key in fields} == fields
    assert found.document["desc"].endswith("It drips.")
    assert (found.confidence, found.document["magic"]) == (1.0, True)


@pytest.mark.parametrize(("blocks", "type_", "fields"), [
    ([("Martial Melee Weapon", 0), ("Cost: 5 sp", 0), ("Damage: 1d8 slashing", 0), ("Weight: 3 lb.", 0), ("Properties: Finesse, thrown (range 20/60)", 0)],
     "weapons", {"category": "Martial", "style": "Melee", "cost": 0.5, "damage_dice": "1d8", "weight": 3, "thrown": True, "range_long": 60}),
    ([("| Name | Cost | Damage | Weight |\n|---|---|---|---|\n| Stick | 1 cp | 1d2 bludgeoning | 1 lb. |\n| Eel Whip | 2 gp | 1d4 slashing | 3 lb. |", 0)],
     "weapons", {"cost": 2, "damage_dice": "1d4", "damage_type": "slashing", "weight": 3}),
    ([("Cost: 30 gp", 0), ("Armor Class: 13 + Dex modifier (max 2)", 0), ("Stealth: Disadvantage", 0)],
     "armor", {"armor_class": 13, "armor_class_printed": "13 + Dex modifier (max 2)", "stealth_disadvantage": True}),
    ([("Cost: 1,500 gp", 0), ("It floats.", 0)], "equipment", {"cost": 1500, "desc": "It floats."}),
])
def test_gear_is_read_from_lines_and_from_its_row(blocks: Blocks, type_: str, fields: dict[str, Any]) -> None:
    kind = gear_type("Eel Whip", [("Eel Whip", 3), *blocks])
    assert kind == type_
    document = parsed(kind, "Eel Whip", [("Eel Whip", 3), *blocks]).document
    assert {key: document.get(key) for key in fields} == fields


CLASS: Blocks = [
    ("Diver", 1), ("You dive.", 0), ("Class Features", 2), ("Hit Dice: 1d8 per diver level", 0),
    ("Armor: Light armor", 0), ("Weapons: Nets, tridents", 0), ("Tools: None", 0),
    ("Saving Throws: Strength, Wisdom", 0), ("Skills: Choose two from Athletics and Nature", 0),
    ("Level | Proficiency Bonus | Features | Breaths\n1st | +2 | Deep Breath, Spellcasting | 2\n2nd | +2 | — | 3\n3rd | +2 | Diver's Way, Deep Breath (two uses) | 4", 0),
    ("Deep Breath", 3), ("You hold your breath.", 0), ("Spellcasting", 3),
    ("Wisdom is your spellcasting ability for your diver spells.", 0), ("Gossip", 3), ("From level 1 on, divers talk.", 0),
]


def test_a_class_has_its_features_by_the_table_of_its_levels() -> None:
    found = parsed(EntityType.CLASSES, "Diver", CLASS)
    wanted = {
        "hit_die": 8, "saving_throws": ["Strength", "Wisdom"], "spellcaster": True, "spellcasting_ability": "Wisdom",
        "proficiencies": ["Light armor", "Nets", "tridents"], "desc": "You dive.",
        "features": ["Deep Breath", "Spellcasting", "Diver's Way", "Deep Breath (two uses)"],
    }
    assert {key: found.document.get(key) for key in wanted} == wanted
    assert found.document["levels"][2] == {"level": 3, "proficiency_bonus": 2, "features": ["Diver's Way", "Deep Breath (two uses)"], "Breaths": "4"}
    assert [(one["name"], one["level"], one["class"]) for one in found.features] == [("Deep Breath", 1, "Diver"), ("Spellcasting", 1, "Diver")]
    assert [one["name"] for one in found.document["sections"]] == ["Class Features", "Gossip"]
    assert found.confidence == 1.0


@pytest.mark.parametrize("title", ["Level 3: Ink Cloud", "Ink Cloud (3rd level)", "Ink Cloud"])
def test_a_subclass_has_the_class_that_it_stands_under(title: str) -> None:
    blocks: Blocks = [("Squid", 3), ("Divers of the squid are slippery. A diver likes it.", 0), (title, 4), ("At 3rd level, you squirt.", 0)]
    found = parsed(EntityType.SUBCLASSES, "Squid", blocks, ("Classes", "Diver", "Diver's Ways"))
    assert (found.document["class"], found.document["features"], found.confidence) == ("Diver", ["Ink Cloud"], 1.0)
    assert {key: found.features[0][key] for key in ("name", "class", "subclass", "level")} == {
        "name": "Ink Cloud", "class": "Diver", "subclass": "Squid", "level": 3}


RACE_2014: Blocks = [
    ("Frogfolk", 1), ("Frogfolk hop.", 0), ("Frogfolk Traits", 2),
    ("Ability Score Increase. Your Dexterity score increases by 2, and your Wisdom score increases by 1.", 0),
    ("Age. Frogfolk live long.", 0), ("Size. They are low. Your size is Small.", 0),
    ("Speed. Your base walking speed is 25 feet.", 0), ("Sticky Tongue. You can lick far.", 0),
    ("Languages. You can speak, read, and write Common and Croak.", 0),
]
RACE_2024: Blocks = [
    ("Frogfolk", 1), ("Creature Type: Humanoid", 0), ("Size: Small (about 3 feet tall)", 0), ("Speed: 25 feet", 0),
    ("Frogfolk hop.", 0), ("Sticky Tongue. You can lick far.", 0),
]


@pytest.mark.parametrize(("blocks", "languages"), [(RACE_2014, ["Common", "Croak"]), (RACE_2024, None)])
def test_a_race_has_figures_and_traits(blocks: Blocks, languages: list[str] | None) -> None:
    found = parsed(EntityType.RACES, "Frogfolk", blocks)
    read = found.document
    assert (read["size"], read["speed"], read["traits"], read.get("languages")) == ("Small", 25, ["Sticky Tongue"], languages)
    assert read.get("ability_bonuses") == (["Dexterity", "Wisdom"] if languages else None)
    assert (found.confidence, read["desc"]) == (1.0, "Frogfolk hop.")


def test_a_background_and_a_feat_state_what_they_give_and_ask() -> None:
    read = parsed(EntityType.BACKGROUNDS, "Angler", [
        ("Angler", 2), ("You fished.", 0), ("Skill Proficiencies: Nature, Survival", 0), ("Tool Proficiencies: Nets", 0),
        ("Languages: Two of your choice", 0), ("Equipment: A rod and 5 gp", 0), ("Feature: Big Fish", 3), ("People buy you fish.", 0),
    ]).document
    assert (read["proficiencies"], read["language_choices"], read["feature"]) == (["Nature", "Survival", "Nets"], 2, "Big Fish")
    assert (read["starting_equipment"], read["desc"]) == ("A rod and 5 gp", "You fished.")
    read = parsed(EntityType.FEATS, "Net Caster", [("Net Caster", 2), ("*Prerequisite: Dexterity 13 or higher*", 0), ("You cast nets.", 0)]).document
    assert (read["prerequisites"], read["prerequisite"], read["desc"]) == (["Dexterity"], "Dexterity 13 or higher", "You cast nets.")
    read = parsed(EntityType.FEATS, "Net Caster", [("General Feat (Prerequisite: Level 4+, Strength 13+)", 0), ("You cast nets.", 0)]).document
    assert (read["prerequisites"], read["desc"]) == (["Strength"], "You cast nets.")


@pytest.mark.parametrize("type_", EntityType)
@pytest.mark.parametrize("blocks", [
    [], [("", 0)], [("Tides", 1), ("They come and go. Speed matters, and Armor Class does not.", 0), ("Neap", 2), ("Half | one\nthing | two", 0)],
    [("\x00\ud800 STR " * 40, 0)], [("Armor Class 99999999999999 Hit Points 1 Speed 5 ft.", 0)], [("Level 9 9 9", 0)],
])
def test_any_text_gives_a_valid_document_and_a_confidence(type_: EntityType, blocks: Blocks) -> None:
    found = parsed(type_, "Tides", blocks)
    assert 0 < found.confidence <= 1
    assert read_entity(type_, found.document) == (found.document, [])


def test_a_value_that_its_field_cannot_hold_stands_in_the_text() -> None:
    found = parsed(EntityType.MONSTERS, "Tide", [("Armor Class 99999999999999", 0)])
    assert "armor_class" in found.missing
    assert "99999999999999" in found.document["desc"]


# What the game's own entities are when they are printed and parsed again.

@cache
def _srd() -> Any:
    return load_srd()


@cache
def _documents() -> dict[EntityType, tuple[Document, ...]]:
    return srd_documents(_srd())


def _printed(part: BookPart, level: int = 1) -> Iterator[tuple[str, int]]:
    yield part.title, level
    yield from ((text, 0) for text in part.blocks)
    for below in part.parts:
        yield from _printed(below, level + 1)


def _parts(part: BookPart, above: tuple[str, ...] = ()) -> Iterator[tuple[BookPart, tuple[str, ...]]]:
    yield part, above
    for below in part.parts:
        yield from _parts(below, (*above, part.title))


def _joined(blocks: Iterator[tuple[str, int]]) -> Blocks:
    """The blocks without marks, all paragraphs between two headings in one."""
    out: Blocks = []
    for text, level in blocks:
        bare = text
        if text.startswith("|"):
            bare = " ".join(row.replace("|", " ") for row in text.split("\n") if "---" not in row)
        bare = re.sub(r"\*+", "", bare)
        if level or not out or out[-1][1]:
            out.append((bare, level))
        else:
            out[-1] = f"{out[-1][0]} {bare}", 0
    return out


_OWN = {
    EntityType.SPELLS: ("material", "desc", "higher_level"),
    EntityType.MONSTERS: ("saves", "skills", "hit_dice", "senses", "passive_perception", "special_abilities", "actions",
                          "reactions", "legendary_actions"),
    EntityType.MAGIC_ITEMS: ("desc",),
}


@pytest.mark.slow
@pytest.mark.parametrize(("type_", "book", "known", "floor", "joined"), [
    (EntityType.SPELLS, spells.spell_descriptions, 300, 0.975, 0.97),
    (EntityType.MONSTERS, monsters.monsters, 300, 0.99, 0.97),
    (EntityType.MAGIC_ITEMS, equipment.magic_items, 230, 0.985, 0.98),
    (EntityType.WEAPONS, equipment.equipment, 37, 0.95, 0.9),
    (EntityType.ARMOR, equipment.equipment, 13, 0.95, 0.8),
    (EntityType.CLASSES, classes.classes, 12, 0.95, 0.5),
    (EntityType.RACES, characters.races, 9, 0.75, 0.5),
    (EntityType.FEATS, characters.feats, 1, 1.0, 1.0),
    (EntityType.BACKGROUNDS, characters.backgrounds, 1, 1.0, 1.0),
])
def test_what_was_printed_is_read_again(type_: EntityType, book: Callable[[Any], BookPart], known: int, floor: float,
                                        joined: float) -> None:
    wanted = {fold(one["name"]): one for one in _documents()[type_]}
    printed = {fold(part.title): (part, above) for part, above in _parts(book(_srd())) if part.blocks and fold(part.title) in wanted}
    assert len(printed) >= known
    for together, least in ((False, floor), (True, joined)):
        same = total = 0
        for name, (part, above) in printed.items():
            blocks = _joined(_printed(part)) if together else [*_printed(part)]
            found = parsed(type_, part.title, blocks, above)
            assert read_entity(type_, found.document) == (found.document, [])
            right = list(_compared(type_, wanted[name], found))
            same, total = same + sum(right), total + len(right)
        assert same / total >= least, (together, same / total)


def _compared(type_: EntityType, wanted: Document, found: Parsed) -> Iterator[bool]:
    names = {field.name for field in fields_of(type_)} - {"slug", "document", "subclasses"}
    for name in (*sorted(names), *_OWN.get(type_, ())):
        theirs, ours = wanted.get(name), found.document.get(name)
        if name in NAMED_TEXTS:
            theirs, ours = ([one["name"] for one in each or ()] for each in (theirs, ours))
        nothing = (None, False, 0, [], "")
        yield _plain(theirs) == _plain(ours) or (theirs in nothing and ours in nothing)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"\W+", "", fold(value))
    return sorted(str(_plain(one)) for one in value) if isinstance(value, list) else value
