"""The lexical lane: BM25 on an absolute scale.

A passage's score is its BM25 sum divided by the most that any passage could reach for the query
(Robertson and Zaragoza 2009: with Lucene's variant a term adds less than its idf). A word that no
passage has counts in the divisor with the idf of an unseen word, so the score is the part of the
query's weight that the passage carries: 0.5 means the same for every query.
"""

from __future__ import annotations

import json
import logging
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import bm25s
import numpy as np
import numpy.typing as npt

from . import arrays

logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs every build at DEBUG

Scores = npt.NDArray[np.float32]
K1: Final = 1.2
B: Final = 0.75
MAX_QUERY_TERMS: Final = 256
FILES: Final = ("bm25_data.npy", "bm25_indices.npy", "bm25_indptr.npy", "bm25_vocabulary.json")


class LexicalLane:
    """BM25 over passages that are given as terms.

    ``worth`` is what each term adds to each passage that has it (``holders``), term after term of
    the ``vocabulary``; ``bounds`` say where each term's begin.
    """

    def __init__(self, worth: npt.NDArray[Any], holders: npt.NDArray[Any],
                 bounds: npt.NDArray[Any], vocabulary: Sequence[str], passages: int) -> None:
        self._worth = worth
        self._holders = holders.astype(np.intp)
        self._bounds: list[int] = bounds.tolist()
        self._vocabulary = {term: number for number, term in enumerate(vocabulary)}
        self._passages = passages
        counts = np.diff(bounds)
        self._idf: list[float] = np.log1p((passages - counts + 0.5) / (counts + 0.5)).tolist()
        self._unseen = math.log1p((passages + 0.5) / 0.5)

    @classmethod
    def build(cls, documents: Iterable[Iterable[str]]) -> LexicalLane:
        """The lane over ``documents``, each the terms of a passage; they are read once."""
        seen: dict[str, int] = {}
        read = [array("i", [seen.setdefault(term, len(seen)) for term in document])
                for document in documents]
        if not read:
            return cls(np.empty(0), np.empty(0), np.zeros(1, np.int64), (), 0)
        if not seen:
            seen[""], read = 0, [array("i", [0])] * len(read)  # BM25 needs a word to divide by
        vocabulary = {term: number for number, term in enumerate(sorted(seen))}
        numbers = np.array([vocabulary[term] for term in seen], np.intc)
        ids = [array("i", numbers[np.asarray(terms)].tobytes()) for terms in read]
        index = bm25s.BM25(method="lucene", k1=K1, b=B)
        index.index((ids, vocabulary), show_progress=False)
        weights, number = index.scores, index.vocab_dict
        return cls(weights["data"], weights["indices"], weights["indptr"],
                   sorted(number, key=number.__getitem__), len(read))

    def scores(self, terms: Iterable[str]) -> tuple[Scores, float]:
        """The passages' scores in [0, 1), and the part of the query's weight the corpus knows.

        Terms count once each; at most :data:`MAX_QUERY_TERMS` are read. An empty one is none.
        """
        unique = list(dict.fromkeys(filter(None, terms)))[:MAX_QUERY_TERMS]
        ids = [self._vocabulary[term] for term in unique if term in self._vocabulary]
        if not ids:
            return np.zeros(self._passages, np.float32), 0.0
        total = sum([self._idf[number] for number in ids])
        most = total + self._unseen * (len(unique) - len(ids))
        # A term's passages stand in one piece; what all terms give them is added up at once.
        slices = [slice(self._bounds[number], self._bounds[number + 1]) for number in ids]
        scores = np.bincount(
            np.concatenate([self._holders[part] for part in slices]),
            np.concatenate([self._worth[part] for part in slices]), self._passages,
        )
        return (scores / most).astype(np.float32), total / most

    def dump(self) -> dict[str, bytes]:
        """The lane as files."""
        return {
            FILES[0]: arrays.to_bytes(np.asarray(self._worth, np.float32)),
            FILES[1]: arrays.to_bytes(np.asarray(self._holders, np.int32)),
            FILES[2]: arrays.to_bytes(np.asarray(self._bounds, np.int64)),
            FILES[3]: json.dumps([*self._vocabulary], ensure_ascii=False).encode(),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes], passages: int) -> LexicalLane:
        """The lane from the files of :meth:`dump`."""
        worth, holders, bounds = (arrays.from_bytes(files[name]) for name in FILES[:3])
        return cls(worth, holders, bounds, json.loads(files[FILES[3]]), passages)
