"""Calls: which entities the shipped utterances name, and how far, as a sparse table.

A query that resembles an utterance calls for what it names (:mod:`.query_expansion`). Two entities
that the same utterances call for do the same for somebody: a cart and a mule, a fireball and a
meteor swarm; how alike the two are is the cosine of their columns (*co-occurrence*).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import arrays
from ..retrieval.backends.protocol import Scores
from ..retrieval.names import names_of
from ..retrieval.utterances import Topic

FILES: Final = ("calls_topics.npy", "calls_entities.npy", "calls_values.npy")
LATER: Final = 0.05
LEAST: Final = 0.5
"""What each name costs that stands before an entity's in an utterance's rules words, and the least
that is left."""
UNKNOWN: Final = 0.5
"""The part of its text's likeness that stands for an entity that no utterance calls for."""
_BETWEEN: Final = re.compile(r"[,;:.()]|\bor\b|\band\b")
Places = npt.NDArray[np.int32]


class Calls:
    """For each topic that calls for an entity, in order, the entity and how far, in (0, 1]."""

    def __init__(self, topics: Places, entities: Places, values: Scores, count: int) -> None:
        self._topics, self._entities, self._values = topics, entities, values
        self._norms = np.sqrt(np.bincount(entities, values**2, count)).astype(np.float32)

    @classmethod
    def build(cls, table: Sequence[Topic], names: Sequence[str]) -> Calls:
        """Of a table of topics, for entities of those names.

        A part of the rules words between commas that is a name calls for what has it, the first
        in full.
        """
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(names):
            for said in names_of(name):
                numbers.setdefault(" ".join(said), []).append(number)
        called: dict[tuple[int, int], float] = {}
        for row, topic in enumerate(table):
            value = 1.0
            for part in _BETWEEN.split(topic.rules):
                named = [" ".join(said) for said in names_of(part) if said]
                if found := [n for said in named for n in numbers.get(said, ())]:
                    for number in found:
                        called.setdefault((row, number), value)
                    value = max(value - LATER, LEAST)
        places = np.array(sorted(called), np.int32).reshape(-1, 2)
        values = np.array([called[row, number] for row, number in places.tolist()], np.float32)
        return cls(places[:, 0].copy(), places[:, 1].copy(), values, len(names))

    def called(self, likeness: Iterable[tuple[int, float]]) -> Scores:
        """How far topics of that likeness in [0, 1], together, call for each entity, in [0, 1]."""
        left = np.ones(len(self._norms), np.float32)
        for topic, like in likeness:
            start, end = np.searchsorted(self._topics, (topic, topic + 1))
            left[self._entities[start:end]] *= 1 - np.float32(like) * self._values[start:end]
        total: Scores = 1 - left
        return total

    def alike(self, reference: int, start: int, end: int, text: Scores) -> Scores | None:
        """How far the entities from ``start`` to ``end`` are wanted for what the reference is.

        In [0, 1]; None where no utterance calls for the reference. ``text`` is the likeness of the
        entities' texts.
        """
        if not self._norms[reference]:
            return None
        called = np.zeros(int(self._topics[-1]) + 1, np.float32)
        mine = self._entities == reference
        called[self._topics[mine]] = self._values[mine]
        shares = called[self._topics] * self._values
        shared = np.bincount(self._entities, shares, len(self._norms))[start:end]
        norms = self._norms[start:end]
        known = norms > 0
        alike: Scores = np.where(
            known, shared / np.where(known, norms, 1.0) / self._norms[reference], UNKNOWN * text
        ).astype(np.float32)
        return alike

    def dump(self) -> dict[str, bytes]:
        """The table as files."""
        held = (self._topics, self._entities, self._values)
        return {file: arrays.to_bytes(array) for file, array in zip(FILES, held, strict=True)}

    @classmethod
    def load(cls, files: Mapping[str, bytes], count: int) -> Calls:
        """Of ``count`` entities from the files of :meth:`dump`."""
        topics, entities, values = (arrays.from_bytes(files[file]) for file in FILES)
        return cls(topics, entities, values, count)
