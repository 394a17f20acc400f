"""Systems held against questions: measures through ``ir_measures``, and their means by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

import ir_measures
import numpy as np

from mvp_site.retrieval.building import Progress

DEPTH: Final = 10
"""How many results of a ranking are looked at, but for needles."""
_DRAWS: Final = 10_000
_SEED: Final = 7


class Question(Protocol):
    """What a system is asked."""

    @property
    def id(self) -> str:
        """Its name, unique in its set."""

    @property
    def text(self) -> str:
        """What is asked, in a line."""

    @property
    def grades(self) -> Mapping[str, int]:
        """What answers it, by id; a higher grade answers better."""


Q = TypeVar("Q", bound=Question)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system found: ids, the best first; ``own`` are measures that it tells itself."""

    ranking: Sequence[str]
    own: Mapping[str, float] = field(default_factory=dict)


System = Callable[[Q], Answer]


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Q]):
    """One question with one system: the first :data:`DEPTH` that it ranked, and its measures."""

    question: Q
    ranking: tuple[str, ...]
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Summary:
    """The means of the measures over ``count`` questions; 0 of none."""

    count: int
    measures: Mapping[str, float]


Groups = dict[str, Summary]


@dataclass(frozen=True, slots=True)
class Metrics:
    """What is measured of answers to what is ``counted``: needles, queries or the like.

    ``table`` has for each measure what people call it, and how ``ir_measures`` computes it: None
    of one that systems tell themselves. By the first one systems are compared. In JSON measures
    stand beside the count if ``flat``, else under a name of their own.
    """

    counted: str
    table: Mapping[str, tuple[str, Any]]
    flat: bool = False

    def as_dict(self, summary: Summary) -> dict[str, Any]:
        """A summary as JSON values."""
        measures = summary.measures if self.flat else {"measures": summary.measures}
        return {self.counted: summary.count, **measures}

    def judge(self, questions: Sequence[Q], system: System[Q],
              progress: Progress | None = None) -> list[Outcome[Q]]:
        """The outcome of each question; computed measures of one without grades are 0."""
        answers: list[tuple[Q, Answer]] = []
        for number, question in enumerate(questions, 1):
            answers.append((question, system(question)))
            if progress:
                progress("questions", number, len(questions))
        qrels = [
            ir_measures.Qrel(one.id, key, grade)
            for one, _ in answers for key, grade in one.grades.items()
        ]
        run = [
            ir_measures.ScoredDoc(one.id, key, float(-rank))
            for one, answer in answers
            # A question for which nothing was ranked would be left out, instead of being worth 0.
            for rank, key in enumerate(answer.ranking or ("nothing",))
        ]
        computed = {name: measure for name, (_, measure) in self.table.items() if measure}
        names = {str(measure): name for name, measure in computed.items()}
        values = {one.id: dict.fromkeys(computed, 0.0) for one, _ in answers}
        if answers:
            for found in ir_measures.iter_calc(list(computed.values()), qrels, run):
                values[found.query_id][names[str(found.measure)]] = found.value
        return [
            Outcome(one, tuple(answer.ranking[:DEPTH]), {**answer.own, **values[one.id]})
            for one, answer in answers
        ]

    def summarise(self, outcomes: Sequence[Outcome[Q]]) -> Summary:
        """The means over some outcomes."""
        count = max(len(outcomes), 1)
        return Summary(len(outcomes), {
            name: sum(one.measures[name] for one in outcomes) / count for name in self.table
        })

    def grouped(self, outcomes: Sequence[Outcome[Q]], **by: Callable[[Q], object]) -> Groups:
        """The means over ``all``, and by each of ``by`` as ``name=value``, in order of values."""
        held = {"all": list(outcomes)}
        for prefix, value in by.items():
            groups: dict[str, list[Outcome[Q]]] = {}
            for one in outcomes:
                groups.setdefault(f"{prefix}={value(one.question)}", []).append(one)
            held |= {name: groups[name] for name in sorted(groups)}
        return {name: self.summarise(some) for name, some in held.items()}


def mean(values: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return sum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two means over the same questions, with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


def difference(ours: Sequence[float], others: Sequence[float]) -> Difference:
    """How much greater the mean of ``ours`` is; both are of the same questions, in order."""
    gains = np.subtract(ours, others)
    rows = np.random.default_rng(_SEED).integers(0, len(gains), (_DRAWS, len(gains)))
    low, high = np.percentile(gains[rows].mean(axis=1), [2.5, 97.5])
    return Difference(float(gains.mean()), float(low), float(high))


@dataclass(frozen=True, slots=True)
class Band:
    """``count`` scores from ``low`` to ``high``: their mean, and how many are of what answers."""

    low: float
    high: float
    count: int
    score: float
    hits: int


def bands(scored: Sequence[tuple[float, bool]], edges: Sequence[float]) -> tuple[Band, ...]:
    """Scores in [0, 1] with whether each is of what answers, by band; empty bands are left out.

    Where scores are calibrated, a band's mean is close to the part of it that answers.
    """
    pairs = np.asarray(scored, np.float64).reshape(-1, 2)
    # Scores such as 0.3 must not fall into the band below by a bit of their last place.
    places = np.digitize(pairs[:, 0] + 1e-10, edges[1:-1])
    found: list[Band] = []
    for place in np.unique(places):
        held = pairs[places == place]
        found.append(Band(
            edges[place], edges[place + 1], len(held), float(held[:, 0].mean()),
            int(held[:, 1].sum()),
        ))
    return tuple(found)
