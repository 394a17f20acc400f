"""A draft of an answer: the narrow updates to a state, and the object that tells of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict
from typing import Any, Final

from ..settings import PACKAGE
from ..types import BRANCHES
from .clock import Clock, later, range_problems
from .header_lines import UNKNOWN, place, place_id, resource_line, session_header
from .state import merged, update_problems

SIGNED: Final = "[Told by the offline narrator; no language model is connected.]"
DOUBLE: Final = "offline narrator: a deterministic stand-in, no language model was asked"
OFFLINE: Final[dict[str, Any]] = json.loads(
    (PACKAGE / "turns" / "offline.json").read_text("utf-8")
)
"""The acts that the offline narrator knows, examples of them, and what is offered in each mode."""
WEIGHED: Final = ("pros", "cons", "confidence")
"""What a choice of a deep think has besides."""
Json = Mapping[str, Any]


def later_by(state: Json, microseconds: int) -> dict[str, Any]:
    """The update that moves the clock on; empty where there is no clock that can be read."""
    before = Clock.of(state)
    if before is None or range_problems(state):
        return {}
    after = asdict(later(before, microseconds, state))
    units = {unit: value for unit, value in after.items() if value != getattr(before, unit)}
    updates = {"world_data": {"world_time": units}}
    return {} if range_problems(updates) or update_problems(state, updates) else updates


def drafted(before: Json, offered: str, updates: Json, *, note: str,
            rationale: str = "nothing changed", weighed: bool = False, empty: bool = False,
            **fields: Any) -> dict[str, Any]:
    """The object of an answer, with header and resources as they are after the updates.

    ``offered`` names the choices.
    ``empty``: there may be no update; else one that changes nothing stands where none is.
    """
    if not updates and not empty:
        # A state that was imported may have no branch that an update could name.
        updates = next(({branch: {}} for branch in reversed(BRANCHES)
                        if isinstance(before.get(branch), Mapping | None)), {})
    state = merged(before, updates)
    values = {
        key: {name: deepcopy(field) for name, field in choice.items()
              if weighed or name not in WEIGHED}
        for key, choice in OFFLINE["choices"][offered].items()
    }
    return {
        "session_header": session_header(state), "resources": resource_line(state),
        "narrative": "",
        "planning_block": {
            "thinking": "Offline narrator: no language model weighs this turn. These are the "
                        "ways that are open in most places.",
            "choices": values,
        },
        "dice_rolls": [], "god_mode_response": "",
        "entities_mentioned": [key] if (key := place_id(state)).startswith("loc_") else [],
        "location_confirmed": place(state) or UNKNOWN, "state_updates": updates,
        "debug_info": {"dm_notes": [DOUBLE, note], "state_rationale": rationale},
    } | fields


def text_of(mode: str, answer: Json) -> str:
    """The answer as a model writes it: mode line, newline, JSON object."""
    return f"[Mode: {mode.upper()} MODE]\n{object_of(answer)}"


def object_of(answer: Json) -> str:
    """The answer as a JSON object.

    Marks that would open a code fence are written as JSON escapes: values that were in the state
    may hold any text.
    """
    try:
        written = json.dumps(answer, ensure_ascii=False)
        written.encode()
    except UnicodeEncodeError:
        written = json.dumps(answer)
    for mark in ("`", "~"):
        written = written.replace(mark * 3, f"\\u{ord(mark):04x}" * 3)
    return written
