"""The lookups: every parameter, every spelling of a type, and what binds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mvp_site.content.types import EntityType
from mvp_site.entities.results import Results
from mvp_site.errors import EntityTypeError, FilterError

from .small_stock import fields_matching, index_of, slugs, small_index, stock

T = EntityType


def lookup(kind: str, *said: Any, **parameters: Any) -> Results:
    call: Callable[..., Results] = getattr(small_index(), f"lookup_{kind}")
    return call(*said, limit=100, **parameters)


@pytest.mark.parametrize(("kind", "parameters", "tests"), [
    ("spell", {"level_min": 1, "level_max": 2}, {T.SPELLS: lambda one: 1 <= one["level"] <= 2}),
    ("spell", {"class_": "druid"}, {T.SPELLS: lambda one: "Druid" in one["classes"]}),
    ("spell", {"class": "druid"}, {T.SPELLS: lambda one: "Druid" in one["classes"]}),
    ("spell", {"casting_time": "Bonus action"}, {T.SPELLS: lambda one: "bonus" in one["casting_time"]}),
    ("spell", {"documents": "srd 5.1"}, {T.SPELLS: lambda one: True}),
    ("creature", {"cr": 6}, {T.MONSTERS: lambda one: one["challenge_rating"] == 6}),
    ("creature", {"cr_min": "1/8", "cr_max": 1}, {T.MONSTERS: lambda one: one["challenge_rating"] <= 1}),
    ("creature", {"type": ["undead", "beast"], "size": "large"}, {T.MONSTERS: lambda one: one["slug"] == "grave-ox"}),
    ("equipment", {"rarity": "rare"}, {T.MAGIC_ITEMS: lambda one: "rare" in one["rarity"]}),
    ("equipment", {"cost_max": 5}, {
        T.WEAPONS: lambda one: one["cost"] <= 5, T.ARMOR: lambda one: one["cost"] <= 5,
        T.EQUIPMENT: lambda one: one["cost"] <= 5}),
    ("equipment", {"weight_max": 2, "type": "weapon"}, {T.WEAPONS: lambda one: one["weight"] <= 2}),
    ("rule", {"type": "condition"}, {T.CONDITIONS: lambda one: True}),
    ("rule", {"documents": "SRD 5.1"}, {T.CONDITIONS: lambda one: True, T.RULES: lambda one: True}),
    ("character_option", {"type": "race"}, {T.RACES: lambda one: True}),
])
def test_each_parameter(kind: str, parameters: dict[str, Any], tests: dict[EntityType, Any]) -> None:
    found = lookup(kind, **parameters)
    expected = {(type_, slug) for type_, test in tests.items() for slug in fields_matching(type_, test)}
    assert {(one["entity_type"], one["slug"]) for one in found} == expected
    named = lookup(kind, "ember mending goblet coat blade", **parameters)
    assert {(one["entity_type"], one["slug"]) for one in named} <= expected


@pytest.mark.parametrize(("said", "type_"), [
    ("weapon", T.WEAPONS), ("weapons", T.WEAPONS), ("Weapon", T.WEAPONS), (" armor ", T.ARMOR),
    ("gear", T.EQUIPMENT), ("equipment", T.EQUIPMENT), ("item", T.EQUIPMENT), ("magic-item", T.MAGIC_ITEMS),
    ("magic_items", T.MAGIC_ITEMS), ("Magic Items", T.MAGIC_ITEMS), ("magic item", T.MAGIC_ITEMS),
    (T.MAGIC_ITEMS, T.MAGIC_ITEMS),
])
def test_a_type_in_any_spelling(said: str, type_: EntityType) -> None:
    assert {one["entity_type"] for one in lookup("equipment", type=said)} == {type_}
    assert {one["entity_type"] for one in lookup("equipment", type=[said, "armor"])} == {type_, "armor"}
    assert {one["entity_type"] for one in small_index().search_all("", 100, types=said)} == {type_}


@pytest.mark.parametrize(("kind", "parameters", "error", "told"), [
    ("equipment", {"type": "spell"}, FilterError, "type 'spell': looked up here are weapons, armor"),
    ("equipment", {"type": "potion-belt"}, EntityTypeError, "Invalid entity type 'potion-belt': looked up here are weapons"),
    ("rule", {"type": ["rule", "feat"]}, FilterError, "type 'feat': looked up here are rules, conditions"),
    ("rule", {"type": []}, FilterError, "an empty list asks for nothing"),
    ("rule", {"type": 3}, EntityTypeError, "Invalid entity type"),
    ("character_option", {"documents": []}, FilterError, "an empty list asks for nothing"),
    ("spell", {"documents": ["nobody's"]}, FilterError, 'document of entities is never "nobody'),
    ("creature", {"type": ["undead", "fey"]}, FilterError, "type of monsters is never 'fey': there are beast, construct"),
    ("creature", {"cr": "high"}, FilterError, "challenge_rating is a number, which 'high' is not: write 5 or 1/4"),
    ("creature", {"cr": "1/0"}, FilterError, "write 5 or 1/4"), ("creature", {"cr": ""}, FilterError, "write 5 or 1/4"),
    ("creature", {"cr": "1e999999999"}, FilterError, "challenge_rating of monsters is a number"),
    ("spell", {"class": "druid", "colour": 1}, FilterError, "spells have no field colour: leave it out"),
])
def test_what_cannot_be_looked_up_is_told(kind: str, parameters: dict[str, Any], error: type[Exception], told: str,
                                          ) -> None:
    for name in ("", "ember"):
        with pytest.raises(error, match=told):
            lookup(kind, name, **parameters)


@pytest.mark.parametrize(("kind", "name", "slug"), [
    ("spell", "gentle mending", "gentle-mending"), ("creature", "toll trol", "toll-troll"),
    ("equipment", "shuttered lantern", "lantern-shuttered"), ("rule", "rooted", "rooted"),
    ("rule", "drowning", "drowning"), ("character_option", "iron stomach", "iron-stomach"),
    ("character_option", "reposte", "riposte"),
])
def test_a_name_is_found_among_the_types(kind: str, name: str, slug: str) -> None:
    assert slugs(lookup(kind, name))[:1] == [slug]


def test_a_name_is_a_search_and_what_it_states_binds() -> None:
    found = lookup("spell", "level 3 rituals")
    assert found.bound
    assert found.stated == {"level": 3.0, "ritual": True}
    assert {*slugs(found)} == {"speak-with-rivers", "ward-of-the-old-oak"}
    searched = small_index().search_entities("spells", "level 3 rituals", limit=100, bind_stated=True)
    assert list(found) == list(searched)
    assert {*slugs(lookup("creature", "undead", cr_min=4))} == {"grave-ox"}
    assert {*slugs(lookup("equipment", "finesse weapons under 20 gp", type="weapon"))} == {"needle-blade"}


def test_where_what_is_stated_leaves_nothing_it_is_taken_for_words() -> None:
    assert list(small_index().search_entities("monsters", "ash wyrm beast", bind_stated=True)) == []
    found = lookup("creature", "ash wyrm beast")
    assert slugs(found)[:1] == ["ash-wyrm"]
    assert found.stated == {"type": "beast"}
    assert not found.bound


def test_search_all_merges_types_by_score() -> None:
    found = small_index().search_all("needle blade", limit=5)
    assert [(one["entity_type"], one["slug"]) for one in found[:2]] == [
        ("equipment", "needle-blade"), ("weapons", "needle-blade")]  # as good, by slug and then by type
    everything = small_index().search_all("needle blade", limit=100)
    assert {"weapons", "equipment"} <= {one["entity_type"] for one in everything}
    order = [(-one["_score"], one["slug"]) for one in everything]
    assert order == sorted(order)
    assert list(small_index().search_all("needle blade", limit=2)) == everything[:2]
    assert everything.total == len(everything)
    for one in everything:
        alone = small_index().search_entities(one["entity_type"], "needle blade", limit=100)
        assert one["slug"] in slugs(alone)


def test_a_document_narrows_a_lookup() -> None:
    documents = stock()
    documents[T.SPELLS] += ({"slug": "homely-spark", "name": "Homely Spark", "document": "own entities"},)
    index = index_of(documents)
    assert slugs(index.lookup_spell(documents="own entities")) == ["homely-spark"]
    assert slugs(index.search_all("", documents=["Own Entities"])) == ["homely-spark"]
    assert [(one["document"], one["entities"]) for one in index.list_documents()] == [
        ("SRD 5.1", 50), ("own entities", 1)]
