"""The dense lane: a passage scores by its best window, exact up to a size, approximate beyond."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval import dense
from mvp_site.retrieval.dense import FILES, DenseLane
from mvp_site.retrieval.encoder import Vectors

pytestmark = pytest.mark.serving

DIMENSION = 16


def unit(count: int, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def lane(vectors: Vectors, owners: list[int], exact_windows: int = 50_000) -> DenseLane:
    return DenseLane.build(vectors, owners, keys(len(vectors)), max(owners) + 1, exact_windows)


def keys(count: int) -> npt.NDArray[np.uint8]:
    return np.arange(count * 16, dtype=np.uint64).astype(np.uint8).reshape(count, 16)


def best_windows(
    vectors: Vectors, owners: list[int], query: npt.NDArray[np.float32]
) -> list[float]:
    """What the lane promises, the slow way."""
    similar = vectors @ query
    return [
        max(float(s) for s, owner in zip(similar, owners, strict=True) if owner == passage)
        for passage in range(max(owners) + 1)
    ]


@pytest.mark.parametrize("exact_windows", [10, 1000], ids=["sketches", "exact"])
def test_a_loaded_lane_is_the_dumped_one(exact_windows: int) -> None:
    owners = [number // 2 for number in range(200)]
    vectors = unit(len(owners))
    built = lane(vectors, owners, exact_windows)
    files = built.dump()
    assert set(files) == {*FILES, *(() if built.exact else (dense.SKETCH,))}
    assert lane(vectors, owners, exact_windows).dump() == files
    loaded = DenseLane.load(files, 100)
    assert loaded.dump() == files
    assert loaded.exact is built.exact
    assert np.array_equal(loaded.vectors(), vectors)
    assert np.array_equal(loaded.keys, keys(len(vectors)))
    for query in unit(5, seed=2):
        assert np.array_equal(loaded.scores(query), built.scores(query))


@pytest.fixture
def sketches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit sketches are searched, whatever it would cost to compare every window."""
    monkeypatch.setattr(dense, "_FEW", 10**9)


@pytest.mark.slow
@pytest.mark.parametrize("windows", [1, 3])
@pytest.mark.parametrize(("start", "end"), [(0, 3000), (500, 2500)], ids=["all", "a group"])
@pytest.mark.parametrize("part", [1.0, 0.5, 0.05], ids=str)
def test_beyond_the_limit_a_filter_leaves_the_nearest_of_what_it_lets_through(
    windows: int, start: int, end: int, part: float, sketches: None
) -> None:
    owners = [number // windows for number in range(3000 * windows)]
    vectors = unit(len(owners))
    sketched, count = lane(vectors, owners, exact_windows=100), 50
    allowed = np.random.default_rng(3).random(end - start) < part if part < 1 else None
    for query in unit(5, seed=4):
        near = sketched.nearest(query, count, start, end, allowed)
        held = np.arange(start, end) if allowed is None else np.flatnonzero(allowed) + start
        truth = held[np.argsort(-sketched.of(query, held), kind="stable")[:10]]
        assert len(near) >= count
        assert np.array_equal(near, np.unique(near))
        assert set(near) <= set(held)
        assert len(set(truth) & set(near)) >= 9


@pytest.mark.parametrize("part", [1.0, 0.02], ids=str)
def test_beyond_the_limit_as_many_are_found_as_there_are(part: float, sketches: None) -> None:
    """The same text over and over has the same sketch over and over."""
    vectors = np.repeat(unit(4), 500, axis=0)
    sketched = lane(vectors, list(range(2000)), exact_windows=100)
    allowed = np.arange(2000) % round(1 / part) == 0
    near = sketched.nearest(unit(1, seed=1)[0], 600, 0, 2000, allowed)
    assert len(near) >= min(600, int(allowed.sum()))
    assert allowed[near].all()


WINDOWS = st.lists(st.integers(1, 4), min_size=1, max_size=12)
LIMITS = st.sampled_from([0, 50_000])  # sketches and the exact search


@given(WINDOWS, LIMITS, st.integers(0, 100), st.data())
def test_parts_of_a_lane_are_compared_exactly(windows: list[int], limit: int, seed: int, data: st.DataObject) -> None:
    owners = [passage for passage, count in enumerate(windows) for _ in range(count)]
    vectors, query = unit(len(owners), seed), unit(1, seed + 5000)[0]
    held = lane(vectors, owners, limit)
    truth = np.asarray(best_windows(vectors, owners, query), np.float32)
    start = data.draw(st.integers(0, len(windows) - 1))
    end = data.draw(st.integers(start + 1, len(windows)))
    if limit:
        scores = held.scores(query)
        assert scores.dtype == np.float32
        assert scores == pytest.approx(truth, abs=1e-5)
    some = np.asarray(data.draw(st.lists(st.integers(0, len(windows) - 1))), np.int64)
    of = held.of(query, some)
    assert of.dtype == np.float32
    assert of == pytest.approx(truth[some], abs=1e-5)
    rows = [row for row, owner in enumerate(owners) if start <= owner < end]
    assert np.array_equal(held.vectors(start, end), vectors[rows])


@given(WINDOWS, LIMITS, st.integers(0, 100), st.integers(1, 15), st.data())
def test_the_nearest_are_those_of_a_comparison_with_all(
    windows: list[int], limit: int, seed: int, count: int, data: st.DataObject
) -> None:
    owners = [passage for passage, several in enumerate(windows) for _ in range(several)]
    vectors, query = unit(len(owners), seed), unit(1, seed + 5000)[0]
    start = data.draw(st.integers(0, len(windows) - 1))
    end = data.draw(st.integers(start + 1, len(windows)))
    marks = data.draw(st.none() | st.lists(st.booleans(), min_size=end - start, max_size=end - start))
    allowed = None if marks is None else np.asarray(marks, np.bool_)
    near = lane(vectors, owners, limit).nearest(query, count, start, end, allowed)
    assert near.dtype == np.int64
    truth = best_windows(vectors, owners, query)
    question = [n for n in range(start, end) if allowed is None or allowed[n - start]]
    assert near.tolist() == sorted(sorted(question, key=lambda n: -truth[n])[:count])
