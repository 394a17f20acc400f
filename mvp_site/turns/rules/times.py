"""Times: the clock goes forward, as far as a way or a rest takes, and a microsecond to think.

Calendars may be anyone's. A month may have 31 days and a year 12 months, or as many as the state's
own calendar or its present date shows. Only of places that the state knows is it certain that they
are others. Hit dice come back by nothing but a long rest. All else may have another cause (a
potion, points turned into slots): it counts where the player names a long or a short rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import Any, Final

from ...text.json_values import at, leaves, mapping, number, same
from ..clock import UNITS, Clock, hours_between, later, range_problems, world_time
from ..state import DELETE, PC, PLACE, known_as, party_place
from ..types import Violation
from .context import Context, path, quoted

TIME_PATH: Final = "state_updates.world_data.world_time"
_LONGEST_MONTH: Final = 31
_MONTHS: Final = 12
_CLOCK: Final = frozenset(("world_data", "world_time", unit) for unit in UNITS)
_SHOWN: Final = 10
_LONG: Final = 8
_RESTS: Final = re.compile(r"\b(long|short)[ -]rest", re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(?:no|not|never|without|before|after)\b|n't\b", re.IGNORECASE)


def clock_after(context: Context) -> Clock | None:
    """The clock after the turn; None where there is none, or its update cannot be applied."""
    return Clock.of(context.after) if context.settled("world_data", "world_time") else None


def span(context: Context) -> tuple[Clock, Clock] | None:
    """The clock before and after; None where either is not known."""
    before, after = Clock.of(context.facts.state), clock_after(context)
    return (before, after) if before is not None and after is not None else None


def shown(clock: Clock) -> str:
    """A time in digits, largest unit first; ``?`` for a number that no clock shows."""
    year, month, day, hour, minute, second, microsecond = (
        str(unit) if abs(unit) < 10**9 else "?" for unit in astuple(clock)
    )
    return (f"year {year}, month {month}, day {day}, "
            f"{hour:0>2}:{minute:0>2}:{second:0>2}.{microsecond:0>6}")


def time_forward(context: Context) -> Iterator[Violation]:
    """The clock goes forward but for god, and each of its units is in its range."""
    written = world_time(context.updates)
    wrong = dict(range_problems({"world_data": {"world_time": {
        unit: value for unit, value in written.items()
        if isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    }}}))
    for unit, most in _longest(context.facts.state).items():
        value = number(written.get(unit))
        if value is not None and value > most:
            wrong[unit] = f"{unit} is {value:g}, and the calendar has {most}"
    for unit, problem in wrong.items():
        yield Violation("time_forward", f"{TIME_PATH}.{unit}",
                        f"{problem}; carry into the next unit")
    moved = span(context)
    if context.facts.mode != "god" and moved and not wrong and moved[1] < moved[0]:
        yield Violation(
            "time_forward", TIME_PATH, f"the clock goes back from {shown(moved[0])} to "
            f"{shown(moved[1])}; write day, month and year too where they change",
        )


def _longest(state: Mapping[str, Any]) -> dict[str, int]:
    """How many days and months the campaign's calendar has at most."""
    calendar, world = mapping(state, "world_data", "calendar"), world_time(state)
    days, months = calendar.get("days_per_month"), calendar.get("month_names")
    lengths = [n for n in map(number, days if isinstance(days, list) else [days]) if n is not None]
    return {
        "day": int(max(_LONGEST_MONTH, *lengths, number(world.get("day")) or 0)),
        "month": int(max(_MONTHS, len(months) if isinstance(months, list) else 0,
                         number(world.get("month")) or 0)),
    }


def deep_think(context: Context) -> Iterator[Violation]:
    """A deep think takes one microsecond, changes nothing else, and nobody rolls."""
    if not context.facts.deep_think:
        return
    moved = span(context)
    # What follows hour 24 nobody can say.
    state = context.facts.state
    if moved and not range_problems(state) and later(moved[0], 1, state) != moved[1]:
        yield Violation("deep_think", TIME_PATH, f"the clock goes from {shown(moved[0])} to "
                        f"{shown(moved[1])}; a deep think moves it by exactly one microsecond")
    changed = [place for place, value in leaves(context.updates)
               if place not in _CLOCK and _changes(context, place, value)]
    for place in changed[:_SHOWN]:
        yield Violation("deep_think", path("state_updates", *place), "is changed; a deep think "
                        "changes nothing but the clock")
    if rolls := context.listed("dice_rolls"):
        yield Violation("deep_think", "dice_rolls", f"claims {len(rolls)} rolls; nobody rolls in a "
                        "deep think")


def _changes(context: Context, place: tuple[str, ...], value: object) -> bool:
    """Whether a written leaf differs from the state's, or is none of its leaves."""
    parent = mapping(context.facts.state, *place[:-1])
    if place[-1] not in parent:
        return value != DELETE  # what is not there cannot be deleted: state_delete says so
    return not same(at(parent, place[-1]), value)


def travel_time(context: Context) -> Iterator[Violation]:
    """Another place than the state's has cost time."""
    moved = span(context)
    if context.facts.mode != "story" or moved is None or moved[0] < moved[1]:
        return
    old, new = party_place(context.facts.state), party_place(context.after)
    ids = {known_as(context.after, value) for value in (old, new)}
    if len(ids) > 1 and all(ids):
        yield Violation(
            "travel_time", path("state_updates", *PLACE), f"the place changes from "
            f"{quoted(old)} to {quoted(new)} and the clock stands still; write the time "
            "that the way costs")


def rest_time(context: Context) -> Iterator[Violation]:
    """What only a rest gives back has cost its time."""
    moved, text = span(context), context.facts.user_input
    if context.facts.mode != "story" or context.facts.deep_think or moved is None:
        return
    before, after = (_missing(mapping(state, PC)) for state in (context.facts.state, context.after))
    change = {pool: after[pool] - before[pool] for pool in before.keys() & after.keys()}
    back = {pool for pool in change if change[pool] < 0}
    named = None if _DENIED.search(text) else _RESTS.search(text)
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
