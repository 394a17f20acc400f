"""Exact scores of candidates, from what an engine has stored of them and of the collection's words.

An engine's own BM25 finds candidates. The score that counts is the one of :mod:`~..lexical`, worked
out here for the candidates alone.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np

from ...errors import CorruptIndexError
from ..collection import Hits, IndexedPassage, Scores, SearchRequest
from ..lexical import K1, MAX_QUERY_TERMS, B
from .plain import word

FILES: Final = ("term_statistics.json",)
Row: TypeAlias = dict[str, Any]
"""A window as an engine stores it: ``number`` of its passage, ``window`` in it, ``vector``, and
``terms``, the part of the passage's words that stands with the window, between spaces."""


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """Passages of a collection, the sum of their lengths, and how many have each term.

    A passage has ``mean_windows``, rounded up, and at most ``most_windows``: a search over windows
    that is to find n passages asks for some times n.
    """

    passages: int
    length: int
    most_windows: int
    mean_windows: int
    frequencies: Mapping[str, int]

    @classmethod
    def of(cls, records: Iterable[IndexedPassage]) -> TermStatistics:
        """The statistics of ``records``, read once."""
        return cls.of_terms((record.terms, len(record.vectors)) for record in records)

    @classmethod
    def of_terms(cls, records: Iterable[tuple[Sequence[str], int]]) -> TermStatistics:
        """Those of the terms of passages, each with how many windows it has."""
        counts: Counter[str] = Counter()
        passages = length = most = total = 0
        for terms, windows in records:
            counts.update(set(terms))
            passages += 1
            length += len(terms)
            most = max(most, windows)
            total += windows
        return cls(passages, length, most, -(-total // max(passages, 1)), dict(counts))

    def idf(self, term: str) -> float:
        """What a term adds at most to a passage's sum, seen or unseen."""
        count = self.frequencies.get(term, 0)
        return math.log1p((self.passages - count + 0.5) / (count + 0.5))

    def dump(self) -> dict[str, bytes]:
        """The statistics as files; the same statistics give the same bytes."""
        content = {**asdict(self), "frequencies": dict(sorted(self.frequencies.items()))}
        return {FILES[0]: json.dumps(content, separators=(",", ":")).encode()}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> TermStatistics:
        """The statistics from the files of :meth:`dump`.

        Raises:
            CorruptIndexError: the file is missing or not what was dumped.
        """
        try:
            return msgspec.json.decode(files[FILES[0]], type=cls)
        except (KeyError, ValueError, msgspec.DecodeError) as error:
            raise CorruptIndexError(
                f"{FILES[0]} cannot be read ({type(error).__name__}); "
                "build again: mvp-site entities build"
            ) from None


def query_terms(terms: Iterable[str]) -> tuple[str, ...]:
    """The terms of a query that count: each once, as many as the lexical lane reads."""
    return tuple(dict.fromkeys(filter(None, terms)))[:MAX_QUERY_TERMS]


def rescored(query: SearchRequest, stats: TermStatistics, rows: Sequence[Row]) -> Hits:
    """The rows' passages by ascending number, with the scores that ``query`` gives them.

    Of each passage all windows are there, in any order. The cosine is that of the best one;
    without a vector it is 0. Of a row only what the query asks for is read.
    """
    order = sorted(range(len(rows)), key=lambda at: rows[at]["number"])
    ids = np.asarray([rows[at]["number"] for at in order], np.int64)
    numbers, starts = np.unique(ids, return_index=True)
    cosine = np.zeros(len(numbers), np.float32)
    if query.vector is not None and rows:
        vectors = np.asarray([rows[at]["vector"] for at in order], np.float32)
        similar = vectors @ np.asarray(query.vector, np.float32)
        cosine = np.maximum.reduceat(similar, starts).astype(np.float32)
    words: list[list[str]] = [[] for _ in numbers]
    for place, at in zip(np.searchsorted(numbers, ids), order, strict=True):
        words[place] += (rows[at].get("terms") or "").split()
    return Hits(numbers, cosine, lexical_scores(stats, query.terms, words))


def lexical_scores(stats: TermStatistics, terms: Iterable[str],
                   passages: Sequence[Sequence[str]]) -> Scores:
    """The part of the query's weight that each passage carries, in [0, 1).

    ``passages`` are given by their words as :func:`~.plain.word` spells them, with repeats. The
    formula is Lucene's BM25 over the most that any passage could reach (:mod:`~..lexical`).
    """
    unique = query_terms(terms)
    weights = {word(term): stats.idf(term) for term in unique if stats.frequencies.get(term)}
    scores = np.zeros(len(passages), np.float32)
    if not weights:
        return scores
    unseen = math.log1p((stats.passages + 0.5) / 0.5)
    most = sum(weights.values()) + unseen * (len(unique) - len(weights))
    average = stats.length / stats.passages if stats.length else 1.0
    for place, words in enumerate(passages):
        counts = Counter(filter(weights.__contains__, words))
        damp = K1 * (1 - B + B * len(words) / average)
        scores[place] = sum(weights[term] * tf / (tf + damp) for term, tf in counts.items()) / most
    return scores
