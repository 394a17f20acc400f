"""Metrics of rankings of entities, and what no result may ever do.

Every grade counts as relevant for recall and the reciprocal rank, which is 0 past the first ten;
``first`` is 1 where the first result has the highest grade of the query. nDCG@10 is the one of
:mod:`.rulebook_metrics`: the gain is the grade.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ir_measures import RR, R, nDCG

from .entities_filters import breaking, fulfils
from .entities_set import NEGATIVE, Query
from .entities_systems import Answer, Entities
from .ranking import DEPTH, by_group, mean, means, measured

_MEASURES: Final[Mapping[str, Any]] = {"r10": R @ DEPTH, "mrr": RR @ DEPTH, "ndcg10": nDCG @ DEPTH}


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures in [0, 1], of one query or the means of many."""

    first: float = 0.0
    r10: float = 0.0
    mrr: float = 0.0
    ndcg10: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One query that has an answer with one system: the keys that it ranked, at most ten."""

    query: Query
    ranking: tuple[str, ...]
    measures: Measures


@dataclass(frozen=True, slots=True)
class Summary:
    """The means over ``queries``."""

    queries: int
    measures: Measures


@dataclass(frozen=True, slots=True)
class Kept:
    """What held for the results whatever their order.

    Of ``filtered`` queries, lookups with parameters among them, ``results`` came back, of which
    ``broken`` do not fulfil the filters, and ``empty`` of them had no result though an entity
    fulfils them. Of ``similar`` lists ``with_reference`` hold what they are to be similar to.
    ``negatives_empty`` is the part of ``negatives`` without a result, None of none.
    """

    filtered: int
    results: int
    broken: int
    empty: int
    similar: int
    with_reference: int
    negatives: int
    negatives_empty: float | None


@dataclass(frozen=True, slots=True)
class Stated:
    """How constraints that stand in words were recognised, in parts of ``queries``.

    ``recognised``: all of them, each as a filter on the same field that selects the same entities.
    ``beyond``: a constraint was read that the query does not state. None of no queries.
    """

    queries: int
    recognised: float | None
    beyond: float | None


def judge(ranked: Sequence[tuple[Query, Sequence[str]]]) -> list[Outcome]:
    """The outcome of each query with what was ranked for it, the best first."""
    values = measured(_MEASURES, ((one.id, one.relevant, ranking) for one, ranking in ranked))
    return [
        Outcome(one, tuple(ranking[:DEPTH]), Measures(_first(one, ranking), **values[one.id]))
        for one, ranking in ranked
    ]


def _first(query: Query, ranking: Sequence[str]) -> float:
    best = max(query.relevant.values())
    return float(bool(ranking) and query.relevant.get(ranking[0]) == best)


def groups(outcomes: Sequence[Outcome]) -> dict[str, Summary]:
    """Summaries of ``all``, of each ``kind=…`` and ``type=…``, and of ``stated`` where some are.

    A lookup's type is the lookup's name.
    """
    held = {"all": list(outcomes)} | by_group(outcomes, "kind", lambda one: one.query.kind)
    held |= by_group(outcomes, "type", lambda one: one.query.type or one.query.lookup)
    if stated := [one for one in outcomes if one.query.stated]:
        held["stated"] = stated
    return {
        name: Summary(len(some), means(Measures, [one.measures for one in some]))
        for name, some in held.items()
    }


def kept(answers: Iterable[Answer], entities: Entities) -> Kept:
    """What held for the answers, of an index of these entities."""
    every = list(answers)
    filtered = [one for one in every if one.query.wanted]
    similar = [one for one in every if one.query.reference]
    negative = [one for one in every if one.query.kind == NEGATIVE]
    return Kept(
        filtered=len(filtered), results=sum(len(one.results) for one in filtered),
        broken=sum(breaking(one.results, one.query.wanted) for one in filtered),
        empty=sum(
            not one.results and bool(_selected(one.query, entities, one.query.wanted))
            for one in filtered
        ),
        similar=len(similar),
        with_reference=sum(
            f"{one.query.type}/{one.query.reference}" in one.ranking for one in similar
        ),
        negatives=len(negative), negatives_empty=mean([not one.results for one in negative]),
    )


def stated(answers: Iterable[Answer], entities: Entities) -> Stated:
    """How the constraints that queries state were recognised."""
    asked = [one for one in answers if one.query.stated]
    return Stated(
        len(asked),
        mean([
            all(
                field in one.stated and _selected(one.query, entities, {field: wanted})
                == _selected(one.query, entities, {field: one.stated[field]})
                for field, wanted in one.query.stated.items()
            ) for one in asked
        ]),
        mean([bool(set(one.stated) - set(one.query.stated)) for one in asked]),
    )


def _selected(query: Query, entities: Entities, filters: Mapping[str, Any]) -> frozenset[str]:
    """The keys of the entities of the query's types that fulfil ``filters``."""
    return frozenset(
        key for type_ in query.types for key, entity in entities[type_].items()
        if fulfils(entity, filters)
    )
