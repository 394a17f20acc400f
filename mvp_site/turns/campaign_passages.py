"""What a look-up gives of a campaign's own: turns that fell out, session notes, bound books."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, cast

from ..archive.delimiters import CLOSING_TAG, CONTEXT_END, context_open, escape, opening_tag
from ..errors import MissingIndexError
from ..library.library import Library
from ..retrieval.index import VectorCache
from ..sessions.search import CampaignIndex, seen_by, texts_of
from ..sessions.session_notes import SessionNotes
from ..sessions.types import CampaignDocument, CampaignPiece, KnownName, PieceHit
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..text.tokens import printed_tokens
from ..types import Audience
from .history import PastTurn

MOST: Final = 5
"""The passages of one look-up, of notes and of books each."""
FLOOR: Final = 0.5
"""The relevance under which a piece of the notes is no answer."""
TURN_FLOOR: Final = 0.25
"""The same of a turn: chosen on questions about a played campaign, and on rules that it lacks."""
MOST_VECTORS: Final = 20_000
"""Vectors that are kept of turns, of all campaigns."""
Search = Callable[[str, int], str]
"""What is printed for a query within so many o200k tokens; '' for nothing."""

_log = logging.getLogger("mvp_site.turns")


class CampaignPassages:
    """Session notes and books as campaigns may use them. Thread-safe.

    The library is opened when the first look-up needs it, and each turn is encoded once.
    """

    def __init__(self, settings: Settings, store: CampaignStore) -> None:
        self._settings, self._store = settings, store
        self._notes = SessionNotes(settings, store)
        self._vectors: VectorCache | None = None
        self._library: Library | None = None
        self._opening = threading.Lock()

    def search(self, campaign_id: str, audience: Audience, fallen: Sequence[PastTurn] = (),
               ) -> Search:
        """What searches a campaign's turns, notes, and the books that it is bound to.

        All as ``audience`` may see them; what one of them leaves of the tokens is the next one's.
        ``fallen`` are the turns that the prompt's history no longer has.
        """
        def print_hits(query: str, tokens: int) -> str:
            blocks: list[str] = []
            for name, label, passages in (
                ("earlier_turns", "turns", partial(self._of_turns, fallen)),
                ("session_notes", "session notes", self._of_notes),
                ("library", "books", self._of_books),
            ):
                room = tokens - sum(map(printed_tokens, blocks))
                try:
                    hits = [*passages(campaign_id, query, audience)]
                except MissingIndexError:
                    continue
                except Exception as error:  # noqa: BLE001 - the archive's passages stand
                    _log.error("the %s cannot be asked (%s); the look-up goes on without them",
                               label, type(error).__name__)
                    continue
                blocks += filter(None, [_printed(name, hits, room)])
            return "\n".join(blocks)

        return print_hits

    def close(self) -> None:
        """Let go of the library."""
        if self._library is not None:
            self._library.close()

    def _of_turns(self, fallen: Sequence[PastTurn], campaign_id: str, query: str,
                  audience: Audience) -> Iterator[str]:
        """Turns that the audience took part in, by what was typed and told; never their notes."""
        people = {(name, cast("Audience", turn.audience)) for turn in fallen
                  for name in turn.memory.people.values()}
        documents, names = seen_by(
            audience, [_document(turn) for turn in fallen if turn.memory.narrative],
            [KnownName(name, "non_player_character", audience=who) for name, who in sorted(people)])
        if not documents:
            return
        encoder, vectors = self._notes.encoder(), self._vectors
        if vectors is None or vectors.encoded > MOST_VECTORS:
            vectors = self._vectors = VectorCache(encoder)
        texts = [*chain.from_iterable(texts_of(document, encoder) for document in documents)]
        index = CampaignIndex.local(campaign_id, documents, names, encoder, texts=texts,
                                    cache=vectors)
        yield from _passages(
            index.search(query, "session", intention=None, names=(), hints=(), audience=audience,
                         document=None, limit=MOST), TURN_FLOOR)

    def _of_notes(self, campaign_id: str, query: str, audience: Audience) -> Iterator[str]:
        if self._store.documents.stamps(campaign_id, "session"):
            yield from _passages(
                self._notes.search(campaign_id, query, "session", audience=audience, limit=MOST),
                FLOOR)

    def _of_books(self, campaign_id: str, query: str, audience: Audience) -> Iterator[str]:
        bound = self._store.bound(campaign_id)
        if not bound:
            return
        with self._opening:
            if self._library is None:
                self._library = Library.open(self._settings)
        readable = {source.id for source in self._library.sources(audience)}
        sources = [source for source in bound if source in readable]
        if not sources:
            return
        for entry in self._library.ask(query, MOST, sources=sources, audience=audience).results:
            page = f", p. {entry.extract_page}" if entry.extract_page else ""
            path = (entry.source, *entry.path, entry.title)
            yield _passage(f"{entry.source_id}{page}", path, entry.text)


def _document(turn: PastTurn) -> CampaignDocument:
    memory = turn.memory
    title = ", ".join(filter(None, (f"Turn {turn.number}", memory.place)))
    text = f"{turn.user_input}\n{memory.narrative}"
    piece = CampaignPiece("told", "told", ", ".join(memory.people.values()), text,
                          audience=cast("Audience", turn.audience))
    return CampaignDocument(f"turn-{turn.number}", "session", title, (piece,), text, turn.number)


def _passages(hits: Iterable[PieceHit], floor: float) -> Iterator[str]:
    for hit in hits:
        if hit.relevance >= floor:
            path = tuple(filter(None, (hit.title, hit.piece.title)))
            yield _passage(hit.document, path, hit.piece.text)


def _passage(cited: str, path: tuple[str, ...], text: str) -> str:
    return f"{opening_tag(cited, path)}\n{escape(text)}\n{CLOSING_TAG}"


def _printed(of: str, passages: Iterable[str], tokens: int) -> str:
    """As many of the passages as fit, the first first; '' where none does."""
    lines = [context_open(of)]
    for passage in passages:
        if printed_tokens("\n".join((*lines, passage, CONTEXT_END))) <= tokens:
            lines.append(passage)
    return "\n".join((*lines, CONTEXT_END)) if len(lines) > 1 else ""
