"""Discriminant: how far a turn's text is about the game at all, from its vector alone.

A logistic discriminant (Hastie, Tibshirani and Friedman 2009, section 4.4), fitted at build on
what the game sounds like (the utterances and the archive's own windows) against shipped
off-topic probes, classes weighing the same. Probes are judged by discriminants that were fitted
without them, so that a floor calibrated on the probes holds for text that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from . import arrays
from .dense import inner_products
from .encoder import Vectors

FILE: Final = "topicality.npy"
PENALTY: Final = 0.1
FOLDS: Final = 5
LOW: Final = -4.0
HIGH: Final = 4.0
SHIFT: Final = 0.7
"""Chosen of 0, 0.7 and 1 on the tuning part of a game in German, Spanish and Japanese."""
MOST_OWN: Final = 20_000
"""So many of a searched text's vectors are fitted on, evenly spread over it."""
_STEPS: Final = 24
_BLOCK: Final = 1024
_NEAR: Final = 0.1
_CONVERGED: Final = 1e-7
_DECIMALS: Final = 6

Coefficients = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Discriminant:
    """``weights`` of shape (dimension + 1,), the last one the constant term."""

    weights: Coefficients
    _direction: Vectors = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Keep the direction as vectors are compared."""
        direction = np.ascontiguousarray(self.weights[np.newaxis, :-1], np.float32)
        object.__setattr__(self, "_direction", direction)

    def score(self, vector: npt.NDArray[np.float32]) -> float:
        """How far the text of ``vector`` is about the game, in [0, 1]; 0.5 is undecided."""
        margin = inner_products(self._direction, vector)[0] + self.weights[-1]
        return scaled(float(margin))

    def dump(self) -> dict[str, bytes]:
        """The discriminant as a file."""
        return {FILE: arrays.to_bytes(self.weights)}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Discriminant:
        """The discriminant from the file of :meth:`dump`."""
        return cls(arrays.from_bytes(files[FILE]))


class OnTopic(NamedTuple):
    """Vectors of what the game sounds like, and how often each counts."""

    vectors: Vectors
    counts: Coefficients


def with_own(wordings: Vectors, own: Vectors) -> OnTopic:
    """What is said of the game, and the searched text's ``own`` vectors at least as often.

    A small archive, or one of another game, is on topic too. Of many vectors a sample tells.
    """
    own = own[:: -(-len(own) // MOST_OWN) or 1]
    counts = np.ones(len(wordings))
    if not len(own):
        return OnTopic(wordings, counts)
    times, more = divmod(max(len(wordings), len(own)), len(own))
    repeated = times + (np.arange(len(own)) < more)
    return OnTopic(np.concatenate([wordings, own]), np.concatenate([counts, repeated]))


def moved_to(own: Vectors, said: Vectors) -> Callable[[Vectors], Vectors]:
    """What moves vectors of shipped, English texts to where texts of ``own``'s language lie.

    A multilingual encoder puts the texts of a language near each other. The direction is that from
    what is ``said`` of the game to the searched text, :data:`SHIFT` of the way: they are about the
    same things.
    """
    shift = np.float32(SHIFT) * (own.mean(axis=0) - said.mean(axis=0))

    def moved(vectors: Vectors) -> Vectors:
        there = vectors + shift
        unit: Vectors = (there / np.linalg.norm(there, axis=1, keepdims=True)).astype(np.float32)
        return unit

    return moved


def scaled(margin: float) -> float:
    """A discriminant's margin as a score in [0, 1]."""
    return min(max((margin - LOW) / (HIGH - LOW), 0.0), 1.0)


def fit(on_topic: OnTopic, off_topic: Vectors, start: Discriminant | None = None,
        ) -> Discriminant:
    """The discriminant between two sets of unit vectors; one that is near is a good ``start``."""
    positive, counts = on_topic
    if not len(positive) or not len(off_topic):
        return Discriminant(np.zeros(positive.shape[1] + 1))
    vectors = np.concatenate([positive, off_topic])
    y = np.concatenate([np.ones(len(positive)), np.zeros(len(off_topic))])
    on_weights = counts * (0.5 / counts.sum() * len(off_topic))
    balance = np.concatenate([on_weights, np.full(len(off_topic), 0.5)])
    penalty = np.full(vectors.shape[1] + 1, PENALTY)
    penalty[-1] = 1e-6
    weights = np.zeros(len(penalty)) if start is None else start.weights
    # Newton's method; the problem is convex. The gradient alone says where the optimum is: near it
    # the curvature is kept, and single precision is enough for it. Blocks stay in the processor's
    # cache.
    curve, size = np.diag(penalty), np.inf
    for _ in range(_STEPS):
        gradient, near = penalty * weights, size <= _NEAR
        curve = curve if near else np.diag(penalty)
        for begin in range(0, len(vectors), _BLOCK):
            rows = slice(begin, begin + _BLOCK)
            x = np.pad(vectors[rows].astype(np.float64), ((0, 0), (0, 1)), constant_values=1.0)
            chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
            gradient += (balance[rows] * (chance - y[rows])) @ x
            if not near:
                root = np.sqrt(balance[rows] * chance * (1 - chance))
                spread = (x * root[:, None]).astype(np.float32)
                curve += spread.T @ spread
        step = np.linalg.solve(curve, gradient)
        weights = weights - step
        size = float(np.abs(step).max())
        if size < _CONVERGED:
            break
    return Discriminant(np.round(weights, _DECIMALS))


def out_of_fold(on_topic: OnTopic, off_topic: Vectors, whole: Discriminant) -> list[float]:
    """The score of each off-topic vector by a discriminant fitted without its fold.

    ``whole`` is the one that was fitted with all of them, from which each begins.
    """
    scores = [0.0] * len(off_topic)
    for fold in range(FOLDS):
        held_out = np.arange(len(off_topic)) % FOLDS == fold
        if held_out.all():
            return [0.5] * len(off_topic)
        fitted = fit(on_topic, off_topic[~held_out], whole)
        for row in np.flatnonzero(held_out):
            scores[row] = fitted.score(off_topic[row])
    return scores
