"""The fallback: what the player gets when no attempt kept the contract. Pure.

It keeps the contract itself, tells nothing that happened, and its updates are not applied: a deep
think must claim its microsecond, the other modes leave a branch untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .offline import choices
from .offline.answers import text_of, touch
from .offline.draft import Draft
from .offline.sheet import UNKNOWN, place, resources, session_header
from .offline.timing import pass_moment
from .routing import Route

STILL: Final = (
    "For a breath the world holds still, as if it waited for its own next word. Nothing has "
    "happened yet, and nothing is lost: the moment is yours to take again."
)
AT_THE_TABLE: Final = (
    "There was no usable answer to this question. Nothing in the game has changed; please ask "
    "again, perhaps in other words."
)
IN_GOD_MODE: Final = (
    "There was no usable answer to this command. It was not carried out, and nothing in the game "
    "has changed; give it again, or return to the story."
)
_THINKING: Final = "This turn got no usable answer. Its choices are ways to take it again."
_AGAIN: Final = {
    "text": "Try again", "description": "Take the same turn again.", "risk_level": "safe",
}
_OTHERWISE: Final = {
    "text": "Say it differently", "description": "Put the turn in other words.",
    "risk_level": "safe",
}
_RETURN: Final = {
    "text": "Return to the story", "description": "Leave god mode as the game stands.",
    "risk_level": "safe",
}


def fallback_answer(route: Route, state: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The answer for a turn's mode, as an object and as the text of a raw answer."""
    draft = Draft(state)
    god = route.mode == "god"
    prefix = "god:" if god else ""
    offered: dict[str, Any] = {
        f"{prefix}try_again": _AGAIN, f"{prefix}say_it_differently": _OTHERWISE,
    }
    if god:
        offered["god:return_story"] = _RETURN
    block: Mapping[str, Any] = {"thinking": _THINKING, "choices": offered}
    if route.deep_think:
        if not pass_moment(draft):
            touch(draft)  # a clock that cannot be read
        block = choices.block(_THINKING, choices.DEEP[:3], weighed=True)
    elif route.mode != "dm":
        touch(draft)
    narrative = {"story": STILL, "dm": AT_THE_TABLE, "god": ""}[route.mode]
    answer = {
        "session_header": session_header(draft),
        "resources": resources(draft),
        "narrative": "" if route.deep_think else narrative,
        "planning_block": dict(block),
        "dice_rolls": [],
        "god_mode_response": IN_GOD_MODE if god else "",
        "entities_mentioned": [],
        "location_confirmed": place(draft) or UNKNOWN,
        "state_updates": draft.updates,
        "debug_info": {
            "dm_notes": ["fallback: no answer of the model kept the contract"],
            "state_rationale": "nothing happened; these updates are not applied",
        },
    }
    return answer, text_of(route.mode, answer)
