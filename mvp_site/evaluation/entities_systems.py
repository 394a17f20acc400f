"""What is measured of an entity index, and the plain way beside it.

Plain cosine reads an entity once, its name and all of its text as one, as far as the encoder's
window goes, and ranks by the cosine of that vector with the query's. Filters are applied to its
list by :mod:`.entities_filters`. It knows of no fields, names, typing errors or constraints that
words state, and never refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from ..content.document import NAMED_TEXTS, TEXT
from ..content.types import EntityType
from ..entities.results import Result, Results
from ..errors import EntityTypeError, FilterError, SettingsError, UnknownEntityError
from ..retrieval.encoder import Encoder, Vectors
from ..retrieval.index import VectorCache
from ..retrieval.releases import text_cache
from ..retrieval.releases.build import Progress
from .entities_filters import fulfils
from .entities_set import NEGATIVE, Query

PRODUCT: Final = "entities"
PLAIN: Final = "plain cosine"
LIMIT: Final = 20
PAGE: Final = 100
Entities = Mapping[EntityType, Mapping[str, Result]]
"""Every entity of an index by its type and its key, ``type/slug``."""


class Index(Protocol):
    """What of an entity index is measured; lookups are called by their names."""

    def search_entities(self, entity_type: str, query: str = "",
                        filters: Mapping[str, Any] | None = None, limit: int = 20,
                        offset: int = 0, bind_stated: bool = False) -> Results:
        """The results of a search."""
        ...

    def find_similar_entities(self, entity_type: str, reference_slug: str, limit: int = 20,
                              ) -> Results:
        """What is like the reference."""
        ...

    def scored(self, entity_type: str, query: str) -> Sequence[tuple[str, float]]:
        """Slugs with scores, those left in that a search would drop."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query was given, the best first, and the constraints that were read in its words."""

    query: Query
    results: tuple[Result, ...]
    stated: Mapping[str, Any]

    @property
    def ranking(self) -> tuple[str, ...]:
        """The keys of the results, ``type/slug``."""
        return tuple(key_of(result) for result in self.results)


def key_of(result: Result) -> str:
    """``type/slug`` of a result."""
    return f"{result['entity_type']}/{result['slug']}"


def ask(index: Index, query: Query) -> Answer:
    """What the index gives for a query, as its kind asks; what words state does not bind.

    Raises:
        SettingsError: the index cannot take the query; the message names it and says why.
    """
    try:
        found = _asked(index, query)
    except (FilterError, EntityTypeError, UnknownEntityError) as error:
        raise SettingsError(f"query {query.id} cannot be asked: {error}") from error
    return Answer(query, tuple(found), found.stated)


def _asked(index: Index, query: Query) -> Results:
    if query.type is None:
        try:
            results: Results = getattr(index, query.lookup)(**query.params)
        except TypeError as error:  # a parameter that the lookup has not
            raise SettingsError(f"query {query.id}, {query.lookup}: {error}") from error
        return results
    if query.reference:
        return index.find_similar_entities(query.type, query.reference, LIMIT)
    return index.search_entities(query.type, query.query, dict(query.filters) or None, LIMIT)


def everything(index: Index) -> Entities:
    """Every entity of the index, as searches give it back."""
    return {
        type_: {key_of(result): result for result in _listed(index, type_)}
        for type_ in EntityType
    }


def _listed(index: Index, type_: EntityType) -> Iterator[Result]:
    offset = 0
    while page := index.search_entities(type_, limit=PAGE, offset=offset):
        yield from page
        offset += len(page)


class PlainCosine:
    """One vector an entity, and nothing else."""

    def __init__(self, entities: Entities, vectors: Mapping[EntityType, Vectors],
                 encoder: Encoder) -> None:
        self._entities = entities
        self._vectors = vectors
        self._encoder = encoder

    @classmethod
    def build(cls, entities: Entities, encoder: Encoder, kept: Path | None = None,
              progress: Progress | None = None) -> PlainCosine:
        """The vectors of ``entities``; ``kept`` is a folder for them, for the next run."""
        texts = [text_of(one) for held in entities.values() for one in held.values()]
        cache = VectorCache(encoder)
        if kept:
            text_cache.recall(kept, encoder.fingerprint, cache)
        told = partial(progress, "baseline") if progress else None
        vectors, _ = cache.encode(texts, told)
        if kept:
            text_cache.keep(kept, encoder.fingerprint, cache)
        ends = np.cumsum([len(held) for held in entities.values()])
        return cls(
            entities, dict(zip(entities, np.split(vectors, ends[:-1]), strict=True)), encoder
        )

    def answers(self, query: Query) -> bool:
        """Whether it has an answer: it ranks whatever it is asked, so it cannot refuse."""
        return query.kind != NEGATIVE

    def rank(self, query: Query, limit: int = LIMIT) -> tuple[str, ...]:
        """The keys of the best ``limit`` entities; of equal ones in order of keys."""
        vector = self._encoder.encode([query.words])[0] if query.words.strip() else None
        found: list[tuple[float, str]] = []
        for type_ in query.types:
            held, vectors = self._entities[type_], self._vectors[type_]
            own = f"{type_}/{query.reference}"
            if query.reference:
                vector = vectors[list(held).index(own)]
            cosines = np.zeros(len(held)) if vector is None else vectors @ vector
            found += [
                (-float(cosine), key)
                for cosine, (key, entity) in zip(cosines, held.items(), strict=True)
                if fulfils(entity, query.wanted) and not (query.reference and key == own)
            ]
        return tuple(key for _, key in sorted(found)[:limit])


def text_of(entity: Result) -> str:
    """Name and text of an entity as one; the encoder reads of it what its window holds."""
    parts = [str(entity["name"])]
    for key in TEXT:
        text = entity.get(key) or ""
        parts += [text] if isinstance(text, str) else map(str, text)
    for key in NAMED_TEXTS:
        parts += [f"{one['name']}. {one['desc']}" for one in entity.get(key) or ()]
    return "\n".join(part for part in parts if part)
