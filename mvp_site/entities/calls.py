"""Calls: which entities the shipped utterances name, as a sparse table.

A query that resembles an utterance (:mod:`~..retrieval.query_expansion`) calls for what it names,
and its vector leans to what it means. Two entities that the same utterances call for do the same
for somebody: a cart and a mule, a fireball and a meteor swarm; how alike the two are is the cosine
of their columns (*co-occurrence*).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import arrays
from ..retrieval.collection import Scores
from ..retrieval.query_expansion import SHARPNESS, QueryExpansion
from ..retrieval.ranking import Understanding
from ..retrieval.topic_files import Topic
from ..text.names import names_of

FILES: Final = ("calls_topics.npy", "calls_entities.npy")
UNKNOWN: Final = 0.5
"""The part of its text's likeness that stands for an entity that no utterance calls for."""
_BETWEEN: Final = re.compile(r"[,;:.()]|\bor\b|\band\b")
Places = npt.NDArray[np.int32]


class TopicEntities:
    """For each topic that calls for an entity, in order, the entity."""

    def __init__(self, topics: Places, entities: Places, count: int) -> None:
        self._topics, self._entities = topics, entities
        self._norms = np.sqrt(np.bincount(entities, minlength=count)).astype(np.float32)

    @classmethod
    def build(cls, table: Sequence[Topic], names: Sequence[str]) -> TopicEntities:
        """Of a table of topics, for entities of those names.

        A part of the rules words between commas that is a name calls for what has it.
        """
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(names):
            for form in names_of(name):
                numbers.setdefault(" ".join(form), []).append(number)
        called = {(row, number) for row, topic in enumerate(table)
                  for part in _BETWEEN.split(topic.rules) for form in _forms(part.strip())
                  for number in numbers.get(form, ())}
        places = np.array(sorted(called), np.int32).reshape(-1, 2)
        return cls(places[:, 0].copy(), places[:, 1].copy(), len(names))

    def called(self, likeness: Iterable[tuple[int, float]]) -> Scores:
        """How far topics of that likeness in [0, 1], together, call for each entity, in [0, 1]."""
        remaining = np.ones(len(self._norms), np.float32)
        for topic, like in likeness:
            start, end = np.searchsorted(self._topics, (topic, topic + 1))
            remaining[self._entities[start:end]] *= 1 - np.float32(like)
        total: Scores = 1 - remaining
        return total

    def alike(self, reference: int, start: int, end: int, text: Scores) -> Scores | None:
        """How far the entities from ``start`` to ``end`` are wanted for what the reference is.

        In [0, 1]; None where no utterance calls for the reference. ``text`` is the likeness of the
        entities' texts.
        """
        if not self._norms[reference]:
            return None
        shares = np.isin(self._topics, self._topics[self._entities == reference])
        shared = np.bincount(self._entities, shares, len(self._norms))[start:end]
        norms = self._norms[start:end]
        nonzero = norms > 0
        alike: Scores = np.where(
            nonzero, shared / np.where(nonzero, norms, 1.0) / self._norms[reference], UNKNOWN * text
        ).astype(np.float32)
        return alike

    def dump(self) -> dict[str, bytes]:
        """The table as files."""
        state = (self._topics, self._entities)
        return {file: arrays.to_bytes(array) for file, array in zip(FILES, state, strict=True)}

    @classmethod
    def load(cls, files: Mapping[str, bytes], count: int) -> TopicEntities:
        """Of ``count`` entities from the files of :meth:`dump`."""
        topics, entities = (arrays.from_bytes(files[file]) for file in FILES)
        return cls(topics, entities, count)


@cache
def _forms(part: str) -> tuple[str, ...]:
    """The forms of what may be a name, a part of a shipped text of rules."""
    return tuple(" ".join(form) for form in names_of(part) if form)


@dataclass(frozen=True, slots=True, eq=False)
class Expanded(Understanding):
    """A query's vector, leaning to what it seems to mean (Rocchio 1971).

    ``called`` is how far each entity is called for, in [0, 1]; None where the encoder failed.
    """

    called: Scores | None = None


def expanded(expansion: QueryExpansion, calls: TopicEntities,
             understanding: Understanding) -> Expanded:
    """What a query seems to mean beside what it says."""
    vector, topic, failed = understanding.vector, understanding.topicality, understanding.failed
    if vector is None:
        return Expanded(None, topic, failed)
    meaning = expansion.meaning(vector)
    if meaning is None:
        return Expanded(vector, topic, failed, calls.called(()))
    leaning = vector + meaning.vector
    likeness = np.clip(meaning.likeness, 0.0, 1.0) ** SHARPNESS
    return Expanded(
        np.asarray(leaning / max(float(np.linalg.norm(leaning)), 1e-9), np.float32), topic, failed,
        calls.called(zip(meaning.topics.tolist(), likeness.tolist(), strict=True)),
    )
