"""What can be asked of prompts: a turn's prompt assembled, or only what it retrieves.

A player gets no source of a passage (file, lines) and no candidate that is hidden from players.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from ..archive.candidates import WITHHELD
from ..assembly.budget import MAX_BUDGET
from ..assembly.contents import MAX_TOKENS as CONTENTS
from ..assembly.plan import RetrievalPlan
from ..assembly.request import MAX_HISTORY
from ..assembly.scope import MOST
from ..text.strict_json import MAX_DEPTH
from ..text.yaml_values import write_yaml
from ..types import (
    Account,
    AssembledTurn,
    Audience,
    DroppedChunk,
    Message,
    MissedBar,
    Mode,
    RetrievedChunk,
    Role,
    SparseReason,
    WhenLine,
    Why,
)
from .operation import declared
from .requests import Flag, OperationRequest, Whole, view
from .schemas import component
from .services import Services

MAX_TEXT: Final = 100_000


@dataclass(frozen=True, slots=True)
class HistoryMessage(OperationRequest):
    """A message before this turn."""

    role: Role
    content: Annotated[str, Field(max_length=MAX_TEXT)]
    """What was said."""


AskedMode = Annotated[Mode, Field(description="What kind of turn it is.")]
AnyMode = Annotated[str, Field(
    max_length=64, description="What kind of turn it is: story, dm, god, or one that the version "
    "declares in modes.toml.",
)]
History = Annotated[tuple[HistoryMessage, ...], Field(
    max_length=10 * MAX_HISTORY, fail_fast=True,
    description=f"The messages before this turn, oldest first; the last {MAX_HISTORY} are taken.",
)]
AskedVersion = Annotated[str, Field(
    min_length=1, max_length=64, description="A prompt version; by default the one served.",
)]
Budget = Annotated[Whole, Field(
    ge=0, le=MAX_BUDGET,
    description="Tokens that the retrieved passages may have; by default the server's.",
)]
Names = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=MOST)]
Texts = Annotated[dict[str, Annotated[str, Field(max_length=MAX_TEXT)]], Field(max_length=MOST)]
State = Annotated[dict[str, Any], Field(
    description=f"The game's state, nested at most {MAX_DEPTH} levels deep.",
)]
Telemetry = Annotated[Mapping[str, Any], component("Telemetry")]


@dataclass(frozen=True, slots=True)
class PassageRequest(OperationRequest):
    """A turn, and what may be printed for it."""

    text: Annotated[str, Field(
        max_length=MAX_TEXT, description="What the player, or the system, says this turn.")]
    mode: AnyMode = "story"
    audience: Annotated[Audience, Field(description="Who may see the passages.")] = "player"
    version: AskedVersion | None = None
    history: History | None = None
    state: State | None = None
    query: Annotated[str, Field(
        max_length=MAX_TEXT, description="What is searched with in place of the text.",
    )] | None = None
    pin: Annotated[Names, Field(description="Files or sections printed in any case.")] = ()
    only: Annotated[Names, Field(description="The files or sections that are searched.")] = ()
    without: Annotated[Names, Field(description="The files or sections that are not.")] = ()
    fill: Annotated[Texts, Field(
        description="The texts of placeholders such as {{WEATHER}}, by name.")] | None = None
    max_tokens_retrieved: Budget | None = None
    floor: Annotated[float, Field(
        strict=True, ge=0, le=1,
        description="Evidence that the best passage must reach; by default the release's.",
    )] | None = None


@dataclass(frozen=True, slots=True)
class AssembleRequest(PassageRequest):
    """A turn to assemble the prompt of."""

    max_tokens_contents: Annotated[Whole, Field(ge=0, le=CONTENTS)] = 0
    """Tokens of a table of contents behind the header, for models that ask for sections."""
    explain: Flag = False
    """Give the account of how the passages were chosen, too."""


@dataclass(frozen=True, slots=True)
class RetrieveRequest(PassageRequest):
    """A turn to retrieve for."""

    why: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """A passage, by its id, title or file: say what kept it out, and what would bring it."""


@dataclass(frozen=True, slots=True)
class PlayerChunk:
    """A passage without its file and lines."""

    id: str
    text: str
    section: str
    domain: str | None
    mode: str | None
    tokens: int
    score: float
    lexical_score: float
    dense_score: float
    audience: str
    version: str
    partial: bool
    best_section: str
    pinned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """What everybody gets of an assembled prompt, and how it was chosen."""

    prompt: str
    messages: tuple[Message, ...]
    dropped: tuple[DroppedChunk, ...]
    sparse: bool
    sparse_reason: SparseReason | None
    account: Account | None
    telemetry: Telemetry


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled(_Prompt):
    """An assembled prompt and how it was chosen."""

    view: Literal["dm"] = "dm"
    chunks: tuple[RetrievedChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerAssembled(_Prompt):
    """An assembled prompt, as a player may see it."""

    view: Literal["player"] = "player"
    chunks: tuple[PlayerChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What everybody gets of what a turn retrieves."""

    tokens: int
    dropped: tuple[DroppedChunk, ...]
    sparse_reason: SparseReason | None
    floor: float
    best: float
    exhausted: bool
    why: Why | None
    """Of the passage that was asked after, which only the DM can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedPassages(_Plan):
    """What a turn retrieves."""

    view: Literal["dm"] = "dm"
    chunks: tuple[RetrievedChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRetrievedPassages(_Plan):
    """What a turn retrieves, as a player may see it."""

    view: Literal["player"] = "player"
    chunks: tuple[PlayerChunk, ...]


def needs(request: Any) -> Iterator[str]:
    """What only who has the DM token may ask: other audiences than players, and god mode."""
    if request.audience != "player":
        yield f"audience {request.audience!r}"
    if request.mode == "god":
        yield "mode 'god'"
    if any(line.role == "system" for line in getattr(request, "history", None) or ()):
        yield "a system message in the history"


def _retrieve_needs(request: RetrieveRequest) -> Iterator[str]:
    yield from needs(request)
    if request.why is not None:
        yield "`why`"  # it tells of every passage, and authors' lines


def messages(history: History | None) -> tuple[Message, ...] | None:
    """A request's history as turns take it."""
    return None if history is None else tuple(Message(line.role, line.content) for line in history)


@declared("assemble", needs=needs)
def assemble(services: Services, request: AssembleRequest, entitled: bool,
             ) -> Assembled | PlayerAssembled:
    """Assemble the prompt of one turn; no model is asked."""
    return for_asker(assembled(services, request), entitled)


def assembled(services: Services, request: AssembleRequest) -> AssembledTurn:
    """The assembled prompt, for whoever may see all of it."""
    return services.assemble(
        request.version, request.text, request.mode, request.audience,
        messages(request.history) or (), request.state, **_options(request),
        explain=request.explain, max_tokens_contents=request.max_tokens_contents,
    )


def _options(request: PassageRequest) -> dict[str, Any]:
    """What is searched, and within what."""
    names = ("query", "pin", "only", "without", "fill", "max_tokens_retrieved", "floor")
    return {name: getattr(request, name) for name in names}


def for_asker(turn: AssembledTurn, entitled: bool) -> Assembled | PlayerAssembled:
    """An assembled prompt, as who asks may see it."""
    reason = turn.sparse_reason if entitled else players_reason(turn)
    shared: dict[str, Any] = {
        "prompt": turn.prompt, "messages": turn.messages, "sparse": turn.retrieval_sparse,
        "dropped": visible(turn.dropped, entitled=entitled), "sparse_reason": reason,
    }
    if entitled:
        return Assembled(
            **shared, account=turn.account, chunks=turn.chunks, telemetry=dict(turn.telemetry)
        )
    return PlayerAssembled(
        **shared, account=_players_account(turn), telemetry=_players_event(turn, reason),
        chunks=tuple(view(PlayerChunk, chunk) for chunk in turn.chunks),
    )


@declared("retrieve", needs=_retrieve_needs)
def _retrieve(services: Services, request: RetrieveRequest, entitled: bool,
              ) -> RetrievedPassages | PlayerRetrievedPassages:
    """Show what a turn retrieves, with scores, and why other candidates were left out."""
    plan = services.assembler(request.version).retrieve(
        request.text, request.mode, request.audience, messages(request.history) or (),
        request.state, **_options(request), why=request.why,
    )
    if entitled:
        return view(RetrievedPassages, plan, view="dm")
    return view(
        PlayerRetrievedPassages, plan, view="player", sparse_reason=players_reason(plan),
        dropped=visible(plan.dropped, entitled=False),
        chunks=tuple(view(PlayerChunk, chunk) for chunk in plan.chunks),
    )


_MISSED: Final = {
    "floor": "the turn's best evidence is {}, and the floor is {}",
    "candidates": "its chunk scores {}, and the last candidate {}",
    "share": "it scores {}, and passages below {} are left out beside the best",
    "budget": "the budget is {} tokens, and from {} on it is printed",
    "audience": "the turn is for {}, and the section for {}",
    "mode": "the turn's mode is {}, and the section is for {} alone",
    "scope": "{} is not searched ({})",
    "duplicate": "{} says what {} says, which is a candidate",
    "redacted": "nothing of it may be shown",
    "unless": "{} names what keeps it out, {}",
}


def missed_text(bar: MissedBar) -> str:
    """What kept a passage from being printed, in words."""
    values = [f"{value:.3f}" if isinstance(value, float) else value
              for value in (bar.value, bar.needed)]
    return _MISSED.get(bar.bar, "the whole turn is sparse").format(*values)


def line_text(line: WhenLine) -> str:
    """A line as the front matter of its file has it."""
    return write_yaml({"when": {line.heading: [line.line]}}).rstrip()


def visible(dropped: tuple[DroppedChunk, ...], *, entitled: bool) -> tuple[DroppedChunk, ...]:
    """The dropped candidates that the caller may know of."""
    return tuple(d for d in dropped if entitled or d.reason not in WITHHELD)


def players_reason(turn: AssembledTurn | RetrievalPlan) -> SparseReason | None:
    """Why a turn is sparse, as a player may know it.

    ``filtered`` would tell that a hidden passage fits the question: a secret asked for by name.
    """
    if turn.sparse_reason != "filtered" or not any(d.reason == "audience" for d in turn.dropped):
        return turn.sparse_reason
    return "below_floor" if visible(turn.dropped, entitled=False) else "no_hits"


def _players_account(turn: AssembledTurn) -> Account | None:
    """The account without hidden candidates and without authors' lines, which nobody prints."""
    hidden = {d.id for d in turn.dropped if d.reason in WITHHELD}
    return turn.account and replace(turn.account, candidates=tuple(
        replace(row, when="") for row in turn.account.candidates if row.id not in hidden
    ))


def _players_event(turn: AssembledTurn, reason: str | None) -> dict[str, Any]:
    event = {k: v for k, v in turn.telemetry.items() if k != "sources"}
    event["sparse_reason"] = reason
    event["dropped"] = [d for d in event["dropped"] if d["reason"] not in WITHHELD]
    # Their messages are other libraries', and may name folders.
    event["lanes"] = {**event["lanes"], "failed": dict.fromkeys(event["lanes"]["failed"], "failed")}
    return event
