"""Schemas of documents, slugs, and the leniencies that come before them."""

from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mvp_site.content.own_forms import normalised
from mvp_site.content.schemas import MAX_SLUG, problems, schema_of, slug_of
from mvp_site.content.types import EntityType, fields_of
from mvp_site.srd import load_srd
from mvp_site.srd.types import SpellRecord

NUMBERS = st.one_of(st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
SCALARS = st.one_of(
    st.none(), st.booleans(), NUMBERS, st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(["1/4", "15 gp", "60 ft.", "cantrip", "d8", "yes", "V, S, M (a leaf)", "1/0", "½"]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["name", "desc", "value", "quantity", "unit", "index", "walk", "type", "size",
                                         "dc_type", "damage_type", "damage_dice", "ability_score", "_x"]), inner, max_size=4),
    ),
    max_leaves=12,
)
KEYS = sorted({
    name for type_ in EntityType for field in fields_of(type_) for name in (field.name, *field.also)
} | {"desc", "description", "higher_level", "actions", "traits", "speed", "senses", "index", "damage", "dc",
     "area_of_effect", "throw_range", "shadows", "_score", "mine", "Hit Points", ""})
RAW = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8)
NAMED = st.builds(lambda raw, name: {**raw, "name": name}, RAW, st.sampled_from(["Frost Lance", "Ætherwisp", "Вий", "?"]))
TYPES = st.sampled_from(list(EntityType))


@pytest.mark.parametrize("type_", EntityType)
def test_each_type_has_a_schema_that_is_one(type_: EntityType) -> None:
    schema = schema_of(type_)
    Draft202012Validator.check_schema(schema)
    assert schema["required"] == ["name"]
    assert {field.name for field in fields_of(type_)} <= schema["properties"].keys()


@pytest.mark.parametrize(("name", "slug"), [
    ("Frost Lance", "frost-lance"),
    ("  Hunter’s   Mark!", "hunters-mark"),
    ("Blind/Deaf", "blind-deaf"),
    ("Ætherwisp Café", "aetherwisp-cafe"),
    ("Straße Øst", "strasse-ost"),
    ("Armor, +1", "armor-1"),
    ("Змей Горыныч", "змей-горыныч"),
    ("Вий", "вий"),
    ("九尾の狐", "九尾の狐"),
    ("क्षत्रिय", "क्षत्रिय"),
    ("Ｆｕｌｌ Ｗｉｄｔｈ", "full-width"),
    ("!?", ""),
    ("x" * 150, "x" * MAX_SLUG),
    ("ten letter " * 12, "ten-letter-" * 8 + "ten-letter"),
])
def test_a_slug_is_the_words_of_a_name(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=160))
def test_a_slug_is_its_own_slug_and_fits_the_schema(name: str) -> None:
    slug = slug_of(name)
    assert slug_of(slug) == slug
    if slug:
        assert not problems(EntityType.SPELLS, {"name": "A", "slug": slug})


def test_names_of_the_srd_make_its_slugs() -> None:
    """Whoever writes a spell under the name that the SRD has shadows it."""
    assert all(slug_of(spell.name) == spell.slug for spell in load_srd().all(SpellRecord))


S, M, W, A, E, MI = (
    EntityType.SPELLS, EntityType.MONSTERS, EntityType.WEAPONS, EntityType.ARMOR,
    EntityType.EQUIPMENT, EntityType.MAGIC_ITEMS,
)


@pytest.mark.parametrize(("type_", "raw", "expected"), [
    (S, {"level": None, "school": " "}, {}),
    (S, {"description": "Cold.", "higher_levels": ["One.", "Two."]}, {"desc": "Cold.", "higher_level": "One.\n\nTwo."}),
    (S, {"Casting Time": "1 action", "damage-type": "cold"}, {"casting_time": "1 action", "damage_type": ["cold"]}),
    (S, {"index": "lance"}, {"slug": "lance"}),
    (S, {"level": "cantrip"}, {"level": 0}),
    (S, {"slug": "ancestor---red"}, {"slug": "ancestor---red"}),
    (S, {"level": "3rd-level", "level_int": 3}, {"level": 3}),
    (S, {"school": {"index": "evocation", "name": "Evocation", "url": "/x"}}, {"school": "Evocation"}),
    (S, {"classes": "Wizard, Sorcerer and Bard"}, {"classes": ["Wizard", "Sorcerer", "Bard"]}),
    (S, {"classes": "Wizard, and Bard and Druid"}, {"classes": ["Wizard", "Bard", "Druid"]}),
    (S, {"classes": ["Wizard and Bard"]}, {"classes": ["Wizard and Bard"]}),
    (M, {"languages": "Common and Elvish (old)"}, {"languages": ["Common and Elvish (old)"]}),
    (M, {"immunities": "slashing and piercing from nonmagical attacks"}, {"immunities": ["slashing and piercing from nonmagical attacks"]}),
    (S, {"ritual": "No", "concentration": "yes"}, {"ritual": False, "concentration": True}),
    (S, {"components": "V, S, M (salt, a leaf)"}, {"components": ["V", "S", "M"], "material": "salt, a leaf"}),
    (S, {"range": "Self (10-foot cone)"}, {"range": "Self (10-foot cone)", "range_feet": 0}),
    (S, {"range": "1,200 feet"}, {"range": "1,200 feet", "range_feet": 1200}),
    (S, {"range": "1 mile"}, {"range": "1 mile", "range_feet": 5280}),
    (S, {"range": "60 ft.", "range_feet": 90}, {"range": "60 ft.", "range_feet": 90}),
    (S, {"duration": "Concentration, up to 1 minute"}, {"duration": "Concentration, up to 1 minute", "concentration": True}),
    (S, {"save": "dex"}, {"save": "Dexterity"}),
    (S, {"dc": {"dc_type": {"name": "WIS"}}}, {"save": "Wisdom", "dc": {"dc_type": {"name": "WIS"}}}),
    (S, {"area_of_effect": {"type": "cone", "size": 15}}, {"area_shape": "cone", "area_size": 15, "area_of_effect": {"type": "cone", "size": 15}}),
    (S, {"damage": {"damage_type": {"name": "Cold"}}}, {"damage_type": ["Cold"], "damage": {"damage_type": {"name": "Cold"}}}),
    (S, {"mine": {"a": None, "b": [1, None]}}, {"mine": {"b": [1]}}),
    (M, {"cr": "½", "challenge_rating": 0.5}, {"challenge_rating": 0.5}),
    (M, {"hp": "7 (2d6)", "ac": "15 (leather, shield)"}, {"armor_class": 15, "hit_points": 7, "hit_points_note": "2d6", "armor_class_note": "leather, shield"}),
    (M, {"armor_class": [{"type": "natural", "value": 15}]}, {"armor_class": 15, "armor_class_type": "natural"}),
    (M, {"speed": {"walk": "30 ft.", "fly": 60, "hover": True}}, {"walk": 30, "fly": 60, "swim": 0, "burrow": 0, "climb": 0, "flying": True, "speed": {"walk": "30 ft.", "fly": 60, "hover": True}}),
    (M, {"speed": "30 ft., swim 40 ft."}, {"walk": 30, "fly": 0, "swim": 40, "burrow": 0, "climb": 0, "flying": False, "speed": "30 ft., swim 40 ft."}),
    (M, {"senses": "darkvision 60 ft., passive Perception 9"}, {"darkvision": 60, "blindsight": 0, "tremorsense": 0, "truesight": 0, "senses": "darkvision 60 ft., passive Perception 9"}),
    (M, {"senses": {"passive_perception": 9}}, {"darkvision": 0, "blindsight": 0, "tremorsense": 0, "truesight": 0, "senses": {"passive_perception": 9}}),
    (M, {"resistances": "fire, cold, and acid"}, {"resistances": ["fire", "cold", "acid"]}),
    (M, {"damage_resistances": "cold; bludgeoning, piercing from nonmagical attacks"}, {"resistances": ["cold", "bludgeoning, piercing from nonmagical attacks"]}),
    (M, {"languages": "Common (old, new), telepathy 60 (ft., Elvish"}, {"languages": ["Common (old, new)", "telepathy 60 (ft.", "Elvish"]}),
    (M, {"actions": {"Bite": ["It bites.", "Hard."]}}, {"actions": [{"name": "Bite", "desc": "It bites.\n\nHard."}]}),
    (M, {"traits": [{"name": "Nimble", "description": "It hides.", "uses": 1}], "actions": "", "reactions": []}, {"special_abilities": [{"name": "Nimble", "desc": "It hides.", "uses": 1}]}),
    (M, {"legendary_actions": [{"name": "Roar", "desc": "It roars."}]}, {"legendary": True, "legendary_actions": [{"name": "Roar", "desc": "It roars."}]}),
    (W, {"cost": "15 gp", "weight": "2 lb."}, {"cost": 15, "weight": 2}),
    (W, {"price": {"quantity": 5, "unit": "sp"}, "weight": "1/4 lb."}, {"cost": 0.5, "weight": 0.25}),
    (W, {"damage_dice": "2d6", "damage_type": "Slashing"}, {"damage_dice": "2d6", "damage_average": 7, "damage_type": "Slashing"}),
    (W, {"throw_range": {"normal": 20, "long": 60}}, {"range_normal": 20, "range_long": 60, "throw_range": {"normal": 20, "long": 60}}),
    (W, {"special": ["It tangles."]}, {"special": True, "special_text": ["It tangles."]}),
    (A, {"armor_class": {"base": 14, "dex_bonus": True}, "armor_category": "Medium"}, {"category": "Medium", "armor_class": 14, "armor_class_dex_bonus": True}),
    (E, {"cost": "5 cp", "equipment_category": {"name": "Gear"}}, {"category": "Gear", "cost": 0.05}),
    (MI, {"type": "Ring", "rarity": {"name": "Rare"}, "requires_attunement": "requires attunement by a bard"}, {"item_type": "Ring", "rarity": ["Rare"], "attunement": True, "attunement_by": "a bard"}),
    (MI, {"desc": ["Ring, rare (requires attunement)", "It hums."]}, {"desc": ["Ring, rare (requires attunement)", "It hums."], "attunement": True}),
    (EntityType.CLASSES, {"hit_die": "d8", "saving_throws": [{"name": "INT"}]}, {"hit_die": 8, "saving_throws": ["Intelligence"]}),
    (EntityType.RACES, {"speed": {"walk": 30}, "ability_bonuses": [{"ability_score": {"name": "CON"}, "bonus": 2}]}, {"speed": 30, "ability_bonuses": ["Constitution"], "ability_bonuses_given": [{"ability_score": {"name": "CON"}, "bonus": 2}]}),
    (EntityType.SUBCLASSES, {"classes": ["Wizard"]}, {"class": "Wizard"}),
])
def test_what_people_write_is_brought_into_form(type_: EntityType, raw: dict[str, object], expected: dict[str, object]) -> None:
    before = copy.deepcopy(raw)
    document, wrong = normalised(type_, {"name": "X", **raw})
    assert raw == before
    assert document == {"name": "X", "slug": "x", **expected}
    assert not wrong
    assert not problems(type_, document)
    assert normalised(type_, document) == (document, [])


@pytest.mark.parametrize(("type_", "raw", "message"), [
    (S, {"name": None}, "name: is missing"),
    (S, {"name": "x" * 201}, "name: must be a text of at most 200 characters"),
    (S, {"name": True}, "name: must be a text"),
    (S, {"name": "?!"}, "slug: the name has no letter or digit to make it from"),
    (S, {"slug": "Frost Lance"}, 'slug: must be lower-case letters, digits and hyphens between them, at most 100; found "Frost Lance"'),
    (S, {"slug": "Вий"}, 'slug: must be lower-case letters, digits and hyphens between them, at most 100; found "Вий"; write "вий"'),
    (S, {"level": "high"}, 'level: must be a whole number from 0, for a cantrip, to 9; found "high"'),
    (S, {"ritual": "maybe"}, 'ritual: must be true or false; found "maybe"'),
    (S, {"school": {"name": "Evocation", "power": 3}}, "school: must be a text"),
    (S, {"classes": [["Wizard"]]}, 'classes: entry 1: must be a text; found ["Wizard"]'),
    (S, {"desc": 4}, "desc: must be a text or a list of paragraphs; found 4"),
    (S, {"_score": 1}, "_score: a key has 1 to 100 characters and does not begin with an underscore; remove it"),
    (S, {"": 1}, "a key has 1 to 100 characters"),
    (S, {"shadows": "SRD 5.1"}, "shadows: is set by the search; remove it"),
    (M, {"cr": "1/0"}, 'challenge_rating: must be a number (0.25 for 1/4) from 0 on; found "1/0"'),
    (M, {"cr": 1, "challenge_rating": 2}, "challenge_rating: challenge_rating is given twice, as 1 and as 2; keep one of them"),
    (M, {"actions": [{"name": "Bite", "desc": "b"}, {"name": "Claw"}]}, "actions: entry 2: desc: is missing"),
    (M, {"actions": [4]}, "actions: entry 1: must be a name and its text; found 4"),
    (M, {"actions": "It bites."}, 'actions: must be a list of {"name": …, "desc": …}; found "It bites."'),
    (W, {"cost": "15 coins"}, 'cost: must be a number (in gp) from 0 on; found "15 coins"'),
])
def test_what_is_wrong_is_told_with_its_place(type_: EntityType, raw: dict[str, object], message: str) -> None:
    document, wrong = normalised(type_, {"name": "X", **raw})
    found = [*wrong, *problems(type_, document)]
    assert any(message in one for one in found), found


@pytest.mark.slow
@pytest.mark.timeout(20)
@pytest.mark.parametrize("long", [",", "(", "(,", "1 ", "x,", "e\u0301", "я\u0301", "30 ft. ", " ", "9", "requires attunement by ", "- ", "a and ", "and "])
def test_long_texts_take_no_long_time(long: str) -> None:
    text = long * (2**19 // len(long))
    for type_, keys in ((M, ("name", "languages", "cr", "speed", "senses")), (MI, ("desc", "attunement", "name")),
                        (W, ("properties", "damage_dice", "cost")), (S, ("slug", "components", "range", "level"))):
        for key in keys:
            document, _ = normalised(type_, {"name": "X", key: text})
            problems(type_, document)


@settings(deadline=None)
@given(TYPES, st.one_of(RAW, NAMED))
def test_what_validates_stays_as_it_is(type_: EntityType, raw: dict[str, object]) -> None:
    document, wrong = normalised(type_, raw)
    if wrong or problems(type_, document):
        return
    again = json.loads(json.dumps(document))
    assert normalised(type_, again) == (document, [])
    for field in fields_of(type_):
        value = document.get(field.name)
        assert not isinstance(value, float) or math.isfinite(value)
