"""Metrics of rankings of sections, through ``ir_measures``.

A section of grade :data:`~.rulebook_set.RELEVANT` or above is relevant for P@1, recall and the
reciprocal rank, which is 0 past the first ten. nDCG@10 reads all grades and is the one of
trec_eval (Järvelin and Kekäläinen 2002): the gain is the grade itself, discounted by the logarithm
of rank + 1 to the base 2, and divided by that of the best ranking there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ir_measures import RR, P, R, nDCG

from .ranking import DEPTH, by_group, means, measured
from .rulebook_set import RELEVANT, Question

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
    values = measured(_MEASURES, ((one.id, one.gold, ranking) for one, ranking in ranked))
    return [
        Outcome(one, tuple(ranking[:DEPTH]), Measures(**values[one.id]))
        for one, ranking in ranked
    ]


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """The means of some outcomes; 0 of none."""
    return Summary(len(outcomes), means(Measures, [one.measures for one in outcomes]))


def grouped(outcomes: Iterable[Outcome], prefix: str, key: Callable[[Question], str],
            ) -> dict[str, Summary]:
    """Summaries by group as ``prefix=key``, in order of the keys."""
    groups = by_group(outcomes, prefix, lambda one: key(one.question))
    return {name: summarise(held) for name, held in groups.items()}
