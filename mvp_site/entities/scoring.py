"""The score of every candidate for one query: in (0, 1], how surely it is what was meant.

An entity's *evidence* is a sum: both lanes on absolute scales, what the words resemble that people
say (:mod:`.query_expansion`), the agreement of the names, less what it breaks of what the query
states. Two logistic curves make a score of it. One is the entity's own: evidence, less a part of
what it is behind the best. The other is the query's: whether anything here can be meant, by the
best evidence, by how far the words are about the game, by how near somebody's words were, and by
how many words no entity's text has. A name that is the query's own is sure by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.backends.protocol import Candidates, Numbers, Scores
from ..retrieval.filters import Condition
from ..retrieval.query_expansion import QueryExpansion
from .document_store import DocumentStore
from .query_parsing import Asked
from .weights import Weights

Vector = npt.NDArray[np.float32]
TOPIC: Final = 0.7
HEARD: Final = 0.4
"""What stands for the topic and what was heard where no query is expanded."""
LEAST: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Candidates with their scores in (0, 1]."""

    numbers: Numbers
    scores: Scores


class Scorer:
    """Scores the candidates of one document store."""

    def __init__(self, store: DocumentStore, query_expansion: Mapping[str, QueryExpansion],
                 weights: Weights) -> None:
        self._store = store
        self._query_expansion = query_expansion
        self._weights = weights

    def score(self, asked: Asked, found: Candidates, vector: Vector | None,
              matches: dict[int, float], where: Condition = ()) -> Scored:
        """The candidates' scores; ``vector`` is that of the query's text, None without one.

        ``where`` is what the candidates fulfil. How far it narrows the choice is counted in the
        store: an engine gives no more candidates than it is asked for.
        """
        weights, count = self._weights, len(found.numbers)
        if not count:
            return Scored(found.numbers, np.empty(0, np.float32))
        start, end = self._store.span(asked.type)
        # A lane that is left alone has the weight of both.
        share = weights.lexical + (weights.dense if vector is None else 0.0)
        evidence = np.minimum(found.lexical * (share / weights.lexical_high), share)
        if vector is not None:
            evidence = weights.dense * weights.dense_scale(found.cosine) + evidence
        topic, nearest = TOPIC, HEARD
        expansion = self._query_expansion.get(asked.type)
        if expansion is not None and vector is not None:
            hinted, echoed, nearest = expansion.hinted_and_heard(vector)
            rows = found.numbers - start
            topic = expansion.topic(vector)
            evidence += weights.talk * hinted[rows]
            evidence += weights.echo * echoed[rows]
        sure = _named(found.numbers, matches)
        if sure is not None:
            sure = sure**weights.sure
            evidence += weights.name * sure
        if asked.stated and not asked.bound:
            evidence -= weights.stated * self._broken(asked, found.numbers)
        allowed = end - start
        if where:
            allowed = int(self._store.columns.mask(where, start, end).sum()) or count
        best = float(evidence.max())
        gate = weights.answerable(best, topic, nearest, asked.unknown)
        scores = gate * weights.meant(evidence, best, (end - start) / allowed)
        if sure is not None:
            scores = 1 - (1 - scores) * (1 - sure)
        np.clip(scores, LEAST, 1.0, out=scores)
        return Scored(found.numbers, scores)

    def _broken(self, asked: Asked, numbers: Numbers) -> Scores:
        """The part of what is stated that each candidate breaks."""
        start, end = self._store.span(asked.type)
        kept = np.zeros(end - start, np.float32)
        for clause in asked.stated:
            kept += self._store.columns.mask((clause,), start, end)
        return np.asarray(1 - kept[numbers - start] / len(asked.stated), np.float32)


def _named(numbers: Numbers, matches: Mapping[int, float]) -> Scores | None:
    """How far each candidate's name is the query's, in [0, 1]; None if none's is."""
    named = np.array([matches.get(number, 0.0) for number in numbers.tolist()], np.float32)
    return named if named.any() else None
