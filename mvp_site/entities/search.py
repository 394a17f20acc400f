"""One release, asked: queries read, candidates fetched, scored, cut and put in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from ..content.constraints.words import SPEECH
from ..content.types import EntityType
from ..retrieval.cache import SingleFlightCache
from ..retrieval.collection import Numbers, Scores, SearchRequest
from ..retrieval.dense import inner_products
from ..retrieval.encoder import Encoder
from ..retrieval.filters import Condition, fold
from ..retrieval.ranking import Signal, rank, understand
from .calls import Expanded, expanded
from .document_store import DocumentStore
from .names import NameIndex
from .query_parsing import EntityQuery, EntityQueryReader
from .release import EntityRelease, unit_mean
from .similar import likeness
from .weights import CUT

DEPTH: Final = 512
"""How many candidates each lane gives at least, where a search could have more."""
LISTED: Final = 0.5
"""The least score of what fulfils all that a query states, where it says nothing else."""
CACHED: Final = 10_000
"""A ranking of more entities is not kept for the next time: a thousand of them fill a memory."""
PARTLY: Final = 0.75
"""What breaks all that a query states loses, where it states several things and says no more."""
STATED: Final = "stated"
CALLED: Final = "called"
"""The parts of a score beside the lanes: what an entity breaks, and what utterances call for."""


@dataclass(frozen=True, slots=True)
class TypeSearch:
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
class EntityRanking:
    """Entities by number, the best first, with scores in (0, 1].

    ``best`` is the ranker's score of the best, which compares across types; ``named`` how far the
    query is the name of one of them, in [0, 1]. ``failed`` has the lanes that they were found
    without, each with its error.
    """

    numbers: Numbers
    scores: Scores
    best: float = 0.0
    named: float = 0.0
    stated: Condition = ()
    bound: bool = False
    only_stated: bool = False
    failed: Mapping[str, str] = field(default_factory=dict)

    def above(self, score: float) -> EntityRanking:
        """Those of at least this score."""
        count = int((self.scores >= score).sum())
        return replace(self, numbers=self.numbers[:count], scores=self.scores[:count])

    def beside(self, best: float, fall: float) -> EntityRanking:
        """The same where other types are asked, too, of which the best has the score ``best``.

        As a hit behind the best of its type, a type behind the best loses odds by ``fall``, the
        less, the more it has the query's name.
        """
        if self.only_stated or not len(self.numbers):
            return self
        odds = np.float32(np.exp(fall * (best - self.best) * (1 - self.named)))
        scores = self.scores / (self.scores + (1 - self.scores) * odds)
        return replace(self, scores=scores.astype(np.float32)).above(CUT)


class EntitySearcher:
    """Answers from one release. Thread-safe."""

    def __init__(self, release: EntityRelease, encoder: Encoder, cache_size: int) -> None:
        self.release = release
        self._encoder = encoder
        store = release.document_store
        self._names = NameIndex(store.names, store.spans)
        self._reader = EntityQueryReader(self._names, release.known, release.spoken, {
            type_: {field: _spoken(store, type_, field) for field in spoken.said}
            for type_, spoken in SPEECH.items()
        })
        self._rankings: SingleFlightCache[TypeSearch, EntityRanking] = SingleFlightCache(
            cache_size
        )
        self._vectors: SingleFlightCache[str, Expanded] = SingleFlightCache(cache_size)

    def search(self, query: TypeSearch, vectors: dict[str, Expanded]) -> EntityRanking:
        """The entities that answer, by (-score, slug); of no words all, in the order of names.

        ``vectors``, by text, are shared by the types that one call asks.
        """
        return self._rankings.get(
            query, lambda: self._search(query, vectors),
            lambda ranking: not ranking.failed and len(ranking.numbers) <= CACHED,
        )[0]

    def similar(self, type_: EntityType, reference: int) -> EntityRanking:
        """The entities that are like the reference, which is not among them."""
        alike = self.release.alike
        if alike is not None:
            start, end = self.release.document_store.span(type_)
            numbers = np.arange(start, end)
            cosine = inner_products(alike[start:end], alike[reference])
        else:
            backend = self.release.backend
            vector = unit_mean(backend.vectors(reference))
            hits = backend.search(SearchRequest((type_,), vector, limit=DEPTH))
            numbers, cosine = hits.numbers, hits.cosine
        scores = likeness(self.release, type_, reference, numbers, cosine)
        return self._ordered(numbers[numbers != reference], scores[numbers != reference])

    def scored(self, type_: EntityType, text: str) -> tuple[Numbers, Scores]:
        """Every candidate for a query, and its score, whatever it is."""
        ranking = self._ranked(self._reader.read(text, type_), (), {})
        return ranking.numbers, ranking.scores

    def _search(self, query: TypeSearch, vectors: dict[str, Expanded]) -> EntityRanking:
        parsed = self._reader.read(
            query.text, query.type, bind=query.bind, names_first=query.names_first,
            groups=query.beside,
        )
        where = (*query.where, *parsed.constraints) if parsed.bound else query.where
        if not parsed.text:  # filters alone are asked for
            numbers = self.release.backend.search(SearchRequest((query.type,), where=where)).numbers
            return EntityRanking(numbers, np.ones(len(numbers), np.float32))
        ranking = self._ranked(parsed, where, vectors)
        if parsed.only_stated:  # all that fulfil it are meant; the words only put them in order
            fulfils = self._broken(parsed)[
                ranking.numbers - self.release.document_store.span(query.type)[0]
            ] == 0
            scores, share = ranking.scores, (LISTED - CUT) / (1 - CUT)
            others = CUT + share * (scores - CUT)
            lifted = np.where(fulfils, LISTED + (1 - LISTED) * scores, np.minimum(scores, others))
            lifted = lifted.astype(np.float32)
            ordered = self._ordered(ranking.numbers, lifted)
            ranking = replace(ranking, numbers=ordered.numbers, scores=ordered.scores)
        return replace(ranking, stated=parsed.constraints, bound=parsed.bound,
                       only_stated=parsed.only_stated).above(CUT)

    def _ranked(self, query: EntityQuery, where: Condition, vectors: dict[str, Expanded],
                ) -> EntityRanking:
        release = self.release
        matches = self._names.matches(
            query.words, query.type, unknown=query.unknown > 0, text=query.text
        )
        if query.text not in vectors:
            vectors[query.text] = self._vectors.get(
                query.text, lambda: self._expanded(query.text), lambda ranking: not ranking.failed
            )[0]
        understanding = vectors[query.text]
        ranking = rank(
            query, understanding, release.backend, release.manifest.weights,
            self._signals(query, understanding), named=matches, tie=release.document_store.tie,
            request=SearchRequest((query.type,), where=where, also=tuple(matches), limit=DEPTH),
        )
        return EntityRanking(
            ranking.numbers, ranking.relevance, float(ranking.scores.max(initial=0.0)),
            max(matches.values(), default=0.0), failed=ranking.failed,
        )

    def _signals(self, query: EntityQuery, understanding: Expanded) -> list[Signal]:
        weights, store = self.release.manifest.weights, self.release.document_store
        signals = []
        if (called := understanding.called) is not None:
            signals.append(Signal(CALLED, lambda at: np.float32(weights.called) * called[at]))
        if query.constraints and not query.bound:
            start, _ = store.span(query.type)
            # Where nothing else is asked, what breaks a part of it is listed behind all the others.
            of_several = query.only_stated and len(query.constraints) > 1
            loss = np.float32(-(PARTLY if of_several else weights.stated)) * self._broken(query)
            signals.append(Signal(STATED, lambda at: loss[at - start]))
        return signals

    def _broken(self, query: EntityQuery) -> Scores:
        """The share of what a query states that each entity of its type breaks, in [0, 1]."""
        start, end = self.release.document_store.span(query.type)
        columns = self.release.document_store.columns
        broken = np.zeros(end - start, np.float32)
        for clause in query.constraints:
            broken += ~columns.mask((clause,), start, end)
        return broken / np.float32(max(len(query.constraints), 1))

    def _expanded(self, text: str) -> Expanded:
        release = self.release
        return expanded(release.query_expansion, release.calls, understand(
            lambda phrase: self._encoder.encode([phrase])[0], text, release.query_expansion.topic
        ))

    def _ordered(self, numbers: Numbers, scores: Scores) -> EntityRanking:
        order = np.lexsort((self.release.document_store.tie[numbers], -scores))
        return EntityRanking(numbers[order], scores[order])


def _spoken(store: DocumentStore, type_: EntityType, field: str) -> list[str]:
    """The values of a field that say of an entity what it is, wherever they are said."""
    values = sorted(store.printed(type_, field))
    if (type_, field) != (EntityType.MONSTERS, "subtype"):
        return values
    # "Elf" and "human" are most often said of somebody else than of the monster.
    start, end = store.span(EntityType.RACES)
    races = {fold(name) for name in store.names[start:end]}
    return [value for value in values if value not in races]


def merged(rankings: Sequence[EntityRanking], tie: Numbers) -> EntityRanking:
    """The numbers and scores of several types as one ranking, by (-score, slug)."""
    if len(rankings) == 1:
        return rankings[0]
    if not rankings:
        return EntityRanking(np.empty(0, np.int64), np.empty(0, np.float32))
    numbers = np.concatenate([ranking.numbers for ranking in rankings])
    scores = np.concatenate([ranking.scores for ranking in rankings])
    order = np.lexsort((tie[numbers], -scores))
    return EntityRanking(numbers[order], scores[order])
