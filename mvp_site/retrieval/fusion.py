"""Fusion: a convex combination of the lanes' scores, each on an absolute scale.

Per-query normalisation makes the best of nothing look perfect and reciprocal ranks carry no
size, so neither can stand under a floor. Here a score means the same for every query: BM25 as a
part of the query's weight (``lexical``), cosine between two fixed points (``dense``), and what
the situations table calls for (``hints``). Bruch, Gai and Ingber (2023) give the convex form.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fusion:
    """Weights and scales; ``dense + lexical + hints`` is 1.

    Cosine ``dense_low`` is worth 0 and ``dense_high`` 1. ``lexical_high`` is the lexical score
    worth 1: passages rarely carry all of a query's weight.
    """

    dense: float = 0.6
    lexical: float = 0.25
    hints: float = 0.15
    dense_low: float = 0.05
    dense_high: float = 0.75
    lexical_high: float = 0.7

    def as_dict(self) -> dict[str, Any]:
        """The weights as plain numbers, for a manifest."""
        return asdict(self)

    def dense_scale(self, cosine: Scores) -> Scores:
        """Cosine in [-1, 1] as evidence in [0, 1]."""
        scaled = (cosine - self.dense_low) / (self.dense_high - self.dense_low)
        return np.clip(scaled, 0.0, 1.0).astype(np.float32)

    def lexical_scale(self, part: Scores) -> Scores:
        """A part of the query's weight as evidence in [0, 1]."""
        return np.minimum(part / self.lexical_high, 1.0).astype(np.float32)

    def fuse(self, lexical: Scores | None, dense: Scores | None, hints: Scores | None) -> Scores:
        """Evidence in [0, 1] from scaled scores; a lane that is None leaves the other alone.

        ``hints`` stand beside both lanes; without them their share is simply not earned.
        """
        if lexical is not None and dense is not None:
            fused = self.dense * dense + self.lexical * lexical
        else:
            alone = dense if dense is not None else lexical
            if alone is None:
                raise ValueError("no lane to fuse")
            fused = (self.dense + self.lexical) * alone
        if hints is not None:
            fused = fused + self.hints * hints
        return np.asarray(fused, np.float32)
