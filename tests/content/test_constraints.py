"""What queries state in words: over a hundred phrasings, what states nothing, and what must hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as deadline
from hypothesis import strategies as st

from mvp_site.content.constraints.reading import Stated, StatedReader
from mvp_site.content.constraints.words import SPEECH
from mvp_site.content.types import EntityType, fields_of
from mvp_site.retrieval.filters import as_filters, parse_filters
from mvp_site.retrieval.names import fold

VALUES: dict[str, dict[str, list[str]]] = {
    "spells": {
        "school": ["abjuration", "evocation", "necromancy"], "classes": ["cleric", "druid", "wizard"],
        "damage_type": ["cold", "fire", "lightning"], "save": ["dexterity", "wisdom"],
        "area_shape": ["cone", "cube", "line", "sphere"],
    },
    "monsters": {
        "type": ["beast", "dragon", "fey", "undead"], "size": ["tiny", "medium", "large", "huge"],
        "alignment": ["chaotic evil", "neutral"], "subtype": ["goblinoid"],
        "immunities": ["cold", "fire", "poison"], "resistances": ["cold", "fire"],
        "vulnerabilities": ["radiant"], "condition_immunities": ["charmed", "prone"],
        "languages": ["common", "draconic"],
    },
    "weapons": {"category": ["martial", "simple"], "style": ["melee", "ranged"],
                "damage_type": ["piercing", "slashing"]},
    "armor": {"category": ["heavy", "light", "medium", "shield"]},
    "equipment": {"category": ["adventuring gear", "tools"], "group": ["ammunition"]},
    "magic-items": {"rarity": ["common", "legendary", "rare", "uncommon", "very rare"],
                    "item_type": ["potion", "ring", "wondrous item"]},
    "classes": {"spellcasting_ability": ["charisma", "wisdom"], "saving_throws": ["dexterity", "wisdom"]},
    "subclasses": {"class": ["cleric", "druid"]},
    "races": {"size": ["medium", "small"], "languages": ["common", "elvish"]},
    "features": {"class": ["cleric", "druid"], "subclass": ["circle of tides"]},
    "traits": {"races": ["marshfolk"]},
}
READERS = {type_: StatedReader(EntityType(type_), values) for type_, values in VALUES.items()}
MONSTER_CR = "challenge_rating"


def stated(type_: str, query: str, *names: str) -> Stated:
    """What is read of a query in which those names stand."""
    spans = [(fold(query).index(name), fold(query).index(name) + len(name)) for name in names]
    return READERS[type_].read(query, spans)


@pytest.mark.parametrize(("type_", "query", "filters"), [
    ("spells", "level 3", {"level": 3}),
    ("spells", "level 3 or higher", {"level": {"min": 3}}),
    ("spells", "spells up to level 4", {"level": {"max": 4}}),
    ("spells", "levels 1-3", {"level": {"min": 1, "max": 3}}),
    ("spells", "level 3 or 5", {"level": [3, 5]}),
    ("spells", "ritual", {"ritual": True}),
    ("spells", "non-ritual", {"ritual": False}),
    ("spells", "without concentration", {"concentration": False}),
    ("spells", "concentration", {"concentration": True}),
    ("spells", "evocation", {"school": "evocation"}),
    ("spells", "abjuration or evocation", {"school": ["abjuration", "evocation"]}),
    ("spells", "wizard spells", {"classes": "wizard"}),
    ("spells", "druid, cleric or wizard spells", {"classes": ["cleric", "druid", "wizard"]}),
    ("spells", "fire damage", {"damage_type": "fire"}),
    ("spells", "fire or cold damage", {"damage_type": ["cold", "fire"]}),
    ("spells", "a wisdom saving throw", {"save": "wisdom"}),
    ("spells", "cone shaped", {"area_shape": "cone"}),
    ("spells", "cast as a bonus action", {"casting_time": {"contains": "bonus action"}}),
    ("spells", "3rd level wizard evocation ritual",
     {"level": 3, "classes": "wizard", "school": "evocation", "ritual": True}),
    ("monsters", "CR 5", {MONSTER_CR: 5}),
    ("monsters", "CR 1/4", {MONSTER_CR: 0.25}),
    ("monsters", "CR 5 or lower", {MONSTER_CR: {"max": 5}}),
    ("monsters", "CR of at least 10", {MONSTER_CR: {"min": 10}}),
    ("monsters", "cr 5-8", {MONSTER_CR: {"min": 5, "max": 8}}),
    ("monsters", "cr between 1/2 and 2", {MONSTER_CR: {"min": 0.5, "max": 2}}),
    ("monsters", "cr 1/8 or 1/4", {MONSTER_CR: [0.125, 0.25]}),
    ("monsters", "AC 18", {"armor_class": 18}),
    ("monsters", "armor class over 15", {"armor_class": {"min": 16}}),
    ("monsters", "at least 100 hit points", {"hit_points": {"min": 100}}),
    ("monsters", "fewer than 20 hp", {"hit_points": {"max": 19}}),
    ("monsters", "more than 10 hp but less than 50 hp", {"hit_points": {"min": 11, "max": 49}}),
    ("monsters", "AC 15 and 100 hp", {"armor_class": 15, "hit_points": 100}),
    ("monsters", "1,800 xp", {"xp": 1800}),
    ("monsters", "flying", {"flying": True}),
    ("monsters", "doesn't fly", {"flying": False}),
    ("monsters", "without legendary actions", {"legendary": False}),
    ("monsters", "a spellcaster", {"spellcaster": True}),
    ("monsters", "undead", {"type": "undead"}),
    ("monsters", "large or huge beasts", {"size": ["huge", "large"], "type": "beast"}),
    ("monsters", "chaotic evil", {"alignment": "chaotic evil"}),
    ("monsters", "immune to fire", {"immunities": "fire"}),
    ("monsters", "immune to fire and cold", {"immunities": ["cold", "fire"]}),
    ("monsters", "resistant to cold", {"resistances": "cold"}),
    ("monsters", "vulnerable to radiant", {"vulnerabilities": "radiant"}),
    ("monsters", "can't be charmed", {"condition_immunities": "charmed"}),
    ("monsters", "speaks draconic", {"languages": "draconic"}),
    ("monsters", "swimming", {"swim": {"min": 1}}),
    ("weapons", "10 gp", {"cost": 10}),
    ("weapons", "under 10 gold", {"cost": {"max": 9.99}}),
    ("weapons", "1,500 gp or more", {"cost": {"min": 1500}}),
    ("weapons", "between 2 and 4 gp", {"cost": {"min": 2, "max": 4}}),
    ("weapons", "5 silver pieces", {"cost": 0.5}),
    ("weapons", "more than 5 gp but less than 20 gp", {"cost": {"min": 5.01, "max": 19.99}}),
    ("weapons", "less than 3 pounds", {"weight": {"max": 2.99}}),
    ("weapons", "weighs 3 lbs or less", {"weight": {"max": 3}}),
    ("weapons", "half a pound", {"weight": 0.5}),
    ("weapons", "light finesse", {"light": True, "finesse": True}),
    ("weapons", "not heavy", {"heavy": False}),
    ("weapons", "neither heavy nor two-handed", {"heavy": False, "two_handed": False}),
    ("weapons", "martial melee", {"category": "martial", "style": "melee"}),
    ("weapons", "piercing damage", {"damage_type": "piercing"}),
    ("armor", "heavy armor", {"category": "heavy"}),
    ("armor", "AC 16 or more", {"armor_class": {"min": 16}}),
    ("armor", "no stealth disadvantage", {"stealth_disadvantage": False}),
    ("equipment", "tools under 20 gp", {"category": "tools", "cost": {"max": 19.99}}),
    ("magic-items", "very rare ring", {"rarity": "very rare", "item_type": "ring"}),
    ("magic-items", "rare or legendary", {"rarity": ["legendary", "rare"]}),
    ("magic-items", "no attunement", {"attunement": False}),
    ("magic-items", "needs attunement", {"attunement": True}),
    ("classes", "d10 hit die", {"hit_die": 10}),
    ("classes", "wisdom saving throws", {"saving_throws": "wisdom"}),
    ("subclasses", "druid", {"class": "druid"}),
    ("magic-items", "a ring or a potion that is rare", {"item_type": ["potion", "ring"], "rarity": "rare"}),
    ("monsters", "an undead, or any fey, of CR 3 or so", {"type": ["fey", "undead"], MONSTER_CR: 3}),
    ("spells", "evocation or necromancy, fire or cold damage, level 3 or less",
     {"school": ["evocation", "necromancy"], "damage_type": ["cold", "fire"], "level": {"max": 3}}),
    ("races", "small", {"size": "small"}),
    ("races", "speaks elvish", {"languages": "elvish"}),
    ("features", "druid level 6", {"class": "druid", "level": 6}),
    ("traits", "marshfolk", {"races": "marshfolk"}),
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
])
def test_what_states_nothing(type_: str, query: str, names: tuple[str, ...]) -> None:
    read = stated(type_, query, *names)
    assert read.condition == ()
    assert read.rest == fold(query)


def test_a_name_does_not_lend_its_words_to_what_is_stated_beside_it() -> None:
    read = stated("monsters", "green dragon beside any undead", "green dragon")
    assert as_filters(read.condition) == {"type": "undead"}
    assert read.rest == "green dragon beside any"


def test_the_rest_is_the_query_without_what_it_states() -> None:
    assert stated("spells", "Calm  beasts, a 3rd level RITUAL for wizards").rest == "calm beasts, a for wizards"
    assert stated("monsters", "immune to fire damage and hungry").rest == "and hungry"


def test_contradictions_leave_something() -> None:
    assert as_filters(stated("weapons", "over 10 gp and under 5 gp").condition) == {"cost": {"min": 10.01}}
    assert as_filters(stated("spells", "ritual, not a ritual").condition) == {"ritual": True}


WORDS = st.sampled_from(sorted({
    word for values in VALUES.values() for several in values.values() for value in several for word in value.split()
} | {"or", "and", "no", "not", "without", "level", "levels", "cr", "ac", "hp", "gp", "sp", "lb", "1", "3", "1/4", "½", "2nd", "between", "to", "at", "least", "most", "over", "under", "higher", "ritual", "flying", "can't", "immune", "heavy", "attunement", "d10", "hit", "die", ",", "-", "+", "'", '"', "(", "²", "ﬁ", "ß", "İ", "\x00"}))
QUERIES = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=80)


@deadline(max_examples=150, deadline=None)
@given(type_=st.sampled_from(sorted(READERS)), query=QUERIES)
@example(type_="weapons", query="1/0 gp")
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


@pytest.mark.parametrize("type_", sorted(READERS))
def test_what_people_speak_of_are_fields_of_the_type(type_: str) -> None:
    speech, known = SPEECH[EntityType(type_)], {field.name for field in fields_of(EntityType(type_))}
    assert {*speech.numbers, *speech.flags, *speech.values} <= known
    assert speech.whole <= set(speech.numbers)
    assert set(VALUES[type_]) == set(speech.values)
