"""The local collection: passages in both lanes, built, dumped, loaded and searched as one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from ..text.languages import ENGLISH, Language
from ..text.normalising import terms
from .collection import Hits, Numbers, Scores, SearchRequest
from .columns import Columns
from .dense import DenseLane
from .encoder import Encoder, Vectors
from .lexical import LexicalLane as LexicalLane  # noqa: PLC0414 - for those who keep a lane
from .windows import windows

ALL: Final = 4_096
"""Up to so many passages that fulfil the conditions, all of them are hits."""
HEADING_WEIGHT: Final = 2
_KEY: Final = 16
"""Bytes of a text's key."""
_BATCH: Final = 64
"""Texts that are encoded at a time."""
Progress = Callable[[int, int], None]
Spans = Mapping[str, tuple[int, int]]


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

    def fresh(self, since: int = 0) -> tuple[Vectors, npt.NDArray[np.uint8]]:
        """The vectors that were encoded behind the first ``since``, and their keys.

        Those that were taken over are not among them.
        """
        return self._rows(self._fresh[since:])

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Those of ``texts`` that are not known, each once."""
        return [text for text in dict.fromkeys(texts) if _key(text) not in self._known]

    def add(self, keys: npt.NDArray[np.uint8], vectors: Vectors) -> None:
        """Take over vectors of an earlier build by the same encoder."""
        raw = keys.tobytes()
        starts = range(0, len(raw), _KEY)
        self._known.update(zip((raw[at:at + _KEY] for at in starts), vectors, strict=True))

    def encode(self, texts: Sequence[str], progress: Progress | None = None,
               ) -> tuple[Vectors, npt.NDArray[np.uint8]]:
        """The vectors of ``texts`` and their keys, shape (n, 16)."""
        return self._rows(self.learn(texts, progress))

    def learn(self, texts: Sequence[str], progress: Progress | None = None) -> list[bytes]:
        """The keys of ``texts``, whose vectors are known from now on."""
        keys = [_key(text) for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        missing = [(key, text) for key, text in by_key.items() if key not in self._known]
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            encoded = self._encoder.encode([text for _, text in part])
            for (key, _), vector in zip(part, encoded, strict=True):
                self._known[key] = vector
                self._fresh.append(key)
            if progress:
                progress(min(start + _BATCH, len(missing)), len(missing))
        return keys

    def _rows(self, keys: Sequence[bytes]) -> tuple[Vectors, npt.NDArray[np.uint8]]:
        vectors = np.empty((len(keys), self._encoder.dimension), np.float32)
        for row, key in enumerate(keys):
            vectors[row] = self._known[key]
        return vectors, np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 16)


class HybridIndex:
    """A collection that is held in this process (:class:`~.collection.Collection`).

    Passages of one type stand next to each other: ``spans`` has each type's first number and the
    one after its last. ``columns`` are the fields that filters ask for.
    Up to :data:`~.dense.EXACT_WINDOWS` windows that fulfil the conditions every one is compared; of
    more, those whose sketches are nearest.
    """

    def __init__(self, lexical: LexicalLane, dense: DenseLane, columns: Columns | None = None,
                 spans: Spans | None = None) -> None:
        self.lexical = lexical
        self.dense = dense
        self.passages = dense.passages
        self._columns = columns or Columns(())
        self._spans = spans or {}

    @classmethod
    def build(cls, passages: Sequence[Passage], encoder: Encoder, cache: VectorCache,
              progress: Progress | None = None, heading_weight: int = HEADING_WEIGHT,
              language: Language = ENGLISH) -> HybridIndex:
        """Index ``passages``, reusing vectors that ``cache`` knows."""
        return cls.of(
            [[*windows(part.heading, part.text, encoder), *part.also] for part in passages],
            (passage_terms(passage, heading_weight, language) for passage in passages),
            cache, progress,
        )

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], terms: Iterable[Sequence[str]],
           cache: VectorCache, progress: Progress | None = None) -> HybridIndex:
        """Index passages by the texts of their windows, at least one each, and by their terms."""
        lexical = LexicalLane.build(terms)
        owners = [number for number, mine in enumerate(texts) for _ in mine]
        vectors, keys = cache.encode([*chain.from_iterable(texts)], progress)
        cache.add(keys, vectors)  # so that they are held once
        return cls(lexical, DenseLane.build(vectors, owners, keys, len(texts)))

    def dump(self) -> dict[str, bytes]:
        """Both lanes as files."""
        return {**self.lexical.dump(), **self.dense.dump()}

    @classmethod
    def load(cls, files: Mapping[str, bytes], passages: int, columns: Columns | None = None,
             spans: Spans | None = None) -> HybridIndex:
        """The index from the files of :meth:`dump`; what else is kept comes from the caller."""
        return cls(LexicalLane.load(files, passages), DenseLane.load(files, passages), columns,
                   spans)

    def search(self, query: SearchRequest) -> Hits:
        """What the query finds in either lane, and its ``also``, scored exactly."""
        lexical = np.zeros(self.passages, np.float32)
        if query.terms:
            lexical, _ = self.lexical.scores(query.terms)
        spans = [(0, self.passages)] if query.types is None else sorted(
            {self._spans[type_] for type_ in query.types if type_ in self._spans}
        )
        rows = [self._in_span(query, lexical, *span) for span in spans] or [np.arange(0)]
        numbers = rows[0] if len(rows) == 1 else np.concatenate(rows)
        if query.vector is None:
            cosine = np.zeros(len(numbers), np.float32)
        elif len(numbers) == self.passages:
            cosine = self.dense.scores(query.vector)
        else:
            cosine = self.dense.of(query.vector, numbers)
        return Hits(numbers, cosine, lexical[numbers])

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage."""
        return self.dense.vectors(number, number + 1)

    def close(self) -> None:
        """Nothing to let go of."""

    def _in_span(self, query: SearchRequest, lexical: Scores, start: int, end: int) -> Numbers:
        """The hits from ``start`` to ``end``: all, or of many each lane's best and ``also``."""
        where, vector = query.condition, query.vector
        allowed = self._columns.mask(where, start, end) if where else None
        count = end - start if allowed is None else int(np.count_nonzero(allowed))
        if count <= ALL or (vector is None and not query.terms):
            return (np.arange(end - start) if allowed is None else np.flatnonzero(allowed)) + start
        hits = np.zeros(end - start, np.bool_)
        hits[[n - start for n in query.also if start <= n < end]] = True
        if vector is not None:
            hits[self.dense.nearest(vector, query.limit, start, end, allowed) - start] = True
        scores = lexical[start:end]
        hits[_highest(scores if allowed is None else scores * allowed, query.limit)] = True
        return np.flatnonzero(hits if allowed is None else hits & allowed) + start


def _highest(scores: Scores, count: int) -> Numbers:
    """Where the ``count`` highest of ``scores`` stand, those above 0 alone, in no order."""
    nonzero = np.flatnonzero(scores > 0)
    if len(nonzero) > count:
        nonzero = nonzero[np.argpartition(-scores[nonzero], count - 1)[:count]]
    return nonzero


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


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def passage_terms(passage: Passage, heading_weight: int, language: Language = ENGLISH,
                  ) -> list[str]:
    """What the lexical lane reads of a passage."""
    heading = [term for part in passage.heading for term in terms(part, language)]
    return heading * heading_weight + terms(passage.text, language) + [
        term for phrase in (*passage.also, *passage.stressed) for term in terms(phrase, language)
    ]
