"""The local collection: passages in both lanes, built, dumped, loaded and searched as one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .collection import Hits, Numbers, Query, Scores
from .columns import Columns, Mask
from .dense import DenseLane
from .encoder import Encoder, Vectors
from .lexical import LexicalLane
from .text import terms
from .windows import windows

ALL: Final = 4_096
"""Up to so many passages that fulfil the conditions, all of them are hits."""
HEADING_WEIGHT: Final = 2
Spans = Mapping[str, tuple[int, int]]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Passage:
    """What is indexed: text under a heading path, and phrases that call for it (``also``).

    The lexical lane reads heading, text and phrases, and ``stressed`` once more; the dense lane
    reads each phrase as a window of its own.
    """

    id: str
    heading: tuple[str, ...]
    text: str
    also: tuple[str, ...] = ()
    stressed: tuple[str, ...] = ()


class VectorCache:
    """Vectors by the text they encode, so that a rebuild encodes only what is new."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[bytes, npt.NDArray[np.float32]] = {}
        self._fresh: list[bytes] = []

    @property
    def encoded(self) -> int:
        """How many texts were encoded, because nothing before had been."""
        return len(self._fresh)

    def fresh(self) -> tuple[Vectors, npt.NDArray[np.uint8]]:
        """The vectors that were encoded so far, without those taken over, and their keys."""
        return self._held(self._fresh)

    def add(self, keys: npt.NDArray[np.uint8], vectors: Vectors) -> None:
        """Take over vectors of an earlier build by the same encoder."""
        for key, vector in zip(keys, vectors, strict=True):
            self._known[key.tobytes()] = vector

    def encode(self, texts: Sequence[str], progress: Progress | None = None,
               batch: int = 64) -> tuple[Vectors, npt.NDArray[np.uint8]]:
        """The vectors of ``texts`` and their keys, shape (n, 16)."""
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        missing = [(key, text) for key, text in by_key.items() if key not in self._known]
        for start in range(0, len(missing), batch):
            part = missing[start : start + batch]
            encoded = self._encoder.encode([text for _, text in part])
            for (key, _), vector in zip(part, encoded, strict=True):
                self._known[key] = vector
                self._fresh.append(key)
            if progress:
                progress(min(start + batch, len(missing)), len(missing))
        return self._held(keys)

    def _held(self, keys: Sequence[bytes]) -> tuple[Vectors, npt.NDArray[np.uint8]]:
        vectors = np.empty((len(keys), self._encoder.dimension), np.float32)
        for row, key in enumerate(keys):
            vectors[row] = self._known[key]
        return vectors, np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 16)


class HybridIndex:
    """A collection that is held in this process (:class:`~.collection.Collection`).

    Passages of one type stand next to each other: ``spans`` has each type's first number and the
    one after its last. ``columns`` are the fields that filters ask for, ``payloads`` what is shown.
    Up to :data:`~.dense.EXACT_WINDOWS` windows that fulfil the conditions every one is compared;
    of more, the graph finds the nearest among them, and what it found is scored exactly.
    """

    def __init__(self, lexical: LexicalLane, dense: DenseLane, columns: Columns | None = None,
                 spans: Spans | None = None, payloads: Sequence[str] = ()) -> None:
        self.lexical = lexical
        self.dense = dense
        self.passages = dense.passages
        self._columns = columns or Columns(())
        self._spans = spans or {}
        self._payloads = payloads

    @classmethod
    def build(cls, passages: Sequence[Passage], encoder: Encoder, cache: VectorCache,
              progress: Progress | None = None, heading_weight: int = HEADING_WEIGHT,
              ) -> HybridIndex:
        """Index ``passages``, reusing vectors that ``cache`` knows."""
        texts: list[str] = []
        owners: list[int] = []
        for number, passage in enumerate(passages):
            mine = [*windows(passage.heading, passage.text, encoder), *passage.also]
            texts += mine
            owners += [number] * len(mine)
        vectors, keys = cache.encode(texts, progress)
        lexical = LexicalLane.build([_terms(passage, heading_weight) for passage in passages])
        return cls(lexical, DenseLane.build(vectors, owners, keys, len(passages)))

    def dump(self) -> dict[str, bytes]:
        """Both lanes as files."""
        return {**self.lexical.dump(), **self.dense.dump()}

    @classmethod
    def load(cls, files: Mapping[str, bytes], passages: int, columns: Columns | None = None,
             spans: Spans | None = None, payloads: Sequence[str] = ()) -> HybridIndex:
        """The index from the files of :meth:`dump`; what else is kept comes from the caller."""
        return cls(LexicalLane.load(files, passages), DenseLane.load(files, passages), columns,
                   spans, payloads)

    def search(self, query: Query) -> Hits:
        """What the query finds in either lane, and its ``also``, scored exactly."""
        words = self.lexical.scores(query.terms)[0] if query.terms else None
        nothing = np.empty(0, np.float32)
        found = [Hits(np.empty(0, np.int64), nothing, nothing)]
        found += [self._in_span(query, words, *span) for span in self._spans_of(query.types)]
        return Hits(
            np.concatenate([part.numbers for part in found]),
            np.concatenate([part.cosine for part in found]),
            np.concatenate([part.lexical for part in found]),
        )

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage."""
        return self.dense.of_passages(number, number + 1)

    def payloads(self, numbers: Sequence[int]) -> list[str]:
        """The payload of each of these passages, in this order; '' of one that has none."""
        return [self._payloads[number] if self._payloads else "" for number in numbers]

    def close(self) -> None:
        """Nothing to let go of."""

    def _spans_of(self, types: Sequence[str] | None) -> list[tuple[int, int]]:
        """The types' spans in the order of their passages."""
        if types is None:
            return [(0, self.passages)] if self.passages else []
        return sorted({self._spans[type_] for type_ in types if type_ in self._spans})

    def _in_span(self, query: Query, lexical: Scores | None, start: int, end: int) -> Hits:
        words = np.zeros(end - start, np.float32) if lexical is None else lexical[start:end]
        where, vector = query.condition, query.vector
        allowed = self._columns.mask(where, start, end) if where else None
        count = end - start if allowed is None else int(np.count_nonzero(allowed))
        if count > ALL and (vector is not None or query.terms):
            chosen = self._found(query, start, end, allowed, words)
        else:
            chosen = np.arange(end - start) if allowed is None else np.flatnonzero(allowed)
        if vector is None:
            cosine = np.zeros(len(chosen), np.float32)
        elif len(chosen) == end - start:
            cosine = self.dense.scores(vector, start, end)
        else:
            cosine = self.dense.of(vector, chosen + start)
        return Hits(chosen + start, cosine, words[chosen])

    def _found(self, query: Query, start: int, end: int, allowed: Mask | None, words: Scores,
               ) -> Numbers:
        """The nearest in each lane among many, relative to ``start``, and those of ``also``."""
        held = [np.asarray(
            [n - start for n in query.also
             if start <= n < end and (allowed is None or allowed[n - start])], np.int64
        )]
        if query.vector is not None:
            near = self.dense.nearest(query.vector, query.limit, start, end, allowed)
            held.append(near - start)
        held.append(_highest(words if allowed is None else words * allowed, query.limit))
        return np.unique(np.concatenate(held))


def _highest(scores: Scores, count: int) -> Numbers:
    """Where the ``count`` highest of ``scores`` stand, those above 0 alone, in no order."""
    found = np.flatnonzero(scores)
    if len(found) > count:
        found = found[np.argpartition(-scores[found], count - 1)[:count]]
    return found


def spans_of(types: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Each type's first passage and the one after its last.

    Raises:
        ValueError: a type stands in two places.
    """
    spans: dict[str, tuple[int, int]] = {}
    for number, type_ in enumerate(types):
        start, end = spans.get(type_, (number, number))
        if end != number:
            raise ValueError(f"the passages of {type_} do not stand next to each other")
        spans[type_] = (start, number + 1)
    return spans


def _terms(passage: Passage, heading_weight: int) -> list[str]:
    heading = [term for part in passage.heading for term in terms(part)]
    return heading * heading_weight + terms(passage.text) + [
        term for phrase in (*passage.also, *passage.stressed) for term in terms(phrase)
    ]
