"""Query expansion: what people say when they want an entity, led to the words that entities have.

"Who could have replaced the mayor and be wearing his face?" shares no word with a doppelganger.
The shipped utterances are topics, each with wordings and with what is meant in the data's words. A
query is as like a topic as the mean of two cosines: to the centre of its wordings and to the
nearest of them. Its vector then leans to the words of the likeliest topics (Rocchio 1971), and
what these name is called for (:mod:`.calls`). All of it happens at the query, on any engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import arrays, utterances
from ..retrieval.backends.protocol import Scores
from ..retrieval.dense import inner_products
from ..retrieval.domain_classifier import DomainClassifier, fit
from ..retrieval.encoder import Vector, Vectors
from ..retrieval.utterances import Topic
from .calls import Calls

FILES: Final = ("talk_wordings.npy", "talk_starts.npy", "talk_meant.npy")
COMPARED: Final = 64
"""The topics, by their centres, of which every wording is compared."""
NEAREST: Final = 32
"""The likeliest topics, which count."""
TEMPERATURE: Final = 0.02
"""Of the softmax over their likeness: how the leaning is shared among them."""
SHARPNESS: Final = 3
"""The power of a topic's likeness by which it calls for what it names."""


@dataclass(frozen=True, slots=True, eq=False)
class Expanded:
    """A query's unit ``vector``, leaning to what it seems to mean.

    ``called`` is how far each entity is called for, ``topic`` how far the query is about the game;
    both in [0, 1].
    """

    vector: Vector
    called: Scores
    topic: float


class QueryExpansion:
    """The topics' ``wordings``, those of topic i from ``starts[i]``, and what each ``meant``."""

    def __init__(self, wordings: Vectors, starts: npt.NDArray[np.int64], meant: Vectors,
                 calls: Calls, domain: DomainClassifier) -> None:
        self._wordings = np.ascontiguousarray(wordings, np.float32)
        self._meant = np.ascontiguousarray(meant, np.float32)
        self._bounds = np.append(starts, len(wordings)).tolist()
        centres = np.add.reduceat(self._wordings, starts)
        self._centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)
        self.calls, self._domain = calls, domain

    @classmethod
    def build(cls, table: Sequence[Topic], vectors: Vectors, names: Sequence[str], own: Vectors,
              ) -> QueryExpansion:
        """Of topics, each with a wording, for entities of those names.

        ``vectors`` are those of :func:`texts`, ``own`` of the entities' windows.
        """
        counts = np.array([len(topic.says) for topic in table])
        said, meant, probes = np.split(vectors, [counts.sum(), counts.sum() + len(table)])
        # The entities' own text speaks as loudly for what they are about as all that is said.
        often = np.linspace(0, len(own), max(len(said), 1), endpoint=False).astype(np.int64)
        domain = fit(np.concatenate([said, own[often]]), probes)
        return cls(said, np.cumsum(counts) - counts, meant, Calls.build(table, names), domain)

    def expand(self, vector: Vector) -> Expanded:
        """What the query of a unit vector seems to mean."""
        centres = inner_products(self._centres, vector)
        rows = centres.argsort(kind="stable")[-COMPARED:]
        parts = [self._wordings[self._bounds[row] : self._bounds[row + 1]] for row in rows.tolist()]
        starts = np.cumsum([0, *map(len, parts[:-1])])
        best = np.maximum.reduceat(inner_products(np.concatenate(parts), vector), starts)
        likeness = (centres[rows] + best) / 2
        order = np.argsort(-likeness, kind="stable")[:NEAREST]
        rows, likeness = rows[order], np.clip(likeness[order], 0.0, 1.0)
        shares = np.exp((likeness - likeness[0]) / TEMPERATURE)
        leaning = vector + (shares / shares.sum()) @ self._meant[rows]
        sure = zip(rows.tolist(), (likeness**SHARPNESS).tolist(), strict=True)
        return Expanded(
            np.asarray(leaning / max(float(np.linalg.norm(leaning)), 1e-9), np.float32),
            self.calls.called(sure), self._domain.score(vector),
        )

    def dump(self) -> dict[str, bytes]:
        """All of it as files."""
        return {
            FILES[0]: arrays.to_bytes(self._wordings.astype(np.float16)),
            FILES[1]: arrays.to_bytes(np.asarray(self._bounds[:-1], np.int64)),
            FILES[2]: arrays.to_bytes(self._meant.astype(np.float16)),
            **self.calls.dump(), **self._domain.dump(),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes], count: int) -> QueryExpansion:
        """For ``count`` entities from the files of :meth:`dump`."""
        wordings, starts, meant = (arrays.from_bytes(files[name]) for name in FILES)
        return cls(wordings, starts, meant, Calls.load(files, count), DomainClassifier.load(files))


def texts(table: Sequence[Topic]) -> list[str]:
    """All texts of topics: what is said, what each means, and all that is off topic."""
    return [*(said for topic in table for said in topic.says), *(topic.rules for topic in table),
            *utterances.load_off_topic(), *utterances.load_off_topic("entities")]
