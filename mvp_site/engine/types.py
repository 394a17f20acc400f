"""Values of the engine: decisions of routers, evidence of domains, the context, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from ..types import Audience

Domain = Literal["character", "rulebook", "session_notes", "books"]
DOMAINS: Final[tuple[Domain, ...]] = ("character", "rulebook", "session_notes", "books")
MAX_HINTS: Final = 3


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity that a question names: ``name`` as it is known where it is, else as it was said.

    ``type`` is one of the domain's types of entities; ``confidence`` is in [0, 1].
    """

    name: str
    type: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Decision:
    """What a router says of one domain (design 5, router input specifications).

    ``confidence`` in [0, 1] is how sure ``is_needed`` is. ``intention`` is None where the domain is
    not needed, or has no intentions (books); ``likely`` are intentions in order, that one first.
    ``asks`` is what of the domain is asked for, where it is one of the usual things ("armor
    class"). ``by`` says who decided: ``local``, or the name of a model.
    """

    domain: Domain
    is_needed: bool
    confidence: float
    intention: str | None = None
    entities: tuple[NamedEntity, ...] = ()
    context_hints: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    by: str = "local"
    asks: str = ""

    @property
    def chance(self) -> float:
        """The chance, in [0, 1], that the domain is needed."""
        return self.confidence if self.is_needed else 1 - self.confidence


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the engine asks its parts: whose character, which campaign, who may know.

    ``campaign`` is '' where there is none; ``character`` is the name in full, '' for nobody.
    """

    text: str
    character: str = ""
    campaign: str = ""
    audience: Audience = "player"


Length = Literal["short", "normal", "long"]


@dataclass(frozen=True, slots=True)
class Style:
    """How an answer is told: its length, and the ``traits`` in whose voice; () for plainly."""

    length: Length = "normal"
    traits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage of one domain that may answer.

    ``id`` is unique over all domains and begins with the domain
    (``session_notes/session-3/npcs/1``). ``names`` are the names of what it is about, as people
    write them. ``relevance`` is the chance that it answers, in [0, 1]. ``session`` is of notes.
    ``facts`` are the fields of a sheet that the text is made of, key and value each, and
    ``fields`` those of them that the question asks for.
    """

    id: str
    domain: Domain
    title: str
    text: str
    citation: str
    relevance: float
    names: tuple[str, ...] = ()
    session: float | None = None
    facts: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundEvidence:
    """Evidence of a domain; ``lacks`` is what of it could not be asked and why, '' for nothing."""

    pieces: tuple[Evidence, ...] = ()
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that failed on the way: where (a router, a domain, the final call), and why.

    ``why`` is for whoever runs the game; ``told`` may be shown to players.
    """

    where: str
    why: str
    told: str


@dataclass(frozen=True, slots=True)
class Relation:
    """Evidence of several domains about the same thing: its name, and the ids of the evidence."""

    name: str
    evidence: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """The evidence that an answer rests on, within a budget (design 5).

    ``evidence`` are the passages that are printed, in order, numbered from 1 by their place;
    ``left_out`` those that did not fit. ``notes`` say how they go together, one for each of
    ``relations``. ``tokens`` are the o200k tokens of what is printed. ``confidence`` is in [0, 1]
    and follows from the first evidence, not from what a model looked up.
    """

    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]
    confidence: float
    left_out: tuple[Evidence, ...] = ()
    relations: tuple[Relation, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer with the ids of the evidence that it cites."""

    text: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with what it rests on.

    ``text`` is readable by itself, with citations. ``evidence`` is what was printed, ``decisions``
    one for each domain, ``timings`` seconds by stage. ``errors`` is what failed and was done
    without. ``tokens`` and ``confidence`` are those of the :class:`AssembledContext`. ``by`` is the
    model that wrote the text, ``evidence`` where none did. ``id`` names the stored routing, ''
    where none is stored.
    """

    question: Question
    text: str
    sentences: tuple[CitedSentence, ...]
    evidence: tuple[Evidence, ...]
    decisions: tuple[Decision, ...]
    confidence: float
    relations: tuple[Relation, ...] = ()
    left_out: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    errors: tuple[Failure, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    tokens: int = 0
    by: str = "evidence"
    attribution: str = ""
    id: str = ""


class Router(Protocol):
    """Decides for one domain at a time. Safe to use from several threads and event loops."""

    name: str

    async def decide(self, domain: Domain, question: Question) -> Decision | None:
        """Whether the domain is needed, and what it is asked; None leaves it to the next router.

        Raises:
            ModelError: the model gave no answer.
            RouterError: what it answered is no decision.
        """


class DomainSource(Protocol):
    """One domain as the engine asks it. Thread-safe."""

    domain: Domain

    @property
    def attribution(self) -> str:
        """Whose text its evidence is, as its licence wants it said; '' for nothing."""

    def version(self, question: Question) -> str:
        """What its answers follow from: another version may answer otherwise."""

    def find(self, question: Question, decision: Decision) -> FoundEvidence:
        """The evidence that may answer, the likeliest first; only what the audience may see.

        Raises:
            MvpSiteError: it cannot be asked.
        """
