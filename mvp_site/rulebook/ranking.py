"""The sections of a book in order for one question, as much of it as is worth keeping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from .answer_table import NOTHING, Promise
from .query_parsing import Asked
from .results import Explained, RankedSection, ScorePart
from .scoring import PARTS, Scored, Scorer, explained
from .sections import Sections

DEPTH: Final = 128
"""How many sections a ranking keeps with the parts of their scores."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Section numbers, the best first, with their scores; ``totals`` has one for every section.

    ``strongest`` is the highest evidence of any section, those outside the caller's categories
    among them.
    """

    asked: Asked
    numbers: npt.NDArray[np.int64]
    evidence: npt.NDArray[np.float32]
    totals: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    promise: Promise = NOTHING
    strongest: float = 0.0

    def parts(self, rank: int) -> Explained:
        """What the total of the section at ``rank`` is the sum of."""
        return Explained(partial(explained, self.asked, self.values[rank]))

    def parts_of(self, numbers: Sequence[int]) -> list[Sequence[ScorePart]]:
        """The same by section numbers; () for one that is not ranked."""
        order = self.numbers.tolist()
        return [self.parts(order.index(n)) if n in order else () for n in numbers]

    def hits(self, sections: Sections, scorer: Scorer, limit: int) -> tuple[RankedSection, ...]:
        """The first ``limit`` as results."""
        numbers, relevance = self.numbers[:limit].tolist(), scorer.weights.relevance
        return tuple(
            RankedSection(sections.at(number), relevance(total), evidence, self.parts(rank))
            for rank, (number, total, evidence) in enumerate(zip(
                numbers, self.totals[numbers].tolist(), self.evidence[:limit].tolist(), strict=True
            ))
        )


def nothing(asked: Asked, sections: int) -> Ranking:
    """The ranking of a question that asks nothing."""
    empty = np.empty(0, np.int64)
    return Ranking(asked, empty, np.empty(0, np.float32), np.zeros(sections, np.float32),
                   np.empty((0, len(PARTS)), np.float32))


def ranked(scored: Scored, scorer: Scorer, tie: npt.NDArray[np.int64],
           promise: Promise = NOTHING) -> Ranking:
    """The ranking that the scores make; ``tie`` is each section's place in the order of ids."""
    totals, asked = scored.total, scored.asked
    shown = totals
    if asked.categories is not None:
        allowed = scorer.allowed(asked.categories)
        shown = np.where(allowed, totals, -np.inf).astype(np.float32)
    count = min(DEPTH, len(totals))
    found = np.argpartition(-shown, count - 1)
    # Of those that tie with the last one kept, the order of ids decides, not the partition.
    found = np.flatnonzero(shown >= shown[found[count - 1]])
    found = found[np.lexsort((tie[found], -shown[found]))][:count]
    found = found[shown[found] > -np.inf]
    return Ranking(
        asked, found, scored.evidence[found], totals,
        scorer.parts(scored, found), promise,
        float(scored.evidence.max()),
    )
