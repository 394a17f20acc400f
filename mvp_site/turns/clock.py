"""The world's clock: what time the state says it is, and how far two times lie apart.

A calendar may be anyone's: month names, month lengths and the number of months are the campaign's
own. So times are compared unit by unit, and what depends on a month's length is an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..text.json_values import at, mapping
from ..text.strict_json import short

UNITS: Final = ("year", "month", "day", "hour", "minute", "second", "microsecond")
# Months and days leave room for calendars of other worlds.
RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "year": (-1_000_000, 1_000_000), "month": (1, 20), "day": (1, 40), "hour": (0, 23),
    "minute": (0, 59), "second": (0, 59), "microsecond": (0, 999_999),
}
MICROSECONDS_PER_SECOND: Final = 1_000_000
MICROSECONDS_PER_HOUR: Final = 3_600 * MICROSECONDS_PER_SECOND
MICROSECONDS_PER_DAY: Final = 24 * MICROSECONDS_PER_HOUR
_MONTH_DAYS: Final = 30
_YEAR_MONTHS: Final = 12


@dataclass(frozen=True, slots=True, order=True)
class Clock:
    """A time of the world, largest unit first, so that clocks compare as times do."""

    year: int = 0
    month: int = 0
    day: int = 0
    hour: int = 0
    minute: int = 0
    second: int = 0
    microsecond: int = 0

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Clock | None:
        """The time in ``world_data.world_time`` of ``state``.

        A unit that is missing or null counts 0. None where there is no time, or one of its units
        is no integer.
        """
        time = world_time(state)
        units = {name: time[name] for name in UNITS if time.get(name) is not None}
        if not units or not all(_is_integer(value) for value in units.values()):
            return None
        return cls(**units)


def later(clock: Clock, microseconds: int, state: Mapping[str, Any]) -> Clock:
    """The time so much later, by the campaign's calendar where the state has one.

    A month has 30 days where the calendar does not say otherwise, or as many as it shows just now.
    """
    days, rest = divmod(_of_day(clock) + microseconds, MICROSECONDS_PER_DAY)
    year, month, day = clock.year, clock.month, clock.day
    names = at(state, "world_data", "calendar", "month_names")
    usable = isinstance(names, list) and 1 <= len(names) <= RANGES["month"][1]
    months = len(names) if usable else _YEAR_MONTHS
    for _ in range(days):
        day += 1
        if day > _month_days(state, month):
            year, month, day = (year, month + 1, 1) if month < months else (year + 1, 1, 1)
    return _at(year, month, day, rest)


def _month_days(state: Mapping[str, Any], month: int) -> int:
    days = at(state, "world_data", "calendar", "days_per_month")
    if isinstance(days, list) and 1 <= month <= len(days):
        days = days[month - 1]
    if isinstance(days, int) and _is_integer(days) and 1 <= days <= RANGES["day"][1]:
        return days
    return _MONTH_DAYS


def hours_between(before: Clock, after: Clock) -> float:
    """The hours from ``before`` to ``after``; a day of another month counts as the next one."""
    same_month = (before.year, before.month) == (after.year, after.month)
    days = after.day - before.day if same_month else 1
    took = days * MICROSECONDS_PER_DAY + _of_day(after) - _of_day(before)
    return took / MICROSECONDS_PER_HOUR


def range_problems(state: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Each unit of ``world_time`` that no calendar allows, with what is wrong with it.

    A unit that is missing or null is no problem.
    """
    time = world_time(state)
    problems: list[tuple[str, str]] = []
    for name in UNITS:
        value = time.get(name)
        low, high = RANGES[name]
        if value is None:
            continue
        if not _is_integer(value):
            problems.append((name, f"{name} is {short(value)}, and must be an integer"))
        elif not low <= value <= high:
            problems.append((name, f"{name} is {short(value)}, and must be from {low} to {high}"))
    return tuple(problems)


def world_time(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object ``world_data.world_time`` of ``state``; an empty one where there is none."""
    return mapping(state, "world_data", "world_time")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _of_day(clock: Clock) -> int:
    seconds = (clock.hour * 60 + clock.minute) * 60 + clock.second
    return seconds * MICROSECONDS_PER_SECOND + clock.microsecond


def _at(year: int, month: int, day: int, microseconds: int) -> Clock:
    seconds, microsecond = divmod(microseconds, MICROSECONDS_PER_SECOND)
    return Clock(year, month, day, seconds // 3600, seconds // 60 % 60, seconds % 60, microsecond)
