"""The hybrid index: what is encoded, what is kept, and what comes back from disk."""

from __future__ import annotations

import numpy as np
import pytest

from mvp_site.retrieval.index import HybridIndex, Passage, VectorCache
from mvp_site.retrieval.windows import windows
from mvp_site.text.normalising import terms

from ..hashing import HashingEncoder

pytestmark = pytest.mark.serving

PASSAGES = [
    Passage("a", ("mechanics", "Experience"), "A foe of CR 1/4 is worth fifty points.", ()),
    Passage(
        "b",
        ("mechanics", "Falling"),
        "It takes 1d6 for every ten feet. " * 60,
        ("I jump off the roof",),
    ),
    Passage(
        "c",
        (),
        "The harbour master keeps the true ledger.",
        ("who runs the docks?", "I bribe the clerk"),
    ),
]


def build(encoder: HashingEncoder, cache: VectorCache | None = None) -> HybridIndex:
    return HybridIndex.build(PASSAGES, encoder, cache or VectorCache(encoder))


def test_each_passage_has_its_windows_and_its_phrases(encoder: HashingEncoder) -> None:
    index = build(encoder)
    expected = [
        text
        for passage in PASSAGES
        for text in (*windows(passage.heading, passage.text, encoder), *passage.also)
    ]
    assert len(expected) > len(PASSAGES) + 3  # b is longer than a window
    assert np.array_equal(index.dense.vectors(), HashingEncoder().encode(expected))
    assert index.passages == 3
    assert HybridIndex.load(index.dump(), 3).dump() == index.dump()


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("CR 1/4", 0),
        ("experience", 0),
        ("ten feet", 1),
        ("falling ten feet", 1),
        ("jump off a roof", 1),
        ("ledger", 2),
        ("bribe the clerk", 2),
    ],
)
def test_text_heading_and_phrases_are_found_in_both_lanes(query: str, best: int) -> None:
    encoder = HashingEncoder(dimension=1024)  # next to no likeness by chance
    index = build(encoder)
    assert int(index.lexical.scores(terms(query))[0].argmax()) == best
    assert int(index.dense.scores(encoder.encode([query])[0]).argmax()) == best


def test_only_what_is_new_is_encoded(encoder: HashingEncoder) -> None:
    first = build(encoder)
    encoded = encoder.encoded
    cache = VectorCache(encoder)
    cache.add(first.dense.keys, first.dense.vectors())
    parts = [*PASSAGES[:2], Passage("c", (), "The harbour master is dead.", PASSAGES[2].also)]
    second = HybridIndex.build(parts, encoder, cache)
    assert encoder.encoded == encoded + 1
    assert cache.encoded == 1
    fresh = HybridIndex.build(parts, encoder, VectorCache(encoder))
    assert second.dump() == fresh.dump()
