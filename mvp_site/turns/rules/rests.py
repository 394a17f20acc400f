"""Rests: what only a rest gives back has cost the time of one.

Hit dice come back by nothing but a long rest. All else may have another cause (a potion, points
turned into slots): it counts where the player names a long or a short rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..clock import hours_between
from ..types import Violation
from ..values import at, mapping, number
from .context import PC, Context
from .times import TIME_PATH, span

_LONG: Final = 8
_NAMED: Final = re.compile(r"\b(long|short)[ -]rest", re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(?:no|not|never|without|before|after)\b|n't\b", re.IGNORECASE)


def rest_time(context: Context) -> Iterator[Violation]:
    """What only a rest gives back has cost its time."""
    moved, text = span(context), context.facts.user_input
    if context.facts.mode != "story" or context.facts.deep_think or moved is None:
        return
    before, after = (_missing(mapping(state, PC)) for state in (context.facts.state, context.after))
    change = {pool: after[pool] - before[pool] for pool in before.keys() & after.keys()}
    back = {pool for pool in change if change[pool] < 0}
    named = None if _DENIED.search(text) else _NAMED.search(text)
    long = bool(named and named[1].casefold() == "long")
    if after.get("hit points") if long else change.get("hit dice", 0) <= 0:
        back -= {"hit points"}  # a long rest gives all of them back, a short one for hit dice
    if not back or not (named or "hit dice" in back):
        return
    hours, took = _LONG if long or back & {"hit dice", "exhaustion"} else 1, hours_between(*moved)
    if took < hours:
        yield Violation(
            "rest_time", TIME_PATH, f"{', '.join(sorted(back))} come back as by a rest of "
            f"{hours} hours, and the clock moves {took * 60:.0f} minutes; write the time that the "
            "rest costs, or give nothing back")


def _missing(record: Mapping[str, Any]) -> dict[str, float]:
    """How much of each pool is spent, as far as the sheet says it; exhaustion counts as spent."""
    slots = mapping(record, "spell_slots")
    pools = {
        "hit dice": (at(record, "hit_dice", "current"), at(record, "hit_dice", "max")),
        "hit points": (record.get("hp_current"), record.get("hp_max")),
        "exhaustion": (0, record.get("exhaustion")),
        **{f"spell slots of {name}": (at(slots, name, "current"), at(slots, name, "max"))
           for name in slots},
    }
    counts = {name: (number(left), number(most)) for name, (left, most) in pools.items()}
    return {name: most - left for name, (left, most) in counts.items()
            if left is not None and most is not None}
