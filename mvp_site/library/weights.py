"""Every weight of the library's search; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of an entry's score is worth.

    ``dense`` and ``lexical`` are the lanes on their absolute scales (:class:`.Fusion`), and
    ``concepts`` what a term that a concept brings counts beside one of the question. ``named`` is
    what an entry gains whose whole title the question has, ``typed`` one of a type that it asks
    for. ``topic`` is the part of the evidence that is the question's topicality, ``unknown`` what
    it loses where no book has a word of the question, and ``floor`` the evidence under which
    nothing is found.

    Relevance is the chance that an entry answers: logistic, with ``slope`` around ``middle`` in its
    score, and with ``fall`` in how far it is behind the best.
    """

    dense: float = 0.65
    lexical: float = 0.35
    concepts: float = 0.6
    named: float = 0.15
    typed: float = 0.1
    topic: float = 0.3
    unknown: float = 0.4
    floor: float = 0.35

    slope: float = 4.4
    middle: float = 0.65
    fall: float = 3.8

    def relevance(self, score: float, best: float) -> float:
        """The chance, in (0, 1), that an entry of this score answers, ``best`` being the best."""
        return 1 / (1 + exp(self.fall * (best - score) - self.slope * (score - self.middle)))
