"""Values of characters and session notes: what is kept, what is indexed of it, what is found."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from ..errors import SessionsError
from ..types import Audience, RefusedFile

Kind = Literal["character", "session"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MAX_PIECES: Final = 5_000
"""Pieces of a file: each is encoded, which takes some milliseconds."""


def too_many(file: str) -> SessionsError:
    """The error of a file that has more than :data:`MAX_PIECES`."""
    return SessionsError(f"{file} has more than {MAX_PIECES:,} items and paragraphs, the most that "
                         "are kept of a file: split it, or join what belongs together")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that a piece of a sheet or of notes is about or has in it.

    ``name`` is the name in full, the same wherever it stands ("Mayor Edda Crane"), ``type`` one of
    the domain's types of entities.
    """

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A field of a sheet as it is told, key and value together ("armor class: 12").

    ``names`` are what people call the field, in the form of :func:`.title_key`. A ``status`` says
    how the thing stands now: whether a spell can be cast, how many uses a feature has left.
    """

    names: tuple[str, ...]
    text: str
    status: bool = False


@dataclass(frozen=True, slots=True)
class CampaignPiece:
    """A piece of a sheet or of a session's notes: what is indexed, printed and cited.

    ``id`` is unique in its document and stays the same while its text does
    (``spell_list/fireball``, ``key_events/2``). ``part`` is the part it stands in, ``title`` what
    heads it; ``text`` is readable by itself. ``lines`` are the 1-based inclusive lines of the
    notes' file; None on a sheet. ``facts`` are the fields that a piece of a sheet is made of; ()
    for a thing with a name and for what is told.
    """

    id: str
    part: str
    title: str
    text: str
    audience: Audience = "player"
    mentions: tuple[Mention, ...] = ()
    lines: tuple[int, int] | None = None
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownName:
    """Something that a campaign knows by name: who or what, and where it is named.

    ``aliases`` are other names and spellings that were taken for it. ``audience`` is who may know
    of it: dm where only what is for the DM names it. ``sessions`` are the numbers of the sessions
    that name it, ascending; () for what stands on a sheet alone.
    """

    name: str
    type: str
    aliases: tuple[str, ...] = ()
    audience: Audience = "player"
    sessions: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignDocument:
    """A character or a session's notes, read: ready to be indexed.

    ``id`` is unique among the campaign's documents of its kind (``ilse-varn``, ``session-3``),
    ``title`` what people call it. ``number`` (3, or half a session 3.5) and ``date`` are a
    session's; notes without a number have the ``path`` of their file. ``source`` is what is kept: a
    sheet as JSON, notes as they were written. ``warnings`` are for whoever imports it. ``origin``
    is what a document is cited as beside its title that nobody imported.
    """

    id: str
    kind: Kind
    title: str
    pieces: tuple[CampaignPiece, ...]
    source: str
    number: float | None = None
    date: datetime.date | None = None
    known: tuple[KnownName, ...] = ()
    warnings: tuple[str, ...] = ()
    path: str = ""
    origin: str = ""


class ImportedDocuments(tuple[CampaignDocument, ...]):
    """What was imported; ``refused`` are the other files."""

    refused: tuple[RefusedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class PieceHit:
    """A piece that answers, with where it stands.

    ``relevance`` is the chance that it answers, in [0, 1]. ``fields`` are the texts of the facts
    that the question asks for.
    """

    kind: Kind
    document: str
    title: str
    piece: CampaignPiece
    relevance: float
    number: float | None = None
    fields: tuple[str, ...] = ()
    origin: str = ""

    @property
    def citation(self) -> str:
        """Where it stands, for people."""
        parts = (self.title, self.piece.title, self.origin)
        return ", ".join(dict.fromkeys(filter(None, parts)))


class FoundPieces(tuple[PieceHit, ...]):
    """What was found, the likeliest first; ``lanes_failed`` has the lanes that it lacks.

    ``damaged`` tells of each document that could not be read, why, and what mends it.
    """

    lanes_failed: Mapping[str, str] = MappingProxyType({})
    damaged: tuple[str, ...] = ()
