"""Near-duplicates among many texts, exactly, without comparing all pairs.

Of two sets with a Jaccard similarity of at least t, ordered alike, each has in its first n - ceil(t
n) + 1 elements one of the other's (prefix filtering, Chaudhuri et al. 2006). With the rarest first,
and those left out that stand in one set alone, hardly any two share one that are not alike.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

_Numbers: TypeAlias = npt.NDArray[np.uint64]
_WORDS: Final = re.compile(r"\w+")
_FACTORS: Final = tuple(np.uint64(factor) for factor in (
    0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
))


def near_duplicates(texts: Sequence[str], contents: Sequence[str], bound: float) -> list[int]:
    """For each text the first before it that is nearly the same, or -1.

    Nearly the same are equal ``contents``, and runs of three words (Broder 1997) with a Jaccard
    similarity of at least ``bound``. What is nearly the same as another is nobody's first.
    """
    shingles = [_shingles(text) for text in texts]
    every, counts = np.unique(
        np.concatenate([np.empty(0, np.uint64), *shingles]), return_counts=True)
    shared = every[counts > 1]
    frequencies = counts[counts > 1]
    by_content: dict[str, int] = {}
    by_shingle: dict[int, list[int]] = {}
    firsts: list[int] = []
    for number, own in enumerate(shingles):
        prefix = _prefix(own, shared, frequencies, bound)
        candidates = {other for shingle in prefix for other in by_shingle.get(shingle, ())}
        alike = [other for other in candidates if _are_alike(own, shingles[other], bound)]
        if contents[number] in by_content:
            alike.append(by_content[contents[number]])
        firsts.append(min(alike, default=-1))
        if not alike:
            by_content[contents[number]] = number
            for shingle in prefix:
                by_shingle.setdefault(shingle, []).append(number)
    return firsts


def _shingles(text: str) -> _Numbers:
    """The runs of three words or numbers in a row, as numbers, each once and ascending."""
    words = np.array([_hashed(word) for word in _WORDS.findall(text.casefold())], np.uint64)
    if len(words) < len(_FACTORS):
        return np.empty(0, np.uint64)
    runs = len(words) - len(_FACTORS) + 1
    first, second, third = (words[at : at + runs] * _FACTORS[at] for at in range(len(_FACTORS)))
    return np.unique(first + second + third)


@cache
def _hashed(word: str) -> int:
    content = word.encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")


def _prefix(own: _Numbers, shared: _Numbers, frequencies: npt.NDArray[np.int64], bound: float,
            ) -> list[int]:
    """Of the rarest elements those that another has too, of which one must be an alike set's."""
    if not len(own) or not len(shared):
        return []
    places = np.minimum(np.searchsorted(shared, own), len(shared) - 1)
    counts = np.where(shared[places] == own, frequencies[places], 1)
    first = np.lexsort((own, counts))[: len(own) - math.ceil(bound * len(own)) + 1]
    rarest: list[int] = own[first[counts[first] > 1]].tolist()
    return rarest


def _are_alike(own: _Numbers, other: _Numbers, bound: float) -> bool:
    small, large = sorted((len(own), len(other)))
    if not large or small / large < bound:  # the similarity cannot reach the bound
        return False
    both = len(np.intersect1d(own, other, assume_unique=True))
    return both / (len(own) + len(other) - both) >= bound
