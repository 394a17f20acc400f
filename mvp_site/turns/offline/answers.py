"""Answers: the frame that every answer of the stand-in has, and its text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .draft import Draft
from .sheet import UNKNOWN, place, place_id, resources, session_header

DOUBLE: Final = "offline narrator: a deterministic stand-in, no language model was asked"


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice; ``pros``, ``cons`` and ``confidence`` are for a deep think."""

    key: str
    text: str
    description: str
    risk: str
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What a turn's answer says beside what follows from the state.

    ``told`` is the report on a command, ``weighed`` says that the choices show what speaks for and
    against them.
    """

    narrative: str = ""
    told: str = ""
    rolls: Sequence[Mapping[str, Any]] = ()
    mentioned: Sequence[str] = ()
    note: str = ""
    rationale: str = "nothing changed"
    thinking: str = (
        "Offline narrator: no language model weighs this turn. These are the ways that are open in "
        "most places."
    )
    weighed: bool = False


def answer_of(draft: Draft, choices: Sequence[Choice], said: Said) -> dict[str, Any]:
    """The object of an answer, with header and resources as they are after the updates."""
    state = draft.after
    here = [place_id(state)] if place_id(state).startswith("loc_") else []
    offered: dict[str, Any] = {}
    for choice in choices:
        offered[choice.key] = {"text": choice.text, "description": choice.description,
                               "risk_level": choice.risk}
        if said.weighed:
            offered[choice.key] |= {"pros": list(choice.pros), "cons": list(choice.cons),
                                    "confidence": choice.confidence}
    return {
        "session_header": session_header(state),
        "resources": resources(state),
        "narrative": said.narrative,
        "planning_block": {"thinking": said.thinking, "choices": offered},
        "dice_rolls": [dict(roll) for roll in said.rolls],
        "god_mode_response": said.told,
        "entities_mentioned": list(dict.fromkeys((*here, *said.mentioned))),
        "location_confirmed": place(state) or UNKNOWN,
        "state_updates": draft.updates,
        "debug_info": {"dm_notes": [DOUBLE, said.note], "state_rationale": said.rationale},
    }


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
