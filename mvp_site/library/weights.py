"""Every weight of the library's search; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..retrieval import ranking


@dataclass(frozen=True, slots=True)
class EntryWeights(ranking.Weights):
    """The ranker's weights for books; the context are the terms that concepts bring.

    ``named`` is what an entry gains whose whole title the question has, ``typed`` one of a type
    that it asks for; ``heading`` is what a heading above entries loses that has no text of its own,
    ``talk`` what an entry gains that such words are usually about.
    """

    dense: float = 0.65
    lexical: float = 0.35
    context: float = 0.6
    topic: float = 0.4
    topic_most: float = 5.0
    topic_absent: float | None = 0.7
    slope: float = 4.4
    middle: float = 0.65
    fall: float = 8.2

    named: float = 0.15
    typed: float = 0.25
    heading: float = 0.3
    talk: float = 0.3


REFUSED: Final = 0.9
"""The share of the off-topic probes that the floor refuses; a build sets it, for its books."""
FOREIGN: Final = EntryWeights(
    dense=0.2, lexical=0.8, dense_proves=0.0, topic=0.0, talk=0.0, floor=0.06, slope=8.0,
    middle=0.25, named=0.9)
"""The same of books in languages that the encoder does not know: words decide what answers."""
