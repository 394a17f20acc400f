"""One release, asked: queries read, candidates fetched, scored, cut and put in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from ..content.constraints.words import SPEECH
from ..content.types import EntityType
from ..retrieval.cache import SingleFlightCache
from ..retrieval.collection import Numbers, Scores
from ..retrieval.collection import Query as Wanted
from ..retrieval.dense import inner_products
from ..retrieval.encoder import Encoder, encoded
from ..retrieval.filters import Condition, fold
from .calls import Expanded, expanded
from .document_store import DocumentStore
from .names import NameIndex
from .query_parsing import Asked, Reader
from .release import Release, unit_mean
from .scoring import score
from .similar import likeness
from .weights import CUT

DEPTH: Final = 512
"""How many candidates each lane gives at least, where a search could have more."""
LISTED: Final = 0.5
"""The least score of what fulfils all that a query states, where it says nothing else."""
CACHED: Final = 10_000
"""A ranking of more entities is not kept for the next time: a thousand of them fill a memory."""
Encoded = tuple[Expanded | None, dict[str, str]]
"""A text that was encoded and expanded; where it was not, the lane that failed with its error."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of one type: the text as it was put, the filters, and whether to bind.

    ``beside`` are the types that are asked the same. With ``names_first`` what is stated beside a
    name does not bind: what is named is meant, whatever else is said of it.
    """

    type: EntityType
    text: str
    where: Condition
    bind: bool
    beside: tuple[EntityType, ...] = ()
    names_first: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Entities by number, the best first, with scores in (0, 1].

    ``failed`` has the lanes that they were found without, each with its error.
    """

    numbers: Numbers
    scores: Scores
    stated: Condition = ()
    bound: bool = False
    failed: Mapping[str, str] = field(default_factory=dict)

    def above(self, score: float) -> Ranking:
        """Those of at least this score."""
        count = int((self.scores >= score).sum())
        return replace(self, numbers=self.numbers[:count], scores=self.scores[:count])


class Searcher:
    """Answers from one release. Thread-safe."""

    def __init__(self, release: Release, encoder: Encoder, cache_size: int) -> None:
        self.release = release
        self._encoder = encoder
        store = release.document_store
        self._names = NameIndex(store.names, store.spans)
        self._reader = Reader(self._names, release.known, {
            type_: {field: _spoken(store, type_, field) for field in spoken.said}
            for type_, spoken in SPEECH.items()
        })
        self._rankings: SingleFlightCache[Query, Ranking] = SingleFlightCache(cache_size)
        self._vectors: SingleFlightCache[str, Encoded] = SingleFlightCache(cache_size)

    def search(self, query: Query, vectors: dict[str, Encoded]) -> Ranking:
        """The entities that answer, by (-score, slug); of no words all, in the order of names.

        ``vectors``, by text, are shared by the types that one call asks.
        """
        return self._rankings.get(
            query, lambda: self._search(query, vectors),
            lambda ranking: not ranking.failed and len(ranking.numbers) <= CACHED,
        )[0]

    def similar(self, type_: EntityType, reference: int) -> Ranking:
        """The entities that are like the reference, which is not among them."""
        alike = self.release.alike
        if alike is not None:
            start, end = self.release.document_store.span(type_)
            numbers = np.arange(start, end)
            cosine = inner_products(alike[start:end], alike[reference])
        else:
            backend = self.release.backend
            vector = unit_mean(backend.vectors(reference))
            found = backend.search(Wanted((type_,), vector, limit=DEPTH))
            numbers, cosine = found.numbers, found.cosine
        scores = likeness(self.release, type_, reference, numbers, cosine)
        return self._ordered(numbers[numbers != reference], scores[numbers != reference])

    def scored(self, type_: EntityType, text: str) -> tuple[Numbers, Scores]:
        """Every candidate for a query, and its score, whatever it is."""
        return self._scored(self._reader.read(text, type_), (), {})

    def _search(self, query: Query, vectors: dict[str, Encoded]) -> Ranking:
        asked = self._reader.read(
            query.text, query.type, bind=query.bind, names_first=query.names_first,
            groups=query.beside,
        )
        where = (*query.where, *asked.stated) if asked.bound else query.where
        if not asked.text:  # filters alone are asked for
            numbers = self.release.backend.search(Wanted((query.type,), where=where)).numbers
            return Ranking(numbers, np.ones(len(numbers), np.float32))
        numbers, scores = self._scored(asked, where, vectors)
        if asked.only_stated:  # all that fulfil it are meant; the words only put them in order
            scores = LISTED + (1 - LISTED) * scores
        kept = scores >= CUT
        return replace(self._ordered(numbers[kept], scores[kept]), stated=asked.stated,
                       bound=asked.bound, failed=vectors[asked.text][1])

    def _scored(self, asked: Asked, where: Condition, vectors: dict[str, Encoded],
                ) -> tuple[Numbers, Scores]:
        matches = self._names.matches(
            asked.words, asked.type, unknown=asked.unknown > 0, text=asked.text
        )
        if asked.text not in vectors:
            vectors[asked.text] = self._vectors.get(
                asked.text, lambda: self._encoded(asked.text), lambda found: not found[1]
            )[0]
        said, _ = vectors[asked.text]
        lanes = self.release.backend.search(Wanted(
            (asked.type,), said.vector if said else None, asked.terms, where, tuple(matches), DEPTH
        ))
        return lanes.numbers, score(self.release, asked, lanes, said, matches)

    def _encoded(self, text: str) -> Encoded:
        vector, failed = encoded(self._encoder, text)
        if vector is None:
            return None, failed
        return expanded(self.release.query_expansion, self.release.calls, vector), failed

    def _ordered(self, numbers: Numbers, scores: Scores) -> Ranking:
        order = np.lexsort((self.release.document_store.tie[numbers], -scores))
        return Ranking(numbers[order], scores[order])


def _spoken(store: DocumentStore, type_: EntityType, field: str) -> list[str]:
    """The values of a field that say of an entity what it is, wherever they are said."""
    held = sorted(store.printed(type_, field))
    if (type_, field) != (EntityType.MONSTERS, "subtype"):
        return held
    # "Elf" and "human" are most often said of somebody else than of the monster.
    start, end = store.span(EntityType.RACES)
    races = {fold(name) for name in store.names[start:end]}
    return [value for value in held if value not in races]


def merged(rankings: Sequence[Ranking], tie: Numbers) -> Ranking:
    """The numbers and scores of several types as one ranking, by (-score, slug)."""
    if len(rankings) == 1:
        return rankings[0]
    if not rankings:
        return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
    numbers = np.concatenate([ranking.numbers for ranking in rankings])
    scores = np.concatenate([ranking.scores for ranking in rankings])
    order = np.lexsort((tie[numbers], -scores))
    return Ranking(numbers[order], scores[order])
