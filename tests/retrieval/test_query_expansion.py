from __future__ import annotations

import numpy as np

from mvp_site.retrieval import topic_files
from mvp_site.retrieval.discriminant import fit, with_own
from mvp_site.retrieval.index import HybridIndex, Passage, VectorCache
from mvp_site.retrieval.query_expansion import QueryExpansion, spoken
from tests.hashing import HashingEncoder


def test_the_shipped_utterances_are_whole() -> None:
    entries = topic_files.shipped("rules")
    assert len(entries) > 2_000
    for entry in entries:
        assert len(entry.says) >= 2, entry.id
        assert entry.rules.isascii(), entry.id
        assert 3 <= len(entry.rules.split()) <= 24, entry.id


def test_a_discriminant_is_the_same_wherever_its_search_began() -> None:
    random = np.random.default_rng(3)
    on, off = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (
        random.normal(mean, 1, (600, 24)).astype(np.float32) for mean in (0.2, -0.2)))
    whole = fit(with_own(on, on[:50]), off)
    near = fit(with_own(on, on[:40]), off)
    assert np.array_equal(fit(with_own(on, on[:50]), off, near).weights, whole.weights)
    assert not np.array_equal(near.weights, whole.weights)


def test_a_topic_is_at_home_in_the_one_passage_that_says_most_of_it() -> None:
    encoder = HashingEncoder(256)
    passages = [Passage("a", ("Falling",), "A fall deals damage for every ten feet."),
                Passage("b", ("Drowning",), "Without air a creature holds its breath for minutes.")]
    index = HybridIndex.build(passages, encoder, VectorCache(encoder))
    table = [topic_files.Topic("air", ("how long can I dive", "no air down here"), "Drowning: without air, holds its breath for minutes"),
             topic_files.Topic("trade", ("what sells here", "prices of silk"), "merchants, silk, markets")]
    vectors = encoder.encode([*spoken(table), "a tax form", "a car engine"])
    expansion = QueryExpansion.build(table, vectors, index.dense.vectors())
    homes = expansion.homes(index)
    assert homes.tolist() == [1, -1]
    meaning = expansion.meaning(encoder.encode(["how long can I dive"])[0])
    assert meaning is not None
    falling, drowning = meaning.at_home(homes, 2)
    assert falling == 0 < drowning <= 1
