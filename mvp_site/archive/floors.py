"""The floors of an archive's index: the evidence that a turn's best passage must reach.

For both lanes together and for each alone, the floor is the evidence that a set share of the
shipped off-topic probes stays under with their best passage. It is kept in the manifest. The probes
are harder than what players stray into (two thirds sound like the game), hence a share well under
all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval.discriminant import OnTopic
from ..retrieval.encoder import Vectors
from ..retrieval.ranking import Understanding, rank, sum_of
from ..text.languages import PAIRED
from ..text.normalising import normalise
from . import turn_classifiers
from .turn_ranking import FOREIGN, TurnIndex, leaned_weights, parsed

REFUSED: Final = 0.75
"""The share of the off-topic probes that a floor refuses."""
QUIET: Final = 0.84
"""The same of the exchanges that call for no rule."""


@dataclass(frozen=True, slots=True)
class Floors:
    """Floors in [0, 1] for both lanes together, for each alone, and for turns that lean."""

    both: float
    dense: float
    lexical: float
    leaned: float


FEWEST: Final = 15
"""Of fewer passages no floor is calibrated: it would let nearly every turn through. They have the
floors :data:`SHIPPED`."""
SHIPPED: Final = Floors(0.3, 0.37, 0.15, 0.4)
"""The floors of archives with fewer than :data:`FEWEST` passages, fitted on small parts of two
authors' archives and on three small projects (docs/evaluation.md)."""
LEAST_SHARES: Final = (0.03, 0.08)
"""The share of a query's weight that floors ask for with :data:`FOREIGN` weights, of words and of
pairs of characters: no shipped probe is in the archive's language. Fitted with the weights on a
game in German, Spanish and Japanese (docs/evaluation.md)."""


def foreign_floors(codes: Sequence[str]) -> Floors:
    """The floors of an archive that is written first in a language the encoder does not know."""
    lexical = LEAST_SHARES[codes[0] in PAIRED] / FOREIGN.lexical_high
    both = round(FOREIGN.lexical * lexical, 4)
    return Floors(both, SHIPPED.dense, round(lexical, 4), both)


def calibrate(turn_index: TurnIndex, probes: Sequence[str], on_topic: OnTopic,
              quiet: Vectors, calls: Sequence[float]) -> Floors:
    """The floors for an index, from the best evidence of each off-topic probe and quiet exchange.

    Each is judged as if it had not been seen; ``on_topic`` is what the topicality was fitted on,
    ``calls`` how far the ``quiet`` exchanges call for a rule.
    """
    weights, topic = turn_index.weights, turn_index.classifiers.about_game
    best: list[tuple[float, float, float]] = []
    for text, vector, about in zip(probes, topic.off, topic.unseen(on_topic), strict=True):
        ranking = rank(parsed(normalise(text), turn_index.language), Understanding(vector, about),
                       turn_index.collection, weights)
        dense = sum_of(weights.lane_parts(ranking.dense, None).values())
        lexical = sum_of(weights.lane_parts(None, ranking.lexical).values())
        best.append((
            float(ranking.evidence.max()), float(weights.evidence(dense, about).max()),
            float(lexical.max()),
        ))
    leaned = [
        float(rank(parsed(text, turn_index.language), Understanding(vector, call),
                   turn_index.collection, leaned_weights(weights)).evidence.max())
        for text, vector, call in zip(turn_classifiers.quiet(), quiet, calls, strict=True)]
    floors = [*np.quantile(np.array(best), REFUSED, axis=0), np.quantile(leaned, QUIET)]
    return Floors(*(round(float(floor), 4) for floor in floors))
