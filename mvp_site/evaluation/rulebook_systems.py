"""The plain ways to rank a book's sections, beside which the rulebook is measured.

All of them read a section's title and text once each, and the whole of a question as one text.
Plain convex fusion normalises each lane per question by its minimum and maximum and adds halves;
each lane alone ranks by its score. None of them weighs titles, knows of parents or adds a bonus.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.encoder import Encoder
from ..retrieval.index import HybridIndex, Passage, VectorCache
from ..retrieval.releases import text_cache
from ..retrieval.releases.build import Progress
from ..retrieval.text import normalise, terms
from ..rulebook.sections import Sections
from .rulebook_set import Question

PLAIN: Final = "plain convex fusion"
DENSE: Final = "dense lane alone"
LEXICAL: Final = "lexical lane alone"
BASELINES: Final = (PLAIN, DENSE, LEXICAL)

Scores = npt.NDArray[np.float32]


class PlainLanes:
    """Both lanes over the sections of one book."""

    def __init__(self, ids: tuple[str, ...], index: HybridIndex, encoder: Encoder) -> None:
        self._ids = np.asarray(ids)
        self._index = index
        self._encoder = encoder

    @classmethod
    def build(cls, sections: Sections, encoder: Encoder, kept: Path | None = None,
              progress: Progress | None = None) -> PlainLanes:
        """The lanes over ``sections``; ``kept`` is a folder for the vectors, for the next run."""
        passages = [Passage(one.id, (one.title,), one.content) for one in sections]
        told = partial(progress, "baselines") if progress else None
        cache = VectorCache(encoder)
        if kept:
            text_cache.recall(kept, encoder.fingerprint, cache)
        index = HybridIndex.build(passages, encoder, cache, told, heading_weight=1)
        if kept:
            text_cache.keep(kept, encoder.fingerprint, cache)
        return cls(tuple(passage.id for passage in passages), index, encoder)

    def rank(self, question: Question, limit: int) -> dict[str, tuple[str, ...]]:
        """The ids of the best ``limit`` sections by each of :data:`BASELINES`, ties as they stand.

        The lexical lane alone finds nothing where no word is shared.
        """
        dense = self._index.dense.scores(
                self._encoder.encode([normalise(question.text)])[0], prefilter=False
            )
        lexical, _ = self._index.lexical.scores(terms(question.text))
        return {
            PLAIN: self._best(0.5 * _minmax(dense) + 0.5 * _minmax(lexical), limit),
            DENSE: self._best(dense, limit),
            LEXICAL: self._best(np.where(lexical > 0, lexical, -np.inf), limit),
        }

    def _best(self, scores: Scores, limit: int) -> tuple[str, ...]:
        order = np.argsort(-scores, kind="stable")[:limit]
        return tuple(str(name) for name in self._ids[order[np.isfinite(scores[order])]])


def _minmax(scores: Scores) -> Scores:
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)
