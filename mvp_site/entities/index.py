"""The index of entities: open it, search it by meaning and by filters, ask what is like what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..content.constraints.reading import is_counted
from ..content.derived import with_derived
from ..content.document import Document
from ..content.types import EntityType, fields_of
from ..content.types import entity_type as type_of
from ..errors import FilterError
from ..releases.bundles import Bundle, name_of
from ..releases.reloading import Fixed, Served, ServedSource
from ..retrieval.building import encoder_of
from ..retrieval.encoder import Encoder
from ..retrieval.engine_releases import opened
from ..retrieval.filters import as_filters, parse_filters
from ..retrieval.index import VectorCache
from ..settings import Settings, settings_of
from . import facets
from .build import EntityStock, content_of, store_of
from .calls import Expanded
from .lookups import LIMIT, Lookups
from .names import PLURAL
from .passages import KEPT
from .query_parsing import READ_CHARS
from .release import EntityManifest, EntityRelease, assemble, in_order, manifest_of, records_of
from .results import Result, Results
from .search import EntityRanking, EntitySearcher, TypeSearch, merged
from .weights import NEAR, SURE

MAX_LIMIT: Final = 10_000
NAMED: Final = 0.95
"""The score from which something is as good as named."""


class EntityIndex(Lookups):
    """The entities that were built last. Thread-safe; open one a process and share it.

    What is built anew is served from the next call on; one that does not load is logged, and
    what was served before stays.
    """

    def __init__(self, source: ServedSource[EntitySearcher]) -> None:
        self._source = source

    @classmethod
    def open(cls, settings: Settings | None = None, *, encoder: Encoder | None = None,
             ) -> EntityIndex:
        """The entities that were built last, verified.

        ``encoder`` stands in for the one that they were built with.

        Raises:
            MissingIndexError, CorruptIndexError: the message has the command that mends it.
            EncoderError: its encoder is not on this machine.
            BackendError: the engine that the settings name is not reached.
        """
        settings = settings_of(settings)
        store = store_of(settings)

        def assembled(bundle: Bundle) -> EntityRelease:
            manifest = manifest_of(bundle.name, bundle.manifest)
            engine = opened(settings, KEPT, bundle, store, records_of)
            try:
                return assemble(manifest, bundle.files, engine)
            except BaseException:
                if engine is not None:
                    engine.close()
                raise

        def load(bundle: Bundle) -> EntitySearcher:
            own = encoder_of(settings, store, bundle, encoder)
            return EntitySearcher(store.read(bundle, assembled), own, settings.prompt_cache_size)

        return cls(Served[EntitySearcher](store, load, close=_close))

    @classmethod
    def from_documents(cls, documents: Mapping[EntityType, Sequence[Document]], encoder: Encoder,
                       *, settings: Settings | None = None) -> EntityIndex:
        """An index of documents, built in memory; nothing of it is written."""
        settings, cache = settings_of(settings), VectorCache(encoder)
        whole = {type_: [with_derived(type_, document) for document in listed]
                 for type_, listed in documents.items()}
        values, files = content_of(
            EntityStock(in_order(whole), {}), encoder, cache, model=settings.prompt_embed_model
        )
        manifest = manifest_of(name_of(values, files), values)
        searcher = EntitySearcher(assemble(manifest, files), encoder, settings.prompt_cache_size)
        return cls(Fixed[EntitySearcher](searcher, _close))

    @property
    def manifest(self) -> EntityManifest:
        """What is served."""
        return self._now().release.manifest

    def search_entities(self, entity_type: str, query: str = "",
                        filters: Mapping[str, Any] | None = None, limit: int = LIMIT,
                        offset: int = 0, bind_stated: bool = False) -> Results:
        """The entities of a type that answer, with ``_score`` in (0, 1], by (-score, slug).

        None scores under 0.3, or under a share of the best: 0.35, and 0.7 where the query is the
        name of an entity. An empty query gives all that fulfil the filters, in the order of
        names. What the query states in words (``Results.stated``) binds with ``bind_stated``.

        Raises:
            EntityTypeError: there is no such type (a ``ValueError``); the message lists them.
            FilterError: a filter cannot be used; the message names the field and its kind, or
                the values that it has.
            BackendError: the engine is not reached.
        """
        type_ = type_of(entity_type)
        return self.search_types((type_,), query, {type_: filters or {}}, limit, offset,
                                 bind_stated=bind_stated)

    def search_types(self, types: Sequence[EntityType],
                     query: str, filters: Mapping[EntityType, Mapping[str, Any]] | None = None,
                     limit: int = LIMIT, offset: int = 0, *, bind_stated: bool = False,
                     names_first: bool = False) -> Results:
        """What :meth:`search_entities` gives for several types, the better score first.

        ``filters`` are those of each type. With ``names_first`` what the query states does not
        bind beside the name of an entity.
        """
        _check(limit, offset)
        if not isinstance(query, str):
            raise FilterError(f"query must be a text, not {type(query).__name__}")
        searcher, conditions = self._now(), filters or {}
        text = query.strip()[:READ_CHARS]
        kinds = tuple(dict.fromkeys(map(type_of, types)))
        where = {
            type_: parse_filters(conditions.get(type_), fields_of(type_), type_) for type_ in kinds
        }
        facets.check_values(searcher.release.document_store, where)
        vectors: dict[str, Expanded] = {}
        rankings = [
            searcher.search(
                TypeSearch(type_, text, where[type_], bind_stated, kinds, names_first), vectors
            )
            for type_ in kinds
        ]
        if len(rankings) > 1:
            best = max(ranking.best for ranking in rankings)
            fall = searcher.release.manifest.weights.fall
            rankings = [ranking.beside(best, fall) for ranking in rankings]
        stated: dict[str, Any] = {}
        for ranking in rankings:
            stated = {**as_filters(ranking.stated), **stated}
        if any(ranking.bound and any(map(is_counted, ranking.stated)) for ranking in rankings):
            # Of a type that knows nothing of a number, only what is as good as named.
            rankings = [ranking if ranking.bound else ranking.above(NAMED) for ranking in rankings]
        nonempty = [ranking for ranking in rankings if len(ranking.numbers)]
        bound = bool(nonempty or stated) and all(ranking.bound for ranking in nonempty or rankings)
        ranking = merged(rankings, searcher.release.document_store.tie)
        named = max((ranking.named for ranking in rankings), default=0.0) >= PLURAL
        best_score = float(ranking.scores.max(initial=0.0))
        ranking = ranking.above((SURE if named else NEAR) * best_score)
        page = _page(searcher, ranking, limit, offset, stated, bound)
        for entity_ranking in rankings:
            page.lanes_failed.update(entity_ranking.failed)
        return page

    def find_similar_entities(self, entity_type: str, reference_slug: str, limit: int = LIMIT,
                              ) -> Results:
        """The entities of a type that are most like one of it, by (-score, slug), without it.

        Raises:
            EntityTypeError, UnknownEntityError: there is no such type, or none of this slug.
            BackendError: the engine is not reached.
        """
        type_ = type_of(entity_type)
        _check(limit, 0)
        searcher = self._now()
        number = searcher.release.document_store.number(type_, reference_slug)
        return _page(searcher, searcher.similar(type_, number), limit, 0)

    def entity(self, entity_type: str, slug: str) -> Result:
        """One entity, as a search gives it back.

        Raises:
            EntityTypeError, UnknownEntityError: there is no such type, or none of this slug.
        """
        store = self._now().release.document_store
        return store.result(store.number(type_of(entity_type), slug), 1.0)

    def list_documents(self) -> list[dict[str, Any]]:
        """The documents that entities come from, by name, each with how many of which types.

        Keys: document, attribution, entities, types (by type), shadowed (by others' entities).
        """
        release = self._now().release
        types: dict[str, Counter[str]] = {name: Counter() for name in release.manifest.documents}
        for type_, document in release.document_store.entries:
            types.setdefault(str(document.get("document", "")), Counter())[type_] += 1
        shadowed = Counter(row.get("shadows") for _, row in release.document_store.entries)
        return [
            {"document": name, "attribution": release.manifest.documents.get(name, ""),
             "entities": counts.total(), "types": dict(counts), "shadowed": shadowed[name]}
            for name, counts in sorted(types.items())
        ]

    def facets(self, entity_type: str, filters: Mapping[str, Any] | None = None,
               ) -> dict[str, dict[str | float | bool, int]]:
        """How often each value of each field stands among the entities that fulfil the filters.

        A field that is filtered on counts as if it were not, so that its other values show.
        """
        type_ = type_of(entity_type)
        fields = fields_of(type_)
        where = parse_filters(filters, fields, type_)
        store = self._now().release.document_store
        facets.check_values(store, {type_: where})
        return facets.counted(store, type_, where)

    def scored(self, entity_type: str, query: str) -> list[tuple[str, float]]:
        """Every candidate of a type with its score for a query, uncut, by (-score, slug)."""
        searcher = self._now()
        numbers, scores = searcher.scored(type_of(entity_type), query)
        slugs = searcher.release.document_store.slugs
        pairs = zip(numbers.tolist(), scores.tolist(), strict=True)
        return sorted(((slugs[n], score) for n, score in pairs), key=lambda hit: (-hit[1], hit[0]))

    def close(self) -> None:
        """Let go of the engine."""
        self._source.close()

    def _now(self) -> EntitySearcher:
        searcher = self._source.now()
        assert searcher is not None  # nothing that cannot be served is opened
        return searcher


def _close(searcher: EntitySearcher) -> None:
    searcher.release.backend.close()


def _check(limit: int, offset: int) -> None:
    for name, value, least in (("limit", limit, 1), ("offset", offset, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_LIMIT:
            raise FilterError(
                f"{name}={value!r}: give a whole number from {least} to {MAX_LIMIT}"
            )


def _page(searcher: EntitySearcher, ranking: EntityRanking, limit: int, offset: int,
          stated: Mapping[str, Any] | None = None, bound: bool = False) -> Results:
    span = slice(offset, offset + limit)
    pairs = zip(ranking.numbers[span].tolist(), ranking.scores[span].tolist(), strict=True)
    return Results(
        (searcher.release.document_store.result(n, score) for n, score in pairs),
        total=len(ranking.numbers), stated=stated, bound=bound,
    )
