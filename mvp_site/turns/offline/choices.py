"""Choices: what the player is offered, by kind of action and outcome.

A deep think weighs the same kind of choices: each has pros, cons and a confidence of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .prose import Outcome


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

    def plain(self) -> dict[str, Any]:
        """The choice as it stands in a planning block."""
        return {"text": self.text, "description": self.description, "risk_level": self.risk}

    def weighed(self) -> dict[str, Any]:
        """The choice as it stands in a deep think."""
        return {
            **self.plain(), "pros": list(self.pros), "cons": list(self.cons),
            "confidence": self.confidence,
        }


PRESS_ON: Final = Choice(
    "press_on", "Press on", "Go on with what was begun, now, before anything changes.", "medium",
    ("keeps the lead you have", "costs no more time than it must"),
    ("leaves no time to look twice", "what lies ahead has not been seen"), "medium",
)
LOOK_AROUND: Final = Choice(
    "look_around", "Look around", "Take a minute to see what is here.", "safe",
    ("costs a minute and nothing else", "may show a way that was missed"),
    ("whoever is near gets the same minute",), "high",
)
TALK_FIRST: Final = Choice(
    "talk_first", "Talk first", "Find someone to ask, and ask plainly.", "low",
    ("no steel is drawn", "people like to be asked"),
    ("it shows what you are after",), "medium",
)
GO_QUIETLY: Final = Choice(
    "go_quietly", "Go quietly", "Keep to the dark and out of sight.", "medium",
    ("nobody need know that you were here",),
    ("slow", "once noticed, talking is harder"), "low",
)
WAIT_A_WHILE: Final = Choice(
    "wait_a_while", "Wait a while", "Hold still for ten minutes and let others move first.", "safe",
    ("leaves every other way open", "shows who comes and goes"),
    ("time works for others as well",), "medium",
)
FALL_BACK: Final = Choice(
    "fall_back", "Fall back", "Open the distance and find better ground.", "low",
    ("gains room to think",), ("gives up the ground you hold",), "medium",
)
STRIKE_AGAIN: Final = Choice(
    "strike_again", "Strike again", "Keep up the attack while you have the measure of it.", "high",
    ("may end it quickly",), ("may end it the other way",), "low",
)
TRY_ANOTHER_WAY: Final = Choice(
    "try_another_way", "Try another way", "Leave this approach and find a different one.", "low",
    ("nothing more is lost on a bad start",), ("what was tried has been noticed",), "medium",
)
REST_A_LITTLE: Final = Choice(
    "rest_a_little", "Rest for an hour", "Sit down, eat, and mend what an hour can mend.", "safe",
    ("what a short rest gives is had again",), ("an hour is gone",), "high",
)
ASK_MORE: Final = Choice(
    "ask_one_thing_more", "Ask one thing more", "Keep the talk going while it goes.", "low",
    ("an open mouth tends to stay open",), ("each question tells something about you",), "medium",
)
OFFER_SOMETHING: Final = Choice(
    "offer_something", "Offer something", "Put a coin, a service or a name on the table.", "low",
    ("people weigh what they can hold",), ("it costs what you offer",), "medium",
)
SET_OUT: Final = Choice(
    "set_out", "Set out", "Take the road and see where it leads.", "medium",
    ("new ground, new faces",), ("hours on foot, and whoever else is on the road",), "medium",
)
NEW_BEGINNING: Final = Choice(
    "begin_the_day", "Begin in earnest", "Pack up and go about what you came for.", "low",
    ("you are as fresh as you will be",), ("the others have rested too",), "high",
)

DEEP: Final = (PRESS_ON, TALK_FIRST, GO_QUIETLY, WAIT_A_WHILE)
"""What a deep think weighs."""

DM: Final = (
    Choice("back_to_the_story", "Back to the story", "Take it up where it stands.", "safe"),
    Choice("ask_another_question", "Ask another question", "Stay at the table a little longer.",
           "safe"),
)
GOD: Final = (
    Choice("god:return_story", "Back to the story", "Take it up where it stands.", "safe"),
    Choice("god:show_log", "Show the log", "List the last commands that were noted.", "safe"),
)

_MILD: Final = (PRESS_ON, LOOK_AROUND, TALK_FIRST, WAIT_A_WHILE)
_FIGHTING: Final = (STRIKE_AGAIN, FALL_BACK, TALK_FIRST)
_WENT_WELL: Final = (PRESS_ON, LOOK_AROUND, GO_QUIETLY)
_WENT_BADLY: Final = (TRY_ANOTHER_WAY, FALL_BACK, WAIT_A_WHILE, LOOK_AROUND)
_TALKING: Final = (ASK_MORE, PRESS_ON, LOOK_AROUND)
_REFUSED: Final = (OFFER_SOMETHING, TRY_ANOTHER_WAY, LOOK_AROUND)
_RESTED: Final = (NEW_BEGINNING, LOOK_AROUND, SET_OUT)
_ON_THE_WAY: Final = (LOOK_AROUND, TALK_FIRST, REST_A_LITTLE)

_MOVES: Final = ("sneak", "climb", "unlock", "search", "track", "recall")
_AFTER: Final[Mapping[str, tuple[Choice, ...]]] = {
    "fell": (LOOK_AROUND, TALK_FIRST, REST_A_LITTLE, PRESS_ON),
    "attack": _FIGHTING, "cast": _FIGHTING,
    "persuade": _TALKING, "deceive": _TALKING, "threaten": _TALKING, "talk": _TALKING,
    "short_rest": _RESTED, "long_rest": _RESTED, "travel": _ON_THE_WAY, "arrive": _ON_THE_WAY,
    **dict.fromkeys(_MOVES, _WENT_WELL),
}
_AFTER_FAILURE: Final[Mapping[str, tuple[Choice, ...]]] = {
    "persuade": _REFUSED, "deceive": _REFUSED, "threaten": _REFUSED,
    **dict.fromkeys(_MOVES, _WENT_BADLY),
}


def after(kind: str, outcome: Outcome) -> tuple[Choice, ...]:
    """Three or four choices that follow a kind of action and its outcome."""
    usual = _AFTER.get(kind, _MILD)
    return _AFTER_FAILURE.get(kind, usual) if outcome == "failure" else usual


def block(thinking: str, choices: tuple[Choice, ...], *, weighed: bool = False) -> dict[str, Any]:
    """A planning block."""
    return {
        "thinking": thinking,
        "choices": {c.key: c.weighed() if weighed else c.plain() for c in choices},
    }
