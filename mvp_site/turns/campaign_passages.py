"""What a look-up gives of a campaign's own: turns that fell out, session notes, bound books."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from ..archive.delimiters import CLOSING_TAG, CONTEXT_END, context_open, escape, opening_tag
from ..errors import MissingIndexError
from ..library.library import Library
from ..sessions.session_notes import SessionNotes
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..text.tokens import printed_tokens
from ..types import Audience
from .fallen_turns import FallenTurns, TurnSearch
from .history import PastTurn

MOST: Final = 5
"""The passages of one look-up, of notes and of books each."""
LIBRARY: Final = "library"
NOTES: Final = "session_notes"
TURNS: Final = "earlier_turns"
FLOOR: Final = 0.5
"""The relevance under which a piece of the notes is no answer."""
TURN_FLOOR: Final = 0.25
"""The same of a turn: chosen on questions about a played campaign, and on rules that it lacks."""
Search = Callable[[str, int], str]
"""What is printed for a query within so many o200k tokens; '' for nothing."""

_log = logging.getLogger("mvp_site.turns")


class CampaignPassages:
    """Session notes and books as campaigns may use them. Thread-safe.

    The library is opened when the first look-up needs it.
    """

    def __init__(self, settings: Settings, store: CampaignStore) -> None:
        self._settings, self._store = settings, store
        self._notes = SessionNotes(settings, store)
        self._turns = TurnSearch(self._notes.encoder)
        self._library: Library | None = None
        self._opening = threading.Lock()

    def search(self, campaign_id: str, audience: Audience, fallen: Sequence[PastTurn] = (),
               ) -> Search:
        """What searches a campaign's turns, notes, and the books that it is bound to.

        All as ``audience`` may see them; what one of them leaves of the tokens is the next one's.
        ``fallen`` are the turns that the prompt's history no longer has.
        """
        turns = FallenTurns(campaign_id, tuple(fallen))

        def print_hits(query: str, tokens: int) -> str:
            blocks: list[str] = []
            for name, label, passages in (
                (TURNS, "turns", lambda: self._of_turns(turns, query, audience)),
                (NOTES, "session notes", lambda: self._of_notes(campaign_id, query, audience)),
                (LIBRARY, "books", lambda: self._of_books(campaign_id, query, audience)),
            ):
                room = tokens - sum(map(printed_tokens, blocks))
                blocks += filter(None, [_printed(name, self._tried(label, passages), room)])
            return "\n".join(blocks)

        return print_hits

    def close(self) -> None:
        """Let go of the library."""
        if self._library is not None:
            self._library.close()

    def _tried(self, label: str, passages: Callable[[], Iterable[str]]) -> list[str]:
        try:
            return list(passages())
        except MissingIndexError:
            return []
        except Exception as error:  # noqa: BLE001 - whatever fails, the archive's passages stand
            _log.error("the %s cannot be asked (%s); the look-up goes on without them", label,
                       type(error).__name__)
            return []

    def _of_turns(self, fallen: FallenTurns, query: str, audience: Audience) -> Iterator[str]:
        for hit in self._turns.search(fallen, query, audience, MOST):
            if hit.relevance >= TURN_FLOOR:
                path = tuple(filter(None, (hit.title, hit.piece.title)))
                yield _passage(hit.document, path, hit.piece.text)

    def _of_notes(self, campaign_id: str, query: str, audience: Audience) -> Iterator[str]:
        if not self._store.documents.stamps(campaign_id, "session"):
            return
        for hit in self._notes.search(campaign_id, query, "session", audience=audience, limit=MOST):
            if hit.relevance >= FLOOR:
                yield _passage(hit.document, (hit.title, hit.piece.title), hit.piece.text)

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


def _passage(cited: str, path: tuple[str, ...], text: str) -> str:
    return f"{opening_tag(cited, path)}\n{escape(text)}\n{CLOSING_TAG}"


def _printed(of: str, passages: Iterable[str], tokens: int) -> str:
    """As many of the passages as fit, the first first; '' where none does."""
    lines = [context_open(of)]
    for passage in passages:
        if printed_tokens("\n".join((*lines, passage, CONTEXT_END))) <= tokens:
            lines.append(passage)
    return "\n".join((*lines, CONTEXT_END)) if len(lines) > 1 else ""
