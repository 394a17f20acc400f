"""What is like what: never itself, by kind, and without encoding anything."""

from __future__ import annotations

import numpy as np
import pytest

from mvp_site.content.types import EntityType
from mvp_site.entities.similar import likeness

from .small_stock import CountingEncoder, index_of, slugs, small_index, stock


def alike(type_: EntityType, reference: str, cosine: float = 0.5) -> dict[str, float]:
    """The likeness of all of a type to one of it, where the texts' cosine is the same for each."""
    release = small_index()._now().release
    store = release.document_store
    start, end = store.span(type_)
    numbers = np.arange(start, end)
    scores = likeness(release, type_, store.number(type_, reference), numbers, np.full(end - start, cosine, np.float32))
    return dict(zip(store.slugs[start:end], scores.tolist(), strict=True))


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


@pytest.mark.parametrize(("type_", "reference", "nearer", "farther"), [
    ("monsters", "marsh-goblet", "marsh-goblet-chief", "ash-wyrm"),
    ("monsters", "ash-wyrm", "ash-wyrmling", "bone-clerk"),
    ("spells", "ember-lash", "ember-storm", "speak-with-rivers"),
    ("spells", "gentle-mending", "greater-mending", "nights-bargain"),
    ("weapons", "needle-blade", "parlour-sword", "mill-hammer"),
    ("weapons", "mill-hammer", "hook-halberd", "crossbow-pocket"),
])
def test_of_two_whose_texts_are_as_alike_the_one_of_its_kind_is_nearer(
        type_: str, reference: str, nearer: str, farther: str) -> None:
    scores = alike(EntityType(type_), reference)
    assert scores[nearer] > scores[farther]
    assert max(scores, key=scores.__getitem__) == reference


def test_a_large_stock_is_asked_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mvp_site.entities.release.ALIKE_ENTITIES", 0)
    index = index_of(stock())
    assert index._now().release.alike is None
    for slug in ("ash-wyrm", "marsh-goblet"):
        found = index.find_similar_entities("monsters", slug)
        assert {*slugs(found), slug} == {one["slug"] for one in stock()[EntityType.MONSTERS]}
