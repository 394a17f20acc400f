"""The local engine: what it finds is what a look at every passage finds, on the graph as well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.retrieval import dense
from mvp_site.retrieval.collection import Hits, IndexedPassage, Query
from mvp_site.retrieval.filters import AnyOf, Condition, Contains, Range
from mvp_site.retrieval.index import ALL, HybridIndex, spans_of
from mvp_site.retrieval.lexical import LexicalLane

from .passages import fulfils, opened, unit

pytestmark = pytest.mark.serving

WORDS = ("fire", "cold", "heal", "light", "goblin")
GROUPS = ("spells", "monsters", "items")


def record(number: int, group: str, rng: np.random.Generator) -> IndexedPassage:
    """A passage of chance."""
    return IndexedPassage(
        number, group, tuple(rng.choice(WORDS, rng.integers(0, 5))), unit(int(rng.integers(1, 4)), int(rng.integers(1 << 30))),
        {"level": float(number % 7), "ritual": number % 3 == 0, "school": ("evo", "evocation")[number % 2]},
    )


def collection(sizes: Sequence[int], seed: int) -> list[IndexedPassage]:
    """So many passages of each group, one group's after another's."""
    rng, groups = np.random.default_rng(seed), [g for g, size in zip(GROUPS, sizes, strict=False) for _ in range(size)]
    return [record(number, group, rng) for number, group in enumerate(groups)]


class Truth:
    """What is true of a collection, worked out passage by passage."""

    def __init__(self, records: Sequence[IndexedPassage]) -> None:
        self.records = records
        self._lane = LexicalLane.build([one.terms for one in records])

    def allowed(self, wanted: Query) -> list[int]:
        return [one.number for one in self.records if fulfils(one, wanted.types, wanted.where)]

    def cosine(self, wanted: Query) -> np.ndarray:
        if wanted.vector is None:
            return np.zeros(len(self.records), np.float32)
        return np.asarray([(one.vectors @ wanted.vector).max() for one in self.records])

    def check(self, wanted: Query, found: Hits, missed: int = 0) -> None:
        """Sorted, allowed, scored exactly, and with those that had to be found but for some missed."""
        numbers, allowed = found.numbers.tolist(), self.allowed(wanted)
        assert found.numbers.dtype == np.int64
        assert found.cosine.dtype == found.lexical.dtype == np.float32
        assert numbers == sorted(set(numbers))
        assert set(numbers) <= set(allowed)
        cosine, lexical = self.cosine(wanted), self._lane.scores(wanted.terms)[0]
        assert found.cosine == pytest.approx(cosine[numbers], abs=1e-5)
        assert found.lexical == pytest.approx(lexical[numbers], abs=1e-6)
        assert set(wanted.also) & set(allowed) <= set(numbers)
        held = set(numbers)
        for group in wanted.types:
            mine = [n for n in allowed if self.records[n].type == group]
            if len(mine) <= ALL:
                assert held >= set(mine)
                continue
            said = [n for n in mine if lexical[n] > 0]
            assert sum(n in held for n in said) >= min(wanted.limit, len(said))
            best = sorted(said, key=lambda n: -lexical[n])[: wanted.limit]
            threshold = lexical[best[-1]] if best else 1.0
            assert all(n in held for n in said if lexical[n] > threshold)
            if wanted.vector is not None:
                near = sorted(mine, key=lambda n: -cosine[n])[: wanted.limit]
                assert len(set(near) - held) <= missed


WHERE: tuple[Condition, ...] = (
    (), (Range("level", 2.0, 5.0),), (AnyOf("level", (3.0,)), AnyOf("ritual", (True,))), (Contains("school", "evo"),),
    (AnyOf("school", ("evo",)), Range("level", None, 4.0)), (AnyOf("school", ("' or 1==1",)),), (AnyOf("nothing", (1.0,)),),
)


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=3), st.integers(0, 50),
    st.lists(st.sampled_from([*GROUPS, "nothing"]), max_size=5).map(tuple), st.booleans(),
    st.lists(st.sampled_from([*WORDS, "unseen", ""]), max_size=4).map(tuple), st.sampled_from(WHERE),
    st.lists(st.integers(-5, 50), max_size=4).map(tuple), st.integers(1, 20), st.sampled_from([0, 50_000]),
)
@settings(max_examples=60, deadline=None)
def test_candidates_are_those_of_a_look_at_every_passage(
    sizes: list[int], seed: int, groups: tuple[str, ...], vector: bool, terms: tuple[str, ...], where: Condition,
    also: tuple[int, ...], limit: int, exact: int,
) -> None:
    records = collection(sizes, seed)
    backend = opened(records, exact)
    wanted = Query(groups, unit(1, seed + 99)[0] if vector else None, terms, where, also, limit)
    truth = Truth(records)
    found = backend.search(wanted)
    truth.check(wanted, found)
    assert found.numbers.tolist() == truth.allowed(wanted)  # few enough to be all of them
    assert backend.search(Query(groups, where=where)).numbers.tolist() == truth.allowed(wanted)
    for one in records[:3]:
        assert np.array_equal(backend.vectors(one.number), one.vectors)
    loaded = HybridIndex.load(backend.dump(), len(records), backend._columns, backend._spans).search(wanted)
    assert [loaded.numbers.tolist(), loaded.cosine.tolist(), loaded.lexical.tolist()] == [
        found.numbers.tolist(), found.cosine.tolist(), found.lexical.tolist()
    ]


MANY = ALL + 300


@pytest.fixture(scope="module")
def many() -> Truth:
    """More passages of one group than all of which become candidates, between two small groups."""
    rng, rows = np.random.default_rng(5), unit(MANY + 80, 6)
    groups = ["spells"] * 40 + ["monsters"] * MANY + ["items"] * 40
    return Truth([
        IndexedPassage(number, group, tuple(rng.choice(WORDS, 3)) if number % 3 else (), rows[number : number + 1], {
            "level": float(number % 50), "ritual": number % 3 == 0,
        })
        for number, group in enumerate(groups)
    ])


@pytest.fixture(scope="module", params=[1_000, 50_000], ids=["graph", "exact"])
def backend(many: Truth, request: pytest.FixtureRequest) -> HybridIndex:
    return opened(many.records, request.param)


ALSO = (0, 39, 40, 41, 999, 2_000, 2_000, MANY + 39, MANY + 41, MANY + 80, -1, 10**12)
MOST: Condition = (Range("level", 1.0, None),)
HALF: Condition = (Range("level", 25.0, None),)


@pytest.mark.parametrize("vector", [True, False], ids=["vector", "words"])
@pytest.mark.parametrize("where", [(), MOST, HALF], ids=["all", "most", "half"])
@pytest.mark.parametrize("groups", [("monsters",), ("items", "monsters", "spells"), ("spells", "items", "items")], ids=",".join)
@pytest.mark.parametrize("terms", [("fire", "cold"), ("unseen",)], ids=",".join)
def test_of_more_than_all_the_best_of_both_lanes_are_candidates(
    many: Truth, backend: HybridIndex, monkeypatch: pytest.MonkeyPatch, vector: bool, where: Condition,
    groups: tuple[str, ...], terms: tuple[str, ...],
) -> None:
    monkeypatch.setattr(dense, "_STEP", 0)
    wanted = Query(groups, unit(1, 7)[0] if vector else None, terms, where, ALSO, 30)
    found = backend.search(wanted)
    many.check(wanted, found, missed=2)
    big = [n for n in found.numbers if 40 <= n < MANY + 40]
    if "monsters" in groups and len([n for n in many.allowed(wanted) if 40 <= n < MANY + 40]) > ALL:
        assert len(big) <= 2 * 30 + len(ALSO) + 30


def test_a_group_that_stands_in_two_places_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^the passages of a do not stand next to each other$"):
        spans_of(["a", "b", "a"])
