"""One campaign's sheets and notes as one collection: indexed, asked, and each piece scored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np

from ..errors import SessionsError
from ..retrieval import ranking
from ..retrieval.collection import Collection, SearchRequest, standard
from ..retrieval.columns import Columns
from ..retrieval.dense import DenseLane
from ..retrieval.encoder import Encoder
from ..retrieval.index import (
    HybridIndex,
    LexicalLane,
    Passage,
    VectorCache,
    passage_terms,
    spans_of,
)
from ..retrieval.windows import windows
from ..text.languages import Language, language, recognised
from ..text.names import distinct_words, stands_in, title_key, words
from ..text.normalising import clean, terms
from ..text.spelling import Spelling
from ..types import Audience, audiences_of
from .characters.pieces import ALL
from .characters.reading import FIELD_NAMES
from .describing import described, meant
from .intentions import NOTE_PARTS, parts_of
from .notes.numbering import dates_in, numbers_in, without_numbers
from .types import CampaignDocument, CampaignPiece, FoundPieces, Kind, KnownName, PieceHit

EXACT_WINDOWS: Final = 200_000
"""Up to so many windows all are compared: to make sketches takes longer than they save."""
TELLING: Final = 2_000
"""The pieces by which the language of a campaign is told."""
READ_CHARS: Final = 2_000
"""How much of a question is read."""
HEADING_WEIGHT: Final = 1
_LATEST: Final = re.compile(
    r"\b(?:last|latest|previous|most recent)\s+(?:session|time|game|week)\b|\blast\s+night\b",
    re.IGNORECASE,
)
PLACE: Final = "place"
STATUS: Final = "status"
"""What a question may ask for: where the party is, and whether what is named can be used."""
_ANSWERS: Final = {
    PLACE: ("location",), "where": ("location",),
    "who": ("player_character", "non_player_character"),
}
"""The types of names that a question asks for, by what it asks for or by its first word."""
_PAST: Final = re.compile(r"\b(?:did|was|were|had|been|ago|last|before|first|[a-z]{2,}ed)\b",
                          re.IGNORECASE)
"""What a question about the past has; other questions without a name are of how things stand."""
WHETHER: Final = re.compile(
    r"(?:^|[,;:.-])\W*(?:(?:so|and|ok|hey|but)\W+)?(?:(?:can|could|may|do|does|am|is|are|have|has|"
    r"got)\b(?! (?:my|the|an?|it|this|that)\b)|how (?:many|much|often)\b(?=.*\b(?:left|have|got|"
    r"remain\w*|more|again|still)\b))", re.IGNORECASE)
"""How a question begins that asks whether, or how much of it, somebody has or can something."""
_STANDS: Final = frozenset({
    None, "character_status", "quest_tracking", "item_tracking", "location_details",
    "party_dynamics", "future_implications", "unresolved_mysteries", "event_sequence", "npc_info",
})
"""The intentions of questions that may be of how things stand."""
_LAST: Final = ("cliffhanger",)
"""The parts of the last notes that say how things stand."""


@dataclass(frozen=True, slots=True)
class PieceWeights(ranking.Weights):
    """The ranker's weights for sheets and notes; the context are the terms of hints.

    ``now`` is what a piece gains that says how things stand, where the question asks that,
    ``named`` one that has all names of the question, ``part`` one that stands
    where the intention's answers usually do (``sheet_part`` on a sheet, whose parts say more),
    ``field`` one of a sheet that has a field of the name that the question says; ``whole`` is for
    what names all of a list, or says who somebody is, where the question names nothing; ``recent``
    one of the last session before one of the first, ``session`` one of a session that the question
    names.
    """

    context: float = 0.25
    now: float = 0.3
    named: float = 0.2
    part: float = 0.08
    sheet_part: float = 0.5
    field: float = 1.5
    whole: float = 0.5
    recent: float = 0.03
    session: float = 0.3


class CampaignIndex:
    """The documents of a campaign as one audience may see them; nothing of it changes.

    Of what others may see nothing is in it, so that no score, spelling or count tells of it.
    Thread-safe. ``collection`` has their pieces, those of a kind under the type
    ``campaign/kind``; ``numbers`` are the pieces' own in it, in the order of the documents. Of what
    else it finds nothing is told: a collection may be shared.
    """

    def __init__(self, campaign: str, documents: Sequence[CampaignDocument],
                 names: Sequence[KnownName],
                 encoder: Encoder, collection: Collection | None, numbers: Sequence[int]) -> None:
        self.campaign, self.documents = campaign, tuple(documents)
        self.known, self._encoder = tuple(names), encoder
        self.weights = PieceWeights()
        self._collection = collection
        self._pieces = dict(zip(numbers, pieces_of(self.documents), strict=True))
        numbered = sorted({row.number for row in self.documents if row.number is not None})
        dated = sorted({row.date for row in self.documents if row.number is None and row.date})
        played: list[float | date] = [*numbered, *dated]
        self._order = {when: at for at, when in enumerate(played, 1)}

    @classmethod
    def local(cls, campaign: str, documents: Sequence[CampaignDocument],
              entities: Sequence[KnownName],
              encoder: Encoder, *, texts: Sequence[Sequence[str]], cache: VectorCache,
              lexical: LexicalLane | None = None) -> CampaignIndex:
        """The index in this process.

        ``texts`` are those of each piece (:func:`texts_of`), ``cache`` has what is encoded already;
        ``lexical`` is the lane of these pieces, where it was built before.
        """
        pieces = pieces_of(documents)
        if not pieces:
            return cls(campaign, documents, entities, encoder, None, ())
        owners = [number for number, own in enumerate(texts) for _ in own]
        vectors, keys = cache.encode([*chain.from_iterable(texts)])
        index = HybridIndex(
            lexical or lexical_lane(documents),
            DenseLane.build(vectors, owners, keys, len(pieces), EXACT_WINDOWS),
            Columns([standard(document.id, piece.audience) for document, piece in pieces]),
            spans_of(f"{campaign}/{document.kind}" for document, _ in pieces),
        )
        return cls(campaign, documents, entities, encoder, index, range(len(pieces)))

    def search(self, question: str, kind: Kind, *,  # noqa: PLR0913 (a filter each)
               intention: str | None, names: Sequence[str], hints: Sequence[str],
               audience: Audience, document: str | None, limit: int, asks: str = "",
               ) -> FoundPieces:
        """The pieces that answer, by (-relevance, place): :meth:`.SessionNotes.search`."""
        text, _ = self._spelling.read(clean(question)[:READ_CHARS])
        if self._collection is None or not words(text):
            return FoundPieces()
        plain = without_numbers(text)
        plain = plain if words(plain) else text
        fields = self._fields_in(f" {' '.join(words(question))} , {' '.join(words(text))} ", asks)
        whether = asks == STATUS or WHETHER.search(text)
        names = [*dict.fromkeys((*names, *meant(text, self._described)))]
        keys = {*map(title_key, names)} if whether else set[str]()
        unsaid = [name for name in names if not stands_in(words(name), words(text))]
        query = ranking.ParsedQuery(
            " ".join((plain, *unsaid)),
            terms=tuple(terms(" ".join((plain, *names)), self._language)),
            context=tuple(terms(" ".join(hints), self._language)),
        )
        ranked = ranking.rank(
            query, ranking.understand(lambda text: self._encoder.encode([text])[0], query.text),
            self._collection, self.weights,
            [self._signal(text, {*map(title_key, names)}, fields,
                          (*(() if asks == PLACE else parts_of(kind, intention)),
                           *_answering(text, asks)),
                          here=asks == PLACE, stands=asks == PLACE or intention in _STANDS)],
            request=SearchRequest((f"{self.campaign}/{kind}",), audience=audience),
        )
        ours = [
            row for row, number in enumerate(ranked.numbers.tolist())
            if number in self._pieces and document in {None, self._pieces[number][0].id}
        ]
        best = ranked.take(np.array(ours[:limit], np.int64))
        pieces = FoundPieces(
            self._hit(number, relevance, fields, keys) for number, relevance
            in zip(best.numbers.tolist(), best.relevance.tolist(), strict=True)
        )
        pieces.lanes_failed = ranked.failed
        return pieces

    def _hit(self, number: int, relevance: float, fields: frozenset[str],
             names: AbstractSet[str]) -> PieceHit:
        document, piece = self._pieces[number]
        own = names and title_key(piece.title) in names
        status = tuple(fact.text for fact in piece.facts if own and fact.status)
        return PieceHit(
            document.kind, document.id, document.title, piece, round(relevance, 4),
            document.number, status or _facts(piece, fields), document.origin,
        )

    @cached_property
    def _language(self) -> Language:
        return language_of(self.documents)

    @cached_property
    def _described(self) -> Mapping[str, str]:
        return described(piece for _, piece in self._pieces.values())

    @cached_property
    def _spelling(self) -> Spelling:
        names = [name for entity in self.known for name in (entity.name, *entity.aliases)]
        return Spelling(
            distinct_words(piece.text for _, piece in self._pieces.values()),
            sorted({word for name in names for word in words(name) if word.isalpha()}),
        )

    @cached_property
    def _field_names(self) -> frozenset[str]:
        """What fields and blocks of the sheets are called."""
        pieces = [piece for _, piece in self._pieces.values() if piece.facts]
        names = {name for piece in pieces for fact in piece.facts for name in fact.names}
        names |= {_block(piece) for piece in pieces}
        return frozenset(names - {""})

    def _fields_in(self, text: str, asks: str) -> frozenset[str]:
        """The fields that are asked for, or named in words: of "armor class" not "class" too."""
        fields = {title_key(asks)}
        for name in sorted(self._field_names | FIELD_NAMES,
                           key=lambda name: (-name.count(" "), name)):
            for form in (f" {name} ", f" {name.replace(' ', '')} "):
                if form in text:
                    fields.add(name)
                    text = text.replace(form, " , ")
        return self._field_names & fields

    def _signal(self, text: str, names: AbstractSet[str], fields: frozenset[str],
                parts: Sequence[str], *, here: bool, stands: bool) -> ranking.Signal:
        """What pieces gain by names, part, fields, session and age; all of it is evidence.

        ``here`` is where the party's place is asked for: where the last notes have no part that
        says so, any of it does. ``stands`` is where the question is of how something stands.
        """
        sessions: set[float | date] = {*numbers_in(text), *dates_in(text)}
        now = stands and not (names or sessions) and (here or not _PAST.search(text))
        last = [*self._order][-1:]
        if here and last and not any(
                piece.part in parts for document, piece in self._pieces.values()
                if document.kind == "session" and _played(document) in last):
            parts = (*parts, *NOTE_PARTS)
        if _LATEST.search(text) or (here and now):
            sessions |= {*last}

        def gain(number: int) -> float:
            if number not in self._pieces:
                return 0.0  # another campaign's, which is left out
            document, piece = self._pieces[number]
            weights, total = self.weights, 0.0
            if names:
                mentioned = {title_key(mention.name) for mention in piece.mentions}
                total += weights.named * len(names & mentioned) / len(names)
            if piece.part in parts:
                total += weights.sheet_part if document.kind == "character" else weights.part
                if not names and (piece.id == "base" or piece.id.endswith(f"/{ALL}")):
                    total += weights.whole
            if fields and piece.facts:
                total += weights.field * (bool(_facts(piece, fields)) + (_block(piece) in fields))
            if (played := _played(document)) is not None:
                total += weights.recent * self._order[played] / len(self._order)
                total += weights.session * bool(sessions & {played, document.date})
            if now and document.kind == "session" and piece.part in parts:
                total += weights.now * (bool(document.origin) or [played] == last)
            return total

        return ranking.Signal("notes", lambda numbers: np.array(
            [gain(number) for number in numbers.tolist()], np.float32
        ))


def _played(document: CampaignDocument) -> float | date | None:
    return document.date if document.number is None else document.number


def _answering(text: str, asks: str) -> tuple[str, ...]:
    """The parts of notes that name what a question asks for: "where", a location."""
    types = {type_ for word in (*words(text)[:1], asks) for type_ in _ANSWERS.get(word, ())}
    parts = tuple(key for key, part in NOTE_PARTS.items() if part.get("names") in types)
    return (*parts, *_LAST) if "location" in types else parts


def _facts(piece: CampaignPiece, fields: frozenset[str]) -> tuple[str, ...]:
    """The fields of a piece that have one of these names, all of a block of one, as told."""
    own = not any(name for fact in piece.facts for name in fact.names) and _block(piece) in fields
    return tuple(fact.text for fact in piece.facts if own or fields.intersection(fact.names))


def _block(piece: CampaignPiece) -> str:
    """What a block of fields is called: "saves"; '' for the summary, whose title is a name."""
    return "" if piece.id == "base" else title_key(piece.title.rsplit(", ", 1)[-1])


def lexical_lane(documents: Sequence[CampaignDocument]) -> LexicalLane:
    """The words of each piece of documents."""
    written_in = language_of(documents)
    return LexicalLane.build([passage_terms(passage_of(*piece), HEADING_WEIGHT, written_in)
                              for piece in pieces_of(documents)])


def language_of(documents: Sequence[CampaignDocument]) -> Language:
    """What the notes and sheets are written in; of many pieces some tell."""
    pieces = pieces_of(documents)
    step = max(1, len(pieces) // TELLING)
    return language(recognised(piece.text for _, piece in pieces[::step]))


def passage_of(document: CampaignDocument, piece: CampaignPiece) -> Passage:
    """What is indexed of a piece."""
    part = (piece.part.replace("_", " "),) if document.kind == "character" else ()
    return Passage(f"{document.kind}/{document.id}/{piece.id}",
                   (document.title, *part, piece.title), piece.text)


def texts_of(document: CampaignDocument, encoder: Encoder) -> list[list[str]]:
    """The texts that are encoded of each piece of a document, at least one each."""
    passages = (passage_of(document, piece) for piece in document.pieces)
    return [windows(passage.heading, passage.text, encoder) for passage in passages]


def seen_by(audience: Audience, documents: Sequence[CampaignDocument],
            entities: Sequence[KnownName],
            ) -> tuple[tuple[CampaignDocument, ...], tuple[KnownName, ...]]:
    """Documents and names as far as an audience may see them; of others nothing is left."""
    allowed = audiences_of(audience, SessionsError)
    rows = (replace(row, pieces=tuple(piece for piece in row.pieces if piece.audience in allowed))
            for row in documents)
    return (tuple(document for document in rows if document.pieces),
            tuple(entry for entry in entities if entry.audience in allowed))


def pieces_of(documents: Sequence[CampaignDocument]) -> list[tuple[CampaignDocument,
                                                                   CampaignPiece]]:
    """The pieces of documents in their order, each with its document."""
    return [(document, piece) for document in documents for piece in document.pieces]
