"""The hybrid index: passages in both lanes, built, dumped and loaded as one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .dense import DenseLane
from .encoder import Encoder, Vectors
from .lexical import LexicalLane
from .text import terms
from .windows import windows

HEADING_WEIGHT: Final = 2
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
    """Both lanes over the same passages."""

    def __init__(self, lexical: LexicalLane, dense: DenseLane, passages: int) -> None:
        self.lexical = lexical
        self.dense = dense
        self.passages = passages

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
        dense = DenseLane.build(vectors, owners, keys, len(passages))
        return cls(lexical, dense, len(passages))

    def dump(self) -> dict[str, bytes]:
        """Both lanes as files."""
        return {**self.lexical.dump(), **self.dense.dump()}

    @classmethod
    def load(cls, files: Mapping[str, bytes], passages: int) -> HybridIndex:
        """The index from the files of :meth:`dump`."""
        return cls(LexicalLane.load(files, passages), DenseLane.load(files, passages), passages)


def _terms(passage: Passage, heading_weight: int) -> list[str]:
    heading = [term for part in passage.heading for term in terms(part)]
    return heading * heading_weight + terms(passage.text) + [
        term for phrase in (*passage.also, *passage.stressed) for term in terms(phrase)
    ]
