"""The fallback: what the player gets when no attempt kept the contract. Pure.

It keeps the contract itself, tells nothing that happened, and its updates are not applied: a deep
think must claim its microsecond, the other modes leave a branch untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .offline.answers import Choice, Said, answer_of, text_of
from .offline.draft import Draft
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
_OFFERED: Final = (
    ("try_again", "Try again", "Take the same turn again."),
    ("say_it_differently", "Say it differently", "Put the turn in other words."),
    ("return_story", "Return to the story", "Leave god mode as the game stands."),
)


def fallback_answer(route: Route, state: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The answer for a turn's mode, as an object and as the text of a raw answer."""
    draft = Draft(state)
    god = route.mode == "god"
    if route.deep_think:
        draft.pass_time(1)
    offered = tuple(
        Choice(f"{'god:' * god}{key}", text, description, "safe",
               ("nothing has been lost",), ("it may fail again",), "medium")
        for key, text, description in (_OFFERED if god else _OFFERED[:2])
    )
    if route.mode != "dm":
        draft.touch()
    narrative = {"story": STILL, "dm": AT_THE_TABLE, "god": ""}[route.mode]
    answer = answer_of(draft, offered, Said(
        narrative="" if route.deep_think else narrative, told=IN_GOD_MODE if god else "",
        thinking=_THINKING, weighed=route.deep_think,
        note="fallback: no answer of the model kept the contract",
        rationale="nothing happened; these updates are not applied",
    )) | {"entities_mentioned": []}
    return answer, text_of(route.mode, answer)
