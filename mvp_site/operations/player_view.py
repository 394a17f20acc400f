"""What a player, and what a game master, is told of a turn.

A player gets no text of failed attempts and no ``debug_info``. Of the state, and of its updates, a
player gets the player's character and the clock: everything else may hold what the story has not
told yet. So may the ids in ``entities_mentioned``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from ..llm.protocol import Usage
from ..sessions.state_documents import for_players
from ..text.hiding_keys import withholds
from ..turns import types as played
from ..turns.attempts import TAKES_BACK, Stage
from ..turns.handler import Narrative
from ..turns.types import FallbackReason
from ..types import Mode
from .prompts import Telemetry
from .requests import view
from .schemas import NOTES, component

Answer = Annotated[dict[str, Any], component("Answer")]
PlayerAnswer = Annotated[dict[str, Any], component("PlayerAnswer")]


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
