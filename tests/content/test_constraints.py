"""What queries state in words: phrasings of every kind, what states nothing, and what must hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as deadline
from hypothesis import strategies as st

from mvp_site.content.constraints.quantities import MOST
from mvp_site.content.constraints.reading import ConstraintReader, Constraints
from mvp_site.content.constraints.words import SPEECH
from mvp_site.content.types import EntityType, fields_of
from mvp_site.retrieval.filters import as_filters, parse_filters
from mvp_site.text.names import fold

ALL_DAMAGE = ["acid", "bludgeoning", "cold", "fire", "force", "lightning", "necrotic", "piercing", "poison", "psychic", "radiant",
              "slashing", "thunder"]
VALUES: dict[str, dict[str, list[str]]] = {
    "spells": {
        "school": ["abjuration", "evocation", "necromancy", "tidecraft"], "classes": ["cleric", "druid", "wizard"],
        "damage_type": ["cold", "fire", "lightning"], "resistances": ["cold", "fire"], "save": ["dexterity", "wisdom"],
        "area_shape": ["cone", "cube", "line", "sphere"], "attack": ["melee", "ranged"],
        "casting_time": ["1 action", "1 hour", "12 hours"], "range": ["60 feet", "self", "touch"],
        "duration": ["1 hour", "concentration, up to 1 hour", "instantaneous", "until dispelled"],
        "subclasses": ["circle of tides"],
    },
    "monsters": {
        "type": ["beast", "dragon", "fey", "undead"], "size": ["huge", "large", "medium", "tiny"],
        "alignment": ["any non good alignment", "chaotic evil", "lawful evil", "lawful good", "neutral", "neutral good"],
        "subtype": ["demon", "demon, shapechanger", "goblinoid", "shapechanger"],
        "immunities": ["cold", "fire", "poison"], "resistances": ["cold", "fire"],
        "vulnerabilities": ["fire", "radiant"], "condition_immunities": ["charmed", "prone"],
        "languages": ["common", "draconic"], "damage_types": ["cold", "fire"],
    },
    "weapons": {
        "category": ["martial", "simple"], "style": ["melee", "ranged"], "damage_type": ["piercing", "slashing"],
        "damage_dice": ["1d8", "2d6"], "properties": ["finesse", "sailor"],
    },
    "armor": {"category": ["heavy", "light", "medium", "shield"]},
    "equipment": {"category": ["adventuring gear", "tools"], "group": ["ammunition", "druidic foci", "gaming sets"]},
    "magic-items": {
        "rarity": ["common", "legendary", "rare", "uncommon", "very rare"],
        "item_type": ["potion", "ring", "staff", "wondrous item"],
        "attunement_by": ["a bard or druid", "a druid", "a dwarf"],
    },
    "classes": {
        "spellcasting_ability": ["charisma", "wisdom"], "saving_throws": ["dexterity", "wisdom"],
        "proficiencies": ["martial weapons", "shields"],
    },
    "subclasses": {"class": ["cleric", "druid"]},
    "races": {
        "size": ["medium", "small"], "languages": ["common", "elvish"], "race": ["dwarf"],
        "ability_bonuses": ["strength", "wisdom"],
    },
    "features": {"class": ["cleric", "druid"], "subclass": ["circle of tides"]},
    "traits": {"races": ["elf", "half elf", "marshfolk"], "damage_type": ["cold"]},
    "rules": {"category": ["alignment", "language", "school of magic", "skill"], "chapter": ["combat"]},
    "backgrounds": {"proficiencies": ["insight"]},
    "feats": {"prerequisites": ["strength"]},
}
READERS = {type_: ConstraintReader(EntityType(type_), values) for type_, values in VALUES.items()}
MONSTER_CR = "challenge_rating"
UP_TO_ONE_HOUR = ["1 hour", "concentration, up to 1 hour"]


def stated(type_: str, query: str, *names: str) -> Constraints:
    """What is read of a query in which those names stand."""
    spans = [(fold(query).index(name), fold(query).index(name) + len(name)) for name in names]
    return READERS[type_].read(query, spans)


@pytest.mark.parametrize(("type_", "query", "filters"), [
    ("spells", "level 3 or 5", {"level": [3, 5]}),
    ("spells", "non-ritual", {"ritual": False}),
    ("spells", "without concentration", {"concentration": False}),
    ("spells", "druid, cleric or wizard spells", {"classes": ["cleric", "druid", "wizard"]}),
    ("spells", "fire or cold damage", {"damage_type": ["cold", "fire"]}),
    ("spells", "a wisdom saving throw", {"save": "wisdom"}),
    ("spells", "cast as a bonus action", {"casting_time": {"contains": "bonus action"}}),
    ("spells", "3rd level wizard evocation ritual",
     {"level": 3, "classes": "wizard", "school": "evocation", "ritual": True}),
    ("monsters", "CR 5 or lower", {MONSTER_CR: {"max": 5}}),
    ("monsters", "cr between 1/2 and 2", {MONSTER_CR: {"min": 0.5, "max": 2}}),
    ("monsters", "armor class over 15", {"armor_class": {"min": 16}}),
    ("monsters", "more than 10 hp but less than 50 hp", {"hit_points": {"min": 11, "max": 49}}),
    ("monsters", "doesn't fly", {"flying": False}),
    ("monsters", "a spellcaster", {"spellcaster": True}),
    ("monsters", "undead", {"type": "undead"}),
    ("monsters", "chaotic evil", {"alignment": "chaotic evil"}),
    ("monsters", "immune to fire and cold", {"immunities": ["cold", "fire"]}),
    ("monsters", "can't be charmed", {"condition_immunities": "charmed"}),
    ("monsters", "speaks draconic", {"languages": "draconic"}),
    ("weapons", "more than 5 gp but less than 20 gp", {"cost": {"min": 5.01, "max": 19.99}}),
    ("weapons", "neither heavy nor two-handed", {"heavy": False, "two_handed": False}),
    ("armor", "no stealth disadvantage", {"stealth_disadvantage": False}),
    ("magic-items", "very rare ring", {"rarity": "very rare", "item_type": "ring"}),
    ("classes", "wisdom saving throws", {"saving_throws": "wisdom"}),
    ("magic-items", "a ring or a potion that is rare", {"item_type": ["potion", "ring"], "rarity": "rare"}),
    ("monsters", "an undead, or any fey, of CR 3 or so", {"type": ["fey", "undead"], MONSTER_CR: 3}),
    ("spells", "evocation or necromancy, fire or cold damage, level 3 or less",
     {"school": ["evocation", "necromancy"], "damage_type": ["cold", "fire"], "level": {"max": 3}}),
    ("races", "speaks elvish", {"languages": "elvish"}),
    ("features", "druid level 6", {"class": "druid", "level": 6}),
    ("traits", "marshfolk", {"races": "marshfolk"}),
    ("spells", "60 ft. range", {"range_feet": 60}),
    ("spells", "touch range", {"range": "touch"}), ("spells", "range: self", {"range": "self"}),
    ("spells", "twelve hours to cast", {"casting_time": "12 hours"}),
    ("spells", "lasts for one hour", {"duration": UP_TO_ONE_HOUR}),
    ("spells", "needs a somatic component", {"components": "s"}),
    ("spells", "restores lost hit points", {"healing": True}), ("spells", "heal wounds", {"healing": True}),
    *(("spells", said, {"resistances": "fire"}) for said in (
        "protect from fire", "protect me from fire damage", "protection against fire", "shields my friends from fire",
        "resistance to fire", "immune to fire", "safe from the fire")),
    *(("spells", said, {"damage_type": ALL_DAMAGE}) for said in ("combat damage", "deals damage", "damage spells")),
    ("spells", "melee spell attack", {"attack": "melee"}),
    ("spells", "a line of cold damage", {"area_shape": "line", "damage_type": "cold"}),
    ("spells", "circle of tides spells", {"subclasses": "circle of tides"}),
    ("spells", "tidecraft of level 4 at most", {"school": "tidecraft", "level": {"max": 4}}),
    ("monsters", "sub-3 CR", {"challenge_rating": {"max": 2.99}}),
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
    ("monsters", "inflicts cold damage", {"damage_types": "cold"}),
    ("monsters", "telepathic", {"languages": {"contains": "telepathy"}}),
    ("weapons", "2d6", {"damage_dice": "2d6"}), ("weapons", "d8 damage", {"damage_dice": "1d8"}),
    ("weapons", "average damage under 4", {"damage_average": {"max": 3.99}}),
    ("weapons", "normal range of 80 feet or more", {"range_normal": {"min": 80}}),
    ("weapons", "needs no ammunition", {"ammunition": False}), ("weapons", "sailor weapons", {"properties": "sailor"}),
    ("weapons", "between 5 sp and 2 gp", {"cost": {"min": 0.5, "max": 2}}),
    ("weapons", "10 gp max", {"cost": {"max": 10}}), ("weapons", "forty-five gold", {"cost": 45}),
    ("weapons", "roughly 10 gp, no more than that", {"cost": {"max": 10}}),
    ("armor", "light, 10 gp", {"category": "light", "cost": 10}),
    ("equipment", "a druidic focus", {"group": "druidic foci"}), ("equipment", "gaming set", {"group": "gaming sets"}),
    ("magic-items", "rare or better", {"rarity": ["artifact", "legendary", "rare", "very rare"]}),
    ("magic-items", "attunement by a druid", {"attunement_by": ["a bard or druid", "a druid"]}),
    ("magic-items", "only a dwarf can attune to it", {"attunement_by": "a dwarf"}),
    ("magic-items", "attunement not required", {"attunement": False}), ("magic-items", "wondrous", {"item_type": "wondrous item"}),
    ("classes", "hit die of d8 or more", {"hit_die": {"min": 8}}), ("classes", "proficient with shields", {"proficiencies": "shields"}),
    ("races", "speed of 30 feet", {"speed": 30}), ("races", "dwarf subraces", {"race": "dwarf"}),
    ("races", "raises Wisdom", {"ability_bonuses": "wisdom"}),
    ("traits", "half-elves or elves", {"races": ["elf", "half elf"]}),
    ("rules", "skills", {"category": "skill"}), ("rules", "a school of magic that mends", {}),
    ("rules", "school of magic that mends", {"category": "school of magic"}), ("rules", "combat chapter", {"chapter": "combat"}),
    ("backgrounds", "proficiency in insight", {"proficiencies": "insight"}), ("feats", "needs strength", {"prerequisites": "strength"}),
])
def test_what_is_stated(type_: str, query: str, filters: dict[str, Any]) -> None:
    assert as_filters(stated(type_, query).condition) == filters


@pytest.mark.parametrize(("type_", "query", "names"), [
    ("spells", "fire shield", ()), ("spells", "wall of fire", ()), ("spells", "protection from evil and good", ()),
    ("spells", "3 companions", ()), ("spells", "levelling a building", ()), ("spells", "spiritual", ()),
    ("spells", "not evocation", ()), ("spells", "colder", ()), ("spells", "", ()), ("spells", "level", ()),
    ("spells", "level " + "9" * 500, ()), ("spells", "ritual or concentration", ()),
    ("spells", "fire damage or ritual", ()),
    ("spells", "a ritual or a moth", ()), ("spells", "knocks prone, or fire damage", ()),
    ("magic-items", "a ring or an amulet", ()), ("monsters", "an ogre or an undead", ()),
    ("monsters", "turn undead", ()), ("monsters", "kill a dragon", ()), ("monsters", "detects dragons", ()),
    ("monsters", "protect from the undead", ()), ("monsters", "undead or flying", ()),
    ("monsters", "CR 2 undead or CR 3 dragon", ()), ("monsters", "butterfly", ()), ("monsters", "dragonborn", ()),
    ("monsters", "the dragon is asleep", ()), ("monsters", "young dragon turtle", ("young dragon turtle",)),
    ("monsters", "half-dragon", ()),
    ("weapons", "light crossbow", ("light crossbow",)), ("weapons", "gp", ()), ("weapons", "3 blades", ()),
    ("armor", "shield", ("shield",)), ("magic-items", "ring of the rare few", ("ring of the rare few",)),
    ("classes", "a d10", ()),
    ("spells", "without verbal or somatic components", ()), ("spells", "a range of 2 miles", ()),
    ("spells", "break a rival's concentration", ()), ("spells", "hidden in a cube", ()), ("spells", "about level 5", ()),
    ("monsters", "a good mount", ()), ("monsters", "evil plans", ()), ("monsters", "a DC 15 Wisdom save", ()), ("monsters", "+2 strength", ()),
    ("monsters", "not immune to fire", ()),
    ("monsters", "about 50 hp", ()), ("monsters", "bigger than a barn", ()),
    ("weapons", "to reach someone", ()), ("armor", "a light in the dark", ()),
    ("classes", "not proficient with shields", ()), ("rules", "alignment", ()), ("rules", "skill checks", ()),
])
def test_what_states_nothing(type_: str, query: str, names: tuple[str, ...]) -> None:
    read = stated(type_, query, *names)
    assert (read.condition, read.rest) == ((), fold(query))


def test_a_name_does_not_lend_its_words_to_what_is_stated_beside_it() -> None:
    read = stated("monsters", "green dragon beside any undead", "green dragon")
    assert as_filters(read.condition) == {"type": "undead"}
    assert read.rest == "green dragon beside any"


def test_the_rest_is_the_query_without_what_it_states() -> None:
    assert stated("spells", "Calm  beasts, a 3rd level RITUAL for wizards").rest == "calm beasts, a for wizards"
    assert stated("monsters", "immune to fire damage and hungry").rest == "and hungry"


WORDS = st.sampled_from(sorted({
    word for values in VALUES.values() for several in values.values() for value in several for word in value.split()
} | {"or", "and", "no", "not", "without", "level", "levels", "cr", "ac", "hp", "gp", "sp", "lb", "1", "3", "1/4", "½", "2nd", "between", "to", "at", "least", "most", "over", "under", "higher", "ritual", "flying", "can't", "immune", "heavy", "attunement", "d10", "hit", "die", ",", "-", "+", "'", '"', "(", "²", "ﬁ", "ß", "İ", "\x00"}))
QUERIES = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=80)


@deadline(deadline=None)
@given(type_=st.sampled_from(sorted(READERS)), query=QUERIES)
@example(type_="weapons", query="1/0 gp")
@example(type_="monsters", query="human, shapechanger")
@example(type_="monsters", query="cr 1⁄0, ٣ or 5")
def test_reading_never_raises_and_adds_nothing(type_: str, query: str) -> None:
    read = READERS[type_].read(query)
    left = iter(fold(query))
    assert all(any(char == one for one in left) for char in read.rest)  # letter for letter, in order
    if not read.condition:
        assert read.rest == fold(query)
    # What is offered back can be sent back.
    assert parse_filters(as_filters(read.condition), fields_of(EntityType(type_)), type_) is not None
    assert {clause.field for clause in read.condition} <= {one.name for one in fields_of(EntityType(type_))}
    assert len({clause.field for clause in read.condition}) == len(read.condition)


@pytest.mark.parametrize("type_", SPEECH)
def test_what_people_speak_of_are_fields_of_the_type(type_: EntityType) -> None:
    speech, known = SPEECH[type_], {field.name for field in fields_of(type_)}
    clauses = {clause.field for clause in speech.phrases.values()}
    assert {*speech.numbers, *speech.flags, *speech.said, *clauses} <= known


@pytest.mark.parametrize(("text", "weight"), [
    ("3 pounds", 3), ("3lbs", 3), ("3-pound", 3), ("pounds: 3", 3),
    ("¼ lb", 0.25), ("half a pound", 0.5), ("one quarter pound", 0.25),
    ("3 or 4 lb", [3, 4]), ("4 or 3 lb", [3, 4]), ("2, 3 or 4 lb", [2, 3, 4]),
    ("3 to 4 lb", {"min": 3, "max": 4}), ("3-4 lb", {"min": 3, "max": 4}), ("4–3 lb", {"min": 3, "max": 4}),
    ("between 3 and 4 lb", {"min": 3, "max": 4}), ("between three and four pounds", {"min": 3, "max": 4}),
    ("at least 3 lb", {"min": 3}), ("no less than 3 lb", {"min": 3}),
    ("3 lb or more", {"min": 3}), ("3 or more lb", {"min": 3}), ("3+ lb", {"min": 3}),
    ("at most 3 lb", {"max": 3}), ("up to 3 lb", {"max": 3}), ("≤ 3 lb", {"max": 3}),
    ("3 lb or less", {"max": 3}), ("no more than 3 lb", {"max": 3}),
    ("over 3 lb", {"min": 3.01}), ("more than 3 lb", {"min": 3.01}),
    ("under 3 lb", {"max": 2.99}), ("less than 3 lb", {"max": 2.99}),
    ("pounds", None), ("3", None), ("a3 pounds", None), ("3 poundsworth", None), ("3 impounds", None),
    ("", None), ("one poundage", None), (f"{'9' * 400} lb", None), (f"{MOST * 10:.0f} lb", None),
    ("pounds 15 and 100 hit points", 15), ("seventy-five lb", 75), ("a hundred pounds", 100), ("3 hundred lb", 300), ("10k lb", 10_000),
])
def test_quantities(text: str, weight: Any) -> None:
    assert as_filters(stated("weapons", text).condition).get("weight") == weight
