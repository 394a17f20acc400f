"""Co-occurrence: what people want entities for, as the utterances that call for them tell.

Two entities that the same utterances call for do the same for somebody: a cart and a mule, a
fireball and a meteor swarm. How alike the two are is the cosine of what utterances call for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import arrays
from ..retrieval.collection import Scores

FILES: Final = ("roles_sayings.npy", "roles_entities.npy", "roles_values.npy")
UNKNOWN: Final = 0.5
"""The part of its text's likeness that stands for an entity that no utterance calls for."""
Places = npt.NDArray[np.int32]


class Cooccurrence:
    """For each utterance that calls for an entity, in order, the entity and how far."""

    def __init__(self, utterances: Places, entities: Places, values: Scores, count: int) -> None:
        self._utterances, self._entities, self._values = utterances, entities, values
        self._norms = np.sqrt(np.bincount(entities, values**2, count)).astype(np.float32)

    @classmethod
    def build(cls, called_for: Scores) -> Cooccurrence:
        """Of what utterances call for, shape (utterances, entities)."""
        utterances, entities = np.nonzero(called_for)
        return cls(utterances.astype(np.int32), entities.astype(np.int32),
                   called_for[utterances, entities].astype(np.float32), called_for.shape[1])

    def like(self, reference: int, start: int, end: int, text: Scores) -> Scores | None:
        """How far the entities from ``start`` to ``end`` are wanted for what the reference is.

        In [0, 1]; None where no utterance calls for the reference. ``text`` is the likeness of the
        entities' texts.
        """
        if not self._norms[reference]:
            return None
        called = np.zeros(int(self._utterances.max()) + 1, np.float32)
        mine = self._entities == reference
        called[self._utterances[mine]] = self._values[mine]
        count = len(self._norms)
        shares = called[self._utterances] * self._values
        shared = np.bincount(self._entities, shares, count)[start:end]
        norms = self._norms[start:end]
        known = norms > 0
        alike: Scores = np.where(
            known, shared / np.where(known, norms, 1.0) / self._norms[reference], UNKNOWN * text
        ).astype(np.float32)
        return alike

    def dump(self) -> dict[str, bytes]:
        """What utterances call for, as files."""
        held = (self._utterances, self._entities, self._values)
        return {file: arrays.to_bytes(array) for file, array in zip(FILES, held, strict=True)}

    @classmethod
    def load(cls, files: Mapping[str, bytes], count: int) -> Cooccurrence | None:
        """Of ``count`` entities from the files of :meth:`dump`; None where there are none."""
        if FILES[0] not in files:
            return None
        utterances, entities, values = (arrays.from_bytes(files[file]) for file in FILES)
        return cls(utterances, entities, values, count)
