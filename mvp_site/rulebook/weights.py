"""The weights of a section's score: the bonuses of design 2, section 7, and what they stand on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Weights:
    """What the parts of a score count, and how scores become relevance.

    ``dense`` and ``lexical`` are those of the cosine and of BM25 as a part of the query's weight;
    nothing is normalised by query. ``context_terms`` is what a term of hint or intention counts
    beside one of the question. ``content`` is for each given name in the text, ``entity_most`` for
    all together; ``named`` for a section of just a name where the things themselves are wanted, of
    several less for those that say less. ``lift`` is how far a section is lifted towards its best
    child. ``talk`` is for what the user's own words resemble, ``answer`` for the sections that a
    promised table was read from.

    Relevance is the chance that a section answers: logistic, with ``slope`` around ``middle`` in
    the evidence that the book has for the question at all, and with ``fall`` in how far the section
    is behind the best one. ``topic`` is what the evidence gains where the question is about the
    game. The best section's relevance is held against ``floor``.
    """

    dense: float = 2.0
    lexical: float = 1.0
    context_terms: float = 0.5
    content: float = 0.15
    entity_most: float = 0.4
    named: float = 0.3
    lift: float = 0.5
    talk: float = 0.7
    answer: float = 0.3

    topic: float = 1.5
    slope: float = 1.8
    middle: float = 2.6
    fall: float = 6.4
    floor: float = 0.17

    def relevance(self, totals: npt.NDArray[np.float32], evidence: float,
                  ) -> npt.NDArray[np.float32]:
        """The relevance of sections in (0, 1), in the order of their ``totals``."""
        best = self.slope * (evidence - self.middle)
        behind = self.fall * (totals - totals.max())
        chance: npt.NDArray[np.float32] = 1 / (1 + np.exp(-(best + np.maximum(behind, -40))))
        return chance
