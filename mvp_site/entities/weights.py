"""Every weight of entity search in one place; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from ..content.types import EntityType
from ..retrieval.backends.protocol import Scores

CUT: Final = 0.3
"""The ``_score`` under which an entity is no answer to a query."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of an entity's evidence is worth, and the curves that judge it.

    ``dense`` and ``lexical`` are the lanes on their absolute scales, full at ``dense_high`` and
    ``lexical_high``; ``called`` is what utterances call for (query expansion), ``name`` the
    agreement of the name, which is sure by itself to the power of ``sure``, and ``stated`` what an
    entity loses that breaks all that the query states.

    ``slope`` and ``middle`` are of the entity's curve, ``behind`` the part that counts of what it
    is behind the best. ``gate_…`` are of the query's curve: the best cosine, the likeness of the
    nearest utterances, the topic, and the part of the words that no text has.

    ``role`` is what co-occurrence is worth beside the likeness of texts, which is 1.
    """

    dense: float = 1.25
    lexical: float = 0.4
    called: float = 1.0
    name: float = 1.0
    stated: float = 3.0
    sure: float = 4.0
    dense_high: float = 0.7
    lexical_high: float = 0.7

    slope: float = 5.0
    middle: float = 0.55
    behind: float = 0.5

    gate_cosine: float = 12.5
    gate_nearest: float = 19.9
    gate_topic: float = 9.9
    gate_unknown: float = 7.3
    gate_middle: float = 18.5

    role: float = 0.8
    similar_slope: float = 12.0
    similar_middle: float = 0.37

    def meant(self, evidence: Scores) -> Scores:
        """How surely each entity is meant, in (0, 1), if anything is."""
        behind = self.behind * (evidence.max() - evidence)
        return _logistic(evidence - behind, self.slope, self.middle)

    def answerable(self, cosine: float, nearest: float, topic: float, unknown: float) -> bool:
        """Whether anything here can be meant at all."""
        return (self.gate_cosine * cosine + self.gate_nearest * nearest + self.gate_topic * topic
                - self.gate_unknown * unknown) >= self.gate_middle

    def likeness(self, total: Scores) -> Scores:
        """The mean likeness of texts and fields as a score in (0, 1)."""
        return _logistic(total, self.similar_slope, self.similar_middle)


def _logistic(total: Scores, slope: float, middle: float) -> Scores:
    held: Scores = (1.0 / (1.0 + np.exp(-slope * (total - middle)))).astype(np.float32)
    return held


class Measure(StrEnum):
    """How alike two values of a field are, in [0, 1]; of two that are missing, a half."""

    SAME = "the same or not"
    SHARED = "the part that both have (Jaccard)"
    NEAR = "a difference of one scale leaves e^-1"
    RATIO = "a ratio of e^scale leaves e^-1"
    STEP = "a difference of one scale of size categories leaves e^-1"


@dataclass(frozen=True, slots=True)
class Alike:
    """A field that says what kind of thing an entity is; the text beside it is worth 1."""

    name: str
    weight: float
    measure: Measure = Measure.SAME
    scale: float = 1.0


_R, _N, _Q = Measure.SHARED, Measure.NEAR, Measure.RATIO

LIKENESS: Final[Mapping[EntityType, tuple[Alike, ...]]] = {
    EntityType.SPELLS: (
        Alike("level", 0.03, _N, 3.0), Alike("school", 0.03), Alike("damage_type", 0.08, _R),
        Alike("save", 0.06), Alike("attack", 0.02), Alike("area_shape", 0.06),
        Alike("healing", 0.02), Alike("range_feet", 0.01, _Q, 1.5), Alike("classes", 0.01, _R),
    ),
    EntityType.MONSTERS: (
        Alike("type", 0.2), Alike("subtype", 0.02), Alike("size", 0.25, Measure.STEP),
        Alike("challenge_rating", 0.08, _Q, 1.0), Alike("flying", 0.02),
        Alike("spellcaster", 0.02), Alike("legendary", 0.02), Alike("damage_types", 0.02, _R),
        Alike("alignment", 0.02),
    ),
    EntityType.WEAPONS: (
        Alike("category", 0.15), Alike("style", 0.25), Alike("damage_type", 0.1),
        Alike("properties", 0.2, _R), Alike("damage_average", 0.1, _N, 2.0),
        Alike("cost", 0.05, _Q, 1.5),
    ),
    EntityType.ARMOR: (
        Alike("category", 0.3), Alike("armor_class", 0.2, _N, 2.0),
        Alike("stealth_disadvantage", 0.1), Alike("cost", 0.05, _Q, 1.5),
    ),
    EntityType.EQUIPMENT: (
        Alike("category", 0.1), Alike("group", 0.17), Alike("cost", 0.03, _Q, 2.0),
    ),
    EntityType.MAGIC_ITEMS: (
        Alike("item_type", 0.12), Alike("rarity", 0.08, _R), Alike("attunement", 0.04),
    ),
    EntityType.CLASSES: (
        Alike("hit_die", 0.1, _N, 2.0), Alike("spellcaster", 0.1),
        Alike("spellcasting_ability", 0.05), Alike("saving_throws", 0.05, _R),
    ),
    EntityType.SUBCLASSES: (Alike("class", 0.05), Alike("spellcaster", 0.1)),
    EntityType.RACES: (
        Alike("size", 0.1, Measure.STEP), Alike("speed", 0.05, _N, 5.0), Alike("race", 0.1),
        Alike("ability_bonuses", 0.1, _R),
    ),
    EntityType.RULES: (Alike("category", 0.15), Alike("chapter", 0.1)),
}
"""By which fields entities of a type are alike; those of other types are by their texts alone."""
