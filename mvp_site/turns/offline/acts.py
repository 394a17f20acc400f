"""Acts: what the stand-in understands of a player's words. Pure tables.

The first act of which a word is found is taken; what is narrow stands before what is wide. A text
in which there is none was not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..clock import MICROSECONDS_PER_HOUR, MICROSECONDS_PER_SECOND

ROUND: Final = 6 * MICROSECONDS_PER_SECOND
"""What anything takes in a fight."""
MINUTE: Final = 60 * MICROSECONDS_PER_SECOND
HOUR: Final = MICROSECONDS_PER_HOUR
EXAMPLES: Final = (
    "I look around", "I sneak past the guard", "I search the room", "I buy rope for 1 gold",
    "we rest for an hour",
)
"""What to type: shown where a text was not understood."""
_READ: Final = 4_000


@dataclass(frozen=True, slots=True)
class Act:
    """Something that a player does.

    ``label`` is how it is told, ``cost`` its time in microseconds. Acts with an ``ability`` take a
    roll of it against ``dc``, with the number under ``skill`` where the sheet has one.
    """

    kind: str
    words: re.Pattern[str]
    label: str
    cost: int
    ability: str = ""
    skill: str = ""
    dc: int = 0


def _act(kind: str, words: str, label: str, cost: int, *check: str | int) -> Act:
    return Act(kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE), label, cost,
               *check)  # type: ignore[arg-type]


ACTS: Final = (
    _act("long_rest", r"long rest|(?:i|we|and|let's) sleep|make camp|go to (?:bed|sleep)",
         "a long rest", 8 * HOUR),
    _act("short_rest", r"short rest|resting|(?:i|we|us|to|and|a) rest"
         r"|rest (?:here|for|up|now|until|a)|catch (?:my|our) breath", "a short rest", HOUR),
    _act("attack", r"attack|strike|stab|slash|shoot|fight|hit|punch|kick|swing at|kill|charge"
         r"|lunge", "an attack", ROUND, "strength"),
    _act("cast", r"cast|casting|conjure", "a spell", ROUND),
    _act("sneak", r"sneak|stealth|creep|hide|hiding|slip (?:past|by|through|away)|tiptoe|unseen"
         r"|quietly", "an attempt to go unseen", 10 * MINUTE, "dexterity", "stealth", 13),
    _act("unlock", r"(?:pick|force) (?:the|this|that|a) (?:lock|padlock)|unlock|disarm",
         "work on a lock", 10 * MINUTE, "dexterity", "thieves' tools", 15),
    _act("track", r"tracks?|tracking|trail|footprints?|spoor",
         "a search for tracks", 10 * MINUTE, "wisdom", "survival", 15),
    _act("search", r"search|searching|investigate|rummage|examine|inspect|look for", "a search",
         10 * MINUTE, "wisdom", "perception", 13),
    _act("climb", r"climb|jump|leap|swim|vault|break down|lift",
         "a feat of strength", MINUTE, "strength", "athletics", 12),
    _act("threaten", r"threaten|intimidate|menace|frighten|scare",
         "a threat", MINUTE, "charisma", "intimidation", 13),
    _act("deceive", r"lie to|bluff|deceive|pretend|disguise|trick|fool",
         "a bluff", MINUTE, "charisma", "deception", 13),
    _act("persuade", r"persuade|convince|bargain|haggle|negotiate|bribe|plead|beg"
         r"|talk (?:him|her|them|my|our) (?:in|way)\w*",
         "an attempt to persuade", MINUTE, "charisma", "persuasion", 15),
    _act("recall", r"recall|remember|recogni[sz]e",
         "an effort of memory", MINUTE, "intelligence", "history", 12),
    _act("pay", r"buy|purchase|pay|spend|tip", "a payment", MINUTE),
    _act("travel", r"travel|journey|march|ride|set (?:out|off)|sail"
         r"|(?:walk|go|head|return|hike) (?:to|towards?|back)", "a journey", 2 * HOUR),
    _act("use", r"drink|eat|use|equip|wield|draw|give|hand over|drop|throw",
         "the use of what you carry", MINUTE),
    _act("wait", r"wait|waiting|keep watch|stand guard|bide", "waiting", 10 * MINUTE),
    _act("talk", r"talk|ask|say|tell|speak|greet|chat|answer|call out|hail|shout|whisper",
         "talk", MINUTE),
    _act("look", r"look|watch|listen|peer|study|observe|see|read", "a look around", MINUTE),
    _act("small", r"knock|open|close|enter|sit|stand|kneel|bow|nod|wave|smile|light",
         "a small thing", MINUTE),
)
_DENIED: Final = re.compile(r"\b(?:not|never|without|no time)\b|n't\b", re.IGNORECASE)
_QUESTION: Final = re.compile(
    r"(?:what|which|who|whose|where|when|why|how|can|could|may|does|do|did|is|are|am|will|would"
    r"|should)\b.*\?\W*", re.IGNORECASE | re.DOTALL)


def understood(text: str) -> Act | None:
    """The act that ``text`` is about; None where there is no word of any, or it may be denied."""
    said = text[:_READ].replace("\u2019", "'")
    if _DENIED.search(said):
        return None
    return next((act for act in ACTS if act.words.search(said)), None)


def is_question(text: str) -> bool:
    """Whether ``text`` asks the game master something, and does nothing."""
    return _QUESTION.fullmatch(text[:_READ].strip()) is not None
