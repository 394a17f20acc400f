from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from mvp_site.content.cards import card
from mvp_site.content.document import NAMED_TEXTS, SRD, Document
from mvp_site.content.effects import conditions_inflicted, types_dealt, types_withstood
from mvp_site.content.own_model import read_entity
from mvp_site.content.srd_documents import srd_documents
from mvp_site.content.types import EntityType, fields_of
from mvp_site.retrieval.filters import FieldKind
from mvp_site.srd import load_srd
from mvp_site.text.vocabulary import DAMAGE_TYPES

KINDS = tuple(kind.capitalize() for kind in DAMAGE_TYPES)


@cache
def documents() -> dict[EntityType, tuple[Document, ...]]:
    return srd_documents(load_srd())


def one(type_: str, slug: str) -> Document:
    return next(one for one in documents()[EntityType(type_)] if one["slug"] == slug)


@pytest.mark.parametrize("type_", EntityType)
def test_every_document_is_valid_json_without_nulls_and_has_a_card(type_: EntityType) -> None:
    held = documents()[type_]
    assert held
    order = [(document["name"].casefold(), document["slug"]) for document in held]
    assert order == sorted(order)
    assert len({slug for _, slug in order}) == len(order)
    for document in held:
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert None not in _values(document)
        assert document["document"] == SRD
        assert read_entity(type_, document) == (document, [])
        assert card(type_, document).startswith(f"{document['name']}: ")
        for key in NAMED_TEXTS:
            assert all(entry["name"] and entry["desc"] for entry in document.get(key, ()))


def _values(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [found for one in value.values() for found in _values(one)]
    if isinstance(value, list):
        return [found for one in value for found in _values(one)]
    return [value]


@pytest.mark.parametrize("type_", EntityType)
def test_flags_are_always_there_and_no_field_is_unused(type_: EntityType) -> None:
    held = documents()[type_]
    for field in fields_of(type_):
        has = sum(field.name in one for one in held)
        if field.name == "classes" and not has:  # they follow from the classes, of a whole stock
            continue
        assert has == len(held) if field.kind is FieldKind.FLAG else has, field.name


@pytest.mark.parametrize(("type_", "slug", "holds"), [
    ("spells", "fireball", {"level": 3, "school": "Evocation", "classes": ["Sorcerer", "Wizard"], "damage_type": ["Fire"],
                            "save": "Dexterity", "range_feet": 150, "area_shape": "sphere", "area_size": 20, "ritual": False}),
    ("spells", "cure-wounds", {"range_feet": 5, "healing": True, "subclasses": ["Life Domain"], "grows_with": "slot level"}),
    ("spells", "detect-magic", {"range_feet": 0, "ritual": True, "concentration": True, "duration": "Concentration, up to 10 minutes"}),
    ("spells", "meteor-swarm", {"range_feet": 5280, "damage_type": ["Fire", "Bludgeoning"]}),
    ("monsters", "goblin", {"size": "Small", "type": "humanoid", "subtype": "goblinoid", "challenge_rating": 0.25, "challenge": "1/4",
                            "languages": ["Common", "Goblin"], "fly": 0, "flying": False, "darkvision": 60, "proficiency_bonus": 2}),
    ("monsters", "adult-red-dragon", {"fly": 80, "flying": True, "legendary": True, "immunities": ["Fire"], "challenge_rating": 17}),
    ("monsters", "iron-golem", {"languages": ["understands the languages of its creator but can't speak"]}),
    ("monsters", "vrock", {"resistances": ["Bludgeoning", "Cold", "Fire", "Lightning", "Piercing", "Slashing"]}),
    ("weapons", "dagger", {"finesse": True, "light": True, "range_normal": 20, "range_long": 60, "cost": 2, "damage_average": 2.5, "magic": False}),
    ("armor", "shield", {"category": "Shield", "armor_class": 2, "strength": 0, "stealth_disadvantage": False}),
    ("magic-items", "holy-avenger", {"rarity": ["legendary"], "attunement_by": "a paladin"}),
    ("classes", "wizard", {"hit_die": 6, "spellcaster": True, "spellcasting_ability": "Intelligence", "saving_throws": ["Intelligence", "Wisdom"]}),
    ("subclasses", "life", {"name": "Life Domain", "short_name": "Life", "class": "Cleric"}),
    ("races", "rock-gnome", {"race": "Gnome", "size": "Small", "speed": 25, "ability_bonuses": ["Intelligence", "Constitution"]}),
    ("rules", "cover", {"category": "section", "chapter": "Combat"}),
    ("feats", "grappler", {"prerequisites": ["Strength"], "prerequisite_scores": ["Strength 13"]}),
])
def test_figures_become_fields(type_: str, slug: str, holds: dict[str, Any]) -> None:
    document = one(type_, slug)
    assert {key: document.get(key) for key in holds} == holds


@pytest.mark.parametrize(("text", "expected"), [
    ("A target takes 8d6 fire damage.", ["Fire"]),
    ("It takes 2d8 cold damage and 4d6 + 4 fire damage.", ["Cold", "Fire"]),
    ("It takes 7 (2d6) acid damage.", ["Acid"]),
    ("A creature takes 5d8 acid, cold, or fire damage, as you choose.", ["Acid", "Cold", "Fire"]),
    ("The target takes force damage equal to 1d8 plus two.", ["Force"]),
    ("It must succeed or take 1d6 acid damage.", ["Acid"]),
    ("If it can hear you, it must save or take 1d6 cold damage.", ["Cold"]),
    ("On a failure, you take 6d6 force damage.", []),
    ("It throws you out and deals 50 bludgeoning damage to you.", []),
    ("It has resistance to fire damage and immunity to poison damage.", []),
    ("The wall falls to at least 25 cold damage.", []),
    ("A fire burns. It is cold.", []),
])
def test_damage_counts_where_it_is_dealt(text: str, expected: list[str]) -> None:
    assert types_dealt(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("The target has resistance to cold damage.", ["Cold"]), ("It is immune to acid and fire damage.", ["Acid", "Fire"]),
    ("It gains resistance to all damage except force damage.", [kind for kind in KINDS if kind != "Force"]),
    ("Resistance to one damage type of your choice.", list(KINDS)), ("It deals fire damage.", []), ("It has immunity to fear.", []),
    ("You gain resistance to fire and cold.", ["Cold", "Fire"]), ("You have resistance to the triggering damage type.", list(KINDS)),
    ("You have resistance to the triggering damage type. The target takes 1d6 acid or fire damage.", ["Acid", "Fire"]),
])
def test_protection_is_resistance_or_immunity_to_damage(text: str, expected: list[str]) -> None:
    assert types_withstood(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("The target must succeed on a DC 10 Constitution saving throw or be paralyzed for 1 minute.", ["Paralyzed"]),
    ("The target is stable but poisoned for 1 hour, and is paralyzed while poisoned in this way.", ["Paralyzed", "Poisoned"]),
    ("On a failed save the creature is blinded and deafened.", ["Blinded", "Deafened"]),
    ("It has advantage on saving throws against being blinded, charmed or stunned.", []),
    ("The gorn is paralyzed until it makes a saving throw.", []), ("If the target is prone, it takes 2d6 damage.", []),
    ("A creature that is frightened repeats the saving throw.", []), ("A target can't be charmed by it.", []),
])
def test_a_condition_counts_where_somebody_else_comes_to_have_it(text: str, expected: list[str]) -> None:
    assert conditions_inflicted(text, "Gorn") == expected
