"""What is like what: never itself, by kind, and without encoding anything."""

from __future__ import annotations

import pytest

from mvp_site.content.types import EntityType

from .small_stock import CountingEncoder, index_of, slugs, small_index, stock


def test_the_reference_is_never_its_own_like_and_scores_fall() -> None:
    index = small_index()
    found_any = 0
    for type_ in EntityType:
        for entity in index.search_entities(type_, limit=100):
            found = index.find_similar_entities(type_, entity["slug"], limit=100)
            found_any += len(found)
            assert entity["slug"] not in slugs(found)
            assert all(0 < one["_score"] <= 1 for one in found)
            order = [(-one["_score"], one["slug"]) for one in found]
            assert order == sorted(order)
            assert {one["entity_type"] for one in found} <= {type_}
            assert found.total == len(found)
            assert (found.stated, found.bound) == ({}, False)
    assert found_any


def test_nothing_is_encoded() -> None:
    encoder = CountingEncoder()
    index = index_of(stock(), encoder)
    before = len(encoder.texts)
    for slug in ("ash-wyrm", "marsh-goblet", "toll-troll"):
        index.find_similar_entities("monsters", slug)
    assert len(encoder.texts) == before


def test_a_large_stock_is_asked_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mvp_site.entities.release.ALIKE_ENTITIES", 0)
    index = index_of(stock())
    assert index._now().release.alike is None
    for slug in ("ash-wyrm", "marsh-goblet"):
        found = index.find_similar_entities("monsters", slug)
        assert {*slugs(found), slug} == {one["slug"] for one in stock()[EntityType.MONSTERS]}
