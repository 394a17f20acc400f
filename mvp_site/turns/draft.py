"""A draft of a turn: the state, the narrow updates to it, and the answer that tells of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict
from importlib import resources
from typing import Any, Final

from ..types import BRANCHES
from .clock import MICROSECONDS_PER_SECOND, Clock, later, range_problems
from .header_lines import UNKNOWN, place, place_id, resource_line, session_header
from .state import merged, update_problems
from .values import at

SIGNED: Final = "[Told by the offline narrator; no language model is connected.]"
DOUBLE: Final = "offline narrator: a deterministic stand-in, no language model was asked"
OFFLINE: Final[dict[str, Any]] = json.loads(
    resources.files("mvp_site.turns").joinpath("offline.json").read_text("utf-8")
)
"""The acts that the offline narrator knows, examples of them, and what is offered in each mode."""
WEIGHED: Final = ("pros", "cons", "confidence")
"""What a choice of a deep think has besides."""
Json = Mapping[str, Any]


class Draft:
    """A state, which is never altered, and the updates to it that the contract takes."""

    def __init__(self, state: Json) -> None:
        self.before = state
        self.updates: dict[str, Any] = {}

    def write(self, value: object, *path: str) -> bool:
        """Whether ``value`` now stands at ``path``; not where the state has no room for it."""
        update: Any = value
        for key in reversed(path):
            update = {key: update}
        joined = merged(self.updates, update)
        if update_problems(self.before, joined):
            return False
        self.updates = joined
        return True

    def pass_time(self, seconds: int, microseconds: int = 0) -> bool:
        """Whether the clock was moved on; one that is missing or cannot be read is left alone."""
        before = Clock.of(self.before)
        if before is None or range_problems(self.before):
            return False
        after = later(before, seconds * MICROSECONDS_PER_SECOND + microseconds, self.before)
        written = at(self.updates, "world_data", "world_time") or {}  # it is counted from before
        units = {unit: value for unit, value in asdict(after).items()
                 if value != getattr(before, unit) or unit in written}
        return (not range_problems({"world_data": {"world_time": units}})
                and self.write(units, "world_data", "world_time"))

    def answer(self, offered: str, *, note: str, mentioned: tuple[str, ...] = (),
               rationale: str = "nothing changed", weighed: bool = False, empty: bool = False,
               **fields: Any) -> dict[str, Any]:
        """The object of an answer, with header and resources as they are after the updates.

        ``offered`` names the choices.
        ``empty``: there may be no update; else one that changes nothing stands where none is.
        """
        if not self.updates and not empty:
            # A state that was imported may have no branch that an update could name.
            self.updates = next(({branch: {}} for branch in reversed(BRANCHES)
                                 if isinstance(self.before.get(branch), Mapping | None)), {})
        state = merged(self.before, self.updates)
        places = [place_id(state)] if place_id(state).startswith("loc_") else []
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
            "entities_mentioned": list(dict.fromkeys((*places, *mentioned))),
            "location_confirmed": place(state) or UNKNOWN, "state_updates": self.updates,
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
