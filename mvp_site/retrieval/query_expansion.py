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
from .intent_model import IntentModel, shares_of
from .nearest_utterances import NearestUtterances
from .utterances import Topic

FULL: Final = 0.6
"""The score of the best section for a topic's rules words from which its hints count in full."""
SHRINKAGE: Final = 3.0
TEMPERATURE: Final = 0.02
"""Both for some 2,400 topics of about six wordings each (docs/evaluation.md)."""
Vector = npt.NDArray[np.float32]


def texts(table: Sequence[Topic], off_topic: Sequence[str] = ()) -> list[str]:
    """All texts of a table: what is said, the rules words of each, what is not about the game.

    The shipped texts that are not about the game are joined by ``off_topic``.
    """
    return [*(text for entry in table for text in entry.says), *(entry.rules for entry in table),
            *utterances.load_off_topic(), *off_topic]


@dataclass(frozen=True, slots=True, eq=False)
class QueryExpansion:
    """What was made of the utterances for one book."""

    intents: IntentModel
    domain: DomainClassifier
    nearest: NearestUtterances | None = None

    @classmethod
    def build(cls, index: HybridIndex, table: Sequence[Topic], vectors: Vectors,
              called: Vector | None = None, *, nearest: bool = False) -> QueryExpansion:
        """Of a table of utterances, for an index; ``vectors`` are those of :func:`texts`.

        ``called`` has for each utterance and passage what its hint is at least, in [0, 1].
        ``nearest`` keeps the wordings themselves as well (:mod:`.nearest_utterances`).
        """
        count = sum(len(entry.says) for entry in table)
        said, rules, probes = np.split(vectors, [count, count + len(table)])
        intents = IntentModel.build(
            table, said, rules, index, Fusion(), shrinkage=SHRINKAGE, full=FULL,
            called=called,
        )
        # The book's own text speaks for what it is about as loudly as all that is said of the
        # game: a small book, or one of another game, is on topic too.
        own = index.dense.vectors()
        own = np.tile(own, (max(len(said) // len(own), 1), 1))
        return cls(intents, fit(np.concatenate([said, own]), probes),
                   NearestUtterances.build(table, said) if nearest else None)

    def only(self, rows: Sequence[int], start: int, end: int) -> QueryExpansion:
        """What some of the utterances say of the passages from ``start`` to ``end``."""
        return QueryExpansion(self.intents.only(rows, start, end), self.domain,
                    self.nearest.only(rows) if self.nearest else None)

    def hinted(self, vector: Vector) -> Vector:
        """How far each section is what the question of ``vector`` seems to be about, in [0, 1]."""
        return self.intents.scores(self.intents.resembling(vector, TEMPERATURE))

    def hinted_and_heard(self, vector: Vector) -> tuple[Vector, Vector, float]:
        """What :meth:`hinted` gives, what nearly the same words are about, and how near they are.

        All in [0, 1], the last a number.
        """
        if not self.intents.ids or self.nearest is None:
            hinted = self.hinted(vector)
            return hinted, np.zeros_like(hinted), 0.0
        likeness = self.intents.likeness(vector)
        heard = self.nearest.heard(vector, likeness)
        nearness = max((worth for _, worth in heard), default=0.0)
        return (self.intents.scores(shares_of(likeness, TEMPERATURE)), self.intents.highest(heard),
                nearness)

    def topic(self, vector: Vector) -> float:
        """How far the question of ``vector`` is about the game, in [0, 1]."""
        return self.domain.score(vector)

    def dump(self) -> dict[str, bytes]:
        """What was made, as files."""
        kept = self.nearest.dump() if self.nearest else {}
        return {**self.intents.dump(), **self.domain.dump(), **kept}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> QueryExpansion:
        """What was made, from the files of :meth:`dump`."""
        return cls(IntentModel.load(files), DomainClassifier.load(files),
                   NearestUtterances.load(files))
