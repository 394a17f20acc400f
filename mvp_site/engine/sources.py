"""The domains as the engine asks them: sheets, notes of sessions, the rulebook, bound books.

Each is handed in as a call that gives it, opened by the first question that needs it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from ..errors import EngineError
from ..library.library import Library
from ..rulebook.rulebook import Rulebook
from ..sessions.session_notes import SessionNotes
from ..sessions.types import FoundPieces, Kind, PieceHit
from ..text.names import stands_in, title_key, words
from ..types import audiences_of
from .gazetteer import type_of
from .types import Decision, Domain, Evidence, FoundEvidence, Question

T = TypeVar("T")
PIECES: Final = 120
"""How many pieces of a sheet, and of notes, are looked at."""
BOOK_ENTRIES: Final = 10
RULE_TOKENS: Final = 6_000
TABLE_RELEVANCE: Final = 0.9
"""A table that the rulebook made for the question answers it, wherever its rows stood."""
CLASSES_OWN: Final = 0.5
"""What a class's feature counts beside the rule of the same name, where no class is named."""
UNNAMED: Final = 0.5
"""What the asker's own sheet counts where the question names another's."""


class Lazy(Generic[T]):
    """A part that the first call opens unless it is given; what fails, the next call tries again.

    Who opens a part closes it. ``part`` is what is open, None before.
    """

    def __init__(self, opens: Callable[[], T], given: T | None = None) -> None:
        self._opens, self.part, self._own = opens, given, given is None
        self._lock = threading.Lock()

    def __call__(self) -> T:
        """The part."""
        with self._lock:
            if self.part is None:
                self.part = self._opens()
            return self.part

    def close(self) -> None:
        """Close what was opened here."""
        part: Any = self.part
        if self._own and part is not None:
            part.close()


class CampaignDocumentsSource:
    """A campaign's documents of one kind: sheets, as ``character``, or ``session_notes``.

    Of sheets the asker's is searched, and those of others that the question names; where there is
    neither, all.
    """

    attribution = ""

    def __init__(self, domain: Domain, notes: Callable[[], SessionNotes]) -> None:
        self.domain: Domain = domain
        self._kind: Kind = "character" if domain == "character" else "session"
        self._notes = notes

    def version(self, question: Question) -> str:
        """A digest of the documents; '-' without a campaign: it is routed, and finds nothing."""
        return self._notes().version(question.campaign, self._kind) if question.campaign else "-"

    def find(self, question: Question, decision: Decision) -> FoundEvidence:
        """The pieces that may answer; none without a campaign."""
        if not question.campaign:
            return FoundEvidence()
        notes = self._notes()
        shares: dict[str | None, float] = {None: 1.0}
        if self._kind == "character":
            phrases = [words(question.text), *(words(entity.name) for entity in decision.entities)]
            sheets = notes.sheets(question.campaign)
            shares = {document.id: 1.0 for document in sheets if _is_named(document.title, phrases)}
            unnamed = UNNAMED if shares else 1.0
            shares |= {document.id: shares.get(document.id, unnamed) for document in sheets
                       if document.title == question.character}
            shares = shares or {listed_document.id: 1.0 for listed_document in sheets}
        allowed = audiences_of(question.audience, EngineError)
        hits = {document: notes.search(
            question.campaign, question.text, self._kind, intention=decision.intention,
            names=[named.name for named in decision.entities], hints=decision.context_hints,
            asks=decision.asks,
            audience=question.audience, document=document, limit=PIECES,
        ) for document in shares}
        first = next(iter(hits.values()), FoundPieces())
        return _ranked((
            _of_piece(self.domain, hit, share) for document, share in shares.items()
            for hit in hits[document] if hit.piece.audience in allowed
        ), first.lanes_failed, first.damaged)


class RulebookSource:
    """The rulebook."""

    domain: Domain = "rulebook"

    def __init__(self, rulebook: Callable[[], Rulebook]) -> None:
        self._rulebook = rulebook

    @property
    def attribution(self) -> str:
        """Whose text the rules are."""
        return self._rulebook().attribution

    def version(self, _: Question) -> str:
        """The release's fingerprint."""
        return self._rulebook().fingerprint

    def find(self, question: Question, decision: Decision) -> FoundEvidence:
        """The tables and sections that answer; none where nothing reaches the book's floor."""
        answer = self._rulebook().query(
            decision.intention, [row.name for row in decision.entities], decision.context_hints,
            question.text, max_tokens=RULE_TOKENS,
        )
        types = {row.section.id: type_of(row.section) for row in answer.sections}
        general = {row.section.title for row in answer.sections
                   if types[row.section.id] != "feature"}
        classes = any(row.type in {"class", "subclass"} for row in decision.entities)
        return _ranked((
            *(Evidence(
                f"rulebook/table/{number}", "rulebook", table.title, table.markdown(),
                f"{answer.source}, {table.title}", TABLE_RELEVANCE,
            ) for number, table in enumerate(answer.tables, 1)),
            *(Evidence(
                f"rulebook/{row.section.id}", "rulebook", row.section.title, row.content,
                str(row.citation), row.relevance * (CLASSES_OWN if not classes
                    and types[row.section.id] == "feature" and row.section.title in general else 1),
                (row.section.title,),
            ) for row in answer.sections),
        ), answer.lanes_failed)


class BooksSource:
    """The sources of the library that a campaign is bound to; ``bound`` gives their ids."""

    domain: Domain = "books"
    attribution = ""

    def __init__(self, library: Callable[[], Library],
                 bound: Callable[[str], Sequence[str]]) -> None:
        self._library, self._bound = library, bound

    def version(self, question: Question) -> str:
        """The release and what of it is bound; '' where nothing is."""
        bound = self._bound(question.campaign) if question.campaign else ()
        return " ".join((self._library().fingerprint, *bound)) if bound else ""

    def find(self, question: Question, decision: Decision) -> FoundEvidence:
        """The entries of the bound books that the audience may see."""
        library, bound = self._library(), self._bound(question.campaign)
        missing = set(bound).difference(library_source.id for library_source in library.sources())
        lacking = [f"the library has no {row} any more: mvp-site library scan" for row in missing]
        bound = [source.id for source in library.sources(question.audience) if source.id in bound]
        if not bound:
            return _ranked((), {}, lacking)
        tokens = words(question.text)
        unsaid = [row.name for row in decision.entities if not stands_in(words(row.name), tokens)]
        hits = library.ask(" ".join((question.text, *unsaid)), BOOK_ENTRIES, sources=bound,
                            audience=question.audience)
        return _ranked((
            Evidence(
                f"books/{row.source_id}/{'/'.join(map(title_key, (*row.path, row.title)))}"
                f"@{row.counted_page or 0}", "books", row.title, row.text,
                f"{row.source}, {row.title}" + (f", p. {page}" if page else ""), row.relevance,
                (row.title,),
            )
            for row in hits.results for page in (row.extract_page or row.page,)
        ), hits.lanes_failed, sorted(lacking))


def _of_piece(domain: Domain, hit: PieceHit, share: float) -> Evidence:
    title = hit.piece.title or hit.piece.part.replace("_", " ").capitalize()
    return Evidence(
        f"{domain}/{hit.document}/{hit.piece.id}", domain,
        title if hit.number is None else f"Session {hit.number}, {title}", hit.piece.text,
        hit.citation, hit.relevance * share,
        tuple(dict.fromkeys(mention.name for mention in hit.piece.mentions)), hit.number,
        tuple(fact.text for fact in hit.piece.facts), hit.fields,
    )


def _is_named(title: str, phrases: Sequence[Sequence[str]]) -> bool:
    """Whether a character is named, in full or by its first name."""
    return any(stands_in(words(title)[:1], phrase) for phrase in phrases)


def _ranked(pieces: Iterable[Evidence], lanes_failed: Mapping[str, str],
            damaged: Iterable[str] = ()) -> FoundEvidence:
    """Evidence by (-relevance, id), each once and only where it says something; what it lacks."""
    unique: dict[str, Evidence] = {}
    for piece in sorted(pieces, key=lambda piece: (-piece.relevance, piece.id)):
        if piece.text.strip():
            unique.setdefault(piece.id, piece)
    return FoundEvidence(tuple(unique.values()), "; ".join((
        *damaged, *(f"the {lane} lane failed ({why})" for lane, why in lanes_failed.items())
    )))
