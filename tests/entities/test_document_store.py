"""The catalogue: numbers, order, slugs and copies; and the values that results are made with."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mvp_site.content.schemas import slug_of
from mvp_site.content.types import EntityType, entity_type, fields_of
from mvp_site.entities.document_store import Catalogue
from mvp_site.entities.release import in_order
from mvp_site.entities.results import Results
from mvp_site.errors import EntityDataError, UnknownEntityError
from mvp_site.retrieval.filters import parse_filters

from .small_stock import stock

T = EntityType
CATALOGUE = Catalogue(in_order(stock()))  # type: ignore[arg-type]


def test_entities_stand_by_type_and_then_by_name() -> None:
    assert len(CATALOGUE) == 50
    assert list(CATALOGUE.spans) == [type_ for type_ in EntityType if stock().get(type_)]
    for type_ in EntityType:
        start, end = CATALOGUE.span(type_)
        assert set(CATALOGUE.types[start:end]) <= {type_}
        assert CATALOGUE.names[start:end] == sorted(CATALOGUE.names[start:end], key=str.casefold)
    assert Catalogue([]).span(T.SPELLS) == (0, 0)
    assert len(Catalogue([])) == 0


def test_names_that_are_alike_stand_by_slug_and_ties_go_by_slug_and_type() -> None:
    twins = {type_: tuple({"slug": slug, "name": "Twin", "document": "d"} for slug in ("b", "a")) for type_ in
             (T.SPELLS, T.FEATS)}
    catalogue = Catalogue(in_order(twins))
    assert catalogue.slugs == ["a", "b", "a", "b"]
    order = np.argsort(catalogue.tie).tolist()
    assert [(catalogue.slugs[n], catalogue.types[n]) for n in order] == [
        ("a", "feats"), ("a", "spells"), ("b", "feats"), ("b", "spells")]


def test_a_slug_is_of_its_type() -> None:
    weapon, tool = (CATALOGUE.number(type_, "needle-blade") for type_ in (T.WEAPONS, T.EQUIPMENT))
    assert weapon != tool
    assert CATALOGUE.result(weapon, 0.5)["entity_type"] == "weapons"
    assert CATALOGUE.result(tool, 0.5)["_score"] == 0.5
    assert CATALOGUE.number(T.WEAPONS, " Needle-BLADE\n") == weapon
    with pytest.raises(UnknownEntityError, match="armor have no 'needle-blade'"):
        CATALOGUE.number(T.ARMOR, "needle-blade")


@pytest.mark.parametrize("name", ["ΐ", "Ὦ ΰ", "Straße", "İzmir", "вий"])
def test_a_slug_is_found_as_it_is_and_in_capitals(name: str) -> None:
    slug = slug_of(name)
    catalogue = Catalogue(in_order({T.SPELLS: [{"name": name}]}))
    assert catalogue.slugs == [slug]
    for said in (slug, slug.upper(), f" {slug}\n"):
        assert catalogue.number(T.SPELLS, said) == 0


def test_what_has_no_slug_gets_that_of_its_name() -> None:
    given = {"name": "Élan Vital"}
    assert in_order({T.SPELLS: [given]}) == [(T.SPELLS, {"name": "Élan Vital", "slug": "elan-vital"})]
    assert given == {"name": "Élan Vital"}


@pytest.mark.parametrize(("documents", "says"), [
    ({}, "there is no entity to make an index of"),
    ({T.SPELLS: []}, "there is no entity to make an index of"),
    ({T.SPELLS: [{"name": "X"}, {}]}, "spells: document 2: name: is missing"),
    ({T.SPELLS: [{"slug": "x", "name": " "}]}, "spells: document 1: name: is missing"),
    ({T.SPELLS: [{"name": "?!"}]}, 'spells: document 1: slug: is missing, and the name "?!" has no letter or digit'),
    ({T.SPELLS: [{"name": "X"}, {"name": "x!"}]}, 'spells: document 2: slug: "x" is also that of "X"'),
])
def test_what_can_not_be_indexed_is_told(documents: dict[T, list[dict[str, object]]], says: str) -> None:
    with pytest.raises(EntityDataError, match=re.escape(says)):
        in_order(documents)


def test_near_slugs_are_a_few_of_the_type() -> None:
    with pytest.raises(UnknownEntityError) as caught:
        CATALOGUE.number(T.SPELLS, "mending")
    told = str(caught.value).partition("near ones are ")[2].split(", ")
    assert {"gentle-mending", "greater-mending"} <= set(told)
    assert len(told) <= 5
    assert set(told) <= {one["slug"] for one in stock()[T.SPELLS]}


def test_a_result_is_a_deep_copy() -> None:
    number = CATALOGUE.number(T.MONSTERS, "ash-wyrm")
    result = CATALOGUE.result(number, 1.0)
    assert {key: value for key, value in result.items() if key not in {"entity_type", "_score"}} == dict(
        CATALOGUE.documents[number])
    result["legendary_actions"][0]["name"] = "changed"
    assert CATALOGUE.result(number, 1.0)["legendary_actions"][0]["name"] == "Tail"


def test_a_vocabulary_is_folded_and_of_the_type() -> None:
    assert CATALOGUE.vocabulary(T.SPELLS, "classes") == ["bard", "cleric", "druid", "sorcerer", "warlock", "wizard"]
    assert CATALOGUE.vocabulary(T.SPELLS, "school")[0] == "abjuration"
    assert CATALOGUE.vocabulary(T.SPELLS, "level") == []
    assert CATALOGUE.vocabulary(T.FEATS, "school") == []


def test_results_are_a_list_that_knows_more() -> None:
    results = Results([{"slug": "a"}], total=7, stated={"level": 3}, bound=True)
    assert (list(results), results.total, results.stated, results.bound) == ([{"slug": "a"}], 7, {"level": 3}, True)
    empty = Results()
    assert (len(empty), empty.total, empty.stated, empty.bound) == (0, 0, {}, False)
    stated = {"level": 3}
    Results(stated=stated).stated["level"] = 4
    assert stated == {"level": 3}


@pytest.mark.parametrize("type_", EntityType)
def test_a_type_names_itself_and_its_fields_are_told_apart(type_: EntityType) -> None:
    assert entity_type(type_) is entity_type(type_.upper()) is entity_type(f" {type_.replace('-', '_')} ") is type_
    names = [name for field in fields_of(type_) for name in {field.name, *field.also}]
    assert len(names) == len(set(names))
    assert {"slug", "name", "document"} <= set(names)
    # No field ends so that it would read as the bound of another.
    assert not any(name.endswith(("_min", "_max")) and name[:-4] in names for name in names)
    for name in names:
        if name not in {"slug", "name"}:
            with pytest.raises(ValueError, match=type_):
                parse_filters({name: object()}, fields_of(type_), type_)
