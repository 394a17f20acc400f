"""The ranker: a parsed query over a collection becomes a ranking. Every source is searched by it.

A hit's score is a sum of named parts: both lanes on absolute scales, the lift that a parent has
from its best child, and the signals of the source. Two questions are kept apart. The *order* is
that of the score. Whether *anything* answers is judged by the evidence: the best score without the
parts that are no evidence, how far the query is about the game, and how many of its words nothing
here has. Per-query normalisation makes the best of nothing look perfect and reciprocal ranks carry
no size, so neither can stand under a floor. The convex form is that of Bruch, Gai and Ingber
(2023).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from ..errors import BackendError
from .collection import Collection, Hits, Numbers, Query, Scores, lexical_of
from .encoder import Vector, failure
from .filters import Condition

MEANING: Final = "meaning"
WORDS: Final = "words"
BELOW: Final = "below"
"""The parts that every ranking has: the dense lane, the lexical lane, the lift of parents."""
LEAST: Final = 1e-6
_log = logging.getLogger("mvp_site.retrieval")


@dataclass(frozen=True, slots=True)
class QueryName:
    """A name that the query has: given as one, or found in its words."""

    words: tuple[str, ...]
    given: bool

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedQuery:
    """What a query asks, ready to be ranked.

    ``text`` is what the dense lane encodes, '' where nothing was asked; ``words`` are the user's,
    misspelt ones mended, and ``terms`` the lexical lane's. ``context`` are terms that count less:
    those of hints, intentions and concepts. ``constraints`` are what the query states of fields.
    ``unknown`` is the share of its telling words that nothing here has, in [0, 1]. ``corrected``
    are words that were taken for others.
    """

    text: str
    words: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    names: tuple[QueryName, ...] = ()
    constraints: Condition = ()
    unknown: float = 0.0
    corrected: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Understanding:
    """What the encoder makes of a query.

    ``vector`` is of unit length, None where the encoder failed; ``topic`` says how far the query is
    about the game, in [0, 1]. ``failed`` has the failed lane with its error.
    """

    vector: Vector | None
    topic: float | None = None
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weights:
    """What the parts of a score count, what is evidence, and how scores become relevance.

    ``dense`` and ``lexical`` are the lanes'; a lane that is left alone has the weight of both. The
    cosine ``dense_low`` is worth 0 and ``dense_high`` 1, the lexical score ``lexical_high`` 1:
    passages rarely carry all of a query's weight. A term of the context counts ``context``. A
    parent is lifted by ``lift`` of the way to its best child.

    Evidence is ``1 - topic`` of a score and ``topic`` of the topicality, which counts up to
    ``topic_most`` times the score: that a turn is about the game lifts nothing that has next to
    nothing to do with it. A passage that carries most of the query's weight shows by itself, as
    far as ``lexical_topic``, that the query is on topic: a bare look-up ("XP for CR 17") says
    little to an encoder. ``topic_absent`` stands for the topicality where there is no vector.
    ``unknown`` is what evidence loses where all words are unknown. Under ``floor`` nothing answers,
    and ``refused`` is what is left of the relevance.

    Relevance is the chance that a hit answers: logistic, with ``slope`` around ``middle`` in the
    best evidence-bearing score (and ``slope_topic`` in the topicality), and with ``fall`` in how
    far the hit is behind the best. A name that meets the query is sure by itself, by the power
    ``sure`` of how far it does.
    """

    dense: float = 0.5
    lexical: float = 0.5
    dense_low: float = 0.05
    dense_high: float = 0.75
    lexical_high: float = 0.7
    context: float = 0.0
    lift: float = 0.0

    topic: float = 0.0
    topic_most: float = 1e3
    topic_absent: float | None = None
    lexical_topic: float = 0.0
    unknown: float = 0.0
    floor: float = 0.0

    slope: float = 6.0
    slope_topic: float = 0.0
    middle: float = 0.5
    fall: float = 6.0
    sure: float = 4.0
    refused: float = 1.0

    def dense_scale(self, cosine: Scores) -> Scores:
        """Cosines as a lane's scores in [0, 1]."""
        return between(cosine, self.dense_low, self.dense_high)

    def lexical_scale(self, share: Scores) -> Scores:
        """Shares of the query's weight as a lane's scores in [0, 1]."""
        return between(share, 0.0, self.lexical_high)

    def weighed(self, dense: Scores | None, lexical: Scores | None) -> dict[str, Scores]:
        """What the lanes add to a score; a lane that is None gives its weight to the other."""
        if dense is None and lexical is None:
            raise LanesFailedError({})
        both = self.dense + self.lexical
        parts = {}
        if dense is not None:
            parts[MEANING] = np.float32(both if lexical is None else self.dense) * dense
        if lexical is not None:
            parts[WORDS] = np.float32(both if dense is None else self.lexical) * lexical
        return parts

    def evidence(self, scores: Scores, topic: float | None, unknown: float = 0.0) -> Scores:
        """How far each hit of such scores is an answer at all; without a topic the scores alone."""
        if topic is None:
            return scores
        lifted = np.minimum(np.float32(topic), np.float32(self.topic_most) * scores)
        judged: Scores = (
            np.float32(1 - self.topic) * scores + np.float32(self.topic) * lifted
            - np.float32(self.unknown * unknown)
        )
        return judged

    def relevance(self, scores: Scores, best: float, topic: float) -> Scores:
        """The chance, in (0, 1), that hits of these scores answer."""
        anchor = self.slope * (best - self.middle) + self.slope_topic * topic
        behind = self.fall * (scores - scores.max(initial=0.0))
        chance: Scores = 1 / (1 + np.exp(-(anchor + np.maximum(behind, -40))))
        return chance.astype(np.float32)


def understand(encode: Callable[[str], Vector], text: str,
               topic: Callable[[Vector], float] | None = None) -> Understanding:
    """What ``encode`` and ``topic``, the topicality of a vector, make of a text.

    A query is answered by the lexical lane alone where the encoder fails; the log says so.
    """
    try:
        vector = encode(text)
        return Understanding(vector, topic(vector) if topic else None)
    except Exception as error:  # noqa: BLE001 - whatever breaks one lane leaves the other
        why = failure(error, text)
        _log.error("the dense lane failed (%s); the query goes on without it", why)
        return Understanding(None, None, {"dense": why})


Values: TypeAlias = Callable[[Numbers], Scores]
"""Gives the value of each of these passages."""


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """What a source knows beside the lanes: it adds ``values`` to the score.

    ``evidence`` is the share that also counts as evidence. With ``at_least`` the score is raised
    to the value instead, where it is less.
    """

    name: str
    values: Values
    evidence: float = 1.0
    at_least: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Hits in order, the best first; every array has a row a hit.

    ``parts`` add up to ``scores``. ``dense`` and ``lexical`` are the lanes in [0, 1], None of one
    that failed. ``evidence`` is what a floor is held against, ``answers`` whether any reaches it.
    ``failed`` has the lanes that failed, each with its error.
    """

    numbers: Numbers
    scores: Scores
    parts: Mapping[str, Scores]
    evidence: Scores
    relevance: Scores
    dense: Scores | None = None
    lexical: Scores | None = None
    topic: float | None = None
    answers: bool = True
    failed: Mapping[str, str] = field(default_factory=dict)

    def by_number(self, values: Scores | None, passages: int) -> Scores:
        """``values``, a row a hit, by passage; 0 for passages that are no hit."""
        placed = np.zeros(passages, np.float32)
        if values is not None:
            placed[self.numbers] = values
        return placed

    def rows(self) -> Iterator[tuple[int, float, float, float]]:
        """Number, relevance, lexical and dense score of each hit; 0 for a lane that failed."""
        nothing = np.zeros(len(self.numbers), np.float32)
        lanes = (nothing if lane is None else lane for lane in (self.lexical, self.dense))
        return zip(self.numbers.tolist(), self.relevance.tolist(), *map(np.ndarray.tolist, lanes),
                   strict=True)

    def take(self, rows: Numbers) -> Ranking:
        """The hits of these rows, in this order."""
        return replace(
            self, numbers=self.numbers[rows], scores=self.scores[rows],
            evidence=self.evidence[rows], relevance=self.relevance[rows],
            parts={name: part[rows] for name, part in self.parts.items()},
            dense=None if self.dense is None else self.dense[rows],
            lexical=None if self.lexical is None else self.lexical[rows],
        )


class LanesFailedError(Exception):
    """Both lanes failed; there is no ranking at all. ``failed`` says why, by lane."""

    def __init__(self, failed: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{lane}: {why}" for lane, why in sorted(failed.items())))
        self.failed = dict(failed)


def rank(query: ParsedQuery, understanding: Understanding, collection: Collection,  # noqa: PLR0913
         weights: Weights, signals: Sequence[Signal] = (), *, look: Query | None = None,
         parents: Sequence[int | None] | None = None, named: Mapping[int, float] | None = None,
         tie: Numbers | None = None) -> Ranking:
    """The hits of a query, by (-score, ``tie`` of the number, else the number).

    ``look`` says where to look: types, sources, audience, conditions. ``parents`` are those of all
    passages; all must then be hits. ``named`` says how far the names of passages meet the query, in
    [0, 1].

    Raises:
        LanesFailedError: neither lane gave scores.
        BackendError: the engine that keeps the passages is not reached.
    """
    lanes = _lanes(query, understanding, collection, weights, look or Query())
    parts = weights.weighed(lanes.dense, lanes.lexical)
    scores = sum_of(parts.values())
    if parents is not None:
        lifted = lifted_to_parents(scores, parents, weights.lift)
        parts[BELOW], scores = lifted - scores, lifted
    bearing = scores
    for signal in signals:
        try:
            values = np.asarray(signal.values(lanes.numbers), np.float32)
        except Exception:
            if not lanes.failed:
                raise
            continue  # it is made with the lane that failed
        if signal.at_least:
            values = np.maximum(values - scores, 0)
        parts[signal.name] = parts.get(signal.name, 0) + values
        scores = scores + values
        bearing = bearing + np.float32(signal.evidence) * values
    topic = weights.topic_absent if understanding.topic is None else understanding.topic
    if topic is not None and weights.lexical_topic and lanes.lexical is not None:
        topic = max(topic, weights.lexical_topic * float(lanes.lexical.max(initial=0.0)))
    evidence = weights.evidence(bearing, topic, query.unknown)
    answers = float(evidence.max(initial=0.0)) >= weights.floor
    relevance = weights.relevance(scores, float(bearing.max(initial=0.0)), topic or 0.0)
    if not answers:
        relevance = relevance * np.float32(weights.refused)
    if named:
        met = np.array([named.get(number, 0.0) for number in lanes.numbers.tolist()], np.float32)
        relevance = np.clip(1 - (1 - relevance) * (1 - met**weights.sure), LEAST, 1.0)
    ranking = Ranking(
        lanes.numbers, scores, parts, evidence, relevance, lanes.dense, lanes.lexical, topic,
        answers, lanes.failed,
    )
    order = lanes.numbers if tie is None else tie[lanes.numbers]
    return ranking.take(np.lexsort((order, -(relevance if named else scores))))


def best_of_each(ranking: Ranking, owners: Numbers) -> Ranking:
    """The best hit of each owner; ``owners`` gives the owner of every passage."""
    _, first = np.unique(owners[ranking.numbers], return_index=True)
    return ranking.take(np.sort(first))


def sum_of(parts: Iterable[Scores]) -> Scores:
    """The sum of parts, at least one."""
    first, *more = parts
    return np.asarray(sum(more, first), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Lanes:
    """Both lanes in [0, 1] by passage, ascending; None of one that failed."""

    numbers: Numbers
    dense: Scores | None
    lexical: Scores | None
    failed: Mapping[str, str]


def fused(query: ParsedQuery, understanding: Understanding, collection: Collection,
          weights: Weights) -> Values:
    """What both lanes together give every passage for another query, for a signal."""
    lanes = _lanes(query, understanding, collection, weights, Query())
    scores = Hits(lanes.numbers, sum_of(weights.weighed(lanes.dense, lanes.lexical).values()),
                  np.zeros(len(lanes.numbers), np.float32)).of_all(collection.passages)[0]
    return scores.__getitem__


def _lanes(query: ParsedQuery, understanding: Understanding, collection: Collection,
           weights: Weights, look: Query) -> _Lanes:
    failed = dict(understanding.failed)
    look = replace(look, vector=understanding.vector, terms=query.terms or query.context)
    dense = lexical = None
    try:
        dense = lexical = collection.search(look)
    except BackendError:
        raise
    except Exception:  # noqa: BLE001 - which of the lanes failed is found out here
        if look.vector is not None:
            dense = _alone("dense", collection, replace(look, terms=()), query.text, failed)
        lexical = _alone("lexical", collection, replace(look, vector=None), query.text, failed)
    hits = dense or lexical
    if hits is None:
        raise LanesFailedError(failed)
    share = None if lexical is None else lexical.lexical
    if share is not None and query.terms and query.context:
        share = share + np.float32(weights.context) * lexical_of(
            collection, look, query.context, hits.numbers
        )
    return _Lanes(
        hits.numbers,
        None if dense is None or look.vector is None else weights.dense_scale(dense.cosine),
        None if share is None else weights.lexical_scale(share), failed,
    )


def _alone(lane: str, collection: Collection, look: Query, text: str, failed: dict[str, str],
           ) -> Hits | None:
    """The hits of one lane; None where it fails, with the error in ``failed``."""
    try:
        return collection.search(look)
    except Exception as error:  # noqa: BLE001 - whatever breaks one lane leaves the other
        failed[lane] = failure(error, text)
        _log.error("the %s lane failed (%s); the query goes on without it", lane, failed[lane])
        return None


def lifted_to_parents(scores: Scores, parents: Sequence[int | None], lift: float) -> Scores:
    """``scores`` where no passage is less than ``lift`` of the way to its best child's.

    The child's may have come from below: evidence climbs to the top.
    """
    own, lifted = scores.tolist(), scores.tolist()
    for number in range(len(lifted) - 1, -1, -1):
        if (parent := parents[number]) is not None:
            part = own[parent] + lift * (lifted[number] - own[parent])
            lifted[parent] = max(lifted[parent], part)
    return np.asarray(lifted, np.float32)


def between(values: Scores, low: float, high: float) -> Scores:
    """``values`` so that ``low`` is 0 and ``high`` is 1, and nothing lies outside."""
    scaled: Scores = (values - np.float32(low)) * np.float32(1 / (high - low))
    np.maximum(scaled, np.float32(0), out=scaled)
    return np.minimum(scaled, np.float32(1), out=scaled)


def minmax(values: Scores) -> Scores:
    """``values`` so that the least is 0 and the greatest 1; all 0 where they are the same."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def shown(score: float) -> float:
    """A score of 0 or more as it is told: to four decimals."""
    return int(score * 10_000 + 0.5) / 10_000  # a turn tells of dozens: a sixth of round's time
