"""Answers: the frame that every answer of the offline narrator has, and its text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from .draft import Draft
from .names import heading
from .reading import Reading
from .sheet import UNKNOWN, place, place_id, resources, session_header

DOUBLE: Final = "offline narrator: a deterministic stand-in, no language model was asked"
_RECORDS: Final = (
    "custom_campaign_state", "world_data", "player_character_data", "combat_state",
)
_MAPS: Final = ("quest_data", "faction_data", "item_data", "location_data", "npc_data")
_COUNTER: Final = "offline_turns"


def answer(draft: Draft, *, narrative: str = "", planning: Mapping[str, Any], told: str = "",
           rolls: Sequence[Mapping[str, Any]] = (), mentioned: Iterable[str] = (),
           notes: Sequence[str] = (), rationale: str) -> dict[str, Any]:
    """The object of an answer, with header and resources as they are after the updates."""
    here = place_id(draft)
    ids = dict.fromkeys([here] if here else [])
    ids.update(dict.fromkeys(mentioned))
    return {
        "session_header": session_header(draft),
        "resources": resources(draft),
        "narrative": narrative,
        "planning_block": dict(planning),
        "dice_rolls": [dict(roll) for roll in rolls],
        "god_mode_response": told,
        "entities_mentioned": list(ids),
        "location_confirmed": place(draft) or UNKNOWN,
        "state_updates": draft.updates,
        "debug_info": {"dm_notes": [DOUBLE, *notes], "state_rationale": rationale},
    }


def passage_note(reading: Reading) -> list[str]:
    """Which passage stands first in the retrieved context, for the notes."""
    if not reading.heading:
        return ["no passage was retrieved"]
    return [f"best passage: {heading(reading.heading) or 'its heading is not for printing'}"]


def text_of(mode: str, content: Mapping[str, Any]) -> str:
    """The answer as a model writes it: mode line, newline, JSON object.

    Marks that would open a code fence are written as JSON escapes: values that were in the state
    may hold any text.
    """
    try:
        written = json.dumps(content, ensure_ascii=False, allow_nan=False)
        written.encode()
    except UnicodeEncodeError:
        written = json.dumps(content, allow_nan=False)
    for mark in ("`", "~"):
        written = written.replace(mark * 3, f"\\u{ord(mark):04x}" * 3)
    return f"[Mode: {mode.upper()} MODE]\n{written}"


def count_turn(draft: Draft) -> bool:
    """Whether the smallest update that a state takes was written: a count of turns told here.

    For turns that must not leave the update empty and have nothing else to change.
    """
    for branch in _RECORDS:
        told = draft.integer(branch, _COUNTER) or 0
        if draft.takes(told + 1, branch, _COUNTER) and told >= 0:
            return draft.write(told + 1, branch, _COUNTER)
    return False


def touch(draft: Draft) -> None:
    """Leave a trace that changes nothing, where an update may neither be empty nor hold a leaf."""
    for branch in (*_RECORDS, *_MAPS):
        if draft.enters(branch):
            draft.updates.setdefault(branch, {})
            return
