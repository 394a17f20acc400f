"""Metrics of rankings of sections, through ``ir_measures``.

A section of grade :data:`~.rulebook_set.RELEVANT` or above is relevant for P@1, recall and the
reciprocal rank, which is 0 past the first ten. nDCG@10 reads all grades and is the one of
trec_eval (Järvelin and Kekäläinen 2002): the gain is the grade itself, discounted by the logarithm
of rank + 1 to the base 2, and divided by that of the best ranking there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import ir_measures
from ir_measures import RR, P, R, nDCG

from .rulebook_set import RELEVANT, Question

DEPTH: Final = 10
_MEASURES: Final[Mapping[str, Any]] = {
    "p1": P(rel=RELEVANT) @ 1, "r3": R(rel=RELEVANT) @ 3, "r10": R(rel=RELEVANT) @ DEPTH,
    "mrr": RR(rel=RELEVANT), "ndcg10": nDCG @ DEPTH,
}


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures in [0, 1], of one question or the means of many."""

    p1: float = 0.0
    r3: float = 0.0
    r10: float = 0.0
    mrr: float = 0.0
    ndcg10: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One on-topic question with one system: the ids it ranked, at most :data:`DEPTH`."""

    question: Question
    ranking: tuple[str, ...]
    measures: Measures


@dataclass(frozen=True, slots=True)
class Summary:
    """The means over ``questions``."""

    questions: int
    measures: Measures


def judge(ranked: Sequence[tuple[Question, Sequence[str]]]) -> list[Outcome]:
    """The outcome of each question with the ids that were ranked for it, the best first."""
    qrels = [
        ir_measures.Qrel(one.id, section, grade)
        for one, _ in ranked for section, grade in one.gold.items()
    ]
    run = [
        ir_measures.ScoredDoc(one.id, section, float(DEPTH - rank))
        for one, ranking in ranked
        # A question for which nothing was ranked would be left out, instead of being worth 0.
        for rank, section in enumerate(ranking[:DEPTH] or ("nothing",))
    ]
    values: dict[tuple[str, str], float] = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(list(_MEASURES.values()), qrels, run)
    }
    return [
        Outcome(one, tuple(ranking[:DEPTH]), Measures(**{
            name: values[one.id, str(measure)] for name, measure in _MEASURES.items()
        }))
        for one, ranking in ranked
    ]


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """The means of some outcomes; 0 of none."""
    count = max(len(outcomes), 1)
    return Summary(len(outcomes), Measures(**{
        field.name: sum(getattr(one.measures, field.name) for one in outcomes) / count
        for field in fields(Measures)
    }))


def grouped(outcomes: Iterable[Outcome], prefix: str, key: Callable[[Question], str],
            ) -> dict[str, Summary]:
    """Summaries by group as ``prefix=key``, in order of the keys."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(f"{prefix}={key(outcome.question)}", []).append(outcome)
    return {name: summarise(groups[name]) for name in sorted(groups)}
