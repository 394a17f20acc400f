"""The library: open it, scan folders of books, ask them, and take entries out as entities."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cachetools import LRUCache, cached

from ..content.own_files import extracted_folder
from ..content.types import EntityType
from ..errors import (
    InvalidRequestError,
    LibraryError,
    MissingIndexError,
    UnknownSourceError,
    require_text,
)
from ..releases.bundles import Bundle
from ..releases.reloading import Served
from ..retrieval.building import Progress, encoder_of
from ..retrieval.encoder import Encoder
from ..retrieval.engine_releases import opened
from ..settings import Settings, settings_of
from ..text.typos import near
from ..types import AUDIENCES, Audience, audiences_of
from .book import DM_PART, LibraryBook, LibrarySource
from .build import PART, assemble, manifest_of, records_of, store_of
from .entity_files import ExtractedFile, keep, kept
from .extraction import Extracted, extract
from .reading import apart
from .scan import Scanned, scan
from .search import LibrarySearcher
from .types import ContentsEntry, ContentType, LibraryHits

LIMIT: Final = 10
MAX_LIMIT: Final = 100
PICTURES: Final = 64 * 2**20
"""Bytes of pictures of pages that are kept."""
DRAWN_AT_ONCE: Final = 2
"""Pictures that are drawn at once, each in a process of its own; others wait."""


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry of a source's contents; ``depth`` counts from 0, pages are as printed.

    ``extracted`` says that it was made an entity.
    """

    title: str
    depth: int
    type: ContentType
    confidence: float
    page: str
    end_page: str
    extracted: bool


class Library:
    """One library. Thread-safe; open one a process and share it."""

    def __init__(self, settings: Settings, source: Served[LibrarySearcher]) -> None:
        self._settings = settings
        self._source = source
        self._drawing = threading.Semaphore(DRAWN_AT_ONCE)
        pictures = LRUCache[Any, bytes | str](PICTURES, len)
        self._picture = cached(pictures, condition=threading.Condition())(self._drawn)
        self._extracted: tuple[tuple[int, ...], set[tuple[str, str]]] = ((), set())

    @classmethod
    def open(cls, settings: Settings | None = None, *, encoder: Encoder | None = None) -> Library:
        """The library as it was scanned last; what is scanned anew is served from then on.

        One that was never scanned opens too, to be scanned. ``encoder`` stands in for the one that
        it was built with.
        """
        settings = settings_of(settings)
        store = store_of(settings)

        def load(bundle: Bundle) -> LibrarySearcher:
            shelf = store.read(bundle, lambda b: assemble(
                manifest_of(b.name, b.manifest), b.files,
                opened(settings, PART, b, store, records_of),
            ))
            return LibrarySearcher(shelf, encoder_of(settings, store, bundle, encoder))

        return cls(settings, Served(store, load, close=_close, degraded=True))

    def scan(self, path: Path | str | None = None, *, audience: Audience | None = None,
             forget: Path | str | None = None, force: bool = False,
             encoder: Encoder | None = None, progress: Progress | None = None) -> Scanned:
        """Bring the library up to date with its folders; see :func:`.scan.scan`."""
        for folder in (path, forget):
            if not isinstance(folder, Path | str | None):
                raise LibraryError(f"a folder is of the type {type(folder).__name__}: give its "
                                   "path")
        return scan(self._settings, None if path is None else Path(path), audience=audience,
                    forget=None if forget is None else Path(forget), force=force, encoder=encoder,
                    progress=progress)

    def ask(self, query: str, limit: int = LIMIT, *, sources: Sequence[str] | None = None,
            audience: Audience = "player",
            types: Sequence[ContentType] | None = None) -> LibraryHits:
        """The entries of the books that answer a question, the best first, at most ``limit``.

        Only those of ``sources`` and ``types``, where given, that ``audience`` may see. Of copies
        of a book that audiences have beside each other, the widest audience's is asked.

        Raises:
            MissingIndexError, CorruptIndexError, EncoderError: nothing was scanned, or it cannot be
                served.
            UnknownSourceError: there is no such source.
            LibraryError: the limit is out of range, or the question is no text.
        """
        require_text(query, "the question", LibraryError)
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
            raise LibraryError(f"limit={limit!r}: give a whole number from 1 to {MAX_LIMIT}")
        searcher = self._searcher()
        for source in sources or ():
            self.source(source, audience)
        if sources is None:
            books = sorted((book for book in self.sources(audience) if not book.problem),
                           key=lambda book: AUDIENCES.index(book.audience))
            firsts = {book.digest: book.id for book in reversed(books)}
            sources = None if len(firsts) == len(books) else (*firsts.values(),)
        else:
            sources = (*sources, *(f"{source}{DM_PART}" for source in sources))
        return searcher.ask(query, limit, sources=sources, audience=audience, types=types,
                            extracted=self._entities())

    def sources(self, audience: Audience = "god") -> tuple[LibrarySource, ...]:
        """The sources that ``audience`` may see, by title, those that could not be read too."""
        allowed = audiences_of(audience, LibraryError)
        sources = self._searcher().shelf.manifest.sources
        return tuple(source for source in sources if source.audience in allowed)

    @property
    def fingerprint(self) -> str:
        """The name of the release that answers."""
        return self._searcher().shelf.manifest.fingerprint

    def source(self, source_id: str, audience: Audience = "god") -> LibrarySource:
        """One source.

        Raises:
            UnknownSourceError: there is none of this id that ``audience`` may see; the message
                names near ones.
        """
        require_text(source_id, "the source's id", LibraryError)
        by_id = {source.id: source for source in self.sources(audience)}
        if source_id in by_id:
            return by_id[source_id]
        close = near(source_id, by_id)
        hint = f"did you mean {' or '.join(close)}?" if close else (
            f"the sources are {', '.join(list(by_id)[:20]) or 'none'}"
        )
        raise UnknownSourceError(f"the library has no source {source_id[:80]!r}: {hint}")

    def book(self, source_id: str) -> LibraryBook:
        """A source's text and contents.

        Raises:
            UnknownSourceError: there is no such source.
            LibraryError: it could not be read.
        """
        source = self.source(source_id)
        if source.problem:
            raise LibraryError(source.problem)
        return next(book for book in self._searcher().shelf.books if book.source.id == source_id)

    def contents(self, source_id: str) -> tuple[ListedEntry, ...]:
        """The entries of a source in the order of its text.

        Raises:
            UnknownSourceError, LibraryError: as for :meth:`book`.
        """
        book = self.book(source_id)
        entities = self._entities()
        return tuple(
            ListedEntry(
                entry.title, len(book.path(number)) - 1, entry.type, entry.confidence, entry.label,
                book.text.label(entry.end_page), (source_id, entry.title) in entities,
            ) for number, entry in enumerate(book.entries)
        )

    def types(self) -> dict[str, dict[str, int]]:
        """How many entries of which type each source has, by its id."""
        return {
            book.source.id: dict(Counter(str(entry.type) for entry in book.entries))
            for book in self._searcher().shelf.books
        }

    def entry(self, source_id: str, title: str, type_: ContentType | None = None) -> ContentsEntry:
        """The entry of a source that is called so, one of ``type_`` before others.

        Raises:
            UnknownSourceError: there is none; the message names near ones.
        """
        book = self.book(source_id)
        key = title.casefold().split()
        named = [entry for entry in book.entries if entry.title.casefold().split() == key]
        if named:
            return min(named, key=lambda entry: entry.type is not type_)
        close = near(title, {entry.title for entry in book.entries})
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else (
            f"mvp-site library list {source_id} lists what there is"
        )
        raise UnknownSourceError(f"{book.source.title} has no entry {title[:80]!r}: {hint}")

    def extract(self, source_id: str, title: str, type_: ContentType | None = None, *,
                replace: bool = False, for_players: bool = False,
                ) -> tuple[Extracted, ExtractedFile]:
        """An entry as an entity, kept in a file that its user may edit; see :mod:`.entity_files`.

        ``type_`` is by default what the entry is taken for. It takes part in searches of entities
        once these are built.

        Raises:
            UnknownSourceError: there is no such source or entry.
            InvalidRequestError: players may not see the source, and nobody said ``for_players``:
                entities have no audience.
            LibraryError: the source could not be read.
        """
        book = self.book(source_id)
        entry = self.entry(source_id, title, type_)
        if book.source.audience != "player" and not for_players:
            raise InvalidRequestError(f"{book.source.title} is for audience "
                                      f"{book.source.audience!r}, and players can find every "
                                      "entity: if they may see this one, say so with for_players "
                                      "(--for-players)")
        entity = extract(book, entry, type_ or entry.type)
        return entity, keep(extracted_folder(self._settings), source_id, entity, replace=replace,
                            for_players=for_players)

    def page_picture(self, source_id: str, page: int, width: int = 900) -> bytes:
        """A page of a PDF, counted from 1, as a PNG picture ``width`` pixels wide.

        It is drawn in a process of its own, within limits of memory and time. Picture or failure
        is remembered; of several who ask for the same one at once, all get what is drawn once.

        Raises:
            UnknownSourceError: there is no such source.
            LibraryError: it is no PDF, has no such page, is no longer there, or is not drawn within
                the limits.
        """
        source = self.source(source_id)
        path = Path(source.root) / source.file
        if source.format != "pdf":
            raise LibraryError(f"{source.file} is no PDF: only of PDFs there are pictures")
        if not path.is_file():
            raise LibraryError(f"{source.file} is no longer there: scan the library again")
        picture = self._picture(source.digest, path, page, width)
        if isinstance(picture, str):
            raise LibraryError(picture)
        return picture

    def _drawn(self, _: str, path: Path, page: int, width: int) -> bytes | str:
        """The picture of a page, or why there is none."""
        with self._drawing:
            try:
                return apart("draw", path, page, width)
            except LibraryError as error:
                return str(error)

    def _entities(self) -> set[tuple[str, str]]:
        """Source and title of what was extracted, read again where a file came or went."""
        folder = extracted_folder(self._settings)
        folders = [folder / type_ for type_ in EntityType]
        stamp = tuple(path.stat().st_mtime_ns if path.is_dir() else 0 for path in folders)
        if stamp != self._extracted[0]:
            self._extracted = stamp, kept(folder)
        return self._extracted[1]

    def close(self) -> None:
        """Let go of what is served."""
        self._source.close()

    def _searcher(self) -> LibrarySearcher:
        searcher = self._source.now()
        if searcher is None:
            raise MissingIndexError(self._source.problem)
        return searcher


def _close(searcher: LibrarySearcher) -> None:
    if searcher.shelf.index is not None:
        searcher.shelf.index.close()
