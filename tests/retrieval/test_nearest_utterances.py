"""NearestUtterances: what is nearly said again is heard, by its nearest wording, and nothing else is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.encoder import Vectors
from mvp_site.retrieval.nearest_utterances import HIGH, LOW, NEAR, NearestUtterances
from mvp_site.retrieval.utterances import Topic

pytestmark = pytest.mark.serving

DIMENSION = 16
Floats = npt.NDArray[np.float32]


def unit(count: int, seed: int = 0, dimension: int = DIMENSION) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def table(counts: list[int]) -> tuple[Topic, ...]:
    return tuple(Topic(f"s{n}", ("said",) * count, "rules") for n, count in enumerate(counts))


def built(counts: list[int], said: Vectors) -> NearestUtterances:
    echoes = NearestUtterances.build(table(counts), said)
    assert echoes is not None
    return echoes


def hear(echoes: NearestUtterances, vector: Floats, likeness: Floats | None = None) -> list[tuple[int, float]]:
    """What is heard of few situations, all of which are looked at."""
    return echoes.heard(vector, np.zeros(len(echoes._starts), np.float32) if likeness is None else likeness)


def at(cosine: float) -> Floats:
    """A vector whose cosine to the first axis is this, and to the second what is left."""
    return np.asarray([cosine, (1 - cosine**2) ** 0.5, *[0] * (DIMENSION - 2)], np.float32)


@pytest.mark.parametrize(
    ("cosine", "worth"),
    [(1.0, 1.0), (0.9, 1.0), (HIGH, 1.0), ((LOW + HIGH) / 2, 0.5), (LOW + 0.2 * (HIGH - LOW), 0.2), (LOW, None), (0.1, None), (-1.0, None)],
)
def test_a_wording_is_heard_as_far_as_it_is_near(cosine: float, worth: float | None) -> None:
    said = np.eye(DIMENSION, dtype=np.float32)[[0, 5, 6]]
    heard = hear(built([1, 2], said), at(cosine))
    if worth is None:
        assert heard == []
    else:
        assert heard == [(0, pytest.approx(worth, abs=1e-5))]


@pytest.mark.parametrize(
    ("counts", "row", "heard"),
    [([0, 1, 1], 0, 1), ([1, 0, 1], 0, 0), ([1, 0, 1], 1, 2), ([1, 1, 0], 1, 1), ([0, 0, 1, 0, 0, 1, 0], 1, 5)],
)
def test_a_situation_without_wordings_is_never_heard(counts: list[int], row: int, heard: int) -> None:
    said = np.eye(DIMENSION, dtype=np.float32)[: sum(counts)]
    for echoes in (built(counts, said), NearestUtterances.load(built(counts, said).dump())):
        assert echoes is not None
        assert hear(echoes, said[row]) == [(heard, 1.0)]


@pytest.mark.parametrize("counts", [[], [0], [0, 0]], ids=str)
def test_without_wordings_there_are_no_echoes(counts: list[int]) -> None:
    assert NearestUtterances.build(table(counts), np.empty((0, DIMENSION), np.float32)) is None


@given(st.lists(st.integers(0, 5), min_size=1, max_size=NEAR).filter(any), st.integers(0, 500))
def test_what_is_heard_is_what_a_look_at_every_wording_gives(counts: list[int], seed: int) -> None:
    said, vector = unit(sum(counts), seed, 4), unit(1, seed + 1000, 4)[0]
    owners = np.repeat(np.arange(len(counts)), counts)
    worth = {
        n: min(max((float((said[owners == n] @ vector).max()) - LOW) / (HIGH - LOW), 0), 1)
        for n, count in enumerate(counts) if count
    }
    heard = hear(built(counts, said), vector, -np.arange(len(counts), dtype=np.float32))
    assert [value for _, value in heard] == pytest.approx(
        sorted((value for value in worth.values() if value > 0), reverse=True)[:NEAR], abs=1e-5
    )
    for n, value in heard:
        assert 0 < value <= 1
        assert value == pytest.approx(worth[n], abs=1e-5)


def test_of_many_situations_the_likeliest_are_looked_at() -> None:
    counts = [1 + n % 3 for n in range(NEAR * 5)]
    said = np.tile(unit(1), (sum(counts), 1))
    echoes, likeness = built(counts, said), np.random.default_rng(1).random(len(counts)).astype(np.float32)
    best = sorted(np.argsort(-likeness)[:NEAR].tolist())
    assert [n for n, _ in echoes.heard(said[0], likeness)] == best[:NEAR]


@pytest.mark.parametrize("rows", [[], [0], [1], [4, 0], [3, 2, 1], [5, 4, 3, 2, 1, 0]], ids=str)
def test_only_some_situations(rows: list[int]) -> None:
    said = np.eye(DIMENSION, dtype=np.float32)
    counts = [2, 0, 3, 1, 2, 0]
    some = built(counts, said[: sum(counts)]).only(rows)
    for spoken in range(sum(counts)):
        owner = int(np.repeat(np.arange(6), counts)[spoken])
        expected = [(rows.index(owner), 1.0)] if owner in rows else []
        assert hear(some, said[spoken]) == expected
    loaded = NearestUtterances.load(some.dump())
    assert loaded is not None
    assert loaded.dump() == some.dump()
