"""Hints: how strongly each passage is called for by the situations that a turn resembles.

At build, each situation's rules words are scored against every passage, once. At a turn, the
vector of the turn's text is compared with what people say in each situation; the situations it
resembles, and those that the game's state calls up, lend their stored scores. No text but the
turn's own is encoded.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import arrays
from ..retrieval.encoder import Vectors
from ..retrieval.fusion import Fusion
from ..retrieval.index import HybridIndex
from ..retrieval.text import terms
from .situations import Situation

Scores = npt.NDArray[np.float32]
FILES: Final = ("said.npy", "said_owners.npy", "hints.npy", "situations.json")
RESEMBLING: Final = 4
LOW: Final = 0.35
HIGH: Final = 0.75
STATE_WEIGHT: Final = 0.35
RULES_DENSE: Final = 0.6


class Hints:
    """Stored scores of situations against passages, and the vectors of what people say."""

    def __init__(self, said: Vectors, owners: npt.NDArray[np.int32], scores: Scores,
                 states: Mapping[str, Sequence[int]], ids: Sequence[str]) -> None:
        self._said = said
        self._starts = np.searchsorted(owners, np.arange(len(ids))).astype(np.int64)
        self._owners = owners
        self._scores = scores
        self._states = {state: list(rows) for state, rows in states.items()}
        self.ids = tuple(ids)

    @classmethod
    def build(cls, situations: Sequence[Situation], said: Vectors, rules: Vectors,
              index: HybridIndex, fusion: Fusion) -> Hints:
        """The hints for an index; ``said`` and ``rules`` are the vectors of the table's texts."""
        owners = np.asarray(
            [n for n, situation in enumerate(situations) for _ in situation.says], np.int32
        )
        scores = np.zeros((len(situations), index.passages), np.float32)
        for row, situation in enumerate(situations):
            lexical, _ = index.lexical.scores(terms(situation.rules))
            scores[row] = (
                RULES_DENSE * fusion.dense_scale(index.dense.scores(rules[row]))
                + (1 - RULES_DENSE) * fusion.lexical_scale(lexical)
            )
        states: dict[str, list[int]] = {}
        for row, situation in enumerate(situations):
            for state in situation.state:
                states.setdefault(state, []).append(row)
        return cls(said, owners, scores, states, [s.id for s in situations])

    def resembling(self, vector: npt.NDArray[np.float32]) -> list[tuple[int, float]]:
        """The situations that a turn's vector resembles most, with strength in (0, 1]."""
        if not self.ids:
            return []
        best = np.maximum.reduceat(self._said @ vector, self._starts)
        rows = np.argpartition(-best, min(RESEMBLING, len(best) - 1))[:RESEMBLING]
        strong = sorted(((float(best[row]), int(row)) for row in rows), key=lambda p: (-p[0], p[1]))
        return [
            (row, min((cosine - LOW) / (HIGH - LOW), 1.0)) for cosine, row in strong if cosine > LOW
        ]

    def scores(self, strengths: Sequence[tuple[int, float]], facets: Collection[str] = ()) -> Scores:
        """The passages' hints in [0, 1]: the strongest call of any situation."""
        calls = [*strengths]
        for facet in sorted(facets):
            calls += [(row, STATE_WEIGHT) for row in self._states.get(facet, ())]
        if not calls:
            return np.zeros(self._scores.shape[1], np.float32)
        weights = np.asarray([strength for _, strength in calls], np.float32)
        called = self._scores[[row for row, _ in calls]]
        strongest: Scores = (called * weights[:, None]).max(axis=0)
        return strongest

    def dump(self) -> dict[str, bytes]:
        """The hints as files."""
        return {
            FILES[0]: arrays.to_bytes(self._said),
            FILES[1]: arrays.to_bytes(self._owners),
            FILES[2]: arrays.to_bytes(self._scores.astype(np.float16)),
            FILES[3]: json.dumps({"ids": self.ids, "states": self._states}, sort_keys=True).encode(),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Hints:
        """The hints from the files of :meth:`dump`."""
        table = json.loads(files[FILES[3]])
        return cls(
            arrays.from_bytes(files[FILES[0]]), arrays.from_bytes(files[FILES[1]]),
            arrays.from_bytes(files[FILES[2]]).astype(np.float32), table["states"], table["ids"],
        )
