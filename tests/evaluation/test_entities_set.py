"""The set of queries to the entity search: what it may hold, and how it is divided."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site.content.types import EntityType
from mvp_site.errors import SettingsError
from mvp_site.evaluation.entities_set import KINDS, LOOKUPS, Query, divided, in_index, load_queries

from .entity_doubles import QUERIES, write


def line(**values: Any) -> dict[str, Any]:
    """A query that is as it should be, but for ``values``; None takes a value away."""
    whole = {"id": "a-1", "kind": "semantic", "type": "spells", "query": "burning", "relevant": {"spells/ember": 3}, **values}
    return {name: value for name, value in whole.items() if value is not None}


def lookup(**values: Any) -> dict[str, Any]:
    given = {"lookup": "lookup_equipment", "params": {"name": "rope"}, "relevant": {"equipment/rope": 3}, **values}
    return line(kind="lookup", type=None, query=None, **given)


def test_queries_are_read_whole(tmp_path: Path) -> None:
    found = {one.kind: one for one in load_queries(write(tmp_path / "set", *QUERIES, ""))}
    assert set(found) == set(KINDS)
    assert found["semantic"] == Query(
        "x-1", "semantic", EntityType.SPELLS, "burning", {"spells/ember": 3, "spells/fire-wall": 2}, {}, {}, "", "", {},
        found["semantic"].split,
    )
    assert found["similar"].reference == "bog-imp"
    assert found["lookup"].types == (EntityType.SPELLS,)
    assert found["lookup"].words == "wall of fire"
    assert found["lookup"].wanted == {"level": 4}


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (lookup(), {}),
        (lookup(params={"name": "x", "type": "weapon", "cost_max": 3, "rarity": None, "limit": 5}), {"cost_max": 3}),
        (lookup(lookup="lookup_creature", params={"name": "x", "type": "fiend"}, relevant={"monsters/x": 3}), {"type": "fiend"}),
        (line(kind="filtered", filters={"level": 1}), {"level": 1}),
        (line(kind="filtered", stated={"level": 1}), {}),
    ],
    ids=str,
)
def test_the_filters_that_results_must_fulfil(tmp_path: Path, values: dict[str, Any], wanted: dict[str, Any]) -> None:
    (one,) = load_queries(write(tmp_path / "set", values))
    assert one.wanted == wanted


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], "line 1: it is no JSON"),
        ([line(), "[]"], "line 2: [] is not of type 'object'"),
        ([line(query=None)], "line 1: 'query' is a required property"),
        ([line(kind="similar")], "'reference' is a required property"),
        ([line(kind="lookup")], "'lookup' is a required property"),
        ([line(kind="other")], "kind: 'other' is not one of"),
        ([line(type="spell")], "type: 'spell' is not one of"),
        ([lookup(lookup="lookup_anything")], "lookup: 'lookup_anything' is not one of"),
        ([line(relevant={"spells/ember": 4})], "relevant.spells/ember: 4 is not one of [1, 2, 3]"),
        ([line(split="train")], "split: 'train' is not one of"),
        ([line(relevant={})], "nothing is relevant to query a-1"),
        ([line(kind="negative")], "query a-1 is negative, and something is relevant to it"),
        ([line(kind="filtered")], "query a-1 is filtered, by nothing"),
        ([line(query=" ")], "query a-1 asks for nothing"),
        ([lookup(params={"name": ""})], "query a-1 asks for nothing"),
        ([line(relevant={"monsters/imp": 3})], "query a-1 is asked of spells, not of 'monsters/imp'"),
        ([line(), line(query="x")], "the id 'a-1' is there 2 times"),
        ([line(), line(id="a-2")], "query a-2 asks what a-1 asks"),
        ([""], "there is no query in it"),
    ],
    ids=str,
)
def test_a_set_that_cannot_be_used_is_told(tmp_path: Path, lines: list[Any], message: str) -> None:
    with pytest.raises(SettingsError) as told:
        load_queries(write(tmp_path / "set.jsonl", *lines))
    assert message in str(told.value)
    assert "set.jsonl" in str(told.value)


def many(prefix: str, count: int) -> list[Query]:
    return [
        Query(f"{prefix}-{n:03}", kind, EntityType.SPELLS, f"{kind} {prefix} {n}", {}, {}, {}, "", "", {})
        for n in range(count) for kind in KINDS[n % 2 :: 2]
    ]


def renamed(queries: list[Query]) -> list[Query]:
    return [replace(one, id=f"{one.id}{KINDS.index(one.kind)}") for one in queries]


def test_a_third_of_each_kind_is_kept_from_tuning() -> None:
    queries = renamed(many("a", 60))
    parts = divided(queries)
    for kind in KINDS:
        held = [parts[one.id] for one in queries if one.kind == kind]
        assert held.count("test") * 3 == len(held) == 30


def test_the_parts_do_not_depend_on_order_or_on_the_other_authors() -> None:
    ours, theirs = renamed(many("a", 20)), renamed(many("b", 31))
    mixed = [*ours, *theirs]
    random.Random(7).shuffle(mixed)
    together = divided(mixed)
    assert together == divided(ours) | divided(theirs)
    assert 0.25 < list(together.values()).count("test") / len(together) < 0.42


def test_a_part_that_is_stated_holds(tmp_path: Path) -> None:
    file = write(tmp_path / "set", *(line(id=f"a-{n}", query=f"q{n}", split="test" if n < 5 else "tune") for n in range(9)))
    assert [one.id for one in load_queries(file, "test")] == [f"a-{n}" for n in range(5)]
    assert len(load_queries(file, "tune")) == 4


def test_the_parts_are_the_set(tmp_path: Path) -> None:
    file = write(tmp_path / "set", *(line(id=f"a-{n}", query=f"q{n}") for n in range(10)))
    tune, test = (load_queries(file, split) for split in ("tune", "test"))
    assert {one.id for one in tune} | {one.id for one in test} == {one.id for one in load_queries(file)}
    assert len(tune) + len(test) == 10


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"relevant": {"spells/embr": 3}}, "query a-1: the index has no entity 'spells/embr'; near it: spells/ember"),
        ({"kind": "similar", "reference": "nought"}, "the index has no entity 'spells/nought'"),
    ],
)
def test_what_the_index_lacks_is_told(tmp_path: Path, values: dict[str, Any], message: str) -> None:
    queries = load_queries(write(tmp_path / "set", line(**values)))
    with pytest.raises(SettingsError) as told:
        in_index(queries, {"spells/ember", "spells/fire-wall"})
    assert message in str(told.value)


def test_every_type_can_be_looked_up() -> None:
    looked_up = {type_ for name, types in LOOKUPS.items() if name != "search_all" for type_ in types}
    assert looked_up == set(LOOKUPS["search_all"]) == set(EntityType)
