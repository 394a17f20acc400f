"""The score of every candidate for one query: a chance in (0, 1] that it is what was meant.

Both lanes on absolute scales, what the words resemble at the table, the agreement of the names,
and what the query states, in sum; a logistic curve makes a chance of the sum. A name that is the
query's own is sure by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.backends.protocol import Candidates, Numbers, Scores
from ..retrieval.talk import Talk
from .asking import Asked
from .catalogue import Catalogue
from .names import Match
from .weights import Weights

Vector = npt.NDArray[np.float32]
PARTS: Final = ("dense", "lexical", "talk", "name", "stated", "topic")


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Candidates with their scores in (0, 1] and, a row each, the parts of their sums."""

    numbers: Numbers
    scores: Scores
    parts: Scores


class Scorer:
    """Scores the candidates of one catalogue."""

    def __init__(self, catalogue: Catalogue, talk: Talk | None, weights: Weights) -> None:
        self._catalogue = catalogue
        self._talk = talk
        self.weights = weights

    def score(self, asked: Asked, found: Candidates, vector: Vector, matches: dict[int, Match],
              ) -> Scored:
        """The candidates' scores; ``vector`` is the unit vector of the query's text."""
        weights, count = self.weights, len(found.numbers)
        parts: Scores = np.zeros((len(PARTS), count), np.float32)
        parts[0] = weights.dense * weights.dense_scale(found.cosine)
        parts[1] = weights.lexical * np.minimum(found.lexical * (1 / weights.lexical_high), 1.0)
        if self._talk is not None:
            parts[2] = weights.talk * self._talk.hinted(vector)[found.numbers]
            parts[5] = weights.topic * self._talk.topic(vector)
        named = np.zeros(count, np.float32)
        if matches and count:
            numbers = np.fromiter(matches, np.int64, len(matches))
            places = np.minimum(np.searchsorted(found.numbers, numbers), count - 1)
            held = found.numbers[places] == numbers
            values = np.fromiter((match.score for match in matches.values()), np.float32,
                                 len(matches))
            named[places[held]] = values[held]
        parts[3] = weights.name * named
        if asked.stated and not asked.bound:
            parts[4] = -weights.stated * self._broken(asked, found.numbers)
        chance = weights.chance(parts.sum(axis=0))
        scores = 1 - (1 - chance) * (1 - named**weights.sure)
        return Scored(found.numbers, np.clip(scores, 1e-6, 1.0), parts)

    def _broken(self, asked: Asked, numbers: Numbers) -> Scores:
        """The part of what is stated that each candidate breaks."""
        start, end = self._catalogue.span(asked.type)
        kept = np.zeros(end - start, np.float32)
        for clause in asked.stated:
            kept += self._catalogue.columns.mask((clause,), start, end)
        return np.asarray(1 - kept[numbers - start] / len(asked.stated), np.float32)
