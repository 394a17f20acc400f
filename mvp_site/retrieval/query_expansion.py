"""What people say at the table to the words that rules use, for any rulebook of the game.

Rules are asked for in other words than they are written in ("he is right in my face" is a ranged
attack in close combat). The shipped utterances say what each of them is about, in the rules' words;
a question that resembles them is led to the sections which have those (:mod:`.intent_model`).
The domain classifier tells how far a question is about the game at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from . import utterances
from .domain_classifier import DomainClassifier, fit
from .encoder import Vectors
from .fusion import Fusion
from .index import HybridIndex
from .intent_model import IntentModel
from .utterances import Topic

FULL: Final = 0.6
"""The score of the best section for a topic's rules words from which its hints count in full."""
SHRINKAGE: Final = 3.0
TEMPERATURE: Final = 0.02
"""Both for some 2,400 topics of about six wordings each (docs/evaluation.md)."""
Vector = npt.NDArray[np.float32]


def texts(table: Sequence[Topic]) -> list[str]:
    """All texts of a table: what is said, the rules words of each, what is not about the game."""
    return [*(text for entry in table for text in entry.says), *(entry.rules for entry in table),
            *utterances.load_off_topic()]


@dataclass(frozen=True, slots=True, eq=False)
class QueryExpansion:
    """What was made of the utterances for one book."""

    intents: IntentModel
    domain: DomainClassifier

    @classmethod
    def build(cls, index: HybridIndex, table: Sequence[Topic], vectors: Vectors) -> QueryExpansion:
        """Of a table of utterances, for an index; ``vectors`` are those of :func:`texts`."""
        count = sum(len(entry.says) for entry in table)
        said, rules, probes = np.split(vectors, [count, count + len(table)])
        intents = IntentModel.build(
            table, said, rules, index, Fusion(), shrinkage=SHRINKAGE, full=FULL,
        )
        # The book's own text speaks for what it is about as loudly as all that is said of the
        # game: a small book, or one of another game, is on topic too.
        own = index.dense.vectors()
        own = np.tile(own, (max(len(said) // len(own), 1), 1))
        return cls(intents, fit(np.concatenate([said, own]), probes))

    def topic(self, vector: Vector) -> float:
        """How far the question of ``vector`` is about the game, in [0, 1]."""
        return self.domain.score(vector)

    def dump(self) -> dict[str, bytes]:
        """What was made, as files."""
        return {**self.intents.dump(), **self.domain.dump()}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> QueryExpansion:
        """What was made, from the files of :meth:`dump`."""
        return cls(IntentModel.load(files), DomainClassifier.load(files))
