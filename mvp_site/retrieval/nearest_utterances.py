"""The topics of which one utterance is nearly what was said: a nearest neighbour rule.

The discriminant of :mod:`.intent_model` weighs all utterances of a topic together. People also
simply say nearly the same again, and then the nearest utterance tells more than the mean (Cover
and Hart 1967). The topics that the discriminant finds likeliest are compared one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from . import arrays
from .dense import inner_products
from .encoder import Vectors
from .fusion import between
from .utterances import Topic

FILES: Final = ("wordings.npy", "wordings_starts.npy")
NEAR: Final = 12
"""How many situations are looked at wording by wording."""
LOW: Final = 0.35
HIGH: Final = 0.85
"""Cosines of a wording that are worth 0 and 1."""
Floats = npt.NDArray[np.float32]


class NearestUtterances:
    """Wordings by situation; those of situation i begin at ``starts[i]``.

    A situation without any begins where the next one does, and is never heard.
    """

    def __init__(self, wordings: Vectors, starts: npt.NDArray[np.int64]) -> None:
        self._wordings = np.ascontiguousarray(wordings, np.float32)
        self._starts = starts
        self._ends = np.append(starts[1:], len(wordings))[: len(starts)]
        self._said = np.flatnonzero(self._ends > starts)
        bounds = zip(starts.tolist(), self._ends.tolist(), strict=True)
        self._spans = [slice(start, end) for start, end in bounds]
        self._counts = (self._ends - starts).tolist()

    @classmethod
    def build(cls, situations: Sequence[Topic], said: Vectors) -> NearestUtterances | None:
        """The wordings of a table, whose vectors are ``said``; None where there are none."""
        if not len(said):
            return None
        counts = np.array([len(situation.says) for situation in situations])
        return cls(said, np.cumsum(counts) - counts)

    def only(self, rows: Sequence[int]) -> NearestUtterances:
        """The wordings of some of the situations, which are numbered anew in that order."""
        if list(rows) == list(range(len(self._starts))):
            return self
        counts = self._ends[list(rows)] - self._starts[list(rows)]
        kept = [self._wordings[self._starts[row] : self._ends[row]] for row in rows]
        wordings = np.concatenate([self._wordings[:0], *kept])
        return NearestUtterances(wordings, np.cumsum(counts) - counts)

    def heard(self, vector: Floats, likeness: Floats) -> list[tuple[int, float]]:
        """The situations of which a wording is near to the text of ``vector``, each in (0, 1].

        ``likeness`` has the likelihood of each situation in any scale.
        """
        near = self._said
        if not len(near):
            return []
        if len(near) > NEAR:
            held = likeness if len(near) == len(likeness) else likeness[near]
            near = np.sort(near[np.argpartition(-held, NEAR)[:NEAR]])
        rows = near.tolist()
        wordings = np.concatenate([self._wordings[self._spans[row]] for row in rows])
        starts = np.cumsum([0, *(self._counts[row] for row in rows[:-1])])
        best = np.maximum.reduceat(inner_products(wordings, vector), starts)
        worth = between(best, LOW, HIGH).tolist()
        heard = [pair for pair in zip(rows, worth, strict=True) if pair[1] > 0]
        return sorted(heard, key=lambda pair: -pair[1])

    def dump(self) -> dict[str, bytes]:
        """The wordings as files."""
        return {
            FILES[0]: arrays.to_bytes(self._wordings.astype(np.float16)),
            FILES[1]: arrays.to_bytes(self._starts),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> NearestUtterances | None:
        """The wordings from the files of :meth:`dump`; None where there are none."""
        if FILES[0] not in files:
            return None
        wordings = arrays.from_bytes(files[FILES[0]]).astype(np.float32)
        return cls(wordings, arrays.from_bytes(files[FILES[1]]))
