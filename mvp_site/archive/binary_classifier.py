"""Contrast: on which of two sides a text is, by a discriminant and by its nearest examples.

A linear discriminant (:mod:`~mvp_site.retrieval.discriminant`) knows the two sides as a whole;
the nearest example of each side (Cover and Hart 1967) knows what a few words of either sound like.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval.dense import inner_products
from ..retrieval.discriminant import FOLDS, Discriminant, OnTopic, out_of_fold
from ..retrieval.encoder import Vector, Vectors

NEARER: Final = 2.0
"""What the difference of the nearest examples' cosines adds to the discriminant's score. From 1.5
to 2.5 the tuning parts of the needles and of archives by others are told apart alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """A discriminant between two sides, and the unit vectors of each side's examples."""

    classifier: Discriminant
    on: Vectors
    off: Vectors

    def score(self, vector: Vector) -> float:
        """How far a text is on the side of ``on``, in [0, 1]; 0.5 is undecided."""
        return _moved(self.classifier.score(vector), self.on, self.off, vector)

    def unseen(self, on_topic: OnTopic) -> list[float]:
        """The score of each example of ``off`` as if neither it nor its fold had been seen.

        ``on_topic`` is what the discriminant was fitted on.
        """
        scores = out_of_fold(on_topic, self.off, self.classifier)
        folds = np.arange(len(self.off)) % FOLDS
        return [_moved(score, self.on, self.off[folds != fold], vector)
                for score, fold, vector in zip(scores, folds.tolist(), self.off, strict=True)]


def _moved(score: float, on: Vectors, off: Vectors, vector: Vector) -> float:
    if not len(on) or not len(off):
        return score
    nearer = float(inner_products(on, vector).max()) - float(inner_products(off, vector).max())
    return min(max(score + NEARER * nearer, 0.0), 1.0)
