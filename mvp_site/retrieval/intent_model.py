"""IntentModel: which passages the situations call for that a turn seems to be in.

At build, what people say in each situation is whitened by its spread within situations (Fisher's
linear discriminant; Hastie, Tibshirani and Friedman 2009, section 4.3), each situation becoming
one direction, and each situation's rules words are scored against every passage. At a turn, the
vector of its text is compared with the directions; a softmax gives each situation's share, and a
passage's hint is what the shares make of the stored scores. No text but the turn's own is encoded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Final

import numpy as np
import numpy.typing as npt

from . import arrays
from .dense import inner_products, main_axes, norm
from .encoder import Vectors
from .fusion import Fusion
from .index import HybridIndex
from .text import terms
from .utterances import Topic

Floats = npt.NDArray[np.float32]
FILES: Final = (
    "situations_mean.npy", "situations_whitening.npy", "situations_directions.npy", "hints.npy",
    "situations.json",
)
RESEMBLING: Final = 6
AXES: Final = 192
"""Directions are compared along the axes that tell them apart most: half the work, and what is left
out tells little (docs/evaluation.md)."""
RULES_SHARE: Final = 0.15
"""How much a situation's direction leans to its rules words."""
RULES_DENSE: Final = 0.6


class IntentModel:
    """The situations' directions, and their scores against the passages, each in [0, 1]."""

    def __init__(self, mean: Floats, whitening: Floats, directions: Floats, scores: Floats,
                 ids: Sequence[str]) -> None:
        self._mean = mean
        self._whitening = np.ascontiguousarray(whitening)  # symmetric: its rows are its columns
        self._directions = np.ascontiguousarray(directions)
        # What turns a vector into what the directions are compared with, and these.
        self._turning, self._compared = self._whitening, self._directions
        if len(directions) > AXES:
            axes = main_axes(directions, AXES)
            self._turning = np.ascontiguousarray(axes @ self._whitening)
            self._compared = np.ascontiguousarray(directions @ axes.T)
        self._scores = scores
        self.ids = tuple(ids)

    @classmethod
    def build(cls, situations: Sequence[Topic], said: Vectors, rules: Vectors,
              index: HybridIndex, fusion: Fusion, *, shrinkage: float,
              full: float, called: Floats | None = None) -> IntentModel:
        """The hints for an index; ``said`` and ``rules`` are the vectors of the table's texts.

        ``shrinkage`` draws the spread within situations to a sphere: more where there are many
        situations of a few utterances each.

        Where the best passage for a situation's rules words scores under ``full`` in [0, 1], all
        its hints are less by that much: the index may hold nothing on it. ``called``, of shape
        (situations, passages) in [0, 1], is what a passage's hint is at least.
        """
        owners = np.repeat(np.arange(len(situations)), [len(s.says) for s in situations])
        mean, whitening, directions = _discriminant(said, owners, rules, shrinkage)
        scores = np.zeros((len(situations), index.passages), np.float32)
        for row, situation in enumerate(situations):
            lexical, _ = index.lexical.scores(terms(situation.rules))
            dense = fusion.dense_scale(index.dense.scores(rules[row]))
            raw = RULES_DENSE * dense + (1 - RULES_DENSE) * fusion.lexical_scale(lexical)
            held = min(float(raw.max(initial=0.0)) / full, 1.0)
            scores[row] = held * _contrast(raw)
        if called is not None:
            scores = np.maximum(scores, called)
        return cls(mean, whitening, directions, scores, [s.id for s in situations])

    def only(self, rows: Sequence[int], start: int, end: int) -> IntentModel:
        """The hints of some of the situations for the passages from ``start`` to ``end``."""
        if list(rows) == list(range(len(self.ids))):
            whole = copy(self)  # of all of them, what is large is shared
            whole._scores = np.ascontiguousarray(self._scores[:, start:end])  # noqa: SLF001 - its own
            return whole
        chosen = np.asarray(rows, np.int64)
        return IntentModel(
            self._mean, self._whitening, self._directions[chosen],
            np.ascontiguousarray(self._scores[chosen, start:end]), [self.ids[row] for row in rows],
        )

    def resembling(self, vector: Floats, temperature: float) -> list[tuple[int, float]]:
        """The situations a turn's vector resembles most, with shares of 1 over all situations."""
        return shares_of(self.likeness(vector), temperature) if self.ids else []

    def likeness(self, vector: Floats) -> Floats:
        """The cosine of a turn's vector to each situation's direction."""
        # BLAS would spread these small products over threads, which costs more than they do.
        turn = inner_products(self._turning, vector - self._mean)
        likeness = inner_products(self._compared, turn)
        likeness /= max(norm(turn), 1e-9)
        return likeness

    def scores(self, shares: Sequence[tuple[int, float]]) -> Floats:
        """The passages' hints in [0, 1]."""
        total: Floats = np.zeros(self._scores.shape[1], np.float32)
        for row, share in shares:
            total += self._scores[row] * np.float32(share)
        return np.minimum(total, np.float32(1.0))

    def highest(self, worth: Sequence[tuple[int, float]]) -> Floats:
        """The passages' highest hint of any of these situations, each worth so much, in [0, 1]."""
        if not worth:
            return np.zeros(self._scores.shape[1], np.float32)
        weights = np.asarray([part for _, part in worth], np.float32)
        most: Floats = (weights[:, None] * self._scores[[row for row, _ in worth]]).max(axis=0)
        return most

    def dump(self) -> dict[str, bytes]:
        """The hints as files."""
        held = (self._mean, self._whitening, self._directions)
        return {
            **{file: arrays.to_bytes(array) for file, array in zip(FILES, held, strict=False)},
            FILES[3]: arrays.to_bytes(self._scores.astype(np.float16)),
            FILES[4]: json.dumps({"ids": self.ids}).encode(),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> IntentModel:
        """The hints from the files of :meth:`dump`."""
        table = json.loads(files[FILES[4]])
        mean, whitening, directions, scores = (arrays.from_bytes(files[f]) for f in FILES[:4])
        return cls(mean, whitening, directions, scores.astype(np.float32), table["ids"])


def shares_of(likeness: Floats, temperature: float) -> list[tuple[int, float]]:
    """The situations of the highest likeness, with shares of 1 over all situations."""
    rows = np.arange(len(likeness))
    if len(likeness) > RESEMBLING:
        rows = likeness.argpartition(-RESEMBLING)[-RESEMBLING:]
    ranked = sorted(zip((-likeness[rows]).tolist(), rows.tolist(), strict=True))
    least = ranked[0][0] if ranked else 0.0
    total = float(np.exp((likeness + np.float32(least)) / np.float32(temperature)).sum())
    return [(row, math.exp((least - unlike) / temperature) / total) for unlike, row in ranked]


def _discriminant(said: Vectors, owners: npt.NDArray[np.int64], rules: Vectors,
                  shrinkage: float) -> tuple[Floats, Floats, Floats]:
    """The mean of what is said, the whitening, and each situation's unit direction."""
    if not len(rules):
        dimension = said.shape[1]
        return (np.zeros(dimension, np.float32), np.eye(dimension, dtype=np.float32),
                np.zeros((0, dimension), np.float32))
    x = said.astype(np.float64)
    counts = np.maximum(np.bincount(owners, minlength=len(rules)), 1)
    centres = np.zeros((len(rules), x.shape[1]))
    np.add.at(centres, owners, x)
    centres /= counts[:, None]
    spread = x - centres[owners]
    within = spread.T @ spread / max(len(x) - len(rules), 1)
    ridge = max(shrinkage * float(np.trace(within)) / len(within), 1e-9)
    values, axes = np.linalg.eigh(within + ridge * np.eye(len(within)))
    whitening = (axes * values**-0.5) @ axes.T
    leaning = centres + RULES_SHARE * rules
    directions = (leaning - leaning.mean(axis=0)) @ whitening
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-9)
    return (x.mean(axis=0).astype(np.float32), whitening.astype(np.float32),
            directions.astype(np.float32))


def _contrast(raw: Floats) -> Floats:
    """``raw`` with its median at 0 and its best at 1: what stands out for one situation."""
    low, high = float(np.median(raw)), float(raw.max())
    if high <= low:
        return np.zeros_like(raw)
    contrast: Floats = np.clip((raw - low) / (high - low), 0.0, 1.0).astype(np.float32)
    return contrast
