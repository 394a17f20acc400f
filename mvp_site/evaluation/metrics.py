"""Metrics, through ``ir_measures``: recall within the budget, reciprocal rank, sparse turns.

A need is a relevant document, and a run lists what was printed: the need a passage meets, or a
stand-in for a passage that meets none. Recall over all that was printed is then recall within
the token budget, and the reciprocal rank is that of the first passage that helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import ir_measures
from ir_measures import RR, R

from .needles import Needle, met
from .systems import Printed, System

DEPTH = 1000
RECALL = R @ DEPTH


@dataclass(frozen=True, slots=True)
class Outcome:
    """One needle with one system: recall within the budget and reciprocal rank, in [0, 1]."""

    needle: Needle
    recall: float
    reciprocal_rank: float
    tokens: int
    sparse: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over needles; ``sparse`` is the part of turns for which nothing was printed."""

    needles: int
    recall: float
    mrr: float
    tokens: float
    sparse: float


def judge(system: System, needles: Sequence[Needle],
          blank: Mapping[str, Mapping[str, frozenset[int]]]) -> list[Outcome]:
    """The outcome of every needle; ``blank`` holds each version's blank lines by file."""
    printed = {needle.id: system.run(needle) for needle in needles}
    qrels: list[ir_measures.Qrel] = []
    run: list[ir_measures.ScoredDoc] = []
    for needle in needles:
        qrels += [ir_measures.Qrel(needle.id, f"need-{n}", 1) for n in range(len(needle.needs))]
        run += _run(needle, printed[needle.id], blank.get(needle.version, {}))
    values: dict[tuple[str, str], float] = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc([RECALL, RR], qrels, run)
    }
    return [
        Outcome(
            needle, values.get((needle.id, str(RECALL)), 0.0),
            values.get((needle.id, str(RR)), 0.0), printed[needle.id].tokens,
            printed[needle.id].sparse,
        )
        for needle in needles
    ]


def _run(needle: Needle, printed: Printed, blank: Mapping[str, frozenset[int]],
         ) -> Iterable[ir_measures.ScoredDoc]:
    rank = 0
    for number, needs in enumerate(met(needle, printed.passages, blank)):
        names = [f"need-{n}" for n in needs] or [f"other-{number}"]
        for name in names:
            yield ir_measures.ScoredDoc(needle.id, name, float(DEPTH - rank))
            rank += 1
    if not printed.passages:
        yield ir_measures.ScoredDoc(needle.id, "nothing", 0.0)


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """The means of some outcomes."""
    count = max(len(outcomes), 1)
    return Summary(
        len(outcomes), sum(o.recall for o in outcomes) / count,
        sum(o.reciprocal_rank for o in outcomes) / count,
        sum(o.tokens for o in outcomes) / count, sum(o.sparse for o in outcomes) / count,
    )


def grouped(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> dict[str, Summary]:
    """Summaries by group, in order of the groups' names."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(key(outcome), []).append(outcome)
    return {name: summarise(groups[name]) for name in sorted(groups)}


def sparse_precision_recall(on_topic: Sequence[Outcome], off_topic: Sequence[Outcome],
                            ) -> tuple[float, float]:
    """The off-topic part of the sparse turns, and the sparse part of the off-topic ones."""
    refused = sum(o.sparse for o in off_topic)
    wrongly = sum(o.sparse for o in on_topic)
    precision = refused / (refused + wrongly) if refused + wrongly else 0.0
    return precision, refused / len(off_topic) if off_topic else 0.0
