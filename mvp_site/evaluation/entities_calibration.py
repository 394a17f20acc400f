"""Whether a score means what it says: scores against the part that is relevant.

All scores count, those under the cut as well. An entity that a query did not score has 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..entities.weights import CUT

BINS: Final = 20
_CUTS: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True, slots=True)
class Bin:
    """Results with a score from ``low`` to ``high``.

    ``score`` is the mean of theirs, ``share`` the part of them that is relevant; where a score is
    calibrated the two are close.
    """

    low: float
    high: float
    score: float
    share: float
    relevant: int
    irrelevant: int


@dataclass(frozen=True, slots=True)
class Cut:
    """What a list that drops scores under ``score`` is worth, over all results of all queries."""

    score: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Scores of ``results`` of ``queries``; a bin without any is left out.

    ``relevant`` is how many results ought to be found. ``at`` is the cut that searches make,
    ``best`` the one of ``cuts`` with the greatest F1.
    """

    queries: int
    results: int
    relevant: int
    bins: tuple[Bin, ...]
    cuts: tuple[Cut, ...]
    at: Cut
    best: Cut


def calibrate(scores: Sequence[Sequence[tuple[float, bool]]], relevant: int) -> Calibration:
    """The calibration of scores with whether the result is relevant, query by query.

    ``relevant`` is how many are relevant to the queries in all, scored or not.
    """
    pairs = np.asarray([pair for held in scores for pair in held], np.float64).reshape(-1, 2)
    cuts = tuple(_cut(pairs, score, relevant) for score in _CUTS)
    return Calibration(
        queries=len(scores), results=len(pairs), relevant=relevant, bins=_bins(pairs), cuts=cuts,
        at=_cut(pairs, CUT, relevant), best=max(cuts, key=lambda one: (one.f1, -one.score)),
    )


def _bins(pairs: npt.NDArray[np.float64]) -> tuple[Bin, ...]:
    # Scores such as 0.3 must not fall into the bin below by a bit of their last place.
    places = np.clip(np.floor(pairs[:, 0] * BINS + 1e-9), 0, BINS - 1)
    found: list[Bin] = []
    for place in range(BINS):
        held = pairs[places == place]
        if len(held):
            relevant = int(held[:, 1].sum())
            found.append(Bin(
                low=place / BINS, high=(place + 1) / BINS, score=float(held[:, 0].mean()),
                share=relevant / len(held), relevant=relevant, irrelevant=len(held) - relevant,
            ))
    return tuple(found)


def _cut(pairs: npt.NDArray[np.float64], score: float, relevant: int) -> Cut:
    held = pairs[pairs[:, 0] >= score]
    right = float(held[:, 1].sum())
    precision, recall = right / max(len(held), 1), right / max(relevant, 1)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Cut(score, precision, recall, f1)
