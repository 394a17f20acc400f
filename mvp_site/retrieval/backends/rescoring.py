"""Exact scores of candidates that an engine found, from what it has stored of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..encoder import Vectors
from .protocol import Candidates, Numbers, Wanted
from .term_stats import TermStatistics, lexical_scores

NONE = Candidates(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Stored windows, one a row, in any order, all those of each passage that is among them.

    ``vectors`` has a row each; ``words`` are the part of the passage's words that is stored with
    the window, between spaces.
    """

    numbers: Numbers
    vectors: Vectors
    words: Sequence[str]


def rescored(wanted: Wanted, stats: TermStatistics, windows: Windows) -> Candidates:
    """The windows' passages by ascending number, with the scores that ``wanted`` gives them.

    The cosine is that of the best window; without a vector it is 0.
    """
    if not len(windows.numbers):
        return NONE
    order = np.argsort(windows.numbers, kind="stable")
    numbers, starts = np.unique(windows.numbers[order], return_index=True)
    cosine = np.zeros(len(numbers), np.float32)
    if wanted.vector is not None:
        similar = windows.vectors @ np.asarray(wanted.vector, np.float32)
        cosine = np.maximum.reduceat(similar[order], starts).astype(np.float32)
    words: list[list[str]] = [[] for _ in numbers]
    if wanted.terms:
        for place, row in zip(np.searchsorted(numbers, windows.numbers[order]), order, strict=True):
            words[place] += windows.words[row].split(" ") if windows.words[row] else []
    return Candidates(numbers, cosine, lexical_scores(stats, wanted.terms, words))
