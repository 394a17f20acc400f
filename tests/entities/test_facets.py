"""Facets: counts equal counting one by one, and a field's own filter is left out of its counts."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from mvp_site.content.document import values_of
from mvp_site.content.types import EntityType, fields_of
from mvp_site.errors import FilterError
from mvp_site.retrieval.filters import fold

from .small_stock import small_index

FILTERS: list[tuple[EntityType, dict[str, Any]]] = [
    *((type_, {}) for type_ in EntityType),
    (EntityType.SPELLS, {"level": 1}), (EntityType.SPELLS, {"level": [1, 2], "school": "evocation"}),
    (EntityType.SPELLS, {"class": "druid", "ritual": True}), (EntityType.SPELLS, {"level_min": 2, "level_max": 4}),
    (EntityType.MONSTERS, {"size": "large", "cr": {"min": 4}}),
    (EntityType.MONSTERS, {"flying": True}), (EntityType.WEAPONS, {"properties": "finesse", "cost_max": 20}),
    (EntityType.MAGIC_ITEMS, {"rarity": ["rare", "legendary"]}),
]


@pytest.mark.parametrize(("type_", "filters"), FILTERS)
def test_counts_are_those_of_counting(type_: EntityType, filters: dict[str, Any]) -> None:
    facets = small_index().facets(type_, filters)
    also = {name: field.name for field in fields_of(type_) for name in (field.name, *field.also)}
    for field in fields_of(type_):
        others = {key: value for key, value in filters.items()
                  if also.get(key) != field.name and also.get(key[:-4]) != field.name}
        counts: Counter[Any] = Counter()
        for entity in small_index().search_entities(type_, "", others, limit=1_000):
            value = values_of(type_, entity).get(field.name, ())
            counts.update(value if isinstance(value, tuple) else [value])
        if field.name in {"slug", "name"}:
            assert field.name not in facets
            continue
        found = {fold(key) if isinstance(key, str) else key: n for key, n in facets.get(field.name, {}).items()}
        assert found == counts


SCHOOLS = "there are Necromancy, Abjuration, Conjuration, Divination, Evocation, Illusion"


@pytest.mark.parametrize(("type_", "filters", "says"), [
    ("spells", {"school": "necromany"}, f"school of spells is never 'necromany': {SCHOOLS}"), ("spells", {"school": ["evocation", "Necromany"]}, SCHOOLS),
    ("spells", {"class": "drood"}, "classes of spells is never 'drood': there are "), ("spells", {"documents": "nope"}, "document of entities is never 'nope': there are SRD 5.1"),
    ("monsters", {"size": "larg"}, "Large"), ("magic-items", {"type": "rings"}, "there are Ring, "), ("spells", {"school": ""}, "school of spells is never ''"),
])
def test_a_value_that_there_is_not_names_those_there_are(type_: str, filters: dict[str, Any], says: str) -> None:
    for ask in (lambda: small_index().search_entities(type_, "fire", filters), lambda: small_index().facets(type_, filters)):
        with pytest.raises(FilterError, match=re.escape(says)):
            ask()


def test_values_are_as_printed_and_in_order() -> None:
    facets = small_index().facets("spells")
    assert list(facets["school"]) == [
        "Abjuration", "Conjuration", "Divination", "Evocation", "Illusion", "Necromancy"]
    assert list(facets["level"]) == sorted(facets["level"])
    assert facets["ritual"] == {False: 8, True: 2}
    assert facets["document"] == {"SRD 5.1": 10}
    assert facets["classes"]["Druid"] == 4
    assert "save" in facets
    assert "subclasses" not in facets
