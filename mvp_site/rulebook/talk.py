"""What people say at the table to the words that rules use, for any rulebook of the game.

Rules are asked for in other words than they are written in ("he is right in my face" is a ranged
attack in close combat). The shipped sayings say what each of them is about, in the rules' words;
a question that resembles them is led to the sections which have those (:mod:`~..retrieval.hints`).
Topicality tells how far a question is about the game at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.encoder import Vectors
from ..retrieval.fusion import Fusion
from ..retrieval.hints import Hints
from ..retrieval.index import HybridIndex
from ..retrieval.situations import (
    Situation,
    load_off_topic,
    parse_situations,
    shipped_situations,
)
from ..retrieval.topicality import Topicality, fit

FOLDER: Final = "sayings"
FULL: Final = 0.6
"""The score of the best section for a saying's rules words from which its hints count in full."""
SHRINKAGE: Final = 3.0
TEMPERATURE: Final = 0.02
"""Both for some 2,400 topics of about six wordings each (docs/evaluation.md)."""
Vector = npt.NDArray[np.float32]


@cache
def sayings() -> tuple[Situation, ...]:
    """All shipped sayings: those of the game's situations and those of its rules, by id."""
    table = {entry.id: entry for entry in shipped_situations()}
    folder = resources.files(__package__).joinpath(FOLDER)
    for file in sorted(folder.iterdir(), key=lambda path: path.name):
        if file.name.endswith(".toml"):
            for entry in parse_situations(file.read_text(encoding="utf-8"), file.name):
                table[entry.id] = entry
    return tuple(table[name] for name in sorted(table))


def texts() -> list[str]:
    """All shipped texts: what is said, the rules words of each, what is not about the game."""
    table = sayings()
    return [*(text for entry in table for text in entry.says), *(entry.rules for entry in table),
            *load_off_topic()]


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """What was made of the sayings for one book."""

    hints: Hints
    topicality: Topicality

    @classmethod
    def build(cls, index: HybridIndex, vectors: Vectors) -> Talk:
        """Of the shipped sayings, for a book's index; ``vectors`` are those of :func:`texts`."""
        table = sayings()
        count = sum(len(entry.says) for entry in table)
        said, rules, probes = np.split(vectors, [count, count + len(table)])
        hints = Hints.build(
            table, said, rules, index, Fusion(), shrinkage=SHRINKAGE, full=FULL
        )
        # The book's own text speaks for what it is about as loudly as all that is said of the
        # game: a small book, or one of another game, is on topic too.
        own = index.dense.vectors()
        own = np.tile(own, (max(len(said) // len(own), 1), 1))
        return cls(hints, fit(np.concatenate([said, own]), probes))

    def hinted(self, vector: Vector) -> Vector:
        """How far each section is what the question of ``vector`` seems to be about, in [0, 1]."""
        return self.hints.scores(self.hints.resembling(vector, TEMPERATURE))

    def topic(self, vector: Vector) -> float:
        """How far the question of ``vector`` is about the game, in [0, 1]."""
        return self.topicality.score(vector)

    def dump(self) -> dict[str, bytes]:
        """What was made, as files."""
        return {**self.hints.dump(), **self.topicality.dump()}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Talk:
        """What was made, from the files of :meth:`dump`."""
        return cls(Hints.load(files), Topicality.load(files))
