"""The rulebook: open it, ask it, and get ranked sections or a response within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from ..errors import RulebookQueryError
from ..releases.bundles import Bundle, name_of
from ..releases.reloading import Fixed, Served, ServedSource
from ..retrieval import topic_files
from ..retrieval.building import encode_texts, encoder_of, open_encoder
from ..retrieval.cache import SingleFlightCache
from ..retrieval.encoder import Encoder, Vector
from ..retrieval.index import VectorCache
from ..retrieval.query_expansion import texts
from ..retrieval.ranking import Understanding, understand
from ..settings import Settings, settings_of
from ..text.languages import language
from .book import LoadedRulebook, assemble, manifest_of
from .build import Manuscript, content_of, store_of
from .categories import Category
from .continuation import read_continuation
from .intentions import Intention
from .markdown import parse_rulebook
from .query_parsing import (
    MAX_ENTITIES,
    MAX_ENTITY_CHARS,
    READ_CHARS,
    RulebookQuery,
    RulebookQueryReader,
)
from .response import respond
from .results import RankedSection, RankedSections, RulebookResponse
from .section_ranking import SectionRanker, SectionRanking
from .sections import Section, Sections

MAX_TOKENS: Final = 8_000
MIN_TOKENS: Final = 200
LIMIT: Final = 10
MAX_LIMIT: Final = 128


class _Opened:
    """One release, asked. Thread-safe."""

    def __init__(self, book: LoadedRulebook, encoder: Encoder, cache_size: int) -> None:
        self.book = book
        self._encoder, self._cache_size = encoder, cache_size
        self._reader = RulebookQueryReader(book.sections, book.titles, book.mentions, book.said,
                                           language(book.manifest.languages))
        self._ranker = SectionRanker(book)
        self._rankings: SingleFlightCache[RulebookQuery, SectionRanking] = SingleFlightCache(
            cache_size
        )

    def weighing(self, weights: Mapping[str, float]) -> _Opened:
        """The same with other weights."""
        manifest = self.book.manifest
        changed = replace(manifest, weights=replace(manifest.weights, **weights))
        return _Opened(replace(self.book, manifest=changed), self._encoder, self._cache_size)

    def vectors(self, queries: Sequence[RulebookQuery]) -> dict[str, Vector]:
        """The vectors of what no cache knows, encoded in one batch; none where that fails."""
        fresh = [self._reader.read(query) for query in dict.fromkeys(queries)
                 if query not in self._rankings]
        texts = list(dict.fromkeys(book_query.text for book_query in fresh if book_query.text))
        try:
            return dict(zip(texts, self._encoder.encode(texts), strict=True)) if texts else {}
        except Exception:  # noqa: BLE001 - each is tried again alone, and told then
            return {}

    def ranking(self, query: RulebookQuery, vectors: Mapping[str, Vector] | None = None,
                ) -> SectionRanking:
        """The sections in order for a question; without the dense lane where the encoder fails."""
        def encode(text: str) -> Vector:
            ready = (vectors or {}).get(text)
            return self._encoder.encode([text])[0] if ready is None else ready

        def compute() -> SectionRanking:
            parsed, understanding = self._reader.read(query), Understanding(None)
            if parsed.text:
                understanding = understand(encode, parsed.text, self.book.expansion.topic)
            return self._ranker.rank(parsed, understanding)

        return self._rankings.get(query, compute, lambda ranking: not ranking.best.failed)[0]

    def hits(self, ranking: SectionRanking, limit: int) -> RankedSections:
        """The first ``limit`` sections of a ranking."""
        if not isinstance(limit, int) or not 0 <= limit <= MAX_LIMIT:
            raise RulebookQueryError(f"limit={limit}: it must be 0 to {MAX_LIMIT}")
        hits = RankedSections(
            RankedSection(self.book.sections.at(number), float(ranking.relevance[number]),
                          ranking.parts_of(number))
            for number in ranking.best.numbers[:limit].tolist()
        )
        hits.lanes_failed = ranking.best.failed
        return hits


class Rulebook:
    """One rulebook. Thread-safe; open one a process and share it."""

    def __init__(self, source: ServedSource[_Opened]) -> None:
        self._source = source

    @classmethod
    def open(cls, settings: Settings | None = None, *, encoder: Encoder | None = None) -> Rulebook:
        """The rulebook that was built last, verified; what is built anew is served from then on.

        ``encoder`` stands in for the one that it was built with.

        Raises:
            MissingIndexError, CorruptIndexError: the message has the command that mends it.
            EncoderError: its encoder is not on this machine.
        """
        settings = settings_of(settings)
        store = store_of(settings)

        def load(bundle: Bundle) -> _Opened:
            book = store.read(bundle, lambda b: assemble(manifest_of(b.name, b.manifest), b.files))
            own = encoder_of(settings, store, bundle, encoder)
            return _Opened(book, own, settings.prompt_cache_size)

        return cls(Served(store, load))

    @classmethod
    def from_markdown(cls, text: str, *, source: str = "rulebook", attribution: str = "",
                      settings: Settings | None = None, encoder: Encoder | None = None,
                      progress: Callable[[int, int], None] | None = None) -> Rulebook:
        """The rulebook of a markdown text, built in memory.

        Nothing of it is written; without an ``encoder`` of the caller's, the vectors of the
        shipped utterances are kept in the data folder.

        Raises:
            RulebookError: there is no text.
            EncoderError: there is no encoder.
        """
        settings = settings_of(settings)
        sections = parse_rulebook(text)
        own = encoder or open_encoder(settings)
        manuscript, cache = Manuscript(text, source, attribution), VectorCache(own)
        if encoder is None:
            report = (lambda _stage, *counts: progress(*counts)) if progress else None
            encode_texts(settings, texts(topic_files.rule_topics()), own, cache, report)
        values, files = content_of(sections, own, cache, manuscript=manuscript,
                                   model=settings.prompt_embed_model, progress=progress)
        book = assemble(manifest_of(name_of(values, files), values), files)
        return cls(Fixed(_Opened(book, own, settings.prompt_cache_size)))

    def weighing(self, **weights: float) -> Rulebook:
        """The same book with these weights of its scores in place of its own, to experiment."""
        return Rulebook(Fixed(self._opened.weighing(weights)))

    @property
    def _opened(self) -> _Opened:
        opened = self._source.now()
        assert opened is not None  # nothing that cannot be served is opened
        return opened

    @property
    def sections(self) -> Sections:
        """All sections, in the order of the book."""
        return self._opened.book.sections

    def get_sections_by_category(self, categories: Iterable[Category | int]) -> list[Section]:
        """All sections of some of the categories, in the order of the book.

        Raises:
            RulebookQueryError: there is no such category; the message lists them.
        """
        wanted = set(query_of("", None, (), (), tuple(categories)).categories or ())
        return [section for section in self.sections
                if any(assignment.category in wanted for assignment in section.categories)]

    @property
    def words(self) -> Iterable[str]:
        """Each word of its texts, as :func:`~mvp_site.text.names.words` gives them."""
        return self._opened.book.mentions

    @property
    def source(self) -> str:
        """What the book is cited as."""
        return self._opened.book.manifest.source

    @property
    def attribution(self) -> str:
        """Whose text it is, '' where nothing is known."""
        return self._opened.book.manifest.attribution

    @property
    def fingerprint(self) -> str:
        """The name of the release."""
        return self._opened.book.manifest.fingerprint

    @property
    def floor(self) -> float:
        """The relevance in [0, 1] of the best section under which nothing is an answer."""
        return self._opened.book.manifest.weights.least

    def search(self, query: str = "", intention: Intention | str | None = None,
               entities: Sequence[str] = (), context_hints: Sequence[str] = (),
               categories: Iterable[Category | int] | None = None, limit: int = LIMIT,
               ) -> RankedSections:
        """The ``limit`` most relevant sections, by (-relevance, id); none where nothing is asked.

        Where nothing answers there is a ranking as well: compare the ``relevance`` of the first
        with :attr:`floor`. ``categories`` leaves out all sections of others. Where a lane fails
        the other goes on, and ``lanes_failed`` of the result names it.

        Raises:
            RulebookQueryError: something asked for cannot be used; the message names it.
        """
        rulebook_query = query_of(query, intention, entities, context_hints, categories)
        opened = self._opened
        return opened.hits(opened.ranking(rulebook_query), limit)

    def search_many(self, queries: Sequence[RulebookQuery], limit: int = LIMIT,
                    ) -> list[RankedSections]:
        """What :meth:`search` gives for each; what no cache knows is encoded in one batch.

        Raises:
            RulebookQueryError: something asked for cannot be used; the message names it.
        """
        for query in queries:
            if not isinstance(query, RulebookQuery):
                raise RulebookQueryError(f"a question is of the type {type(query).__name__}: give "
                                         "a RulebookQuery")
        queries = [
            query_of(q.query, q.intention, q.entities, q.context_hints, q.categories)
            for q in queries
        ]
        opened = self._opened
        vectors = opened.vectors(queries)
        return [opened.hits(opened.ranking(query, vectors), limit) for query in queries]

    def query(self, intention: Intention | str | None = None,  # noqa: PLR0917 - as design 2 has it
              entities: Sequence[str] = (),
              context_hints: Sequence[str] = (), user_query: str | None = None,
              categories: Iterable[Category | int] | None = None, max_tokens: int = MAX_TOKENS,
              continuation: str | None = None) -> RulebookResponse:
        """The sections that answer, whole, within ``max_tokens`` o200k tokens.

        With the ``continuation`` of a response, and the same question, what it left.

        Raises:
            RulebookQueryError: something asked for cannot be used; the message names it.
        """
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int):
            raise RulebookQueryError(f"max_tokens={max_tokens!r}: give a whole number")
        if max_tokens < MIN_TOKENS:
            raise RulebookQueryError(f"max_tokens={max_tokens}: a response needs at least "
                                     f"{MIN_TOKENS}")
        query = query_of(user_query or "", intention, entities, context_hints, categories)
        opened = self._opened
        ranking, book = opened.ranking(query), opened.book
        resumed = None
        if continuation is not None:
            resumed = read_continuation(continuation, book.manifest.fingerprint, ranking.query,
                                      len(book.sections))
        return respond(book, ranking, max_tokens, resumed)


def query_of(query: str, intention: Intention | str | None, entities: Sequence[str],
             context_hints: Sequence[str], categories: Iterable[Category | int] | None,
             ) -> RulebookQuery:
    """A query of what callers give.

    Raises:
        RulebookQueryError: a part is of the wrong type, or a category does not exist.
        UnknownIntentionError: the intention does not exist; lists the near ones.
    """
    if isinstance(intention, str):
        intention = Intention.from_name(intention)
    try:
        asked = msgspec.convert({
            "query": query, "intention": intention, "entities": entities,
            "context_hints": context_hints, "categories": categories,
        }, RulebookQuery)
    except msgspec.ValidationError as error:
        known = ", ".join(f"{category.value} {category.label}" for category in Category)
        raise RulebookQueryError(
            f"{error}; a question takes up to {MAX_ENTITIES} entities and as many context hints, "
            f"texts of {MAX_ENTITY_CHARS} characters (what is longer belongs in user_query), and "
            f"some of the categories {known}"
        ) from None
    return replace(asked, query=query[:READ_CHARS],
                   categories=asked.categories and tuple(sorted(set(asked.categories))))
