"""Every weight of entity search in one place; docs/entities.md says how they were chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np

from ..retrieval.backends.protocol import Scores
from ..retrieval.fusion import between
from .types import EntityType

CUT: Final = 0.3
"""The ``_score`` under which an entity is no answer to a query."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of a score is worth, and the logistic curve that makes a chance of the sum.

    ``dense`` and ``lexical`` are the lanes on their absolute scales, ``talk`` what the words
    resemble that people say at the table, ``name`` the agreement with the name, ``stated`` what
    an entity loses that breaks all that the query states. ``topic`` is the same for all entities:
    it keeps what is not about the game under the cut.
    """

    dense: float = 1.0
    lexical: float = 0.5
    talk: float = 0.5
    name: float = 0.5
    stated: float = 0.5
    topic: float = 0.5
    dense_low: float = 0.05
    dense_high: float = 0.75
    lexical_high: float = 0.7
    slope: float = 5.0
    middle: float = 1.1
    sure: float = 4.0
    """The power to which the agreement with a name counts on its own."""
    text: float = 1.0
    """What the likeness of texts is worth among the facets of a similar entity."""
    likeness_low: float = 0.3
    likeness_high: float = 0.9
    similar_slope: float = 8.0
    similar_middle: float = 0.55
    similar_cut: float = 0.3

    def as_dict(self) -> dict[str, Any]:
        """The weights as plain numbers, for a manifest."""
        return asdict(self)

    def chance(self, total: Scores) -> Scores:
        """Parts in sum as a chance in (0, 1)."""
        return _logistic(total, self.slope, self.middle)

    def likeness(self, total: Scores) -> Scores:
        """The likeness of facets and texts in [0, 1] as a score in (0, 1)."""
        return _logistic(total, self.similar_slope, self.similar_middle)

    def dense_scale(self, cosine: Scores) -> Scores:
        """Cosine in [-1, 1] as evidence in [0, 1]."""
        return between(cosine, self.dense_low, self.dense_high)


def _logistic(total: Scores, slope: float, middle: float) -> Scores:
    held: Scores = (1.0 / (1.0 + np.exp(-slope * (total - middle)))).astype(np.float32)
    return held


class Measure(StrEnum):
    """How alike two values of a facet are, in [0, 1]; of two that are missing, 1."""

    SAME = "the same or not"
    SHARED = "the part that both have (Jaccard)"
    NEAR = "a difference of one scale leaves e^-1"
    RATIO = "a ratio of e^scale leaves e^-1"


@dataclass(frozen=True, slots=True)
class Facet:
    """A field that says what kind of thing an entity is, and what it is worth beside the text."""

    field: str
    weight: float
    measure: Measure = Measure.SAME
    scale: float = 1.0


_S, _R, _N, _Q = Measure.SAME, Measure.SHARED, Measure.NEAR, Measure.RATIO

FACETS: Final[Mapping[EntityType, tuple[Facet, ...]]] = {
    EntityType.SPELLS: (
        Facet("level", 0.3, _N, 3.0), Facet("school", 0.3), Facet("damage_type", 0.3, _R),
        Facet("save", 0.15), Facet("attack", 0.1), Facet("area_shape", 0.15),
        Facet("healing", 0.1), Facet("range_feet", 0.1, _Q, 1.5), Facet("classes", 0.1, _R),
    ),
    EntityType.MONSTERS: (
        Facet("type", 0.4), Facet("subtype", 0.1), Facet("size", 0.25),
        Facet("challenge_rating", 0.4, _Q, 1.0), Facet("flying", 0.1), Facet("spellcaster", 0.1),
        Facet("legendary", 0.1), Facet("damage_types", 0.1, _R), Facet("alignment", 0.1),
    ),
    EntityType.WEAPONS: (
        Facet("category", 0.3), Facet("style", 0.5), Facet("damage_type", 0.2),
        Facet("properties", 0.4, _R), Facet("damage_average", 0.2, _N, 2.0),
        Facet("cost", 0.1, _Q, 1.5),
    ),
    EntityType.ARMOR: (
        Facet("category", 0.6), Facet("armor_class", 0.4, _N, 2.0),
        Facet("stealth_disadvantage", 0.2), Facet("cost", 0.1, _Q, 1.5),
    ),
    EntityType.EQUIPMENT: (
        Facet("category", 0.3), Facet("group", 0.5), Facet("cost", 0.1, _Q, 2.0),
    ),
    EntityType.MAGIC_ITEMS: (
        Facet("item_type", 0.3), Facet("rarity", 0.2, _R), Facet("attunement", 0.1),
    ),
    EntityType.CLASSES: (
        Facet("hit_die", 0.3, _N, 2.0), Facet("spellcaster", 0.3),
        Facet("spellcasting_ability", 0.2), Facet("saving_throws", 0.2, _R),
    ),
    EntityType.SUBCLASSES: (Facet("class", 0.2), Facet("spellcaster", 0.2)),
    EntityType.RACES: (
        Facet("size", 0.2), Facet("speed", 0.1, _N, 5.0), Facet("race", 0.2),
        Facet("ability_bonuses", 0.2, _R),
    ),
    EntityType.FEATURES: (
        Facet("class", 0.2), Facet("subclass", 0.1), Facet("level", 0.1, _N, 5.0),
    ),
    EntityType.TRAITS: (Facet("races", 0.2, _R),),
    EntityType.RULES: (Facet("category", 0.3), Facet("chapter", 0.2)),
}
"""The facets of each type; those of the types that are not here are their texts alone."""


def at_most_one(value: float) -> float:
    """A chance that rounding has not carried over 1 or down to 0."""
    return min(max(value, math.ulp(1.0)), 1.0)
