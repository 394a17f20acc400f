from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.content.document import Document
from mvp_site.content.srd_documents import srd_documents
from mvp_site.content.types import EntityType, fields_of
from mvp_site.content.verbalisation import card
from mvp_site.content.wording import natural
from mvp_site.srd import load_srd


@cache
def documents() -> dict[EntityType, tuple[Document, ...]]:
    return srd_documents(load_srd())


def srd_card(type_: str, slug: str) -> str:
    held = documents()[EntityType(type_)]
    return card(EntityType(type_), next(one for one in held if one["slug"] == slug))


@pytest.mark.parametrize(("type_", "slug", "words"), [
    ("weapons", "longsword", ["martial melee weapon", "kind of sword", "one or two hands", "1d8 slashing damage (1d10 with two hands)", "15 gp", "3 lb"]),
    ("weapons", "dagger", ["rogues", "two-weapon fighting", "can be thrown", "range 20 feet"]),
    ("armor", "plate-armor", ["heavy armor", "disadvantage on Dexterity (Stealth)", "Strength 15"]),
    ("equipment", "explorers-pack", ["contains backpack", "10 torches", "hempen rope"]),
    ("equipment", "horse-riding", ["riding horse", "60 ft/round", "480 lb."]),
    ("magic-items", "bag-of-holding", ["wondrous magic item", "uncommon"]),
    ("monsters", "adult-red-dragon", ["huge dragon", "chaotic evil", "challenge 17", "flies", "climbs", "immune to fire", "fire breath", "legendary", "draconic"]),
    ("monsters", "goblin", ["small humanoid (goblinoid)", "challenge 1/4", "darkvision", "nimble escape", "scimitar"]),
    ("spells", "fireball", ["3rd-level evocation", "level 3", "wizards", "20-foot-radius sphere", "dexterity saving throw for half damage", "8d6", "higher-level"]),
    ("spells", "cure-wounds", ["heals", "hit points", "range touch"]),
    ("spells", "protection-from-energy", ["protects from acid, cold, fire, lightning, and thunder damage"]),
    ("classes", "wizard", ["spellcaster", "Intelligence", "d6"]),
    ("subclasses", "life", ["cleric subclass", "gives the spells"]),
    ("races", "rock-gnome", ["subrace of Gnome", "small", "Intelligence +2"]),
    ("traits", "draconic-ancestry-red", ["Dragonborn", "fire damage", "15-foot cone"]),
    ("rules", "elvish", ["standard language", "spoken by"]),
    ("rules", "combat", ["chapter of the rules", "cover"]),
    ("feats", "grappler", ["feat", "Strength 13"]),
])
def test_a_card_has_the_words_of_its_fields(type_: str, slug: str, words: list[str]) -> None:
    said = srd_card(type_, slug).casefold()
    assert [word for word in words if word.casefold() not in said] == []


@pytest.mark.parametrize(("type_", "slug", "words"), [
    ("weapons", "greatsword", ["light", "rogue", "one-handed"]),
    ("monsters", "goblin", ["flies", "swims", "legendary", "casts"]),
    ("armor", "plate-armor", ["quiet"]),
    ("spells", "fireball", ["ritual", "concentration", "heals"]),
    ("magic-items", "bag-of-holding", ["attunement"]),
    ("classes", "fighter", ["spellcaster"]),
])
def test_a_card_does_not_name_what_is_not_so(type_: str, slug: str, words: list[str]) -> None:
    said = srd_card(type_, slug).casefold()
    assert [word for word in words if word in said] == []


def test_a_users_document_has_a_card_of_what_it_says() -> None:
    said = card(EntityType.WEAPONS, {
        "name": "Moon blade", "finesse": True, "damage_dice": "1d6", "forged_by": "elves", "cursed": True, "charges": 3,
        "owners": ["one", "two"], "desc": "Not here.", "_score": 1, "armor_class": None,
    })
    assert said.startswith("Moon blade: a weapon.")
    for part in ("rogues", "1d6 damage", "Forged by: elves.", "Cursed: yes.", "Charges: 3."):
        assert part in said
    for other in ("Not here", "None", "two"):
        assert other not in said


_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
_anything = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_extras = ("challenge", "contents", "damage_at", "healing_at", "material", "options", "spells", "quantity", "features", "actions", "own key")


@given(data=st.data(), type_=st.sampled_from(EntityType))
def test_whatever_a_document_holds_it_has_a_card(data: st.DataObject, type_: EntityType) -> None:
    keys = [field.name for field in fields_of(type_)] + list(_extras)
    document: dict[str, Any] = data.draw(st.dictionaries(st.sampled_from(keys), _anything, max_size=8))
    said = card(type_, {**document, "name": "Zyx"})
    assert said.startswith("Zyx: ")
    assert said == card(type_, {**document, "name": "Zyx"})


@pytest.mark.parametrize(("name", "expected"), [
    ("Crossbow, light", "light Crossbow"), ("Rope, hempen (50 feet)", "hempen Rope (50 feet)"),
    ("Longsword", "Longsword"), ("Armor, +1, +2, or +3", "Armor, +1, +2, or +3"), ("Oil (flask)", "Oil (flask)"),
])
def test_a_turned_name_is_turned_back(name: str, expected: str) -> None:
    assert natural(name) == expected
