"""The domains as the engine asks them: sheets, notes of sessions, the rulebook, bound books.

Each is opened by the first question that needs it. One that cannot be opened fails that question
alone, and is tried again by the next.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, Protocol, TypeVar

from ..library.library import Library
from ..library.results import BookResult
from ..retrieval.names import stands_in, title_key, words
from ..rulebook.results import RetrievedSection
from ..rulebook.rulebook import Rulebook
from ..sessions.types import Found, Kind
from ..types import AUDIENCES, Audience
from .types import Decision, Domain, Evidence, Question

T = TypeVar("T")
PIECES: Final = 60
"""How many pieces of sheets, and of notes, are looked at."""
BOOK_ENTRIES: Final = 10
RULE_TOKENS: Final = 6_000
TABLE_RELEVANCE: Final = 0.9
"""A table that the rulebook made for the question answers it, wherever its rows stood."""
OTHERS: Final = 0.5
"""What a piece counts of a sheet that was not asked for, where the question names another."""
_NOTHING: Final = "nothing"


class Lazy(Generic[T]):
    """A part that is opened by the first call; where that fails, the next call tries again."""

    def __init__(self, opens: Callable[[], T]) -> None:
        self._opens = opens
        self._lock = threading.Lock()
        self._part: T | None = None

    def __call__(self) -> T:
        """The part."""
        with self._lock:
            if self._part is None:
                self._part = self._opens()
            return self._part

    @property
    def opened(self) -> T | None:
        """The part, where it was opened."""
        return self._part


class ListedSheet(Protocol):
    """A character's sheet as it is listed."""

    @property
    def campaign(self) -> str:
        """The campaign that has it."""

    @property
    def id(self) -> str:
        """Its id in the campaign."""

    @property
    def title(self) -> str:
        """The character's name in full."""


class Notes(Protocol):
    """What the engine needs of sheets and notes (:class:`mvp_site.SessionNotes`)."""

    def resolve(self, name: str, campaign: str | None = None) -> ListedSheet:
        """The character of a name."""

    def documents(self, campaign: str | None = None, kind: Kind | None = None,
                  ) -> Sequence[ListedSheet]:
        """The documents of a campaign."""

    def search(self, campaign: str, query: str, kind: Kind, *,  # noqa: PLR0913 (a filter each)
               intention: str | None = None, names: Sequence[str] = (),
               hints: Sequence[str] = (), audience: Audience = "player",
               document: str | None = None, limit: int = PIECES) -> tuple[Found, ...]:
        """The pieces that may answer, the likeliest first."""

    def version(self, campaign: str, kind: Kind | None = None) -> str:
        """A name of what the documents say."""


class CharacterSource:
    """The sheets of a campaign: the asker's, and those of others that the question names."""

    domain: Domain = "character"

    def __init__(self, notes: Callable[[], Notes]) -> None:
        self._notes = notes

    def version(self, question: Question) -> str:
        """A digest of the campaign's sheets."""
        return self._notes().version(question.campaign, "character") if question.campaign \
            else _NOTHING

    def find(self, question: Question, decision: Decision) -> tuple[Evidence, ...]:
        """The pieces of the sheets.

        Of a sheet that is neither the asker's nor named nothing is taken. Where another's is
        named, the asker's counts less, unless it is named too.
        """
        if not question.campaign:
            return ()
        notes = self._notes()
        said = [words(question.text), *(words(one.name) for one in decision.entities)]
        sheets = notes.documents(question.campaign, "character")
        named = {one.id for one in sheets if _is_named(one.title, said)}
        own = {one.id for one in sheets if one.title == question.character}
        return _ranked(
            _of_piece(self.domain, one, OTHERS if named and sheet not in named else 1.0)
            for sheet in sorted(named | own)
            for one in _pieces(notes, "character", question, decision, sheet)
        )


class NotesSource:
    """The notes of a campaign's sessions."""

    domain: Domain = "session_notes"

    def __init__(self, notes: Callable[[], Notes]) -> None:
        self._notes = notes

    def version(self, question: Question) -> str:
        """A digest of the campaign's notes."""
        return self._notes().version(question.campaign, "session") if question.campaign \
            else _NOTHING

    def find(self, question: Question, decision: Decision) -> tuple[Evidence, ...]:
        """The pieces of the notes."""
        if not question.campaign:
            return ()
        found = _pieces(self._notes(), "session", question, decision, None)
        return _ranked(_of_piece(self.domain, one, 1.0) for one in found)


class RulebookSource:
    """The rulebook."""

    domain: Domain = "rulebook"

    def __init__(self, rulebook: Callable[[], Rulebook]) -> None:
        self._rulebook = rulebook

    def version(self, question: Question) -> str:  # noqa: ARG002 (the same for every question)
        """The name of the release."""
        return self._rulebook().fingerprint

    def find(self, question: Question, decision: Decision) -> tuple[Evidence, ...]:
        """The tables and sections that answer; none where nothing reaches the book's floor."""
        answer = self._rulebook().query(
            decision.intention, [one.name for one in decision.entities], decision.context_hints,
            question.text, max_tokens=RULE_TOKENS,
        )
        tables = (
            Evidence(
                id=f"rulebook/table/{number}", domain="rulebook", title=one.title,
                text=one.markdown(), citation=f"{answer.source}, {one.title}",
                relevance=TABLE_RELEVANCE,
            )
            for number, one in enumerate(answer.tables, 1)
        )
        return _ranked((*tables, *map(_of_section, answer.sections)))


class BooksSource:
    """The sources of the library that a campaign is bound to; ``bound`` gives their ids."""

    domain: Domain = "books"

    def __init__(self, library: Callable[[], Library],
                 bound: Callable[[str], Sequence[str]]) -> None:
        self._library, self._bound = library, bound

    def version(self, question: Question) -> str:
        """The release and what of it is bound; '' where nothing is."""
        bound = self._bound(question.campaign) if question.campaign else ()
        return " ".join((self._library().fingerprint, *bound)) if bound else ""

    def find(self, question: Question, decision: Decision) -> tuple[Evidence, ...]:
        """The entries of the bound books that the audience may see."""
        library = self._library()
        there = {one.id for one in library.sources(question.audience)}
        bound = [one for one in self._bound(question.campaign) if one in there]
        if not bound:
            return ()
        named = [one.name for one in decision.entities]
        found = library.ask(
            " ".join((question.text, *_unsaid(question.text, named))), BOOK_ENTRIES,
            sources=bound, audience=question.audience,
        )
        return _ranked(map(_of_book, found.results))


def _pieces(notes: Notes, kind: Kind, question: Question, decision: Decision,
            document: str | None) -> list[Found]:
    """What is found, without what the audience may not see."""
    found = notes.search(
        question.campaign, question.text, kind, intention=decision.intention,
        names=[one.name for one in decision.entities], hints=decision.context_hints,
        audience=question.audience, document=document, limit=PIECES,
    )
    allowed = AUDIENCES[: AUDIENCES.index(question.audience) + 1]
    return [one for one in found if one.piece.audience in allowed]


def _of_piece(domain: Domain, one: Found, share: float) -> Evidence:
    names = dict.fromkeys(mention.name for mention in one.piece.mentions)
    return Evidence(
        id=f"{domain}/{one.document}/{one.piece.id}", domain=domain, title=one.piece.title,
        text=one.piece.text, citation=one.citation, relevance=one.relevance * share,
        names=tuple(names), session=one.number, date=one.date,
    )


def _of_section(one: RetrievedSection) -> Evidence:
    return Evidence(
        id=f"rulebook/{one.section.id}", domain="rulebook", title=one.section.title,
        text=one.content, citation=str(one.citation), relevance=one.relevance,
        names=(one.section.title,),
    )


def _of_book(one: BookResult) -> Evidence:
    page = f", p. {one.extract_page or one.page}" if one.extract_page or one.page else ""
    place = "/".join(map(title_key, (*one.path, one.title)))
    return Evidence(
        id=f"books/{one.source_id}/{place}@{one.counted_page or 0}", domain="books",
        title=one.title, text=one.text, citation=f"{one.source}, {one.title}{page}",
        relevance=one.relevance, names=(one.title,),
    )


def _is_named(title: str, said: Sequence[Sequence[str]]) -> bool:
    """Whether a character is named, in full or by its first name."""
    name = words(title)
    return any(stands_in(name, one) or stands_in(name[:1], one) for one in said)


def _unsaid(text: str, names: Sequence[str]) -> list[str]:
    said = words(text)
    return [one for one in names if not stands_in(words(one), said)]


def _ranked(found: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Evidence by (-relevance, id), each once and only where it says something."""
    unique: dict[str, Evidence] = {}
    for one in sorted(found, key=lambda one: (-one.relevance, one.id)):
        if one.text.strip():
            unique.setdefault(one.id, one)
    return tuple(unique.values())
