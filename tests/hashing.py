"""An encoder without a model: texts that share words are close."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np

from mvp_site.retrieval.encoder import Vectors
from mvp_site.text.normalising import terms


@cache
def _direction(word: str, dimension: int) -> Vectors:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)


class HashingEncoder:
    """A deterministic double: each stemmed word is a fixed random direction.

    Texts that share words are close and others are not. It costs microseconds and loads no
    model, for tests of everything that is not about meaning.
    """

    def __init__(self, dimension: int = 64, window: int = 256) -> None:
        self.dimension = dimension
        self.window = window
        self.fingerprint = f"hashing-{dimension}-{window}"
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one a text; ``encoded`` counts the texts."""
        self.encoded += len(texts)
        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in terms(text)[: self.window] or [""]:
                out[row] += _direction(word, self.dimension)
            out[row] /= np.linalg.norm(out[row])
        return out

    def reads(self, text: str) -> bool:
        """Whether there is a word."""
        return bool(terms(text)) or any(map(str.isalnum, text))

    def pieces(self, text: str) -> int:
        """The number of words of ``text``."""
        return len(text.split())
