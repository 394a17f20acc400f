"""Rests: what only a rest gives back has cost the time of a rest.

Hit dice come back by nothing but a long rest. All else may have another cause (a potion, points
turned into slots): it counts where the player names a long or a short rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..clock import MICROSECONDS_PER_HOUR, microseconds_between
from ..types import Violation
from ..values import mapping
from .context import PC, Context
from .pools import counts, gained
from .times import TIME_PATH, span

_MINUTES: Final = 60
_LONG: Final = 8
_NAMED: Final = re.compile(r"\b(long|short)[ -]rest", re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(?:no|not|never|without|before|instead|after|last)\b|n't\b",
                            re.IGNORECASE)
_RESUMED: Final = re.compile(r"\b(?:resum|continu|finish)\w*\b|\bback to (?:sleep|bed|rest)\b"
                             r"|\b(?:go(?:es)? on|keep) (?:resting|sleeping)\b", re.IGNORECASE)


def rest_time(context: Context) -> Iterator[Violation]:
    """What only a rest gives back has cost its time."""
    moved = span(context)
    if (context.facts.mode != "story" or context.facts.deep_think or moved is None
            or PC not in context.updates):
        return
    took = microseconds_between(*moved)
    before, after = (mapping(state, PC) for state in (context.facts.state, context.after))
    back = gained(before, after)
    said = context.facts.user_input
    named = _NAMED.search(said) if not _DENIED.search(said) else None
    long = bool(named and named[1].casefold() == "long")
    if "hit points" in back and not (_is_whole(after) if long else _spends_hit_dice(before, after)):
        back -= {"hit points"}
    if not back or not (named or "hit dice" in back):
        return
    hours = _LONG if long or back & {"hit dice", "exhaustion"} else 1
    if _RESUMED.search(said):
        hours = 1
    if took < hours * MICROSECONDS_PER_HOUR:
        minutes = took * _MINUTES // MICROSECONDS_PER_HOUR
        yield Violation(
            "rest_time", TIME_PATH, f"{', '.join(sorted(back))} come back as by a rest of "
            f"{hours} hours, and the clock moves {minutes} minutes; write the time that the rest "
            "costs, or give nothing back")


def _is_whole(record: object) -> bool:
    """Whether the hit points of a record are at their maximum."""
    found = {role: [count.value for count in counts(record).values()
                    if count.kind == "hit points" and count.role == role]
             for role in ("left", "most")}
    return bool(found["left"]) and found["left"] == found["most"]


def _spends_hit_dice(before: object, after: object) -> bool:
    return "hit dice" in gained(after, before)
