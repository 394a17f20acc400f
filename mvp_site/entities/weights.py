"""Every weight of entity search in one place; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..retrieval import ranking

CUT: Final = 0.3
"""The ``_score`` under which an entity is no answer to a query."""

NEAR: Final = 0.35
SURE: Final = 0.7
"""The share of the best ``_score`` under which an entity is not listed: of any query, and of one
that is the name of an entity. Chosen on the tuning part: the most that costs no nDCG@10."""


@dataclass(frozen=True, slots=True)
class EntityWeights(ranking.Weights):
    """The ranker's weights for entities.

    ``called`` is what utterances call for (query expansion), ``stated`` what an entity loses that
    breaks all that the query states. Where nothing can be meant what is left of the relevance is
    under :data:`CUT`.
    """

    dense: float = 1.0
    lexical: float = 0.4
    dense_low: float = 0.0
    dense_high: float = 0.7
    topic: float = 15 / 23
    topic_absent: float | None = 0.7
    lexical_topic: float = 0.7
    unknown: float = 7 / 23
    floor: float = 12 / 23
    refused: float = 0.25
    slope: float = 3.0
    middle: float = 0.4
    fall: float = 4.5

    called: float = 1.0
    stated: float = 3.0
