"""Every weight of the library's search; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

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


_SMALL: Final = EntryWeights(unknown=0.1, floor=0.15)
_FEW, _MANY = 4, 11
"""Powers of two: so many passages make a small library, and one that the weights were fitted to."""


def weights_of(passages: int) -> EntryWeights:
    """The weights of a library of so many passages, between those of a small one and of a large.

    In few passages most words of an honest question are unknown, and the best of them is like the
    question by chance less often: the floor may be lower there for as few wrong answers.
    """
    size = min(max(math.log2(max(passages, 1)), _FEW), _MANY)
    share, large = ((size - _FEW) / (_MANY - _FEW)) ** 1.5, EntryWeights()
    return replace(large, **{name: round(small + share * (getattr(large, name) - small), 4)
                             for name, small in (("unknown", _SMALL.unknown),
                                                 ("floor", _SMALL.floor))})


FOREIGN: Final = EntryWeights(
    dense=0.2, lexical=0.8, dense_proves=0.0, topic=0.0, unknown=0.0, floor=0.06, slope=8.0,
    middle=0.25, named=0.9)
"""The same of books in languages that the encoder does not know: words decide what answers."""
