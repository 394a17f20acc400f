"""A question to everything at once: a character's sheet, the rules, past sessions, bound books.

A player is told what failed but not why, and learns of no campaign that was not named.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Final

from pydantic import Field

from ..engine.central_engine import MAX_TOKENS
from ..engine.citations import evidence_numbers
from ..engine.gazetteer import HELPERS
from ..engine.types import Answer, Decision, Domain, Failure, Length
from ..errors import EngineError, InvalidRequestError, MvpSiteError, UnknownCharacterError
from ..formats.export_fields import MAX_NAME
from ..rulebook.rulebook import MIN_TOKENS
from ..text.typos import near
from .entities import MAX_QUERY
from .library import AskAudience
from .operation import declared
from .requests import NOT_BLANK, CampaignId, Flag, OperationRequest, Whole, view
from .rulebook import MOST_TOKENS
from .services import Services

_MARK: Final = re.compile(r"\s?\[\d+(?:\s*[,;]\s*\d+)*\]")


@dataclass(frozen=True, slots=True)
class Ask(OperationRequest):
    """A question, whose it is, and for which campaign."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY, pattern=NOT_BLANK)]
    """The question, in your own words."""
    character: Annotated[str, Field(max_length=MAX_NAME)] = ""
    """Whose question it is: a character by name; small typos are forgiven."""
    campaign: CampaignId | None = None
    """The campaign; may be left out where one alone has the character."""
    audience: AskAudience = "player"
    max_tokens: Annotated[Whole, Field(ge=MIN_TOKENS, le=MOST_TOKENS)] = MAX_TOKENS
    """The budget of the evidence in o200k tokens."""
    length: Length | None = None
    """How long the answer is; as the settings say where it is left out."""
    voice: Flag | None = None
    """Whether a model answers in the character's voice; as the settings say where left out."""


@dataclass(frozen=True, slots=True)
class Uncorrection(OperationRequest):
    """A correction that is taken back."""

    routing: Annotated[str, Field(
        min_length=1, max_length=100, description="The answer's `routing`.")]
    domain: Annotated[Domain, Field(description="The domain that was routed wrongly.")]


@dataclass(frozen=True, slots=True)
class Correction(Uncorrection):
    """What a router should have said of one domain."""

    needed: Flag = False
    """Whether the question needs the domain."""
    intention: Annotated[str, Field(max_length=MAX_NAME)] | None = None
    """What it should be asked, where it is needed."""


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of an answer with the numbers of its evidence, which its text leaves out."""

    text: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """A passage that the answer rests on."""

    number: int
    id: str
    domain: Domain
    title: str
    text: str
    citation: str


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """An answer with what it rests on, what was left out, and how it came about.

    ``relations`` are what several domains say of one thing, ``left_out`` citations of what did not
    fit, ``notes`` what is to be known beside the errors, whose ``why`` is '' for who has not the DM
    token. ``by`` is the model that wrote the text, ``evidence`` where the text is the evidence
    itself; ``timings`` are seconds by stage, and ``routing`` names the decisions to be corrected.
    """

    query: str
    character: str
    campaign: str
    text: str
    sentences: tuple[AnswerSentence, ...]
    evidence: tuple[AnswerEvidence, ...]
    decisions: tuple[Decision, ...]
    confidence: float
    relations: tuple[AnswerSentence, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    errors: tuple[Failure, ...]
    timings: dict[str, float]
    tokens: int
    by: str
    attribution: str
    routing: str

    def said(self) -> tuple[AnswerSentence, ...]:
        """The sentences, but for what relations, notes and evidence say, and headings of those."""
        elsewhere = {f"- {relation.text}" for relation in self.relations}
        elsewhere |= {f"- {piece.citation}" for piece in self.evidence}
        elsewhere |= {f"Note: {note}" for note in self.notes}
        elsewhere |= {f"Note: {failure.told}" for failure in self.errors}
        sentences = [sentence for sentence in self.sentences if sentence.text not in elsewhere]
        following = [*(answer_sentence.text[:1] for answer_sentence in sentences[1:]), "#"]
        return tuple(sentence for sentence, after in zip(sentences, following, strict=False)
                     if (sentence.text[:1], after) != ("#", "#"))

    def cited(self) -> frozenset[int]:
        """The numbers of the evidence that sentences and relations cite."""
        return frozenset(at for row in (*self.said(), *self.relations) for at in row.evidence)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A correction that is kept."""

    routing: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class ListCorrections(OperationRequest):
    """The campaign whose corrections are listed."""

    campaign: CampaignId


@dataclass(frozen=True, slots=True)
class KeptCorrection:
    """A corrected question: what was decided of a domain, and what should have been.

    An intention is '' for nothing in particular, and null where the domain is not needed.
    """

    routing: str
    query: str
    domain: Domain
    decided: str | None
    corrected: str | None


@dataclass(frozen=True, slots=True)
class KeptCorrections:
    """A campaign's corrections, the newest first, and what they are worth.

    ``before`` is the share in [0, 1] of the corrected questions that the router decides rightly as
    it is shipped, ``after`` that with all corrections but the question's own. ``refitted`` says
    whether the router was fitted anew with them, which begins at twenty.
    """

    campaign: str
    corrections: tuple[KeptCorrection, ...]
    before: float
    after: float
    refitted: bool


@declared("ask", needs=lambda call: () if call.audience == "player" else (
    f"audience {call.audience!r}",))
def _ask(services: Services, request: Ask, entitled: bool) -> EngineAnswer:
    """Ask a character's sheet, the rules, past sessions and books together."""
    try:
        if not (services.has_campaigns() or services.has_rules()):
            raise EngineError(
                f"there is nothing to ask in {services.settings.mvp_site_data_dir}: neither a "
                "campaign (mvp-site sessions import CAMPAIGN FILE, or --sample) nor a rulebook "
                "(mvp-site rulebook build); or set MVP_SITE_DATA_DIR to the folder that has them"
            )
        reply = services.engine().answer(
            request.query, request.character, campaign=request.campaign, audience=request.audience,
            max_tokens=request.max_tokens, length=request.length, voice=request.voice,
        )
    except UnknownCharacterError as error:
        if entitled:
            raise
        raise UnknownCharacterError(_of_whom(services, request.campaign)) from error
    except EngineError as error:
        if entitled:
            raise
        raise EngineError("what the question needs cannot be asked just now") from error
    answer = for_asker(reply, entitled)
    with suppress(MvpSiteError):  # that they cannot be asked is told already
        if request.campaign and not services.session_notes().has(request.campaign):
            unknown = (f"campaign {request.campaign} has no sheets and no notes, and no "
                       "turn of it was played: is its id right?")
            answer = replace(answer, notes=(*answer.notes, unknown))
    return answer


def _of_whom(services: Services, campaign: str | None) -> str:
    """What a player is told who names no character of the campaign."""
    if campaign is None:
        return "no one character has this name: say of which campaign"
    names = [row.title for row in services.session_notes().sheets(campaign)]
    return f"no character of this campaign has this name; there are: {', '.join(names) or 'none'}"


def for_asker(reply: Answer, entitled: bool) -> EngineAnswer:
    """The answer as its asker may have it."""
    numbers = evidence_numbers(reply.evidence)

    def cited(ids: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(numbers[id_] for id_ in ids if id_ in numbers)

    def sentence(text: str, ids: tuple[str, ...]) -> AnswerSentence:
        return AnswerSentence((_MARK.sub("", text) if cited(ids) else text).strip(), cited(ids))

    failed = {failure.told for failure in reply.errors}
    return view(
        EngineAnswer, reply, query=reply.question.text, character=reply.question.character,
        campaign=reply.question.campaign,
        sentences=tuple(sentence(cited.text, cited.evidence) for cited in reply.sentences),
        evidence=tuple(view(AnswerEvidence, piece, number=numbers[piece.id])
                       for piece in reply.evidence),
        relations=tuple(sentence(relation.note, relation.evidence) for relation in reply.relations),
        left_out=tuple(evidence.citation for evidence in reply.left_out),
        notes=tuple(note for note in reply.notes if note not in failed),
        errors=reply.errors if entitled else tuple(
            replace(failure, why="") for failure in reply.errors),
        timings=dict(reply.timings), routing=reply.id,
    )


@declared("corrections.add", needs="a correction")
def _correct(services: Services, request: Correction, _: bool) -> Corrected:
    """Say what should have been asked of a domain; it counts at once for near questions."""
    intents = HELPERS[request.domain].intents if request.domain in HELPERS else {}
    intention = request.intention if request.needed else None
    if intention is not None and intention not in intents:
        likely = near(intention, list(intents)) or intents
        raise InvalidRequestError(
            f"`intention` is none of the domain {request.domain}; "
            + (f"there are {', '.join(likely)}" if intents else "it has no intentions")
        )
    services.session_notes().correct(request.routing, {
        request.domain: {"is_needed": request.needed, "intention": intention},
    })
    return Corrected(request.routing, request.domain)


@declared("corrections.remove", needs="a correction")
def _uncorrect(services: Services, request: Uncorrection, _: bool) -> Corrected:
    """Take a correction back."""
    services.session_notes().correct(request.routing, {request.domain: None})
    return Corrected(request.routing, request.domain)


@declared("corrections.list", needs="the corrections of a campaign")
def _corrections(services: Services, request: ListCorrections, _: bool) -> KeptCorrections:
    """List the corrections of a campaign, and what they are worth on the rest of them."""
    taught, before, after = services.engine().taught(request.campaign)
    return KeptCorrections(request.campaign, tuple(
        KeptCorrection(row.id, row.question.text, domain, row.decided.get(domain), intention)
        for row in taught.corrections for domain, intention in row.needs.items()
    ), round(before, 4), round(after, 4), taught.refitted)
