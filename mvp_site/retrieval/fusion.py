"""Fusion: a convex combination of the lanes' scores, each on an absolute scale.

Per-query normalisation makes the best of nothing look perfect and reciprocal ranks carry no
size, so neither can stand under a floor. Here a score means the same for every query: BM25 as a
part of the query's weight (``lexical``), cosine between two fixed points (``dense``). Bruch, Gai
and Ingber (2023) give the convex form. What to print is ranked by the score; whether to print
anything is judged by the evidence, which also knows whether the query is about the game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fusion:
    """Weights and scales; ``dense + lexical`` is 1.

    Cosine ``dense_low`` is worth 0 and ``dense_high`` 1. ``lexical_high`` is the lexical score
    worth 1: passages rarely carry all of a query's weight. ``topic`` is the part of the
    evidence that is the query's topicality, which counts up to ``topic_most`` times the
    passage's score: that a turn is about the game lifts nothing that has next to nothing to do
    with it. A passage that carries most of the query's weight shows by itself, as far as
    ``lexical_topic``, that the query is on topic: a bare look-up ("XP for CR 17") says little
    to an encoder. ``called`` is what a passage ranks the better by that similar utterances call
    for (:mod:`.query_expansion`); it is no evidence.
    """

    dense: float = 0.5
    lexical: float = 0.5
    topic: float = 0.4
    topic_most: float = 5.0
    lexical_topic: float = 1.0
    called: float = 0.1
    dense_low: float = 0.05
    dense_high: float = 0.75
    lexical_high: float = 0.7

    def dense_scale(self, cosine: Scores) -> Scores:
        """Cosine in [-1, 1] as evidence in [0, 1]."""
        return between(cosine, self.dense_low, self.dense_high)

    def lexical_scale(self, part: Scores) -> Scores:
        """A part of the query's weight as evidence in [0, 1]."""
        return between(part, 0.0, self.lexical_high)

    def fuse(self, lexical: Scores | None, dense: Scores | None) -> Scores:
        """Scores in [0, 1] from scaled ones; a lane that is None gives its weight to the other."""
        if lexical is not None and dense is not None:
            fused = np.float32(self.dense) * dense
            fused += np.float32(self.lexical) * lexical
            return fused
        alone = dense if dense is not None else lexical
        if alone is None:
            raise ValueError("no lane to fuse")
        return alone

    def evidence(self, scores: Scores, topic: float | None) -> Scores:
        """How far each passage is an answer at all, in [0, 1]; the scores alone without a topic."""
        if topic is None:
            return scores
        lifted = np.minimum(np.float32(topic), np.float32(self.topic_most) * scores)
        held: Scores = np.float32(1 - self.topic) * scores + np.float32(self.topic) * lifted
        return held


def between(values: Scores, low: float, high: float) -> Scores:
    """``values`` so that ``low`` is 0 and ``high`` is 1, and nothing lies outside."""
    scaled: Scores = (values - np.float32(low)) * np.float32(1 / (high - low))
    np.maximum(scaled, np.float32(0), out=scaled)
    return np.minimum(scaled, np.float32(1), out=scaled)


def minmax(values: Scores) -> Scores:
    """``values`` so that the least is 0 and the greatest 1; all 0 where they are the same."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def shown(score: float) -> float:
    """A score of 0 or more as it is told: to four decimals."""
    return int(score * 10_000 + 0.5) / 10_000  # a turn tells of dozens: a sixth of round's time
