"""The index asked through its public calls: types, filters, order, pages, copies, errors."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site.content.types import EntityType
from mvp_site.entities.index import MAX_LIMIT
from mvp_site.errors import EntityDataError, FilterError

from .small_stock import fields_matching, index_of, slugs, small_index, stock

S, M = EntityType.SPELLS, EntityType.MONSTERS


@pytest.mark.parametrize(("type_", "filters", "test"), [
    (S, {"level": 3}, lambda one: one["level"] == 3),
    (S, {"level": [1, 2]}, lambda one: one["level"] in {1, 2}),
    (S, {"level_min": 1, "level_max": 2}, lambda one: 1 <= one["level"] <= 2),
    (S, {"school": "evocation"}, lambda one: one["school"] == "Evocation"),
    (S, {"class": "druid"}, lambda one: "Druid" in one["classes"]),
    (S, {"classes": ["bard", "warlock"]}, lambda one: {"Bard", "Warlock"} & {*one["classes"]}),
    (S, {"ritual": False, "concentration": False}, lambda one: not one["ritual"] and not one["concentration"]),
    (S, {"casting_time": {"contains": "bonus"}}, lambda one: "bonus" in one["casting_time"]),
    (S, {"damage_type": "fire"}, lambda one: "Fire" in one.get("damage_type", [])),
    (S, {"name": {"contains": "mending"}}, lambda one: "Mending" in one["name"]),
    (S, {"document": "SRD 5.1"}, lambda one: True),
    (S, {}, lambda one: True), (S, None, lambda one: True),
    (M, {"challenge_rating": [5.0, 6.0]}, lambda one: one["challenge_rating"] in {5, 6}),
    (M, {"flying": True, "size": ["large", "huge"]}, lambda one: one["flying"] and one["size"] != "Medium"),
    (M, {"condition-immunities": None}, None),
    (EntityType.MAGIC_ITEMS, {"rarity": "very rare"}, lambda one: "very rare" in one["rarity"]),
    (EntityType.WEAPONS, {"cost_max": 20, "finesse": True}, lambda one: one["cost"] <= 20 and one["finesse"]),
])
def test_filters_of_every_kind(type_: EntityType, filters: Any, test: Any) -> None:
    if test is None:
        with pytest.raises(FilterError, match="no field"):
            small_index().search_entities(type_, "", filters)
        return
    expected = fields_matching(type_, test)
    assert slugs(small_index().search_entities(type_, "", filters, limit=100)) == expected
    found = small_index().search_entities(type_, "moth of coals that burns fork ash blade", filters, limit=100)
    assert {*slugs(found)} <= {*expected}
    for slug in expected:  # none is lost to the filter either
        name = small_index().entity(type_, slug)["name"]
        assert slugs(small_index().search_entities(type_, name, filters, limit=1)) == [slug]


@pytest.mark.parametrize("query", ["ember", "wounds close", "a moth of light", "ember lash", "level 3 druid"])
@pytest.mark.parametrize("bind", [False, True])
def test_scores_fall_and_lie_between_the_cut_and_one(query: str, bind: bool) -> None:
    found = small_index().search_entities("spells", query, bind_stated=bind)
    assert found or "ember" not in query
    assert all(type(one["_score"]) is float and 0.3 <= one["_score"] <= 1 for one in found)
    order = [(-one["_score"], one["slug"]) for one in found]
    assert order == sorted(order)
    assert {one["entity_type"] for one in found} == {"spells"}
    again = small_index().search_entities("spells", query, bind_stated=bind)
    assert list(again) == list(found)


def test_what_scores_less_than_the_cut_is_left_out_and_never_fills_the_limit() -> None:
    scores = dict(small_index().scored("spells", "wounds close"))
    found = small_index().search_entities("spells", "wounds close", limit=MAX_LIMIT)
    assert slugs(found) == [slug for slug, score in scores.items() if score >= 0.3]
    assert len(found) == found.total < 10
    assert small_index().search_entities("spells", "tax return engine").total == 0


@pytest.mark.parametrize("query", ["", "evocation spells"])
def test_pages_are_parts_of_the_whole(query: str) -> None:
    whole = slugs(small_index().search_entities("spells", query, limit=100, bind_stated=True))
    assert len(whole) >= 4
    for limit in (1, 2, 3, 100):
        for offset in (0, 1, len(whole) - 1, len(whole), len(whole) + 50):
            page = small_index().search_entities("spells", query, None, limit, offset, bind_stated=True)
            assert slugs(page) == whole[offset : offset + limit]
            assert page.total == len(whole)
    by_school = small_index().search_entities("spells", "", {"school": "evocation"}, limit=2, offset=1)
    assert slugs(by_school) == fields_matching(S, lambda one: one["school"] == "Evocation")[1:3]


@pytest.mark.parametrize(("asked", "told"), [
    ({"limit": 0}, "limit=0: give a whole number from 1 to"), ({"limit": -1}, "limit=-1"), ({"limit": 2.0}, "limit=2.0"),
    ({"limit": True}, "limit=True"), ({"limit": "5"}, "limit='5'"), ({"limit": None}, "limit=None"),
    ({"limit": MAX_LIMIT + 1}, "limit="), ({"offset": -1}, "offset=-1: give a whole number from 0 to"),
    ({"offset": 1.5}, "offset=1.5"), ({"offset": MAX_LIMIT + 1}, "offset="),
    ({"query": None}, "query must be a text, not NoneType"), ({"query": b"ember"}, "query must be a text, not bytes"),
    ({"query": ["ember"]}, "query must be a text, not list"),
])
def test_what_is_no_limit_offset_or_query_is_told(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(FilterError, match=told):
        small_index().search_entities("spells", **asked)
    if "limit" in asked:
        with pytest.raises(FilterError, match=told):
            small_index().find_similar_entities("spells", "ember-lash", **asked)


@pytest.mark.parametrize("query", [
    "x" * 100_000, "ember " * 20_000, "level 3 " * 15_000, "1, " * 40_000, "😀🔥", "\0", "ember\0lash", "\ud800 ember",
    "<b>ember</b>", "<script>alert(1)</script>", "' or 1==1", "\" OR \"\"=\"", "\\", "%s %d {0} {{}}", "../../etc/passwd",
    "?", "…", "ĲŁß ﬁ ½", "\u202eember", "a" * 300 + " lash", "(" * 3_000, "ember\n\n\tlash\r",
])
@pytest.mark.parametrize("bind", [False, True])
def test_hostile_queries_break_nothing(query: str, bind: bool) -> None:
    for found in (small_index().search_entities("spells", query, bind_stated=bind),
                  small_index().search_all(query, bind_stated=bind)):
        assert all(0.3 <= one["_score"] <= 1 for one in found)
        assert found.total >= len(found)


def test_stated_is_offered_and_binds_only_when_told() -> None:
    offered = small_index().search_entities("spells", "ember lash of level 1, evocation")
    assert offered.stated == {"level": 1.0, "school": "evocation"}
    assert not offered.bound
    bound = small_index().search_entities("spells", "ember lash of level 1, evocation", bind_stated=True)
    assert bound.bound
    assert bound.stated == offered.stated
    assert bound
    assert {one["level"] for one in bound} == {1}
    sent_back = small_index().search_entities("spells", "", offered.stated)
    assert {*slugs(bound)} <= {*slugs(sent_back)}
    assert small_index().search_entities("spells", "glowing whip", bind_stated=True).bound is False


def test_what_is_changed_in_a_result_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mvp_site.entities.search.CUT", 1e-3)
    index = index_of(stock())
    for first in (lambda: index.search_entities("monsters", "ash wyrm")[0], lambda: index.entity("monsters", "ash-wyrm"),
                  lambda: index.find_similar_entities("monsters", "ash-wyrmling", 100)[0]):
        one = first()
        kept = repr(one)
        one["actions"][0]["desc"] = "changed"
        one["actions"].append({})
        one.clear()
        assert repr(first()) == kept
    found = index.search_entities("spells", "level 3 or 5")
    found.stated["level"].append(7)
    assert index.search_entities("spells", "level 3 or 5").stated == {"level": [3.0, 5.0]}
    index.list_documents()[0]["types"].clear()
    index.facets("spells")["school"].clear()
    assert index.list_documents()[0]["types"]["spells"] == 10
    assert index.facets("spells")["school"]["Evocation"] == 4


@pytest.mark.parametrize(("documents", "says"), [
    ({}, "there is no entity to make an index of"), ({S: [{"name": "X"}, {}]}, "spells: document 2: name: is missing"),
    ({S: [{"name": "?!"}]}, 'spells: document 1: slug: is missing, and the name "\\?!" has no letter or digit'),
    ({S: [{"name": "X"}, {"name": "x!"}]}, 'spells: document 2: slug: "x" is also that of "X"'),
])
def test_what_can_not_be_indexed_is_told(documents: Any, says: str) -> None:
    with pytest.raises(EntityDataError, match=says):
        index_of(documents)
