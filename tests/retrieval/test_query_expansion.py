from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mvp_site.retrieval import query_expansion as talk
from mvp_site.retrieval import utterances
from mvp_site.retrieval.domain_classifier import fit, with_own

from ..hashing import HashingEncoder


def expansion(table: Sequence[utterances.Topic]) -> talk.QueryExpansion:
    encoder = HashingEncoder()
    own = encoder.encode(["a section of a book", "another"])
    return talk.QueryExpansion.build(table, encoder.encode(talk.texts(table)), own)


def test_what_is_said_means_what_its_topic_is_about() -> None:
    table = utterances.rule_topics()
    built = expansion(table)
    for number, topic in enumerate(table):
        found = built.meaning(HashingEncoder().encode([topic.says[1]])[0])
        assert found is not None
        assert found.topics[0] == number
        assert built.rules[number] == topic.rules
        assert (-np.diff(found.likeness) >= 0).all()
        assert (found.shares.sum(), np.linalg.norm(found.vector)) == (pytest.approx(1), pytest.approx(1))
        assert found.vector @ HashingEncoder().encode([topic.rules])[0] > 0.9


def test_the_shipped_utterances_are_whole() -> None:
    entries = utterances.shipped("rules")
    assert len(entries) > 2_000
    for entry in entries:
        assert len(entry.says) >= 2, entry.id
        assert entry.rules.isascii(), entry.id
        assert 3 <= len(entry.rules.split()) <= 24, entry.id


def test_a_domain_classifier_is_the_same_wherever_its_search_began() -> None:
    random = np.random.default_rng(3)
    on, off = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (
        random.normal(mean, 1, (600, 24)).astype(np.float32) for mean in (0.2, -0.2)))
    whole = fit(with_own(on, on[:50]), off)
    near = fit(with_own(on, on[:40]), off)
    assert np.array_equal(fit(with_own(on, on[:50]), off, near).weights, whole.weights)
    assert not np.array_equal(near.weights, whole.weights)
