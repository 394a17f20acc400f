"""Plain ways to rank, beside which the product is measured.

Plain convex fusion normalises each lane per question by its minimum and maximum and adds halves;
each lane alone ranks by its score. None of them weighs titles, knows of parents or adds a bonus.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.encoder import Encoder
from ..retrieval.index import HybridIndex, Passage, VectorCache
from ..retrieval.releases.build import Progress
from ..retrieval.text import normalise, terms

PLAIN: Final = "plain convex fusion"
DENSE: Final = "dense lane alone"
LEXICAL: Final = "lexical lane alone"
LANES: Final = (PLAIN, DENSE, LEXICAL)
RECIPE: Final = "plain recipe"
RECIPE_DENSE: Final = 0.7

Scores = npt.NDArray[np.float32]


def rankings(dense: Scores, lexical: Scores) -> dict[str, list[int]]:
    """The order of all passages by each of :data:`LANES`, the best first, ties as they stand."""
    scores = (0.5 * _minmax(dense) + 0.5 * _minmax(lexical), dense, lexical)
    return {
        name: np.argsort(-one, kind="stable").tolist()
        for name, one in zip(LANES, scores, strict=True)
    }


def recipe(dense: Scores, lexical: Scores) -> Scores:
    """The scores of :data:`RECIPE`: the two lanes by their minimum and maximum, .7 and .3."""
    return RECIPE_DENSE * _minmax(dense) + (1 - RECIPE_DENSE) * _minmax(lexical)


def _minmax(scores: Scores) -> Scores:
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


class PlainLanes:
    """Both lanes over passages, each of which is read once, title and text alike."""

    def __init__(self, passages: Sequence[Passage], encoder: Encoder,
                 progress: Progress | None = None) -> None:
        told = partial(progress, "baselines") if progress else None
        self._ids = [passage.id for passage in passages]
        self._encoder = encoder
        self._index = HybridIndex.build(
            passages, encoder, VectorCache(encoder), told, heading_weight=1
        )

    def rank(self, text: str, limit: int) -> dict[str, tuple[str, ...]]:
        """The ids of the best ``limit`` passages by each of :data:`LANES` and by the recipe.

        The lexical lane alone finds nothing where no word is shared.
        """
        vector = self._encoder.encode([normalise(text)])[0]
        dense = self._index.dense.scores(vector, prefilter=False)
        lexical, _ = self._index.lexical.scores(terms(text))
        found = rankings(dense, lexical)
        found[RECIPE] = np.argsort(-recipe(dense, lexical), kind="stable").tolist()
        found[LEXICAL] = [number for number in found[LEXICAL] if lexical[number] > 0]
        return {
            name: tuple(self._ids[number] for number in order[:limit])
            for name, order in found.items()
        }
