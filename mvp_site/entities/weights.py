"""Every weight of entity search in one place; docs/evaluation.md says how they were chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from ..content.types import EntityType
from ..retrieval.collection import Scores
from ..retrieval.fusion import between

CUT: Final = 0.3
"""The ``_score`` under which an entity is no answer to a query."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of an entity's evidence is worth, and the curves that make a score of it.

    ``dense`` and ``lexical`` are the lanes on their absolute scales, ``talk`` what the words
    resemble that people say at the table (query expansion), ``echo`` what nearly the same words
    are about (nearest utterances), both under the names that are stored; ``name`` the agreement
    with the name to the power of ``sure``, ``stated`` what an entity loses that breaks all that
    the query states.

    ``slope`` and ``middle`` are of the entity's own curve; ``behind`` is the part that counts of
    what it is behind the best, ``narrow`` what each halving of the candidates by filters adds.
    ``role`` is what co-occurrence is worth beside the likeness of texts, which is 1.

    ``gate_…`` are of the query's curve: the best evidence, the topic, the nearest of what people
    say, and the part of the words that no text has.
    """

    dense: float = 1.0
    lexical: float = 0.4
    talk: float = 0.75
    echo: float = 0.9
    name: float = 1.0
    stated: float = 3.0
    sure: float = 4.0
    dense_low: float = 0.0
    dense_high: float = 0.7
    lexical_high: float = 0.7

    slope: float = 4.2
    middle: float = 0.7
    behind: float = 0.5
    narrow: float = 0.1

    gate_best: float = 4.1
    gate_topic: float = 6.9
    gate_heard: float = 4.0
    gate_unknown: float = 6.9
    gate_middle: float = 8.2

    role: float = 0.8
    similar_slope: float = 12.0
    similar_middle: float = 0.37

    def meant(self, evidence: Scores, best: float, narrowed: float) -> Scores:
        """How surely each is meant, if anything is; filters have ``narrowed`` the choice so far."""
        lost = self.behind * (best - evidence) - self.narrow * math.log2(narrowed)
        return _logistic(evidence - lost, self.slope, self.middle)

    def answerable(self, best: float, topic: float, heard: float, unknown: float) -> float:
        """How surely anything here is meant, in (0, 1)."""
        total = (self.gate_best * best + self.gate_topic * topic + self.gate_heard * heard
                 - self.gate_unknown * unknown - self.gate_middle)
        return 1.0 / (1.0 + math.exp(-total))

    def likeness(self, total: Scores) -> Scores:
        """The mean likeness of texts and fields as a score in (0, 1)."""
        return _logistic(total, self.similar_slope, self.similar_middle)

    def dense_scale(self, cosine: Scores) -> Scores:
        """Cosine in [-1, 1] as evidence in [0, 1]."""
        return between(cosine, self.dense_low, self.dense_high)


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
