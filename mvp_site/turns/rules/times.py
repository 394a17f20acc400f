"""Times: the clock before and after a turn, that it goes forward, and what a deep think does to it.

Calendars may be anyone's. A month may have 31 days and a year 12 months, or as many as the state's
own calendar or its present date shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import Any, Final

from ..clock import UNITS, Clock, later, range_problems, world_time
from ..state import DELETE
from ..types import Violation
from ..values import at, leaves, mapping, number, same
from .context import Context, path

TIME_PATH: Final = "state_updates.world_data.world_time"
_LONGEST_MONTH: Final = 31
_MONTHS: Final = 12
_CLOCK: Final = frozenset(("world_data", "world_time", unit) for unit in UNITS)
_SHOWN: Final = 10


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
