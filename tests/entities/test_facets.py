"""Facets: counts equal counting one by one, and a field's own filter is left out of its counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mvp_site.entities.passages import values_of
from mvp_site.entities.types import EntityType, fields_of
from mvp_site.errors import FilterError
from mvp_site.retrieval.filters import fold

from .small_stock import index_of, small_index

FILTERS: list[tuple[EntityType, dict[str, Any]]] = [
    *((type_, {}) for type_ in EntityType),
    (EntityType.SPELLS, {"level": 1}), (EntityType.SPELLS, {"level": [1, 2], "school": "evocation"}),
    (EntityType.SPELLS, {"class": "druid", "ritual": True}), (EntityType.SPELLS, {"level_min": 2, "level_max": 4}),
    (EntityType.SPELLS, {"school": "nothing"}), (EntityType.MONSTERS, {"size": "large", "cr": {"min": 4}}),
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


def test_what_a_facet_says_can_be_filtered_by() -> None:
    for type_ in EntityType:
        for field, counts in small_index().facets(type_).items():
            for value, count in counts.items():
                assert small_index().search_entities(type_, "", {field: value}).total == count


def test_a_filter_that_cannot_be_used_is_told() -> None:
    with pytest.raises(FilterError, match="spells have no field 'levels_of'"):
        small_index().facets("spells", {"levels_of": 3})


def test_values_of_other_spellings_are_one() -> None:
    documents = {EntityType.SPELLS: tuple(
        {"slug": f"s{n}", "name": f"S {n}", "document": "mine", "school": school}
        for n, school in enumerate(["Wild-Magic", "wild magic", "WILD MAGIC", "élan"]))}
    facets = index_of(documents).facets("spells")  # type: ignore[arg-type]
    assert facets["school"] == {"Wild-Magic": 3, "élan": 1}
