"""The searcher: what it encodes, keeps and asks of the engine; scores do not hang on how much that gives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mvp_site.content.types import EntityType
from mvp_site.entities import search as module
from mvp_site.entities.index import EntityIndex
from mvp_site.retrieval import index as local_index

from ..doubles import FailingEncoder
from .small_stock import CountingEncoder, index_of, slugs, small_index, stock

S, M = EntityType.SPELLS, EntityType.MONSTERS
ASKED: list[tuple[EntityType, str, Any]] = [
    (S, "wounds close", None), (S, "ember", None), (S, "ember", {"level_min": 2}), (S, "a whip of coals", None),
    (M, "paralysed limbs", None), (M, "ash", {"flying": True}), (M, "undead that writes names", None),
]


def asked_of(index: EntityIndex) -> list[dict[str, float]]:
    return [{one["slug"]: one["_score"] for one in index.search_entities(*asked)} for asked in ASKED]


@pytest.mark.parametrize("depth", [3, 5])
def test_a_score_does_not_hang_on_how_many_candidates_there_are(monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    everything = asked_of(small_index())
    monkeypatch.setattr(local_index, "ALL", 0)
    monkeypatch.setattr(module, "DEPTH", depth)
    for found, whole in zip(asked_of(index_of(stock())), everything, strict=True):
        assert {*found} <= {*whole}
        assert found == pytest.approx({slug: whole[slug] for slug in found}, abs=1e-5)
        assert bool(found) == bool(whole)


def test_a_call_encodes_its_query_once_and_what_was_answered_is_kept() -> None:
    encoder = CountingEncoder()
    index = index_of(stock(), encoder)
    before = encoder.encoded
    for _ in range(2):
        index.search_all("a whip of coals")
    assert encoder.encoded == before + 1
    index.search_entities("spells")
    index.facets("spells")
    assert encoder.encoded == before + 1


def test_many_at_once_get_the_same() -> None:
    index = index_of(stock())
    expected = asked_of(small_index())
    with ThreadPoolExecutor(8) as pool:
        assert all(one == expected for one in pool.map(lambda _: asked_of(index), range(16)))


def test_what_is_found_without_the_encoder_is_not_kept() -> None:
    encoder = FailingEncoder()
    index = index_of(stock(), encoder)
    encoder.error = RuntimeError("the graph is gone")
    found = index.search_entities("spells", "a whip of coals")
    assert (slugs(found)[0], found.lanes_failed) == ("ember-lash", {"dense": "RuntimeError: the graph is gone"})
    assert index.search_entities("spells").total == 10
    encoder.error = None
    before = encoder.encoded
    index.search_entities("spells", "a whip of coals")
    assert encoder.encoded == before + 1
