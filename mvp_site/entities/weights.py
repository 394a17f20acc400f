"""Every weight of entity search in one place; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval.collection import Scores

CUT: Final = 0.3
"""The ``_score`` under which an entity is no answer to a query."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of an entity's evidence is worth, and the curves that judge it.

    ``dense`` and ``lexical`` are the lanes on their absolute scales, full at ``dense_high`` and
    ``lexical_high``; ``called`` is what utterances call for (query expansion), ``stated`` what an
    entity loses that breaks all that the query states. The agreement of the name is sure by itself
    to the power of ``sure``.

    ``slope`` and ``middle`` are of the entity's curve, ``behind`` the part that counts of what it
    is behind the best. ``gate_…`` are of the query's line: the best evidence, the topic, and the
    part of the words that no text has.
    """

    dense: float = 1.0
    lexical: float = 0.4
    called: float = 1.0
    stated: float = 3.0
    sure: float = 4.0
    dense_high: float = 0.7
    lexical_high: float = 0.7

    slope: float = 3.0
    middle: float = 0.4
    behind: float = 0.5

    gate_best: float = 8.0
    gate_topic: float = 15.0
    gate_unknown: float = 7.0
    gate_middle: float = 12.0

    def meant(self, evidence: Scores) -> Scores:
        """How surely each entity is meant, in (0, 1), if anything is."""
        total = evidence - self.behind * (evidence.max() - evidence) - self.middle
        held: Scores = (1.0 / (1.0 + np.exp(-self.slope * total))).astype(np.float32)
        return held

    def answerable(self, best: float, topic: float, unknown: float) -> bool:
        """Whether anything here can be meant at all."""
        total = self.gate_best * best + self.gate_topic * topic - self.gate_unknown * unknown
        return total >= self.gate_middle
