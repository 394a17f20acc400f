"""The sections of a book in order for one question, as much of it as is worth keeping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from .answer_table import NOTHING, Promise
from .query_parsing import Asked
from .results import RankedSection, ScorePart
from .scoring import PARTS, Scored, Scorer, explained
from .sections import Sections

DEPTH: Final = 128
"""How many sections a ranking keeps with the parts of their scores."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Section numbers, the best first, with their scores; ``totals`` has one for every section.

    ``parts`` are the parts of their totals, a row a section. ``strongest`` is the highest evidence
    of any section, those outside the caller's categories among them. ``failed`` has the lanes that
    failed, each with its error.
    """

    asked: Asked
    numbers: npt.NDArray[np.int64]
    evidence: npt.NDArray[np.float32]
    totals: npt.NDArray[np.float32]
    parts: npt.NDArray[np.float32]
    promise: Promise = NOTHING
    strongest: float = 0.0
    failed: Mapping[str, str] = field(default_factory=dict)

    def parts_of(self, number: int) -> tuple[ScorePart, ...]:
        """What a section's total is the sum of; () for one that is not ranked."""
        found = np.flatnonzero(self.numbers == number)
        return explained(self.asked, self.parts[found[0]]) if len(found) else ()

    def hits(self, sections: Sections, scorer: Scorer, limit: int) -> tuple[RankedSection, ...]:
        """The first ``limit`` as results."""
        return tuple(
            RankedSection(sections.at(number), scorer.weights.relevance(float(self.totals[number])),
                          float(self.evidence[rank]), explained(self.asked, self.parts[rank]))
            for rank, number in enumerate(self.numbers[:limit].tolist())
        )


def nothing(asked: Asked, sections: int) -> Ranking:
    """The ranking of a question that asks nothing."""
    none = np.empty(0, np.float32)
    return Ranking(asked, np.empty(0, np.int64), none, np.zeros(sections, np.float32),
                   np.empty((0, len(PARTS)), np.float32))


def ranked(asked: Asked, scored: Scored, scorer: Scorer, tie: npt.NDArray[np.int64],
           promise: Promise = NOTHING) -> Ranking:
    """The ranking that the scores make; ``tie`` is each section's place in the order of ids."""
    found = np.lexsort((tie, -scored.total))
    if asked.categories is not None:
        found = found[scorer.allowed(asked.categories)[found]]
    found = found[:DEPTH]
    return Ranking(
        asked, found, scored.evidence[found], scored.total, scored.parts[:, found].T.copy(),
        promise, float(scored.evidence.max()),
    )
