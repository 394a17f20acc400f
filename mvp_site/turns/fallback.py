"""The fallback: what the player gets when no attempt kept the contract. Pure.

It keeps the contract itself, tells nothing that happened, and its updates are not applied: a deep
think must claim its microsecond, the other modes leave a branch untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .draft import drafted, later_by, text_of
from .routing import TurnRoute

STILL: Final = (
    "For a breath the world holds still, as if it waited for its own next word. Nothing has "
    "happened yet, and nothing is lost: the moment is yours to take again."
)
NO_ANSWER: Final = (
    "There was no usable answer; nothing has changed, and the turn can be taken again."
)
AT_THE_TABLE: Final = (
    "There was no usable answer to this question. Nothing in the game has changed; please ask "
    "again, perhaps in other words."
)
IN_GOD_MODE: Final = (
    "There was no usable answer to this command. It was not carried out, and nothing in the game "
    "has changed; give it again, or return to the story."
)


def fallback_answer(route: TurnRoute, state: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The answer for a turn's mode, as an object and as the text of a raw answer."""
    god, updates = route.mode == "god", later_by(state, 1) if route.deep_think else {}
    answer = drafted(
        state, "god_fallback" if god else "fallback", updates, weighed=route.deep_think,
        empty=route.mode == "dm",
        narrative={"story": "" if route.deep_think else STILL, "dm": AT_THE_TABLE,
                   "god": ""}[route.mode],
        god_mode_response=IN_GOD_MODE if god else "", entities_mentioned=[],
        note="fallback: no answer of the model kept the contract",
        rationale="nothing happened; these updates are not applied",
    )
    answer["planning_block"]["thinking"] = (
        "This turn got no usable answer. Its choices are ways to take it again."
    )
    return answer, text_of(route.mode, answer)
