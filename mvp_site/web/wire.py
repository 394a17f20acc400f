"""Results as JSON: whole for who has the DM token, and a player's part of them. Pure.

A player gets no source of a passage (file, lines), no candidate that is hidden from players, no
text of failed attempts and no ``debug_info``. Of the state, and of its updates, a player gets the
player's character and the clock: everything else may hold what the story has not told yet. So may
the ids in ``entities_mentioned``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from ..turns.types import TurnResult
from ..types import AssembledTurn, DroppedChunk

JSON = dict[str, Any]

HIDDEN_REASONS: Final = frozenset({"audience", "redacted"})
_SOURCES: Final = frozenset({"file", "lines"})
_NOTES: Final = frozenset({"debug_info", "entities_mentioned"})


def assembled(turn: AssembledTurn, *, entitled: bool) -> JSON:
    """An assembled prompt, as the caller may see it."""
    reason = turn.sparse_reason if entitled else players_reason(turn)
    return {
        "view": "dm" if entitled else "player",
        "prompt": turn.prompt,
        "messages": [asdict(message) for message in turn.messages],
        "chunks": [
            {k: v for k, v in asdict(chunk).items() if entitled or k not in _SOURCES}
            for chunk in turn.chunks
        ],
        "dropped": [asdict(chunk) for chunk in visible(turn.dropped, entitled=entitled)],
        "sparse": turn.retrieval_sparse, "sparse_reason": reason,
        "telemetry": dict(turn.telemetry) if entitled else _players_event(turn, reason),
    }


def visible(dropped: tuple[DroppedChunk, ...], *, entitled: bool) -> list[DroppedChunk]:
    """The dropped candidates that the caller may know of."""
    return [d for d in dropped if entitled or d.reason not in HIDDEN_REASONS]


def players_reason(turn: AssembledTurn) -> str | None:
    """Why a turn is sparse, as a player may know it.

    ``filtered`` would tell that a hidden passage fits the question: a secret asked for by name.
    """
    if turn.sparse_reason != "filtered" or not any(d.reason == "audience" for d in turn.dropped):
        return turn.sparse_reason
    shown = [d for d in turn.dropped if d.reason not in HIDDEN_REASONS]
    return "below_floor" if shown else "no_hits"


def _players_event(turn: AssembledTurn, reason: str | None) -> JSON:
    event = {k: v for k, v in turn.telemetry.items() if k != "sources"}
    event["sparse_reason"] = reason
    event["dropped"] = [d for d in event["dropped"] if d["reason"] not in HIDDEN_REASONS]
    # Their messages are other libraries', and may name folders.
    event["lanes"] = {**event["lanes"], "failed": dict.fromkeys(event["lanes"]["failed"], "failed")}
    return event


def played(result: TurnResult, *, entitled: bool) -> JSON:
    """A played turn, as the caller may see it."""
    found: JSON = {
        "view": "dm" if entitled else "player",
        "turn_id": result.turn_id, "campaign_id": result.campaign_id, "mode": result.mode,
        "fallback": result.fallback,
    }
    if not entitled:
        return {
            **found, "response": players_answer(result.response),
            "state": players_state(result.state),
        }
    return {
        **found, "response": dict(result.response), "state": dict(result.state),
        "text": result.text, "attempts": [asdict(attempt) for attempt in result.attempts],
        "rolls": [asdict(roll) for roll in result.rolls], "usage": asdict(result.usage),
        "telemetry": dict(result.telemetry), "chunks": list(result.chunks),
    }


def players_answer(answer: Mapping[str, Any]) -> JSON:
    """An answer without its notes, and with a player's part of its updates."""
    found = {k: v for k, v in answer.items() if k not in _NOTES}
    if isinstance(found.get("state_updates"), Mapping):
        found["state_updates"] = players_state(found["state_updates"])
    return found


def players_state(state: Mapping[str, Any]) -> JSON:
    """The player's character and the clock."""
    found: JSON = {}
    character, world = state.get("player_character_data"), state.get("world_data")
    if isinstance(character, Mapping):
        found["player_character_data"] = dict(character)
    if isinstance(world, Mapping) and isinstance(world.get("world_time"), Mapping):
        found["world_data"] = {"world_time": dict(world["world_time"])}
    return found
