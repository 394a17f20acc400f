"""The ranker: it turns a parsed query and a collection into a ranking. Every source uses it.

:func:`rank` works in five steps:

1. Both lanes score the hits: dense (cosine) and lexical (the share of the query's BM25 weight),
   each scaled to [0, 1]. Hits are what the collection gives: all that ``request`` allows, or of
   many each lane's best.
2. The score of a hit is a weighted sum of named parts: the two lanes, the lift that a parent gets
   from its best child, and the signals of the source.
3. The proof of a hit is its score without the parts that prove nothing. The evidence of a hit is
   its proof adjusted by the topicality (how far the query is about the game) and by how many of the
   query's words are unknown.
4. If no evidence reaches the floor, ``answers`` is False; the hits are ranked all the same. A
   source may leave this floor at 0 and hold its own, as archives do against evidence and the
   rulebook against relevance.
5. The relevance of a hit is the chance that it answers. It follows from the score, the best proof
   and the topicality. Hits are sorted by score, or by relevance if passages are named.

The lanes' scales are absolute because scores are held against a floor. Per-query normalisation
would give the best of many bad hits a perfect score, and reciprocal ranks say nothing of its size.
The weighted sum is the convex combination of Bruch, Gai and Ingber (2023).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from ..errors import BackendError
from .collection import Collection, Hits, Numbers, Scores, SearchRequest, lexical_of, placed
from .encoder import Vector, failure
from .filters import Condition

MEANING: Final = "meaning"
WORDS: Final = "words"
BELOW: Final = "below"
"""Names of the parts of every score: the dense lane, the lexical lane, the lift of parents."""
LEAST: Final = 1e-6
"""The least relevance of a hit where passages are named, so that none counts as nothing."""
_log = logging.getLogger("mvp_site.retrieval")


@dataclass(frozen=True, slots=True)
class QueryName:
    """A name in the query; ``given`` if the caller named it, else it was found in the words."""

    words: tuple[str, ...]
    given: bool

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedQuery:
    """A query that was parsed and can be ranked.

    ``text`` is what the dense lane encodes, '' if nothing was asked. ``words`` are the user's words
    with misspellings corrected; ``corrected`` lists these corrections as (typed, corrected).
    ``terms`` are what the lexical lane looks for. ``context`` are those of hints, intentions and
    concepts: they weigh ``Weights.context``, and are the terms if there are no others.
    ``constraints`` are the conditions on fields that the query states. ``unknown`` is the share of
    its content words that no text has, in [0, 1].

    The ranker reads ``text``, ``terms``, ``context`` and ``unknown``. The other fields are for the
    source, which passes the constraints that bind in ``request``.
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
    """The encoder's view of a query.

    ``vector`` is the unit vector of its text, None if the encoder failed or there is no text to
    encode. ``topicality`` is how far the query is about the game, in [0, 1]; None if not
    known. ``failed`` maps a lane that failed to its error.
    """

    vector: Vector | None
    topicality: float | None = None
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights of a ranking, in three groups: score, evidence, relevance.

    Score. ``dense`` and ``lexical`` weigh the lanes, and need not sum to 1; if one fails, the other
    gets both weights. A cosine of ``dense_low`` scales to 0 and of ``dense_high`` to 1. A lexical
    score of ``lexical_high`` scales to 1, because passages rarely carry all of a query's weight.
    ``context`` weighs the context's terms. ``lift`` moves a parent that far towards its best child.

    Evidence::

        evidence = (1 - topic) * proof + topic * min(topicality, topic_most * proof)
                   - unknown * (share of unknown words)

    ``topic_most`` keeps a passage that has nothing to do with the query from gaining. A short
    look-up ("XP for CR 17") tells an encoder little, so the best lexical score times
    ``lexical_topic`` is the least topicality. A topicality that is not known, or whose dense lane
    failed, is ``topic_absent``; if that is None, evidence is the proof alone. Of the dense lane's
    part ``dense_proves`` counts as proof, as long as there is a lexical lane; what a parent is
    lifted by counts whole. If no evidence reaches ``floor``, nothing answers, and relevance is
    multiplied by ``refused``.

    Relevance. It is logistic in the best proof, around ``middle`` with ``slope``, in the topicality
    with ``slope_topic``, and in the distance of the hit to the best hit with ``fall``. A hit whose
    name matches the query by x is relevant with a chance of at least x to the power ``sure``, also
    where nothing answers.
    """

    dense: float = 0.5
    lexical: float = 0.5
    dense_low: float = 0.05
    dense_high: float = 0.75
    lexical_high: float = 0.7
    context: float = 0.0
    lift: float = 0.0

    dense_proves: float = 1.0
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
        """The dense lane's scores in [0, 1], from cosines."""
        return scaled(cosine, self.dense_low, self.dense_high)

    def lexical_scale(self, share: Scores) -> Scores:
        """The lexical lane's scores in [0, 1], from shares of the query's weight."""
        return scaled(share, 0.0, self.lexical_high)

    def lane_parts(self, dense: Scores | None, lexical: Scores | None) -> dict[str, Scores]:
        """The lanes' parts of the score; None is a lane that failed: the other gets its weight."""
        if dense is None and lexical is None:
            raise LanesFailedError({})
        both = self.dense + self.lexical
        parts = {}
        if dense is not None:
            parts[MEANING] = np.float32(both if lexical is None else self.dense) * dense
        if lexical is not None:
            parts[WORDS] = np.float32(both if dense is None else self.lexical) * lexical
        return parts

    def evidence(self, proof: Scores, topicality: float | None, unknown: float = 0.0) -> Scores:
        """The evidence of each hit from its proof; the proof itself if no topicality is known."""
        if topicality is None:
            return proof
        capped = np.minimum(np.float32(topicality), np.float32(self.topic_most) * proof)
        evidence: Scores = (
            np.float32(1 - self.topic) * proof + np.float32(self.topic) * capped
            - np.float32(self.unknown * unknown)
        )
        return evidence

    def relevance(self, scores: Scores, best: float, topicality: float) -> Scores:
        """The chance, in [0, 1], that hits of these scores answer."""
        anchor = self.slope * (best - self.middle) + self.slope_topic * topicality
        behind = self.fall * (scores - scores.max(initial=0.0))
        chance: Scores = 1 / (1 + np.exp(-(anchor + np.maximum(behind, -40))))
        return chance.astype(np.float32)


def understand(encode: Callable[[str], Vector | None], text: str,
               topic: Callable[[Vector], float] | None = None) -> Understanding:
    """The vector of a text by ``encode``, and the topicality of that vector by ``topic``.

    If the encoder fails, the error is logged, and the lexical lane answers alone.
    """
    try:
        vector = encode(text)
        return Understanding(vector, topic(vector) if topic and vector is not None else None)
    except Exception as error:  # noqa: BLE001 - whatever breaks one lane leaves the other
        why = failure(error, text)
        _log.error("the dense lane failed (%s); the query goes on without it", why)
        return Understanding(None, None, {"dense": why})


ScoreFunction: TypeAlias = Callable[[Numbers], Scores]
"""Gives a score for each of the passages."""


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """A bonus or penalty for each passage: its ``values`` are added to the score.

    Signals are added in the order given, after the lift of parents. One that fails where a lane
    failed is taken to need that lane, and left out. ``proves`` is the share of the
    value that counts as proof too. With ``at_least`` nothing is added: a score below the value is
    raised to it.
    """

    name: str
    values: ScoreFunction
    proves: float = 1.0
    at_least: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The hits, best first. Every array has one row for each hit.

    ``parts`` add up to ``scores``. ``dense`` and ``lexical`` are the lanes' scores in [0, 1], None
    if the lane failed or was not asked. ``answers`` tells whether any ``evidence`` reaches
    ``Weights.floor``; at a floor of 0 it is always True. ``failed`` maps each lane that failed to
    its error.
    """

    numbers: Numbers
    scores: Scores
    parts: Mapping[str, Scores]
    evidence: Scores
    relevance: Scores
    dense: Scores | None = None
    lexical: Scores | None = None
    answers: bool = True
    failed: Mapping[str, str] = field(default_factory=dict)

    def by_number(self, values: Scores | None, passages: int) -> Scores:
        """``values`` of the hits, placed by passage number; 0 for passages that are no hit."""
        placed = np.zeros(passages, np.float32)
        if values is not None:
            placed[self.numbers] = values
        return placed

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
         weights: Weights, signals: Sequence[Signal] = (), *, request: SearchRequest | None = None,
         parents: Numbers | None = None, named: Mapping[int, float] | None = None,
         tie: Numbers | None = None) -> Ranking:
    """The ranking of a query's hits.

    It is sorted by (-score, number), or by relevance if there are ``named`` passages; ``tie``
    replaces the number. ``request`` restricts the search: types, sources, audience, conditions;
    its vector and terms are set here.
    ``parents`` has the parent of each passage, which has a lower number, or -1; what stands above
    a hit is a hit. ``named`` maps passages to how far their name matches the query, in [0, 1].

    Raises:
        LanesFailedError: neither lane gave scores.
        BackendError: the engine that keeps the passages is not reached.
    """
    request = request or SearchRequest()
    lanes = _lanes(query, understanding, collection, weights, request)
    if parents is not None and len(lanes.numbers) < collection.passages:
        above = _above(lanes.numbers, parents)
        request = replace(request, also=(*request.also, *above.tolist()))
        lanes = _lanes(query, understanding, collection, weights, request)
    parts = weights.lane_parts(lanes.dense, lanes.lexical)
    scores = sum_of(parts.values())
    if parents is not None:
        lifted = lifted_to_parents(scores, _rows(parents[lanes.numbers], lanes.numbers),
                                   weights.lift)
        parts[BELOW], scores = lifted - scores, lifted
    proof = scores  # the part of the score that counts as evidence
    if weights.dense_proves < 1 and MEANING in parts and WORDS in parts:
        proof = scores - np.float32(1 - weights.dense_proves) * parts[MEANING]
    for signal in signals:
        try:
            values = np.asarray(signal.values(lanes.numbers), np.float32)
        except Exception:
            if not lanes.failed:
                raise
            continue
        if signal.at_least:
            values = np.maximum(values - scores, 0)
        parts[signal.name] = parts.get(signal.name, 0) + values
        scores = scores + values
        proof = proof + np.float32(signal.proves) * values
    topicality = understanding.topicality
    if topicality is None or lanes.dense is None:
        topicality = weights.topic_absent
    if topicality is not None and weights.lexical_topic and lanes.lexical is not None:
        best = weights.lexical_topic * float(lanes.lexical.max(initial=0.0))
        topicality = max(topicality, min(best, 1.0))
    evidence = weights.evidence(proof, topicality, query.unknown)
    answers = float(evidence.max(initial=0.0)) >= weights.floor
    relevance = weights.relevance(scores, float(proof.max(initial=0.0)), topicality or 0.0)
    if not answers:
        relevance = relevance * np.float32(weights.refused)
    if named:
        match = np.array([named.get(number, 0.0) for number in lanes.numbers.tolist()], np.float32)
        relevance = np.clip(1 - (1 - relevance) * (1 - match**weights.sure), LEAST, 1.0)
    ranking = Ranking(
        lanes.numbers, scores, parts, evidence, relevance, lanes.dense, lanes.lexical,
        answers, lanes.failed,
    )
    order = lanes.numbers if tie is None else tie[lanes.numbers]
    return ranking.take(np.lexsort((order, -(relevance if named else scores))))


@dataclass(frozen=True, slots=True, eq=False)
class _Lanes:
    """Both lanes' scores in [0, 1] of the hits, by ascending number; None if the lane failed."""

    numbers: Numbers
    dense: Scores | None
    lexical: Scores | None
    failed: Mapping[str, str]


def _lanes(query: ParsedQuery, understanding: Understanding, collection: Collection,
           weights: Weights, request: SearchRequest) -> _Lanes:
    failed = dict(understanding.failed)
    request = replace(request, vector=understanding.vector, terms=query.terms or query.context)
    dense = lexical = None
    try:
        dense = lexical = collection.search(request)
    except BackendError:
        raise  # without the storage backend neither lane answers
    except Exception:  # noqa: BLE001 - which of the lanes failed is found out here
        if request.vector is not None:
            dense = _search_one_lane(
                "dense", collection, replace(request, terms=()), query.text, failed)
        lexical = _search_one_lane(
            "lexical", collection, replace(request, vector=None), query.text, failed)
        if dense and lexical:  # what failed has passed, and both lanes' rows must be the same hits
            dense = lexical = collection.search(request)
    hits = dense or lexical
    if hits is None:
        raise LanesFailedError(failed)
    share = None if lexical is None else lexical.lexical
    if share is not None and query.terms and query.context:
        try:
            context = lexical_of(collection, request, query.context, hits.numbers)
        except BackendError:
            raise
        except Exception as error:  # noqa: BLE001 - the query's own terms answer without it
            _log.error("the context of a query is left out (%s)", failure(error, query.text))
        else:
            share = share + np.float32(weights.context) * context
    return _Lanes(
        hits.numbers,
        None if dense is None or request.vector is None else weights.dense_scale(dense.cosine),
        None if share is None else weights.lexical_scale(share), failed,
    )


def _search_one_lane(lane: str, collection: Collection, request: SearchRequest, text: str,
                     failed: dict[str, str]) -> Hits | None:
    """The hits of one lane; None where it fails, with the error in ``failed``."""
    try:
        return collection.search(request)
    except BackendError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever breaks one lane leaves the other
        failed[lane] = failure(error, text)
        _log.error("the %s lane failed (%s); the query goes on without it", lane, failed[lane])
        return None


def best_of_each(ranking: Ranking, owners: Numbers) -> Ranking:
    """The best hit of each owner; ``owners`` gives the owner of every passage."""
    _, first = np.unique(owners[ranking.numbers], return_index=True)
    return ranking.take(np.sort(first))


def sum_of(parts: Iterable[Scores]) -> Scores:
    """The sum of parts, at least one."""
    first, *more = parts
    return np.asarray(sum(more, first), np.float32)


def lane_scores_of(query: ParsedQuery, understanding: Understanding, collection: Collection,
                   weights: Weights) -> ScoreFunction:
    """What both lanes give for another query: the values of a signal; 0 for what is no hit."""
    lanes = _lanes(query, understanding, collection, weights, SearchRequest())
    scores = sum_of(weights.lane_parts(lanes.dense, lanes.lexical).values())
    return lambda numbers: placed(lanes.numbers, scores, numbers)


def _above(numbers: Numbers, parents: Numbers) -> Numbers:
    """What stands above these passages at any level and is not among them."""
    above, level = numbers[:0], numbers
    while len(level := np.setdiff1d(parents[level], [-1, *above.tolist()])):
        above = np.union1d(above, level)
    return np.setdiff1d(above, numbers)


def _rows(numbers: Numbers, among: Numbers) -> Numbers:
    """Where passages stand ``among`` others, which ascend; -1 for those that do not."""
    rows = np.searchsorted(among, numbers).clip(max=max(len(among) - 1, 0))
    return np.where(among[rows] == numbers, rows, -1) if len(among) else rows


def lifted_to_parents(scores: Scores, parents: Numbers, lift: float) -> Scores:
    """``scores``, each raised at least ``lift`` of the way to the score of the best child.

    ``parents`` are the rows of each row's parent, or -1. Children are raised first, so that a score
    rises through all levels.
    """
    depths, above = np.zeros(len(parents), np.int64), parents
    while (below := above >= 0).any():
        depths += below
        above = np.where(below, parents[above], -1)
    own = scores.astype(np.float64)
    lifted = own.copy()
    for depth in range(int(depths.max(initial=0)), 0, -1):
        rows = np.flatnonzero(depths == depth)
        to = parents[rows]
        np.maximum.at(lifted, to, own[to] + lift * (lifted[rows] - own[to]))
    return lifted.astype(np.float32)


def scaled(values: Scores, low: float, high: float) -> Scores:
    """``values`` scaled so that ``low`` is 0 and ``high`` is 1, clipped to [0, 1]."""
    result: Scores = (values - np.float32(low)) * np.float32(1 / (high - low))
    np.maximum(result, np.float32(0), out=result)
    return np.minimum(result, np.float32(1), out=result)


def rounded(score: float) -> float:
    """``score``, of 0 or more, rounded to four decimals for output."""
    return int(score * 10_000 + 0.5) / 10_000  # takes a sixth of the time of round()
