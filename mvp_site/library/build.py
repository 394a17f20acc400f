"""Building the index of the library: all its books in one release."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from threadpoolctl import threadpool_limits

from ..releases.bundles import canonical, digest
from ..releases.store import ReleaseManifest, ReleaseStore
from ..retrieval import arrays, query_expansion, text_cache, topic_files
from ..retrieval.building import Content, Progress, build_release, window_count
from ..retrieval.collection import STANDARD, Collection, IndexedPassage, standard
from ..retrieval.columns import Columns
from ..retrieval.dense import DenseLane
from ..retrieval.discriminant import out_of_fold, with_own
from ..retrieval.encoder import Encoder, knows
from ..retrieval.engine_releases import LOCAL, EnginePart, engine_of, stands, written
from ..retrieval.index import HybridIndex, VectorCache, passage_terms
from ..retrieval.query_expansion import QueryExpansion
from ..retrieval.ranking import ParsedQuery, Understanding, rank
from ..retrieval.windows import PREFIX_PIECES, windows
from ..settings import Settings
from ..text.languages import ENGLISH, Language, language, recognised
from ..text.names import words
from ..text.normalising import terms
from ..types import AUDIENCES, Audience
from .book import (
    PASSAGE_WORDS,
    BookPlace,
    LibraryBook,
    LibrarySource,
    passage_of,
    places,
    texts_of,
)
from .weights import FOREIGN, REFUSED, EntryWeights

FORMAT: Final = 2
RULES: Final = 4
"""Raised whenever the same books give other passages."""
BOOKS: Final = "books.json"
PLACES: Final = "places.npy"
VOCABULARY: Final = "known.json"
HEADING_WEIGHT: Final = 1
BOOK_PIECES: Final = 120
"""The word pieces of a window: of 60 to 180 what finds most in another game's books."""
PART: Final = EnginePart("mvp_site_books", STANDARD, "the books", "mvp-site library scan")
"""What an engine keeps of them."""
_AT_ONCE: Final = 1_024
"""Windows that are encoded between two times that what was encoded is kept."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that is scanned, and who may see what is in it."""

    path: str
    audience: Audience = "player"


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryManifest(ReleaseManifest):
    """What a release of the library is."""

    roots: tuple[Root, ...]
    sources: tuple[LibrarySource, ...]
    passages: int
    weights: EntryWeights
    languages: tuple[str, ...] = ENGLISH.codes
    engine: str = LOCAL
    generation: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """A loaded release: its books and their passages; nothing of it changes.

    ``known`` are the words of the books that an audience may see, ``spoken`` those of utterances.
    ``index`` and ``expansion`` are
    None where there is no book.
    """

    manifest: LibraryManifest
    books: tuple[LibraryBook, ...]
    places: tuple[BookPlace, ...]
    known: Mapping[Audience, frozenset[str]]
    spoken: frozenset[str]
    index: Collection | None
    expansion: QueryExpansion | None


def folder_of(settings: Settings) -> Path:
    """Where all that the library keeps is."""
    return settings.mvp_site_data_dir / "library"


def store_of(settings: Settings) -> ReleaseStore:
    """Where the built library is."""
    return ReleaseStore(folder_of(settings) / "index", "the library",
                        "mvp-site library scan FOLDER", FORMAT)


def publish(settings: Settings, roots: Sequence[Root], sources: Sequence[LibrarySource],
            books: Sequence[LibraryBook], *, force: bool = False, encoder: Encoder | None = None,
            progress: Progress) -> LibraryManifest:
    """Build and publish the index of ``books``; it is then served. See :func:`.scan.scan`."""
    books = sorted(books, key=lambda book: book.source.id)
    values = {
        "format": FORMAT, "roots": [asdict(root) for root in roots],
        "sources": [asdict(source) for source in sources],
        "weights": [asdict(EntryWeights()), asdict(FOREIGN), REFUSED],
        "engine": engine_of(settings).mark,
    }
    texts = query_expansion.texts(topic_files.rule_topics())
    recipe = digest(canonical([
        values, RULES, [[entry.type for entry in book.entries] for book in books],
        PASSAGE_WORDS, HEADING_WEIGHT, BOOK_PIECES, PREFIX_PIECES, texts,
    ]))
    languages = _languages(books)
    values |= {"languages": languages, "model": settings.prompt_embed_model, "recipe": recipe,
               "generation": ""}
    store, cache_folder = store_of(settings), folder_of(settings) / "encoded"
    built = build_release(
        settings, store, recipe, read=lambda: books,
        index=partial(content_of, values=values, cache_folder=cache_folder,
                      progress=partial(progress, "encoding passages")),
        texts=texts, kept=2, force=force, encoder=encoder, stands=partial(stands, settings, PART),
        around=partial(written, settings, store, PART,
                       partial(_records, books, language(languages))),
        progress=progress,
    )
    shutil.rmtree(cache_folder, ignore_errors=True)  # the release has it all
    return replace(manifest_of(built.name, built.manifest), built=built.built,
                   encoded=built.encoded)


def content_of(books: Sequence[LibraryBook], encoder: Encoder, cache: VectorCache, *,
               values: Mapping[str, Any], cache_folder: Path, progress: Any) -> Content:
    """The manifest and the files of a release."""
    all_places = _places(books)
    rows = np.array([astuple(place) for place in all_places], np.int32).reshape(-1, 4)
    files = {BOOKS: msgspec.json.encode(books), PLACES: arrays.to_bytes(rows)}
    weights, written_in = EntryWeights(), language(values["languages"])
    if not knows(encoder.fingerprint, values["languages"]):
        weights = FOREIGN
    if all_places:
        passages = [passage_of(books[place.book], place) for place in all_places]
        windows_of = [windows(passage.heading, passage.text, encoder, BOOK_PIECES)
                      for passage in passages]
        _encode([*chain.from_iterable(windows_of)], encoder, cache, cache_folder, progress)
        with threadpool_limits(1):
            index = HybridIndex.of(
                windows_of, [passage_terms(passage, HEADING_WEIGHT, written_in)
                             for passage in passages], cache)
            expansion, floor = _expansion(index, cache, written_in, weights)
        if weights is not FOREIGN:
            weights = replace(weights, floor=floor)
        files |= {**index.dump(), **expansion.dump()}
        files[VOCABULARY] = msgspec.json.encode((
            _vocabulary(books), topic_files.spoken_words(topic_files.rule_topics())))
    return {
        **values, "passages": len(all_places), "windows": window_count(files) if all_places else 0,
        "encoder": encoder.fingerprint, "weights": asdict(weights),
    }, files


def _expansion(index: HybridIndex, cache: VectorCache, written_in: Language,
               weights: EntryWeights) -> tuple[QueryExpansion, float]:
    """What leads questions to the books' words, and the floor.

    It is the evidence that the share :data:`REFUSED` of the off-topic probes stay under with their
    best passage: of more passages one is like a probe by chance more often.
    """
    topics, probes = topic_files.rule_topics(), topic_files.load_off_topic()
    vectors, own = cache.encode(query_expansion.texts(topics))[0], index.dense.vectors()
    said, off_topic = vectors[: sum(len(topic.says) for topic in topics)], vectors[-len(probes) :]
    own = own[:: -(-len(own) // len(said))]
    expansion = QueryExpansion.build(topics, vectors, own)
    unseen = out_of_fold(with_own(said, own), off_topic, expansion.topicality)
    best = [
        float(rank(ParsedQuery(probe, terms=tuple(terms(probe, written_in))),
                   Understanding(vector, topic), index, weights).evidence.max())
        for probe, vector, topic in zip(probes, off_topic, unseen, strict=True)
    ]
    return expansion, round(float(np.quantile(best, REFUSED)), 4)


def _places(books: Sequence[LibraryBook]) -> list[BookPlace]:
    return [place for number, book in enumerate(books) for place in places(book, number)]


def _encode(all_texts: Sequence[str], encoder: Encoder, cache: VectorCache, cache_folder: Path,
            progress: Any) -> None:
    """Encode what no build has, and keep it from time to time: a killed scan goes on from there."""
    text_cache.recall(cache_folder, encoder.fingerprint, cache)
    missing = cache.missing(all_texts)
    for start in range(0, len(missing), _AT_ONCE):
        progress(start, len(missing))
        since = cache.encoded
        cache.encode(missing[start : start + _AT_ONCE])
        text_cache.keep(cache_folder, encoder.fingerprint, cache, since)
    if missing:
        progress(len(missing), len(missing))


def _vocabulary(books: Sequence[LibraryBook]) -> dict[Audience, list[str]]:
    """The words of the books that each audience may see."""
    vocabulary: set[str] = set()
    by_audience: dict[Audience, list[str]] = {}
    for audience in AUDIENCES:
        texts = {text for book in books if book.source.audience == audience
                 for text in texts_of(book)}
        vocabulary.update(word for text in texts for word in words(text))
        by_audience[audience] = sorted(vocabulary)
    return by_audience


def _languages(books: Sequence[LibraryBook]) -> tuple[str, ...]:
    return recognised(" ".join(texts_of(book)) for book in books)


def _records(books: Sequence[LibraryBook], written_in: Language, lane: DenseLane,
             ) -> Iterator[IndexedPassage]:
    """The passages of the books as engines keep them."""
    for number, place in enumerate(_places(books)):
        book = books[place.book]
        yield IndexedPassage(
            number, "books",
            tuple(passage_terms(passage_of(book, place), HEADING_WEIGHT, written_in)),
            lane.vectors(number, number + 1), standard(book.source.id, book.source.audience),
        )


def records_of(files: Mapping[str, bytes]) -> Callable[[DenseLane], Iterator[IndexedPassage]]:
    """The passages of a release's files, as engines keep them."""
    books = msgspec.json.decode(files[BOOKS], type=tuple[LibraryBook, ...])
    return partial(_records, books, language(_languages(books)))


def assemble(manifest: LibraryManifest, files: Mapping[str, bytes],
             engine: Collection | None = None) -> Shelf:
    """The books of those files, ready to be searched, here or in an ``engine`` that has them."""
    books = msgspec.json.decode(files[BOOKS], type=tuple[LibraryBook, ...])
    all_places = tuple(BookPlace(*row) for row in arrays.from_bytes(files[PLACES]).tolist())
    if not all_places:
        return Shelf(manifest, books, (), {}, frozenset(), None, None)
    sources = [books[place.book].source for place in all_places]
    index = engine or HybridIndex.load(files, len(all_places), Columns([
        standard(source.id, source.audience) for source in sources
    ]))
    known, spoken = msgspec.json.decode(
        files[VOCABULARY], type=tuple[dict[Audience, frozenset[str]], frozenset[str]])
    return Shelf(manifest, books, all_places, known, spoken, index, QueryExpansion.load(files))


def manifest_of(name: str, values: Mapping[str, Any]) -> LibraryManifest:
    """The manifest of the release ``name`` from its JSON."""
    return msgspec.convert({**values, "fingerprint": name}, LibraryManifest)
