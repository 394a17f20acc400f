"""Query expansion: what people say at the table, led to the words that rules and entities have.

Rules are asked for in other words than they are written in ("he is right in my face" is a ranged
attack in close combat). The shipped utterances are topics, each with wordings and with what is
meant in the rules' words. A query is as like a topic as the mean of two cosines: to the centre of
its wordings (Rocchio 1971) and to the nearest of them (Cover and Hart 1967). What the likeliest
topics mean is searched for beside the query. It happens at the query, on any engine. The
discriminant tells how far a query is about the game at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ..text.normalising import terms
from . import arrays, topic_files
from .collection import Collection, Numbers, Scores, SearchRequest, placed
from .dense import inner_products
from .discriminant import Discriminant, fit, with_own
from .encoder import Vector, Vectors
from .ranking import ScoreFunction, Weights, sum_of
from .topic_files import Topic

FILES: Final = ("talk_wordings.npy", "talk_starts.npy", "talk_meant.npy", "talk_rules.json")
COMPARED: Final = 64
"""The topics, by their centres, of which every wording is compared."""
NEAREST: Final = 32
"""The likeliest topics, which count."""
TEMPERATURE: Final = 0.02
"""Of the softmax over their likeness."""
WORDED: Final = 3
"""The likeliest topics whose words are looked for; of more it is the vector alone."""
SHARPNESS: Final = 3
"""The power of a topic's likeness that is its chance to be meant."""
_WEIGHTS: Final = Weights(dense=0.6, lexical=0.4)
_ABSENT: Final = 0.4
_PRESENT: Final = 0.6
"""The best passage's score for what is meant up to which, and from which on, the index has it."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryMeaning:
    """What a query seems to mean.

    ``topics`` are the likeliest ones' numbers, the likeliest first, with their ``likeness`` as
    cosines and their ``shares``, which sum to 1. ``vector``, of unit length, is what they mean,
    shared so.
    """

    topics: npt.NDArray[np.int64]
    likeness: npt.NDArray[np.float32]
    shares: npt.NDArray[np.float32]
    vector: Vector

    def at_home(self, homes: Numbers, passages: int) -> Scores:
        """The chance in [0, 1] that one of the topics at home in each passage is meant.

        ``homes`` has the passage of each topic, -1 for none; each is likely by its likeness.
        """
        chance = np.ones(passages, np.float32)
        at, likely = homes[self.topics], np.clip(self.likeness, 0, 1) ** SHARPNESS
        np.multiply.at(chance, at[at >= 0], 1 - likely[at >= 0])
        return 1 - chance


class QueryExpansion:
    """The topics' ``wordings``, those of topic i from ``starts[i]``, and what each ``meant``.

    ``rules`` are the same in words, ``topicality`` tells how far a query is about the game.
    """

    def __init__(self, wordings: Vectors, starts: npt.NDArray[np.int64], meanings: Vectors,
                 rules: Sequence[str], topicality: Discriminant) -> None:
        self.wordings = np.ascontiguousarray(wordings, np.float32)
        self._meant = np.ascontiguousarray(meanings, np.float32)
        self._bounds = np.append(starts, len(wordings)).tolist()
        self._centres = meanings
        if len(starts):
            centres = np.add.reduceat(self.wordings, starts)
            self._centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)
        self.rules, self.topicality = tuple(rules), topicality

    @classmethod
    def build(cls, table: Sequence[Topic], vectors: Vectors, own: Vectors,
              start: Discriminant | None = None) -> QueryExpansion:
        """Of topics, each with a wording; ``vectors`` are those of :func:`texts`.

        ``own`` are the vectors of what is searched; ``start`` is a discriminant of much the
        same, from which this one's is soon found.
        """
        counts = np.array([len(topic.says) for topic in table], np.int64)
        wordings, meanings, probes = np.split(vectors, [counts.sum(), counts.sum() + len(table)])
        return cls(wordings, np.cumsum(counts) - counts, meanings, [topic.rules for topic in table],
                   fit(with_own(wordings, own), probes, start))

    def meaning(self, vector: Vector) -> QueryMeaning | None:
        """What the query of a unit vector seems to mean; None without topics."""
        if not self.rules:
            return None
        centres = inner_products(self._centres, vector)
        rows = centres.argsort(kind="stable")[-COMPARED:]
        parts = [self.wordings[self._bounds[row] : self._bounds[row + 1]] for row in rows.tolist()]
        starts = np.cumsum([0, *map(len, parts[:-1])])
        best = np.maximum.reduceat(inner_products(np.concatenate(parts), vector), starts)
        likeness = np.asarray((centres[rows] + best) / 2, np.float32)
        order = np.argsort(-likeness, kind="stable")[:NEAREST]
        rows, likeness = rows[order], likeness[order]
        shares = np.exp((likeness - likeness[0]) / TEMPERATURE)
        shares /= shares.sum()
        mixed = shares @ self._meant[rows]
        return QueryMeaning(rows, likeness, shares, mixed / max(float(np.linalg.norm(mixed)), 1e-9))

    def nearest(self, vector: Vector, topic: int) -> int:
        """Which of a topic's wordings, from 0, the query of a unit vector is most like."""
        wordings = self.wordings[self._bounds[topic] : self._bounds[topic + 1]]
        return int(inner_products(wordings, vector).argmax())

    def called(self, vector: Vector, index: Collection, request: SearchRequest | None = None,
               meaning: QueryMeaning | None = None) -> ScoreFunction:
        """How far what is meant calls for passages that ``request`` allows, in [0, 1].

        The median passage is at 0 and the best at 1; all are at 0 where the index has nothing of
        what is meant. ``meaning`` is that of the vector, if it is at hand.
        """
        meaning, request = meaning or self.meaning(vector), request or SearchRequest()
        if meaning is None:
            return lambda numbers: np.zeros(len(numbers), np.float32)
        likeliest = zip(meaning.topics[:WORDED].tolist(), meaning.shares.tolist(), strict=False)
        worded = [(np.float32(share),
                   index.search(replace(request, terms=tuple(terms(self.rules[topic])))))
                  for topic, share in likeliest]
        nearest = index.search(replace(request, vector=meaning.vector))
        numbers = np.unique(np.concatenate([
            nearest.numbers, *(hits.numbers for _, hits in worded)]))
        words = sum_of(share * hits.of(numbers)[1] for share, hits in worded)
        scores = _scores(nearest.of(numbers)[0], words)
        # Of many passages few are hits, and the median is at 0.
        low = float(np.median(scores)) if len(numbers) == index.passages else 0.0
        high = float(scores.max(initial=0.0))
        certainty = min(max((high - _ABSENT) / (_PRESENT - _ABSENT), 0.0), 1.0)
        called = np.maximum(scores - low, 0) * np.float32(certainty / max(high - low, 1e-9))
        return lambda asked: placed(numbers, called, asked)

    def homes(self, index: Collection) -> Numbers:
        """The passage that says most of what each topic means, by number; -1 where none has it."""
        homes = np.full(len(self.rules), -1, np.int64)
        for topic, rules in enumerate(self.rules):
            hits = index.search(SearchRequest(vector=self._meant[topic], terms=tuple(terms(rules))))
            scores = _scores(hits.cosine, hits.lexical)
            if len(scores) and scores.max() >= _PRESENT:
                homes[topic] = hits.numbers[scores.argmax()]
        return homes

    def topic(self, vector: Vector) -> float:
        """How far the query of ``vector`` is about the game, in [0, 1]."""
        return self.topicality.score(vector)

    def dump(self) -> dict[str, bytes]:
        """All of it as files."""
        return {
            FILES[0]: arrays.to_bytes(self.wordings.astype(np.float16)),
            FILES[1]: arrays.to_bytes(np.asarray(self._bounds[:-1], np.int64)),
            FILES[2]: arrays.to_bytes(self._meant.astype(np.float16)),
            FILES[3]: json.dumps(self.rules, ensure_ascii=False).encode(), **self.topicality.dump(),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> QueryExpansion:
        """From the files of :meth:`dump`."""
        wordings, starts, meanings = (arrays.from_bytes(files[name]) for name in FILES[:3])
        return cls(wordings, starts, meanings, json.loads(files[FILES[3]]),
                   Discriminant.load(files))


def _scores(cosine: Scores, lexical: Scores) -> Scores:
    """What the lanes together give passages for what is meant."""
    return sum_of(_WEIGHTS.lane_parts(
        _WEIGHTS.dense_scale(cosine), _WEIGHTS.lexical_scale(lexical)).values())


def texts(table: Sequence[Topic], *more: str) -> list[str]:
    """All texts of topics: what is said, what each means, and what is off topic.

    The off-topic texts are the general ones and those of the sets ``more``.
    """
    off_topic = (text for of in ("", *more) for text in topic_files.load_off_topic(of))
    return [*spoken(table), *off_topic]


def spoken(table: Sequence[Topic]) -> list[str]:
    """What is said of each topic, and then what each means."""
    return [*(words for topic in table for words in topic.says), *(topic.rules for topic in table)]
