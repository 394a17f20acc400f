"""What can be asked of turns: one is played, a past one's prompt is rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from ..concurrency import ended
from ..errors import UnknownTurnError
from ..store.types import TurnRecord
from ..turns import types as played
from ..turns.assembling import MAX_INPUT_CHARS, MAX_SEED
from ..turns.replay import Replayed
from ..types import Audience
from . import prompts
from .operation import CLI, declared
from .player_view import PlayerTurn, StreamFilter, Turn, for_asker
from .prompts import AskedMode, AskedVersion, Budget, History, State
from .requests import CampaignId, IdempotencyKey, OperationRequest, TurnId, Whole
from .services import Services

RUNNERS_FIELDS: Final = ("state", "history", "seed")
"""What stands in for the campaign's own, or fixes the dice: a player could cheat with it."""
EVENTS: Final = ("stage", "narrative", "withdrawn", "result", "error")
"""The events of a stream. ``error`` is its last where the turn fails after it has begun."""


@dataclass(frozen=True, slots=True)
class TakeTurn(OperationRequest):
    """One turn of a campaign."""

    campaign_id: Annotated[CampaignId, Field(
        description="The campaign; a new one begins with its first turn.",
    )]
    user_input: Annotated[str, Field(min_length=1, max_length=MAX_INPUT_CHARS)]
    """What the player says."""
    mode: AskedMode = "story"
    audience: Audience = "player"
    """Who asks, and so what they may do."""
    state: State | None = None
    history: History | None = None
    seed: Annotated[Whole, Field(ge=0, le=MAX_SEED - 1)] | None = None
    """Fixes the dice."""
    version: AskedVersion | None = None
    max_tokens_retrieved: Budget | None = None
    replaces: TurnId | None = None
    """The id of the campaign's last turn, which this one takes the place of."""
    idempotency_key: IdempotencyKey | None = None
    """Of the sender's making, as a UUID: sent again within a day, the turn is not taken again."""

    def as_turn(self) -> played.TurnRequest:
        """The turn as it is handed to who plays it."""
        return played.TurnRequest(
            self.campaign_id, self.user_input, self.mode, self.audience, self.state,
            prompts.messages(self.history), self.seed, self.version, self.max_tokens_retrieved,
            self.replaces, self.idempotency_key,
        )


@dataclass(frozen=True, slots=True)
class ShowTurn(OperationRequest):
    """Which turn."""

    turn_id: TurnId


def _needs(request: TakeTurn) -> Iterator[str]:
    yield from prompts.needs(request)
    for name in RUNNERS_FIELDS:
        if getattr(request, name) is not None:
            yield f"`{name}`"


def _stream(services: Services, request: TakeTurn, entitled: bool) -> Iterator[tuple[str, Any]]:
    stream_filter = StreamFilter(entitled=entitled)
    with ended(services.stream(_turn(services, request, entitled))) as events:
        for event in events:
            if isinstance(event, played.TurnResult):
                yield "result", for_asker(event, entitled)
            else:
                yield from stream_filter(event)


@declared("turn", needs=_needs, stream=_stream)
def _play(services: Services, request: TakeTurn, entitled: bool) -> Turn | PlayerTurn:
    """Play a turn of a campaign."""
    return for_asker(services.play(_turn(services, request, entitled)), entitled)


@declared("turn.replay", needs="the prompt of a turn", surfaces=CLI)
def _replay(services: Services, request: ShowTurn, _: bool) -> Replayed:
    """Print the prompt of a past turn byte for byte, and what the model looked up."""
    return services.replay(request.turn_id)


def _turn(services: Services, request: TakeTurn, entitled: bool) -> played.TurnRequest:
    if request.replaces is not None:
        readable(services, request.replaces, entitled)
    return request.as_turn()


def readable(services: Services, turn_id: str, entitled: bool) -> TurnRecord:
    """The turn, which a player may know of."""
    record = services.store().turn(turn_id)
    if not entitled and record.audience != "player":
        raise UnknownTurnError(f"there is no turn {turn_id!r}")
    return record
