"""Values of a turn: what is asked, what is broken, what was tried, what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..llm.protocol import Usage
from ..types import Audience, DroppedChunk, Message, Mode, RetrievedChunk, SparseReason

Target = Literal["DC", "AC"]
Advantage = Literal["none", "advantage", "disadvantage"]
FallbackReason = Literal["contract", "model", "tokens"]


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll that was really made.

    ``dice`` are the numbers of every die thrown, in order, dropped ones too; ``total`` follows
    from them by the expression. ``value`` is the difficulty class or armor class, where there is
    one (``target``), and ``success`` whether the total reaches it.
    """

    id: str
    expression: str
    purpose: str
    dice: tuple[int, ...]
    modifier: int
    total: int
    advantage: Advantage = "none"
    target: Target | None = None
    value: int | None = None
    success: bool | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that an answer breaks: its name, where (a path into the answer), and what to mend."""

    rule: str
    path: str
    message: str


class Hint(Violation):
    """What may break a rule or be plain prose: the event tells of it, and nothing is refused."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One turn of one campaign, as the game runner hands it in.

    ``audience`` is who asks, and decides what they may do. Without ``state`` or ``history`` the
    campaign's own are used; ``history`` holds roles ``user`` and ``assistant``, oldest first, each
    message a :class:`Message` or a mapping with ``role`` and ``content``.
    ``seed`` fixes the dice; by default it is drawn. ``version`` is the prompt version that the turn
    is taken with, ``max_tokens_retrieved`` the o200k tokens that its retrieved block may have; by
    default both are the handler's. ``replaces`` is the id of the campaign's last turn: it is taken
    back when this one is written, and not before. With an ``idempotency_key`` the turn is taken
    once: whoever sends it again within a day gets the same result.
    """

    campaign_id: str
    user_input: str
    mode: Mode = "story"
    audience: Audience = "player"
    state: Mapping[str, Any] | None = None
    history: Sequence[Message | Mapping[str, Any]] | None = None
    seed: int | None = None
    version: str | None = None
    max_tokens_retrieved: int | None = None
    replaces: str | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer of the model, and what was wrong with it. ``error`` where it gave none.

    ``warnings`` are what may have been wrong, and was let pass.
    """

    text: str
    violations: tuple[Violation, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    warnings: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class LookUp:
    """What the model looked up in an attempt (from 1): its words, what it got, and the account.

    ``text`` went back to it as it stands: the block of retrieved context, titles below the one that
    was asked for, and what the campaign has of its own; or words that say why there is nothing, for
    a ``reason`` of a sparse turn or ``failed``. ``tokens`` are those of all that was found,
    ``budget`` the most that it might have; o200k both. ``dropped`` are the other candidates.
    """

    query: str
    attempt: int
    text: str
    budget: int
    reason: SparseReason | Literal["failed"] | None = None
    tokens: int = 0
    floor: float = 0.0
    best_score: float = 0.0
    chunks: tuple[RetrievedChunk, ...] = ()
    dropped: tuple[DroppedChunk, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What came of a turn.

    ``response`` keeps the contract in every case; with ``fallback`` set it is the safe stand-in,
    ``state`` is unchanged, and the field says why. ``telemetry`` is the turn's one JSON object
    (schema in docs/telemetry.md). ``narrative`` is what the player reads. Under a version's own
    contract ``public`` is what of ``response`` players may have.
    """

    turn_id: str
    campaign_id: str
    mode: Mode
    response: Mapping[str, Any]
    state: Mapping[str, Any]
    text: str
    attempts: tuple[Attempt, ...]
    rolls: tuple[Roll, ...]
    usage: Usage
    fallback: FallbackReason | None
    telemetry: Mapping[str, Any]
    chunks: tuple[str, ...] = ()
    look_ups: tuple[LookUp, ...] = ()
    narrative: str = ""
    public: Mapping[str, Any] | None = None
