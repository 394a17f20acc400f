"""The order of the candidates for one query, and whether any of them is an answer.

These are two questions. The *order* is that of the evidence, a sum: both lanes, what utterances
call for (:mod:`.calls`), less what an entity breaks of what the query states; a curve of
it, and of how far it is behind the best, is the score. Whether *anything* can be meant is judged
for the query as a whole: by the best evidence, by how far the words are about the game, and by how
many of them no entity's text has. A name that is the query's own is sure by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from ..retrieval.collection import Hits, Scores
from ..retrieval.fusion import between
from .calls import Expanded
from .query_parsing import Asked
from .release import Release

REFUSED: Final = 0.25
"""What is left of the scores where nothing can be meant: all are under :data:`.weights.CUT`."""
TOPIC: Final = 0.7
"""What stands for the topic where there is no vector."""
LEAST: Final = 1e-6


def score(release: Release, asked: Asked, found: Hits, said: Expanded | None,
          matches: Mapping[int, float]) -> Scores:
    """The candidates' scores in (0, 1]; ``said`` is None where the encoder has failed."""
    weights, store, numbers = release.manifest.weights, release.document_store, found.numbers
    if not len(numbers):
        return np.empty(0, np.float32)
    # A lane that is left alone has the weight of both.
    share = weights.lexical + (weights.dense if said is None else 0.0)
    evidence = share * between(found.lexical, 0.0, weights.lexical_high)
    if said is not None:
        evidence += weights.dense * between(found.cosine, 0.0, weights.dense_high)
        evidence += weights.called * said.called[numbers]
    if asked.stated and not asked.bound:
        start, end = store.span(asked.type)
        broken = np.zeros(end - start, np.float32)
        for clause in asked.stated:
            broken += ~store.columns.mask((clause,), start, end)
        evidence -= weights.stated * broken[numbers - start] / len(asked.stated)
    scores = weights.meant(evidence)
    topic = TOPIC if said is None else said.topic
    if not weights.answerable(float(evidence.max()), topic, asked.unknown):
        scores *= REFUSED
    sure = np.array([matches.get(number, 0.0) for number in numbers.tolist()], np.float32)
    held: Scores = np.clip(1 - (1 - scores) * (1 - sure**weights.sure), LEAST, 1.0)
    return held
