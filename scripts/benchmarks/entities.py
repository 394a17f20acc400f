"""What a search of the entities costs, and what it costs to build their index.

An uncached search is one of an index that keeps no answer and no vector. It is held against one
encoding of its own text; the likeness of entities encodes nothing and is held against the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Final

from evaluation.entities_set import Query, load_queries
from evaluation.sets import Split

from mvp_site import EntityIndex
from mvp_site.content.srd_documents import srd_documents
from mvp_site.retrieval.encoder import Encoder, open_by_fingerprint
from mvp_site.settings import Settings
from mvp_site.srd import load_srd

from . import synthetic
from .turns import Timed, Times, measure

UNIT: Final = "one encoding of a query"
SEARCH: Final = "uncached search_entities"
SIMILAR: Final = "find_similar_entities"
SEARCH_AGAIN: Final = "the same search_entities again"
ENTITIES: Final = 2_000
"""How many there are: those of the SRD, and copies of some under other names."""
SEARCH_SECONDS: Final = 0.1
SIMILAR_SECONDS: Final = 0.08
_CALLS: Final = 10


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities as they were measured.

    ``entities`` with ``windows`` were read, encoded and indexed in ``build_seconds``, and searched.
    """

    entities: int
    windows: int
    queries: int
    times: Times
    build_seconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A query of the evaluation set, and an entity of it for which similar ones are wanted."""

    search: Query
    like: Query


def run(settings: Settings, split: Split, step: Callable[[str], None]) -> Entities:
    """The SRD's entities with the queries of ``split``.

    Raises:
        MvpSiteError: they cannot be served; the message says the command that mends it.
    """
    step("the entities")
    cached, encoder = _opened(settings)
    step("building the entities")
    documents = synthetic.copies(srd_documents(load_srd()), ENTITIES)
    started = time.perf_counter()
    uncached = EntityIndex.from_documents(documents, encoder,
                                          settings=replace(settings, prompt_cache_size=0))
    seconds = time.perf_counter() - started
    timed = asked(load_queries(split=split))
    times = measure(_operations(uncached, cached, encoder), timed, step, "entity queries")
    return Entities(
        entities=uncached.manifest.entities, windows=uncached.manifest.windows,
        queries=len(timed), times=times, build_seconds=seconds,
    )


def asked(queries: Sequence[Query]) -> list[Asked]:
    """Every query of words to one type, each beside a reference, in turn."""
    references = [one for one in queries if one.reference]
    searches = [one for one in queries if one.type and one.query.strip()]
    return [Asked(*pair) for pair in zip(searches, cycle(references), strict=False)]


def _opened(settings: Settings) -> tuple[EntityIndex, Encoder]:
    manifest = EntityIndex.open(settings).manifest
    encoder = open_by_fingerprint(settings.encoder_dir, manifest.encoder,
                                  settings.prompt_encoder_threads)
    return EntityIndex.open(settings, encoder=encoder), encoder


def _operations(uncached: EntityIndex, cached: EntityIndex, encoder: Encoder,
                ) -> dict[str, Callable[[Asked], Timed]]:
    def again(one: Asked) -> Timed:
        _search(cached, one)
        return Timed(lambda: _search(cached, one), _CALLS)

    return {
        UNIT: lambda one: Timed(lambda: encoder.encode([one.search.query])),
        SEARCH: lambda one: Timed(lambda: _search(uncached, one)),
        SIMILAR: lambda one: Timed(lambda: _similar(uncached, one)),
        SEARCH_AGAIN: again,
    }


def _search(index: EntityIndex, one: Asked) -> object:
    assert one.search.type
    return index.search_entities(one.search.type, one.search.query, one.search.filters)


def _similar(index: EntityIndex, one: Asked) -> object:
    assert one.like.type
    return index.find_similar_entities(one.like.type, one.like.reference)
