"""The weights of a section's score: the bonuses of design 2, section 7, and what they stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..retrieval.fusion import Scores, between


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights and scales of a score.

    The *semantic* part is a convex combination of both lanes on absolute scales
    (:mod:`mvp_site.retrieval.fusion`): cosine ``dense_low`` is worth 0 and ``dense_high`` 1, and
    ``lexical_high`` of the query's weight is worth 1. ``context_terms`` is what a term of hint or
    intention counts beside one of the question. A section has at least ``lift`` of the evidence
    of the best one right below it.

    The bonuses are the design's: ``title`` and ``content`` for each entity, ``entity_most``
    together; ``hint`` for each hint, ``hint_most`` together; ``category``; and what a chapter
    loses and a leaf gains. One is ours: ``named``, for a section of just the entity's name where
    the things themselves are wanted, of several less for those that say less. The sum is no share
    of anything, and several sums may pass 1, so it is not clamped: the relevance is its logistic
    function with ``slope`` around ``middle``, in (0, 1) and in the same order; both were fitted,
    so that it is the chance that a section answers (docs/evaluation.md).

    ``talk`` is what the user's own words resemble, ``talk_named`` the same beside an
    intention or entities; ``answer`` is for the sections that a promised table was read from.

    The evidence that the ``floor`` is held against is what was found for the question itself,
    with ``topic`` and ``resembling`` for how far the user's own words are about the game, and are
    what people say of it; bare names have no such words, and stand by themselves.
    """

    dense: float = 0.6
    lexical: float = 0.4
    dense_low: float = 0.05
    dense_high: float = 0.75
    lexical_high: float = 0.7
    context_terms: float = 0.5
    talk: float = 0.8
    talk_named: float = 0.4
    answer: float = 0.3
    lift: float = 0.95

    title: float = 0.2
    named: float = 0.3
    content: float = 0.15
    entity_most: float = 0.4
    hint: float = 0.05
    hint_most: float = 0.2
    category: float = 0.2
    chapter_level: float = -0.15
    leaf_level: float = 0.1

    slope: float = 5.3
    middle: float = 1.37

    topic: float = 0.4
    resembling: float = 0.1
    floor: float = 0.46

    def relevance(self, total: float) -> float:
        """A score's parts in sum as relevance in (0, 1)."""
        return 1.0 / (1.0 + math.exp(-self.slope * (total - self.middle)))

    def dense_scale(self, cosine: Scores) -> Scores:
        """Cosine in [-1, 1] as evidence in [0, 1]."""
        return between(cosine, self.dense_low, self.dense_high)
