"""What is measured of an entity index, and the plain way beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from ..content.document import NAMED_TEXTS, TEXT
from ..content.types import EntityType
from ..entities.index import EntityIndex
from ..entities.results import Result, Results
from ..errors import EntityTypeError, FilterError, SettingsError, UnknownEntityError
from ..retrieval.encoder import Encoder
from ..retrieval.index import VectorCache
from ..retrieval.releases.build import Progress
from .entities_filters import fulfils
from .entities_set import Query

LIMIT: Final = 20
_PAGE: Final = 100
Entities = Mapping[EntityType, Mapping[str, Result]]
"""Every entity of an index by its type and its key, ``type/slug``."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query was given, the best first, and the constraints that were read in its words."""

    query: Query
    results: tuple[Result, ...]
    stated: Mapping[str, Any]

    @property
    def ranking(self) -> tuple[str, ...]:
        """The keys of the results, ``type/slug``."""
        return tuple(map(_key, self.results))


def ask(index: EntityIndex, query: Query) -> Asked:
    """What the index gives for a query, as its kind asks; what words state does not bind.

    Raises:
        SettingsError: the index cannot take the query; the message names it and says why.
    """
    try:
        if query.type is None:
            found: Results = getattr(index, query.lookup)(**query.params)
        elif query.reference:
            found = index.find_similar_entities(query.type, query.reference, LIMIT)
        else:
            filters = dict(query.filters) or None
            found = index.search_entities(query.type, query.query, filters, LIMIT)
    except (FilterError, EntityTypeError, UnknownEntityError, TypeError) as error:
        if isinstance(error, TypeError) and not query.lookup:
            raise  # else it is a parameter that the lookup has not
        raise SettingsError(f"query {query.id} cannot be asked: {error}") from error
    return Asked(query, tuple(found), found.stated)


def everything(index: EntityIndex) -> Entities:
    """Every entity of the index, as searches give it back."""
    return {
        type_: {_key(result): result for result in _listed(index, type_)} for type_ in EntityType
    }


def _listed(index: EntityIndex, type_: EntityType) -> Iterator[Result]:
    offset = 0
    while page := index.search_entities(type_, limit=_PAGE, offset=offset):
        yield from page
        offset += len(page)


def _key(result: Result) -> str:
    return f"{result['entity_type']}/{result['slug']}"


class PlainCosine:
    """One vector an entity, of its name and all of its text as far as the encoder's window goes.

    It ranks the entities that fulfil the filters by their cosine with the query. It knows of no
    fields, names, typing errors or constraints that words state, and never refuses.
    """

    def __init__(self, entities: Entities, encoder: Encoder,
                 progress: Progress | None = None) -> None:
        """Encode the entities; ``kept`` is a folder for the vectors, for the next run."""
        texts = [text_of(one) for held in entities.values() for one in held.values()]
        told = partial(progress, "baseline") if progress else None
        vectors, _ = VectorCache(encoder).encode(texts, told)
        ends = np.cumsum([len(held) for held in entities.values()])
        self._entities = entities
        self._vectors = dict(zip(entities, np.split(vectors, ends[:-1]), strict=True))
        self._encoder = encoder

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
                if key != own and fulfils(entity, query.wanted)
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
