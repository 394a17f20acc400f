"""Every weight of the library's search; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of an entry's score is worth.

    ``dense`` and ``lexical`` are the lanes on their absolute scales (:class:`.Fusion`), and
    ``concepts`` what a term that a concept brings counts beside one of the question. ``named`` is
    what an entry gains whose whole title the question has, ``typed`` one of a type that it asks
    for. ``topic`` is the part of the evidence that is the question's topicality, ``unknown`` what
    it loses where no book has a word of the question, and ``floor`` the evidence under which
    nothing is found.
    """

    dense: float = 0.65
    lexical: float = 0.35
    concepts: float = 0.6
    named: float = 0.15
    typed: float = 0.1
    topic: float = 0.3
    unknown: float = 0.4
    floor: float = 0.35
