"""Session notes and characters of campaigns: imported, kept in SQL, and searched."""

from __future__ import annotations

import datetime
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import chain
from typing import Any, Final, Self, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from cachetools import LRUCache

from ..errors import (
    BackendError,
    SessionsError,
    StoreError,
    UnknownCampaignError,
    UnknownCharacterError,
    require_text,
)
from ..releases.bundles import canonical, digest
from ..releases.reloading import uncollected
from ..retrieval.backends.engine import EngineFailureError
from ..retrieval.backends.term_stats import TermStatistics
from ..retrieval.building import Progress, open_encoder
from ..retrieval.cache import SingleFlightCache
from ..retrieval.encoder import Encoder
from ..retrieval.index import LexicalLane, VectorCache
from ..settings import Settings, settings_of
from ..store.campaign_documents import CampaignDocuments, DocumentStamp, NewDocument, Routing
from ..store.campaigns import CampaignStore
from ..store.rows import is_name
from ..text.decoding import DecodingError, decoded
from ..text.names import stands_in, title_key
from ..text.normalising import binary_kind, clean
from ..text.typos import misspelt_names, near
from ..types import Audience, RefusedFile, audiences_of
from .characters.character import Character
from .characters.pieces import sheet_document
from .characters.reading import form_text, read_sheet
from .large_campaigns import (
    LARGE,
    LINKED,
    LinkedCampaign,
    packed,
    recipe,
    unpacked,
)
from .notes.campaign_log import session_texts
from .notes.mentions import linked
from .notes.reading import HIDDEN, read_notes
from .search import CampaignIndex, language_of, lexical_lane, pieces_of, seen_by, texts_of
from .shared import NumberedPassages, SharedCollection
from .state_documents import PREFIX, state_documents
from .types import CampaignDocument, FoundPieces, ImportedDocuments, Kind, KnownName

CAMPAIGNS: Final = 64
"""The campaigns, as an audience sees them, whose index is kept in memory."""
CORRECTIONS: Final = 1_000
"""The corrections of a campaign that are learned from: the newest."""
KEPT_VECTORS: Final = 20_000
"""The vectors of a campaign's turns that are kept, with some more: 30 MB."""
Reader = Callable[[str, str], Sequence[CampaignDocument]]
T = TypeVar("T")
_moment: ContextVar[SingleFlightCache[tuple[object, ...], Any] | None]
_moment = ContextVar("moment", default=None)
"""What was read in a block of :func:`one_moment`."""
File = tuple[str, str | bytes]
"""A file by its name, with its text or its bytes."""
Damaged = Mapping[tuple[str, str], str]
"""Why documents cannot be read, by kind and id."""
SAMPLE: Final = "lantern_road"
"""The campaign that the samples are imported as."""
LIMIT: Final = 20
MAX_CHARS: Final = 1_000_000
"""Characters of a file."""
_log = logging.getLogger("mvp_site.sessions")
_DIGITS: Final = re.compile(r"\d+")


@contextmanager
def one_moment() -> Iterator[None]:
    """In the block questions are answered from campaigns as they stood when first looked at."""
    token = _moment.set(SingleFlightCache(CAMPAIGNS))
    try:
        yield
    finally:
        _moment.reset(token)


@dataclass(slots=True, eq=False)
class _Material:
    """A campaign as it was read, and the indexes of it that audiences have asked for.

    ``stored`` are its documents with their vectors.
    """

    version: str
    stored: Sequence[NewDocument]
    linked: LinkedCampaign
    damaged: dict[tuple[str, str], str]
    indexes: dict[Audience, CampaignIndex] = field(default_factory=dict)
    filled: bool = False

    @property
    def is_large(self) -> bool:
        """Whether what is built of it is kept."""
        return not self.damaged and len(self.linked.texts) >= LARGE

    def texts_of(self, documents: Sequence[CampaignDocument]) -> list[Sequence[str]]:
        """The texts of each piece of documents."""
        texts = dict(zip(((row.kind, row.id, piece.id) for row, piece
                          in pieces_of(self.linked.documents)), self.linked.texts, strict=True))
        return [texts[row.kind, row.id, piece.id] for row, piece in pieces_of(documents)]


@dataclass(slots=True, eq=False)
class _PlayedState:
    """A campaign's state as it was read, and the indexes of it that audiences have asked for.

    ``cache`` has the vectors of earlier turns too; ``damaged`` says why the state cannot be read.
    """

    version: tuple[int, datetime.datetime]
    documents: tuple[CampaignDocument, ...]
    damaged: str
    cache: VectorCache | None
    indexes: dict[Audience, CampaignIndex]


class SessionNotes:
    """The characters and session notes of all campaigns. Thread-safe; open one and share it.

    What another process imports is answered from with the next question.
    """

    def __init__(self, settings: Settings, store: CampaignStore, encoder: Encoder | None = None,
                 *, own: bool = False) -> None:
        self._settings, self._store, self._own = settings, store, own
        self._encoder, self._opening = encoder, dict[str, str]()
        self._held: LRUCache[str, _Material] = LRUCache(CAMPAIGNS)
        self._states: LRUCache[str, _PlayedState] = LRUCache(CAMPAIGNS)
        self._lock = threading.RLock()
        self._reading: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()

    @property
    def opening(self) -> str:
        """What questions wait for now; '' for nothing."""
        return "; ".join(self._opening.copy().values())

    @classmethod
    def open(cls, settings: Settings | None = None, *, encoder: Encoder | None = None) -> Self:
        """Those of the settings' database.

        Raises:
            SettingsError: the database's URL cannot be used.
            StoreError: the database cannot be reached.
        """
        settings = settings_of(settings)
        return cls(settings, CampaignStore.open(settings), encoder, own=True)

    def close(self) -> None:
        """Forget what was read, and close the database where this has opened it."""
        self._held.clear()
        self._states.clear()
        if self._own:
            self._store.close()

    def import_characters(self, campaign: str, files: Sequence[File]) -> ImportedDocuments:
        """Characters' sheets.

        A sheet is in any form that docs/formats.md lists, and takes the place of the one of the
        same name. What of it was moved to its notes is told in its ``warnings``. Files that cannot
        be read are refused, and so is the second of one name.

        Raises:
            SessionsError: all are refused; says why each.
        """
        return self._import(campaign, "character", files, _sheet, "import one of them")

    def import_notes(self, campaign: str, files: Sequence[File],
                     progress: Progress | None = None) -> ImportedDocuments:
        """Notes of sessions, and other pages of a vault; ``progress`` gets (stage, done, of).

        Notes of a session take the place of those that it had, which a warning tells where their
        text was another. Files that cannot be read are refused, and so is the second of a session.

        Raises:
            SessionsError: all are refused; says why each.
        """
        return self._import(campaign, "session", files, _log_or_notes,
                            "write `session: N` between --- lines at the head of one", progress)

    def import_samples(self, campaign: str = SAMPLE) -> ImportedDocuments:
        """The sample campaign: two characters and the notes of its sessions."""
        place = files(__package__).joinpath("samples")
        texts = [(file.name, file.read_text("utf-8"))
                 for file in sorted(place.iterdir(), key=lambda file: file.name)]
        return ImportedDocuments((
            *self.import_characters(campaign, [row for row in texts if row[0].endswith(".yaml")]),
            *self.import_notes(campaign, [text for text in texts if text[0].endswith(".md")]),
        ))

    def copy_character(self, stamp: DocumentStamp, campaign: str) -> None:
        """Give another campaign a character's sheet, as it is now."""
        source = self._document(stamp.campaign, "character", stamp.id).source
        self.import_characters(campaign, [(f"{stamp.id}.json", source)])

    def forget(self, campaign: str, kind: Kind, document: str) -> None:
        """Take a document out, from the engine too.

        Raises:
            SessionsError: there is none; the message names near ones.
        """
        rows = self._rows_of(campaign, kind, [document])
        if not self._documents.delete(campaign, kind, document):
            raise self._unknown(campaign, kind, document)
        self._remove(rows, campaign)

    def forget_campaign(self, campaign: str) -> str:
        """Remove from the engine what it has of a campaign that was deleted.

        Why that failed, and what does it later; '' where it did not.
        """
        with self._lock:
            self._held.pop(campaign, None)
            self._states.pop(campaign, None)
        try:
            if (shared := self._shared()) is not None:
                shared.forget(campaign)
        except BackendError as error:
            return _left_over(campaign, error)
        return ""

    def collect(self, *, removed: bool) -> tuple[int, tuple[str, ...]]:
        """The rows that an engine has of no document, and collections of the database's unused.

        With ``removed`` they are gone.

        Raises:
            BackendError: the engine is not reached or refuses.
        """
        if (shared := self._shared()) is None:
            return 0, ()
        return shared.strays(removed=removed), shared.orphans(removed=removed)

    def documents(self, campaign: str | None = None, kind: Kind | None = None,
                  ) -> tuple[DocumentStamp, ...]:
        """The documents of a campaign, or of all, by campaign, kind, number and id."""
        stamps = self._looked_up("stamps", campaign, lambda: self._documents.stamps(campaign))
        return tuple(stamp for stamp in stamps if kind in {None, stamp.kind})

    def sheets(self, campaign: str | None = None) -> tuple[DocumentStamp, ...]:
        """The characters of a campaign, or of all, that have a sheet, and those of its state."""
        documents = self.documents(campaign, "character")
        state = self._state(campaign) if campaign else None
        if campaign is None or state is None:
            return documents
        titles = {title_key(document.title) for document in documents}
        return (*documents, *(
            DocumentStamp(campaign, row.kind, row.id, row.title, None, state.version[1], "")
            for row in state.documents
            if row.kind == "character" and title_key(row.title) not in titles))

    def has(self, campaign: str) -> bool:
        """Whether there is anything of a campaign: sheets, notes, or a state."""
        return bool(self.documents(campaign) or self._played(campaign))

    def resolve(self, name: str, campaign: str | None = None) -> DocumentStamp:
        """The character of a name, with a part of it or a typo too where one alone is near.

        A campaign's state has characters too, where the campaign is named.

        Raises:
            UnknownCharacterError: there is none, or there are several; names those that are near.
        """
        require_text(name, "the character's name", SessionsError)
        documents = self.sheets(campaign)
        folded = title_key(name)
        names = [(key, document) for document in documents for title in [title_key(document.title)]
                 for key in dict.fromkeys((title, *title.split()))]
        exact = [document for document in documents if title_key(document.title) == folded] or [
            document for document in documents
            if stands_in(folded.split(), title_key(document.title).split())]
        near_ones = misspelt_names(folded, [key for key, _ in names])
        matches = exact or [*{names[at][1]: None for at, _ in near_ones if _DIGITS.findall(
            names[at][0]) == _DIGITS.findall(folded)}]
        if len(matches) == 1:
            return matches[0]
        if exact or len({row.title for row in matches}) == 1:
            where = ", ".join(f"{row.title} in {row.campaign}" for row in matches[:5])
            raise UnknownCharacterError(
                f"several characters are called {name[:80]!r}: {where}; name the campaign too"
            )
        titles = [*dict.fromkeys(document.title for document in documents)]
        close = [row.title for row in matches] or near(name, titles) or titles[:5]
        existing = f"there are {', '.join(dict.fromkeys(close))}" if close else (
            "there is none yet: mvp-site characters import CAMPAIGN FILE"
        )
        within = f" in campaign {campaign!r}" if campaign is not None else ""
        raise UnknownCharacterError(f"there is no character {name[:80]!r}{within}: {existing}")

    def character(self, campaign: str, document: str) -> Character:
        """A character's sheet.

        Raises:
            SessionsError: there is none of this id.
        """
        return read_sheet(self._document(campaign, "character", document).source, document)[0]

    def traits(self, campaign: str, name: str) -> tuple[str, ...]:
        """What moves the character of a name, as its sheet has it for players; () for nothing."""
        return tuple(
            fact.text for document in self._opened(campaign, "player")[0].documents
            if document.kind == "character" and document.title == name
            for piece in document.pieces if piece.part == "personality" for fact in piece.facts)

    def session(self, campaign: str, document: str) -> CampaignDocument:
        """A session's notes, read, its names as the whole campaign has them.

        Raises:
            SessionsError: there is none of this id.
        """
        return self._document(campaign, "session", document)

    def known(self, campaign: str, audience: Audience) -> tuple[KnownName, ...]:
        """What a campaign knows by name, as far as an audience may know of it."""
        known = self._opened(campaign, audience)[0].known
        now, names = self._current(campaign, audience), {title_key(row.name) for row in known}
        return (*known, *(row for row in (now.known if now else ())
                          if title_key(row.name) not in names))

    def search(self, campaign: str, query: str, kind: Kind, *,  # noqa: PLR0913 (a filter each)
               intention: str | None = None, names: Sequence[str] = (),
               hints: Sequence[str] = (), asks: str = "", audience: Audience = "player",
               document: str | None = None, limit: int = LIMIT) -> FoundPieces:
        """The pieces of sheets or of notes that may answer, the likeliest first.

        ``names`` are those that the question has, in full; ``document`` holds it to one document.
        ``asks`` is what is asked for, where the words do not say it: the name of a field or list of
        the sheet, ``status`` of what is named, or ``place``, where the party is.
        Damaged documents are done without and told of (:class:`.FoundPieces`).
        """
        require_text(query, "the question", SessionsError)

        def ask() -> tuple[FoundPieces, Damaged]:
            index, damaged = self._opened(campaign, audience)
            try:
                hits = [part.search(query, kind, intention=intention, names=names, hints=hints,
                                    asks=asks, audience=audience, document=document, limit=limit)
                        for part in (index, self._current(campaign, audience)) if part is not None]
            except BackendError:
                self._let_go(campaign, index)
                raise
            pieces = FoundPieces(sorted(chain(*hits), key=lambda hit: -hit.relevance)[:limit])
            pieces.lanes_failed = hits[0].lanes_failed
            return pieces, damaged

        try:
            pieces, damaged = ask()
        except EngineFailureError as failure:
            if failure.kind != "gone":
                raise
            pieces, damaged = ask()  # which fills what was emptied
        state = self._state(campaign)
        pieces.damaged = (*(
            why for (of, who), why in damaged.items()
            if of == kind and (audience != "player" or not who.endswith(HIDDEN))
        ), *([state.damaged] if state and state.damaged else ()))
        return pieces

    def version(self, campaign: str, kind: Kind | None = None) -> str:
        """A name of what a campaign's documents say; another where one has changed."""
        imported, played = self._imported(campaign, kind), self._played(campaign)
        return "/".join(map(str, (imported, *(played or ()))))

    def bound(self, campaign: str) -> tuple[str, ...]:
        """The sources of the library that a campaign is bound to; () for none."""
        return self._looked_up("bound", campaign, lambda: self._store.bound(campaign))

    def save_routing(self, campaign: str | None, request: Mapping[str, Any],
                     decided: Mapping[str, Any]) -> str:
        """The id under which what routers decided for a question is kept."""
        return self._documents.save_routing(campaign, request, decided)

    def corrections(self, campaign: str) -> tuple[Routing, ...]:
        """The corrected routings of a campaign, the newest first, at most :data:`CORRECTIONS`."""
        return self._looked_up("corrections", campaign, lambda: self._documents.routings(
            campaign, corrected_only=True, limit=CORRECTIONS))

    def correct(self, routing: str, corrected: Mapping[str, Any]) -> Routing:
        """A routing with what it should have been, by domain; None takes a correction back.

        Raises:
            UnknownRoutingError: there is none of this id.
        """
        return self._documents.correct(routing, corrected)

    @property
    def _documents(self) -> CampaignDocuments:
        return self._store.documents

    def _import(
        self, campaign: str, kind: Kind, files: Sequence[File], read: Reader, remedy: str,
        progress: Progress | None = None,
    ) -> ImportedDocuments:
        stored: dict[str, tuple[str, CampaignDocument]] = {}
        refused: dict[int, RefusedFile] = {}
        report = progress or (lambda _stage, _done, _of: None)
        parts: dict[int, Sequence[CampaignDocument]] = {}
        for done, (file, content) in enumerate(files, 1):
            report("reading", done, len(files))
            try:
                parts[done] = _readable(content, file, read)
            except SessionsError as error:
                refused[done] = RefusedFile(file, str(error))
        ids = Counter(document.id for documents in parts.values() for document in documents)
        for done, read_documents in parts.items():
            file, content = files[done - 1]
            try:
                shares = len(read_documents) > 1 and any(ids[row.id] > 1 for row in read_documents)
                documents = _readable(content, file, _notes) if shares else read_documents
                for document in documents:
                    if document.id in stored:
                        of = document.path or document.title
                        of = f"session {document.number}" if document.number is not None else of
                        other = stored[document.id][0]
                        raise SessionsError(f"{file} is of {of}, and so is {other}: {remedy}")
            except SessionsError as error:
                refused[done] = RefusedFile(file, str(error))
            else:
                stored |= {document.id: (file, document) for document in documents}
        if refused and not stored:
            raise SessionsError("\n".join(refused[place].reason for place in sorted(refused)))
        encoder = self.encoder()
        cache = VectorCache(encoder)
        new = []
        for done, (_, row) in enumerate(stored.values(), 1):
            fresh = NewDocument(row.kind, row.id, clean(row.path or row.title), row.source,
                               row.number)
            new.append(self._with_vectors(fresh, texts_of(row, encoder), cache))
            report("encoding", done, len(stored))
        before = {stamp.id: stamp for stamp in self._documents.stamps(campaign, "session")}
        imported = ImportedDocuments(
            replace(document, warnings=(
                f"{file}: replaces the notes that were there, {before[document.id].title!r}",))
            if document.number is not None and document.id in before
            and before[document.id].digest != new_document.digest else document
            for (file, document), new_document in zip(stored.values(), new, strict=True)
        )
        imported.refused = tuple(refused[place] for place in sorted(refused))
        digests = {stamp.id: stamp.digest for stamp in self._documents.stamps(campaign, kind)}
        rows = self._rows_of(campaign, kind, [row.id for row in new
                                              if digests.get(row.id, row.digest) != row.digest])
        self._documents.save(campaign, new)
        self._remove(rows, campaign)
        return imported

    def _document(self, campaign: str, kind: Kind, document: str) -> CampaignDocument:
        require_text(document, "the document's id", SessionsError)
        index, damaged = self._opened(campaign, "god")
        for row in index.documents:
            if (row.kind, row.id) == (kind, document):
                return row
        if (kind, document) in damaged:
            raise StoreError(damaged[kind, document])
        raise self._unknown(campaign, kind, document)

    def _unknown(self, campaign: str, kind: Kind, document: str) -> SessionsError:
        ids = [row.id for row in self.documents(campaign, kind)]
        hint = f"there are {', '.join(near(document, ids) or ids[:5])}" if ids else "it has none"
        return SessionsError(f"campaign {campaign!r} has no {kind} {document[:80]!r}: {hint}")

    def _opened(self, campaign: str, audience: Audience) -> tuple[CampaignIndex, Damaged]:
        """The index of what this audience may see now, and what it lacks.

        Campaigns do not wait for each other.
        """
        audiences_of(audience, SessionsError)
        version = self._imported(campaign)
        with self._reading_of(campaign), uncollected():
            with self._lock:
                material = self._held.get(campaign)
            try:
                if material is None or material.version != version:
                    material = self._read(campaign, version)
                    with self._lock:
                        self._held[campaign] = material
                if audience not in material.indexes:
                    material.indexes[audience] = self._index(campaign, material, audience)
            finally:
                self._opening.pop(campaign, None)
            return material.indexes[audience], material.damaged

    def _imported(self, campaign: str, kind: Kind | None = None) -> str:
        """A name of what a campaign's sheets and notes say."""
        return _version(self.documents(campaign, kind))

    def _played(self, campaign: str) -> tuple[int, datetime.datetime] | None:
        """The version of a campaign's state; None where none was played."""
        return self._looked_up("played", campaign, lambda: self._store.version(campaign))

    def _looked_up(self, what: str, campaign: str | None, read: Callable[[], T]) -> T:
        """What is read, once in a block of :func:`one_moment`."""
        if (reads := _moment.get()) is None:
            return read()
        entry: T = reads.get((id(self), what, campaign), read)[0]
        return entry

    def _state(self, campaign: str) -> _PlayedState | None:
        """The campaign as its turns left it; None where none was played.

        A state that cannot be read is done without, and told of.
        """
        if (version := self._played(campaign)) is None:
            return None
        with self._reading_of(f"{campaign}/{PREFIX}"):
            with self._lock:
                before = self._states.get(campaign)
            if before is not None and before.version == version:
                return before
            documents, damaged = tuple[CampaignDocument, ...](), ""
            try:
                documents = state_documents(self._store.load(campaign).state)
            except UnknownCampaignError:
                return None
            except Exception as error:  # noqa: BLE001 - sheets and notes can be asked all the same
                damaged = f"the state of campaign {campaign!r} cannot be read ({error})"
                _log.exception("%s", damaged)
            state = _PlayedState(version, documents, damaged, before.cache if before else None, {})
            with self._lock:
                self._states[campaign] = state
            return state

    def _current(self, campaign: str, audience: Audience) -> CampaignIndex | None:
        """The index of how things stand now, in this process: each turn changes it.

        Only what a turn has changed is encoded. Campaigns do not wait for each other.
        """
        state = self._state(campaign)
        if state is None or not state.documents:
            return None
        with self._reading_of(f"{campaign}/{PREFIX}"):
            if audience not in state.indexes:
                encoder = self.encoder()
                if state.cache is None or state.cache.encoded > KEPT_VECTORS:
                    state.cache = VectorCache(encoder)
                documents, known = seen_by(audience, state.documents, [
                    name for document in state.documents for name in document.known])
                texts = [text for document in documents for text in texts_of(document, encoder)]
                state.indexes[audience] = CampaignIndex.local(
                    campaign, documents, known, encoder, texts=texts, cache=state.cache)
            return state.indexes[audience]

    @contextmanager
    def _reading_of(self, campaign: str) -> Iterator[None]:
        """The campaign is read by this thread alone; others do not wait for it."""
        with self._lock:
            reading = self._reading.setdefault(campaign, threading.Lock())
        with reading:
            yield

    def _read(self, campaign: str, version: str) -> _Material:
        damaged: dict[tuple[str, str], str] = {}
        stored, read = list[NewDocument](), list[CampaignDocument]()
        rows = self._documents.load(campaign, damaged)
        content = self._build(campaign, LINKED, version)
        if content and (linked_before := LinkedCampaign.load(content, rows)):
            return _Material(version, rows, linked_before, damaged)
        self._opening[campaign] = (
            f"campaign {campaign!r} is still being read (sheets and notes: {len(rows):,}, "
            f"{sum(len(row.source) for row in rows):,} characters); ask again")
        for row in rows:
            try:
                read.append(_read(row))
            except SessionsError as error:
                damaged[row.kind, row.id] = (
                    f"the {row.kind} {row.id!r} is damaged in the database ({error}): restore it "
                    "from a backup")
            else:
                stored.append(row)
        for (kind, document), why in damaged.items():
            message = f"{why}, or import it again: mvp-site {kind}s import {campaign} FILE"
            damaged[kind, document] = message
            _log.error("%s", message)
        texts = [texts_of(document, self.encoder()) for document in read]
        documents, names = linked(read)
        built = LinkedCampaign(documents, names, tuple(map(tuple, chain.from_iterable(texts))))
        encoded = self._encoded(campaign, stored, texts)
        if not damaged and len(built.texts) >= LARGE:
            self._keep(campaign, LINKED, version, built.dump(), encoded)
        return _Material(version, encoded, built, damaged)

    def _encoded(self, campaign: str, stored: Sequence[NewDocument],
                 texts: Sequence[Sequence[Sequence[str]]]) -> list[NewDocument]:
        """The documents with the vectors of their texts; those that lack some are encoded."""
        encoder, encoded, late = self.encoder(), list[NewDocument](), list[NewDocument]()
        for row, of_it in zip(stored, texts, strict=True):
            cache = _recalled([row], encoder)
            if cache.missing([*chain.from_iterable(of_it)]):
                late.append(self._with_vectors(row, of_it, cache))
                encoded.append(late[-1])
            else:
                encoded.append(row)
        if late:
            with suppress(StoreError):  # they are encoded again by the next process
                self._documents.keep_vectors(campaign, late)
        return encoded

    def _index(self, campaign: str, material: _Material, audience: Audience) -> CampaignIndex:
        encoder, shared = self.encoder(), self._shared()
        cache, linked = _recalled(material.stored, encoder), material.linked
        documents, names = seen_by(audience, linked.documents, linked.names)
        texts = material.texts_of(documents)
        part = f"{'local' if shared is None else 'milvus'}-{audience}"
        files = unpacked(self._build(campaign, part, material.version)
                         if material.is_large else None)
        if shared is None:
            lexical = LexicalLane.load(files, len(texts)) if files else lexical_lane(documents)
            index = CampaignIndex.local(
                campaign, documents, names, encoder, texts=texts, cache=cache, lexical=lexical)
            statistics: LexicalLane | TermStatistics = lexical
        else:
            language = language_of(linked.documents)
            if not material.filled:
                material.filled = shared.fill(
                    NumberedPassages(campaign, linked.documents, linked.texts, language), cache,
                    lambda: _version(self._documents.stamps(campaign)) == material.version)
            passages = NumberedPassages(campaign, documents, texts, language)
            statistics = TermStatistics.load(files) if files else passages.statistics()
            index = shared.index(campaign, audience, documents, names, passages, statistics)
        if material.is_large and not files:
            self._keep(campaign, part, material.version, packed(statistics.dump()),
                       material.stored)
        return index

    def _build(self, campaign: str, part: str, version: str) -> bytes | None:
        """What an earlier process has built and kept of these very documents."""
        return self._documents.build(campaign, part, recipe(version, self.encoder()))

    def _keep(self, campaign: str, part: str, version: str, content: bytes,
              stored: Sequence[NewDocument]) -> None:
        with suppress(StoreError):  # the next process builds it again
            self._documents.keep_build(
                campaign, part, recipe(version, self.encoder()), content, stored)

    def _let_go(self, campaign: str, index: CampaignIndex) -> None:
        """Have a campaign opened again whose index the engine does not answer for."""
        with self._lock:
            material = self._held.get(campaign)
            if material is not None and index in material.indexes.values():
                material.indexes.clear()
                material.filled = False

    def _shared(self) -> SharedCollection | None:
        if not self._settings.mvp_site_milvus_uri:
            return None
        return SharedCollection(self._settings, self._documents, self.encoder())

    def _rows_of(self, campaign: str, kind: Kind, ids: Sequence[str]) -> set[int]:
        """What the engine has of documents that go; nothing where it cannot be asked."""
        try:
            shared = self._shared() if ids else None
            return set() if shared is None else shared.rows_of(campaign, kind, ids)
        except BackendError as error:
            _log.warning("%s", _left_over(campaign, error))
            return set()

    def _remove(self, rows: Collection[int], campaign: str) -> None:
        """Remove rows of the engine; where that fails, whoever opens the campaign next does it."""
        try:
            if rows and (shared := self._shared()) is not None:
                shared.remove(rows)
        except BackendError as error:
            _log.warning("%s", _left_over(campaign, error))

    def _with_vectors(self, document: NewDocument, texts: Sequence[Sequence[str]],
                      cache: VectorCache) -> NewDocument:
        """The document with its vectors in half precision, which is what ``cache`` then has."""
        encoder = self.encoder()
        vectors, keys = cache.encode([*chain.from_iterable(texts)])
        half = vectors.astype(np.float16)
        cache.add(keys, half.astype(np.float32))
        return replace(document, encoder=encoder.fingerprint, vector_keys=keys.tobytes(),
                       vectors=half.tobytes())

    def encoder(self) -> Encoder:
        """What texts are encoded by, opened when it is first needed.

        Raises:
            EncoderError: it is not on this machine.
        """
        with self._lock:
            if self._encoder is None:
                self._encoder = open_encoder(self._settings)
            return self._encoder


def _sheet(text: str, file: str) -> Sequence[CampaignDocument]:
    return [sheet_document(text, file)]


def _notes(text: str, file: str) -> Sequence[CampaignDocument]:
    return [read_notes(text, file)]


def _log_or_notes(text: str, file: str) -> Sequence[CampaignDocument]:
    """The documents of a file: of each of its sessions, and of what is no session's."""
    texts = session_texts(text, file)
    if len(texts) == 1:
        return _notes(text, file)
    return [replace(row, warnings=()) for row in (read_notes(part, file) for part in texts)
            if row.pieces]


def _readable(content: str | bytes, file: str, read: Reader) -> Sequence[CampaignDocument]:
    if isinstance(content, bytes) and read is _sheet:
        content = form_text(content, file) or content
    if isinstance(content, bytes) and (kind := binary_kind(content)):
        raise SessionsError(f"{file} is {kind}: save its text as .txt or .md")
    try:
        text, note = decoded(content)
    except DecodingError as error:
        raise SessionsError(f"{file}: {error}") from None
    if len(text) > MAX_CHARS:
        raise SessionsError(f"{file} has {len(text):,} characters, and at most {MAX_CHARS:,} are "
                            "read: split it")
    documents = read(text, file)
    for document in documents:
        if not document.pieces:
            raise SessionsError(f"{file} is empty: nothing of the {document.kind} is there to keep")
        if not is_name(document.id):
            raise SessionsError(f"{file}: no id can be made of {document.title[:80]!r}: give it a "
                                "name with letters or digits")
    warnings = (f"{file}: {note}",) if note else ()
    return [replace(documents[0], warnings=(*warnings, *documents[0].warnings)), *documents[1:]]


def _read(document: NewDocument) -> CampaignDocument:
    if document.kind == "character":
        return sheet_document(document.source, document.id)
    name = document.title if document.number is None else document.id
    return read_notes(document.source, name, document.number)


def _recalled(documents: Sequence[NewDocument], encoder: Encoder) -> VectorCache:
    """The kept vectors of documents; damaged ones, and those of other encoders, are left out."""
    cache = VectorCache(encoder)
    for document in documents:
        keys, vectors = document.vector_keys or b"", document.vectors or b""
        if (document.encoder == encoder.fingerprint and len(keys) % 16 == 0
                and len(keys) // 16 * encoder.dimension * 2 == len(vectors)):
            half = np.frombuffer(vectors, np.float16).reshape(-1, encoder.dimension)
            cache.add(np.frombuffer(keys, np.uint8).reshape(-1, 16), half.astype(np.float32))
    return cache


def _left_over(campaign: str, error: BackendError) -> str:
    return (f"rows of campaign {campaign!r} are left in the engine ({error}): mvp-site gc removes "
            "them")


def _version(stamps: Sequence[DocumentStamp]) -> str:
    return digest(canonical([[stamp.kind, stamp.id, stamp.digest] for stamp in stamps]))
