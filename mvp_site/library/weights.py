"""Every weight of the library's search; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass

from ..retrieval import ranking


@dataclass(frozen=True, slots=True)
class EntryWeights(ranking.Weights):
    """The ranker's weights for books; the context are the terms that concepts bring.

    ``named`` is what an entry gains whose whole title the question has, ``typed`` one of a type
    that it asks for; ``heading`` is what a heading above entries loses that has no text of its own.
    """

    dense: float = 0.65
    lexical: float = 0.35
    context: float = 0.6
    topic: float = 0.3
    topic_absent: float | None = 0.7
    unknown: float = 0.4
    floor: float = 0.35
    slope: float = 4.4
    middle: float = 0.65
    fall: float = 8.2

    named: float = 0.15
    typed: float = 0.25
    heading: float = 0.3
