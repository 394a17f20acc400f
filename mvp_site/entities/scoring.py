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
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.collection import Hits, Numbers, Scores
from ..retrieval.filters import Condition
from .query_parsing import Asked
from .release import Release

Vector = npt.NDArray[np.float32]
TOPIC: Final = 0.7
HEARD: Final = 0.4
"""What stands for the topic and what was heard where no query is expanded."""
LEAST: Final = 1e-6


def score(release: Release, asked: Asked, found: Hits, vector: Vector | None,
          matches: Mapping[int, float], where: Condition = ()) -> Scores:
    """The candidates' scores in (0, 1]; ``vector`` is the query's, None where there is none.

    ``where`` is what the candidates fulfil. How far it narrows the choice is counted in the
    document store: an engine gives no more candidates than it is asked for.
    """
    weights, store, count = release.manifest.weights, release.document_store, len(found.numbers)
    if not count:
        return np.empty(0, np.float32)
    start, end = store.span(asked.type)
    # A lane that is left alone has the weight of both.
    share = weights.lexical + (weights.dense if vector is None else 0.0)
    evidence = np.minimum(found.lexical * (share / weights.lexical_high), share)
    if vector is not None:
        evidence = weights.dense * weights.dense_scale(found.cosine) + evidence
    topic, nearest = TOPIC, HEARD
    rows = found.numbers - start
    expansion = release.query_expansion.get(asked.type)
    if expansion is not None and vector is not None:
        hinted, echoed, nearest = expansion.hinted_and_heard(vector)
        topic = expansion.topic(vector)
        evidence += weights.talk * hinted[rows]
        evidence += weights.echo * echoed[rows]
    sure = _named(found.numbers, matches)
    if sure is not None:
        sure = sure**weights.sure
        evidence += weights.name * sure
    if asked.stated and not asked.bound:
        kept = np.zeros(end - start, np.float32)
        for clause in asked.stated:
            kept += store.columns.mask((clause,), start, end)
        evidence -= weights.stated * (1 - kept[rows] / len(asked.stated))
    allowed = end - start
    if where:
        allowed = int(store.columns.mask(where, start, end).sum()) or count
    best = float(evidence.max())
    gate = weights.answerable(best, topic, nearest, asked.unknown)
    scores = gate * weights.meant(evidence, best, (end - start) / allowed)
    if sure is not None:
        scores = 1 - (1 - scores) * (1 - sure)
    held: Scores = np.clip(scores, LEAST, 1.0)
    return held


def _named(numbers: Numbers, matches: Mapping[int, float]) -> Scores | None:
    """How far each candidate's name is the query's, in [0, 1]; None if none's is."""
    named = np.array([matches.get(number, 0.0) for number in numbers.tolist()], np.float32)
    return named if named.any() else None
