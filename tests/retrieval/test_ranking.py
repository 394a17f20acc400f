"""The ranker: parts that add up, a total order, evidence apart from order, lanes that fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import BackendError
from mvp_site.retrieval.collection import Hits, SearchRequest
from mvp_site.retrieval.ranking import (
    BELOW,
    MEANING,
    WORDS,
    LanesFailedError,
    ParsedQuery,
    Ranking,
    Signal,
    Understanding,
    Weights,
    best_of_each,
    lifted_to_parents,
    rank,
    understand,
)

pytestmark = pytest.mark.serving
WEIGHTS = Weights(topic=0.4, topic_most=5.0)
VECTOR = np.ones(4, np.float32) / 2
UNIT = st.floats(0, 1, width=32)


class Given:
    """A collection with these scores; ``broken`` says what each lane raises."""

    def __init__(self, cosine: list[float], words: list[float], /, **broken: Exception) -> None:
        self._lanes = np.array([cosine, words], np.float32)
        self.passages, self._broken = len(cosine), broken

    def search(self, query: SearchRequest) -> Hits:
        if query.vector is not None and "dense" in self._broken:
            raise self._broken["dense"]
        if query.terms and "lexical" in self._broken:
            raise self._broken["lexical"]
        return Hits(np.arange(self.passages), *self._lanes)


def ranked(collection: Any, *signals: Signal, weights: Weights = WEIGHTS, topic: float | None = 0.5,
           vector: Any = VECTOR, **fields: Any) -> Ranking:
    query = ParsedQuery("fire", terms=("fire",), unknown=fields.pop("unknown", 0.0))
    return rank(query, Understanding(vector, topic), collection, weights, signals, **fields)


def constant(values: list[float]) -> Any:
    return np.array(values, np.float32).__getitem__


LANES = st.lists(st.tuples(st.floats(-1, 1, width=32), UNIT, UNIT), min_size=1, max_size=12)


@given(LANES, st.none() | UNIT)
def test_parts_add_up_and_the_order_is_total(lanes: list[tuple[float, float, float]], topic: float | None) -> None:
    cosine, lexical, extra = map(list, zip(*lanes, strict=True))
    ranking = ranked(Given(cosine, lexical), Signal("extra", constant(extra), 0.0), topic=topic)
    assert sum(ranking.parts.values()) == pytest.approx(ranking.scores, abs=1e-5)
    keys = list(zip((-ranking.scores).tolist(), ranking.numbers.tolist(), strict=True))
    assert keys == sorted(keys)
    assert sorted(ranking.numbers.tolist()) == list(range(len(lanes)))
    assert ((ranking.relevance > 0) & (ranking.relevance < 1)).all()
    assert (np.diff(ranking.relevance) <= 0).all()
    lanes_alone = ranking.parts[MEANING] + ranking.parts[WORDS]
    assert ranking.evidence == pytest.approx(WEIGHTS.evidence(lanes_alone, topic), abs=1e-6)
    assert ((ranking.evidence >= 0) & (ranking.evidence <= 1 + 1e-6)).all()


@given(LANES)
def test_a_score_does_not_depend_on_its_neighbours(lanes: list[tuple[float, float, float]]) -> None:
    cosine, lexical, _ = map(list, zip(*lanes, strict=True))
    together = ranked(Given(cosine, lexical))
    for number, score in zip(together.numbers.tolist(), together.scores.tolist(), strict=True):
        alone = ranked(Given(cosine[number : number + 1], lexical[number : number + 1]))
        assert alone.scores.tolist() == [score]


def test_a_lane_left_alone_has_the_weight_of_both() -> None:
    for collection, vector in ((Given([0.75], [0.0], lexical=RuntimeError()), VECTOR), (Given([0.0], [0.7]), None)):
        assert ranked(collection, vector=vector).scores.tolist() == [1.0]


def test_evidence_without_the_dense_lane_knows_no_topic_however_it_failed() -> None:
    searched = ranked(Given([0.4], [0.3], dense=RuntimeError()), topic=0.9)
    encoded = ranked(Given([0.4], [0.3]), topic=None, vector=None)
    assert searched.evidence.tolist() == searched.scores.tolist() == encoded.evidence.tolist()


def test_both_lanes_failing_is_an_error_and_an_engine_that_is_gone_another() -> None:
    with pytest.raises(LanesFailedError, match="dense: RuntimeError"):
        ranked(Given([0.5], [0.5], dense=RuntimeError("a"), lexical=RuntimeError("b")))
    with pytest.raises(BackendError):
        ranked(Given([0.5], [0.5], dense=BackendError("gone")))


def test_what_fails_once_and_passes_leaves_both_lanes_rows_of_the_same_hits() -> None:
    class Torn(Given):
        searches = 0

        def search(self, request: SearchRequest) -> Hits:
            self.searches += 1
            if self.searches == 1:
                raise RuntimeError("torn")
            hits = super().search(request)
            if request.vector is not None and request.terms:
                return hits
            half = slice(0, 2) if request.vector is not None else slice(1, 3)
            return Hits(hits.numbers[half], hits.cosine[half], hits.lexical[half])

    ranking = ranked(Torn([0.5, 0.4, 0.3], [0.1, 0.2, 0.6]))
    assert sorted(ranking.numbers.tolist()) == [0, 1, 2]
    assert ranking.by_number(ranking.lexical, 3).tolist() == ranked(Given([0.5, 0.4, 0.3], [0.1, 0.2, 0.6])).by_number(ranking.lexical, 3).tolist()

    class Gone(Torn):
        def search(self, request: SearchRequest) -> Hits:
            self.searches += 1
            raise BackendError("gone") if self.searches > 1 else RuntimeError("torn")

    with pytest.raises(BackendError):
        ranked(Gone([0.5], [0.5]))


def test_an_encoder_that_fails_is_told_and_never_quotes_the_query() -> None:
    def encode(text: str) -> Any:
        raise ValueError(f"cannot encode {text}")

    assert understand(encode, "the secret ferry").failed == {"dense": "ValueError"}
    assert ranked(Given([0.5], [0.5]), vector=None).dense is None


def test_a_signal_can_raise_a_score_without_being_evidence() -> None:
    plain = ranked(Given([0.1, 0.3], [0.1, 0.3]))
    raised = ranked(Given([0.1, 0.3], [0.1, 0.3]), Signal("aside", constant([0.9, 0.1]), 0.0, at_least=True))
    assert (plain.numbers.tolist(), raised.numbers.tolist()) == ([1, 0], [0, 1])
    assert raised.scores[0] == pytest.approx(0.9)
    assert sorted(raised.evidence) == sorted(plain.evidence)


def test_nothing_answers_under_the_floor_but_what_is_named() -> None:
    weights = replace(WEIGHTS, floor=0.9, refused=0.25, unknown=0.4)
    refused = ranked(Given([0.3, 0.2], [0.1, 0.1]), weights=weights, named={1: 1.0})
    assert not refused.answers
    assert refused.numbers.tolist() == [1, 0]
    assert refused.relevance[0] == 1
    assert ranked(Given([0.75], [0.7]), weights=weights, topic=1.0).answers
    assert not ranked(Given([0.75], [0.7]), weights=weights, topic=1.0, unknown=1.0).answers


def test_the_best_hit_of_each_owner_stands_for_it() -> None:
    ranking = best_of_each(ranked(Given([0.1, 0.7, 0.4], [0, 0, 0])), np.array([5, 9, 5]))
    assert ranking.numbers.tolist() == [1, 2]


class OfMany(Given):
    """A collection in which a query finds the best passage and what is asked for besides."""

    def search(self, query: SearchRequest) -> Hits:
        rows = np.union1d(np.argmax(self._lanes[0]), np.array(query.also, np.int64))
        return Hits(rows, *self._lanes[:, rows])


def test_among_many_what_stands_above_a_hit_is_lifted_too() -> None:
    ranking = ranked(OfMany([0.1, 0.1, 0.3, 0.7], [0.0] * 4), weights=replace(WEIGHTS, lift=0.5), parents=np.array([-1, 0, -1, 1]))
    assert ranking.numbers.tolist() == [3, 1, 0]
    assert (ranking.parts[BELOW] > 0).tolist() == [False, True, True]


@given(st.lists(st.tuples(UNIT, st.integers(0, 30)), min_size=1, max_size=30))
def test_evidence_climbs_to_the_top(passages: list[tuple[float, int]]) -> None:
    scores = np.asarray([score for score, _ in passages], np.float32)
    parents = np.array([-1 if back >= number else back for number, (_, back) in enumerate(passages)])
    lifted = lifted_to_parents(scores, parents, 0.5)
    for number, score in enumerate(scores):
        below = [(score + lifted[child]) / 2 for child, parent in enumerate(parents) if parent == number]
        assert lifted[number] == pytest.approx(max([score, *below]))
