"""What can be asked of turns: one is played, a past one's prompt is rebuilt.

A player gets no text of failed attempts and no ``debug_info``. Of the state, and of its updates, a
player gets the player's character and the clock: everything else may hold what the story has not
told yet. So may the ids in ``entities_mentioned``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from ..concurrency import ended
from ..errors import UnknownTurnError
from ..llm.protocol import Usage
from ..sessions.state_documents import for_players
from ..store.types import TurnRecord
from ..text.hiding_keys import withholds
from ..turns import types as played
from ..turns.assembling import MAX_INPUT_CHARS, MAX_SEED
from ..turns.attempts import TAKES_BACK, Stage
from ..turns.handler import Narrative
from ..turns.replay import Replayed
from ..turns.types import FallbackReason
from ..types import Audience, Mode
from . import prompts
from .operation import CLI, declared
from .prompts import AskedMode, AskedVersion, Budget, History, State, Telemetry
from .requests import CampaignId, IdempotencyKey, OperationRequest, TurnId, Whole, view
from .schemas import NOTES, component
from .services import Services

RUNNERS_FIELDS: Final = ("state", "history", "seed")
"""What stands in for the campaign's own, or fixes the dice: a player could cheat with it."""
EVENTS: Final = ("stage", "narrative", "withdrawn", "result", "error")
"""The events of a stream. ``error`` is its last where the turn fails after it has begun."""

Answer = Annotated[dict[str, Any], component("Answer")]
PlayerAnswer = Annotated[dict[str, Any], component("PlayerAnswer")]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """What everybody gets of a turn."""

    turn_id: str
    campaign_id: str
    mode: Mode
    fallback: FallbackReason | None
    state: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(_Turn):
    """What came of a turn."""

    view: Literal["dm"] = "dm"
    response: Answer
    text: str
    attempts: tuple[played.Attempt, ...]
    rolls: tuple[played.Roll, ...]
    usage: Usage
    telemetry: Telemetry
    chunks: tuple[str, ...]
    look_ups: tuple[played.LookUp, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerTurn(_Turn):
    """What came of a turn, as a player may know it."""

    view: Literal["player"] = "player"
    response: PlayerAnswer


@dataclass(frozen=True, slots=True)
class ShowTurn(OperationRequest):
    """Which turn."""

    turn_id: TurnId


class StreamFilter:
    """Tells one turn: call it with each event of the handler's stream, in order.

    A player hears neither what was wrong with an answer nor what failed: both may say what the
    story has not told yet.
    """

    def __init__(self, *, entitled: bool) -> None:
        self._entitled = entitled
        self._told = False

    def __call__(self, event: Stage | Narrative) -> list[tuple[str, Any]]:
        """What is told of an event that is not the result: events by name, with their values."""
        if isinstance(event, Narrative):
            self._told = True
            return [("narrative", asdict(event))]
        stage = asdict(event) if self._entitled else {"name": event.name, "attempt": event.attempt}
        events: list[tuple[str, Any]] = [("stage", stage)]
        if self._told and event.name in TAKES_BACK:
            self._told = False
            events.append(("withdrawn", {"attempt": event.attempt}))
        return events


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


def for_asker(result: played.TurnResult, entitled: bool) -> Turn | PlayerTurn:
    """What came of a turn, as the DM or a player may know it."""
    if not entitled:
        answer = result.response if result.public is None else result.public
        return view(PlayerTurn, result, view="player", response=players_answer(answer),
                    state=players_state(result.state))
    return view(Turn, result, view="dm")


def players_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer without its notes, and with a player's part of its updates."""
    visible = {k: v for k, v in answer.items() if k not in NOTES}
    if isinstance(visible.get("state_updates"), Mapping):
        visible["state_updates"] = players_state(visible["state_updates"])
    return visible


def players_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """The player's character, without what is the game master's, and the clock."""
    visible: dict[str, Any] = {}
    character, world = state.get("player_character_data"), state.get("world_data")
    if isinstance(character, Mapping):
        visible["player_character_data"] = {
            key: part for key, value in character.items()
            if not withholds(key) and (part := for_players(value)) is not None}
    if isinstance(world, Mapping) and isinstance(world.get("world_time"), Mapping):
        visible["world_data"] = {"world_time": dict(world["world_time"])}
    return visible
