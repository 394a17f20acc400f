from __future__ import annotations

import numpy as np

from mvp_site.retrieval import utterances
from mvp_site.retrieval.domain_classifier import fit, with_own


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
