"""Times: the clock before and after a turn, that it goes forward, and what a deep think does to it.

Calendars may be anyone's. A month may have 31 days and a year 12 months, or as many as the state's
own calendar or its present date shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import Any, Final, NamedTuple

from ..clock import (
    UNITS,
    Clock,
    is_next_microsecond,
    microseconds_between,
    range_problems,
    world_time,
)
from ..json_values import leaves, same
from ..state import DELETE
from ..types import Violation
from .context import Context, Rule, at, mapping, number, path

TIME_PATH: Final = ("state_updates", "world_data", "world_time")
_LONGEST_MONTH: Final = 31
_MONTHS: Final = 12
_CLOCK: Final = frozenset(("world_data", "world_time", unit) for unit in UNITS)
_SHOWN: Final = 10
_CLOCK_PATHS: Final = ("", "world_data", "world_data.world_time")


class Span(NamedTuple):
    """The clock before and after a turn."""

    before: Clock
    after: Clock

    @property
    def microseconds(self) -> int:
        """How far the clock moved."""
        return microseconds_between(self.before, self.after)


def clock_after(context: Context) -> Clock | None:
    """The clock after the turn; None where there is none, or its update cannot be applied."""
    if any(problem.path in _CLOCK_PATHS or problem.path.startswith("world_data.world_time.")
           for problem in context.problems):
        return None
    return Clock.of(context.after)


def span(context: Context) -> Span | None:
    """The clock before and after; None where either is not known."""
    before, after = Clock.of(context.facts.state), clock_after(context)
    return Span(before, after) if before is not None and after is not None else None


def shown(clock: Clock) -> str:
    """A time in digits, largest unit first; ``?`` for a number that no clock shows."""
    year, month, day, hour, minute, second, microsecond = (
        str(unit) if abs(unit) < 10**9 else "?" for unit in astuple(clock)
    )
    return (f"year {year}, month {month}, day {day}, "
            f"{hour:0>2}:{minute:0>2}:{second:0>2}.{microsecond:0>6}")


def _time_forward(context: Context) -> Iterator[Violation]:
    written = mapping(context.updates, "world_data", "world_time")
    wrong = dict(range_problems({"world_data": {"world_time": {
        unit: value for unit, value in written.items()
        if isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    }}}))
    for unit, most in _longest(context.facts.state).items():
        value = number(written.get(unit))
        if value is not None and value > most:
            wrong[unit] = f"{unit} is {value:g}, and the calendar has {most}"
    for unit, problem in wrong.items():
        yield Violation("time_forward", path(*TIME_PATH, unit),
                        f"{problem}; carry into the next unit")
    moved = span(context)
    if context.facts.mode != "god" and moved and not wrong and moved.after < moved.before:
        yield Violation(
            "time_forward", path(*TIME_PATH), f"the clock goes back from {shown(moved.before)} to "
            f"{shown(moved.after)}; write day, month and year too where they change",
        )


def _longest(state: Mapping[str, Any]) -> dict[str, int]:
    """How many days and months the campaign's calendar has at most."""
    calendar, now = mapping(state, "world_data", "calendar"), world_time(state)
    days, months = calendar.get("days_per_month"), calendar.get("month_names")
    if isinstance(days, Mapping):
        days = list(days.values())
    lengths = [n for n in map(number, days if isinstance(days, list) else [days]) if n is not None]
    named = [float(len(months))] if isinstance(months, list | Mapping) else []
    return {
        "day": int(max(_LONGEST_MONTH, *lengths, number(now.get("day")) or 0)),
        "month": int(max(_MONTHS, *named, number(now.get("month")) or 0)),
    }


TIME_FORWARD: Final = Rule(
    "time_forward", "only goes forward in Story; only an explicit God command moves it back",
    _time_forward,
)


def _deep_think(context: Context) -> Iterator[Violation]:
    if not context.facts.deep_think:
        return
    before, after = Clock.of(context.facts.state), clock_after(context)
    if range_problems(context.facts.state):
        before = None  # what follows hour 24 nobody can say
    if before is not None and after is not None and not is_next_microsecond(before, after):
        yield Violation("deep_think", path(*TIME_PATH), f"the clock goes from {shown(before)} to "
                        f"{shown(after)}; a deep think moves it by exactly one microsecond")
    changed = [place for place, value in leaves(context.updates)
               if place not in _CLOCK and _changes(context, place, value)]
    for place in changed[:_SHOWN]:
        yield Violation("deep_think", path("state_updates", *place), "is changed; a deep think "
                        "changes nothing but the clock")
    rolls = (context.answer or {}).get("dice_rolls")
    if isinstance(rolls, list) and rolls:
        yield Violation("deep_think", "dice_rolls", f"claims {len(rolls)} rolls; nobody rolls in a "
                        "deep think")


def _changes(context: Context, place: tuple[str, ...], value: object) -> bool:
    """Whether a written leaf differs from the state's, or is none of its leaves."""
    parent = at(context.facts.state, *place[:-1])
    if not isinstance(parent, Mapping) or place[-1] not in parent:
        return value != DELETE  # what is not there cannot be deleted: state_delete says so
    return not same(parent[place[-1]], value)


DEEP_THINK: Final = Rule(
    "deep_think", "Deep think: input that starts `think:`", _deep_think
)
