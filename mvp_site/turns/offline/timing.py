"""Timing: the state's world time moved forward, leaf by leaf, and shown in the header.

A state without a time gets ``FIRST``, and the answer says so. Units beyond their range are carried
on the way; a time whose units are no numbers is left alone: what cannot be read may not be moved.
"""

from __future__ import annotations

import math
from typing import Final

from ..clock import RANGES, UNITS, Clock
from .draft import Draft
from .names import plain

PATH: Final = ("world_data", "world_time")
SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
FIRST: Final = Clock(1, 1, 1, 8)

_DAY: Final = 24 * HOUR
_LOWEST: Final = {"year": RANGES["year"][0], "month": 1, "day": 1}
_MONTH_DAYS: Final = 30
_MONTHS: Final = 12
_ORDINALS: Final = (
    "no", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth", "twentieth",
)
_FARTHEST: Final = 1_000  # beyond that a number is no slip of a carry


def units_of(draft: Draft) -> dict[str, int] | None:
    """The units of the time that are there; None where one cannot be read or written."""
    units: dict[str, int] = {}
    for name in UNITS:
        value = draft.get(*PATH, name)
        if isinstance(value, float) and math.isfinite(value):
            value = int(value)
        if value is None:
            if not draft.takes(0, *PATH, name):
                return None
            continue
        low, high = RANGES[name]
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        if not low - _FARTHEST <= value <= high + _FARTHEST:
            return None
        units[name] = value
    return units


def pass_time(draft: Draft, microseconds: int) -> bool:
    """Whether the time was moved on, from ``FIRST`` where the state has none."""
    units = units_of(draft)
    if units is None:
        return False
    # What is missing or below its range counts as the first of its kind.
    before = Clock(**{
        name: max(units.get(name, 0), _LOWEST.get(name, 0)) for name in UNITS
    }) if units else FIRST
    after = _later(before, microseconds, draft)
    if after.year != before.year and after.year > RANGES["year"][1]:
        return False
    for name in UNITS:
        value, had = getattr(after, name), draft.get(*PATH, name)
        kept = value == (getattr(before, name) if had is None else had)
        if not units or not kept or isinstance(had, float):
            draft.write(value, *PATH, name)
    return True


def pass_moment(draft: Draft) -> bool:
    """Whether the time was moved by exactly one microsecond, carried as far as it must be."""
    units = units_of(draft)
    if units is None:
        return False
    if not units:
        return pass_time(draft, 1)
    before = Clock(**units)
    after = before.next_microsecond()
    if after.day != before.day and after.day > _month_length(draft, before):
        after = _later(before, 1, draft)
    for name in UNITS:
        value = getattr(after, name)
        if value != units.get(name, 0):
            draft.write(value, *PATH, name)
    return True


def timestamp(draft: Draft) -> str:
    """The header's account of the time: ``?`` for what the state lacks."""
    units = units_of(draft) or {}
    era = plain(draft.get("world_data", "calendar", "era"))
    year, day = (str(units[name]) if name in units else "?" for name in ("year", "day"))
    hours = ":".join(
        f"{units[name]:02}" if 0 <= units.get(name, -1) < 100 else "??"
        for name in ("hour", "minute", "second")
    )
    dated = f"{year} {era}" if era else year
    return f"{dated}, {_month_name(draft, units.get('month'))} {day}, {hours}"


def span(microseconds: int) -> str:
    """A length of time in words of the clock, such as ``1 h 30 min``."""
    minutes, rest = divmod(microseconds, MINUTE)
    parts = ((minutes // 60, "h"), (minutes % 60, "min"), (rest // SECOND, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def _later(clock: Clock, microseconds: int, draft: Draft) -> Clock:
    passed = clock.hour * HOUR + clock.minute * MINUTE + clock.second * SECOND + clock.microsecond
    days, rest = divmod(passed + microseconds, _DAY)
    year, month, day = clock.year, clock.month, clock.day + days
    if month > RANGES["month"][1]:
        years, month = divmod(month - 1, _months(draft))
        year, month = year + years, month + 1
    length = _month_length(draft, clock) if month == clock.month else _days(draft, month)
    while day > length:
        day, month = day - length, month + 1
        if month > _months(draft):
            year, month = year + 1, 1
        length = _days(draft, month)
    minutes, rest = divmod(rest, MINUTE)
    return Clock(year, month, day, minutes // 60, minutes % 60, rest // SECOND, rest % SECOND)


def _months(draft: Draft) -> int:
    names = draft.get("world_data", "calendar", "month_names")
    usable = isinstance(names, list) and 1 <= len(names) <= RANGES["month"][1]
    return len(names) if usable and isinstance(names, list) else _MONTHS


def _month_length(draft: Draft, clock: Clock) -> int:
    """The days of the present month: the state knows it better than a default does."""
    return max(_days(draft, clock.month), min(clock.day, RANGES["day"][1]))


def _days(draft: Draft, month: int) -> int:
    """The days of a month: one number for all, a list of numbers, or thirty."""
    days = draft.get("world_data", "calendar", "days_per_month")
    if isinstance(days, list) and 1 <= month <= len(days):
        days = days[month - 1]
    if isinstance(days, int) and not isinstance(days, bool) and 1 <= days <= RANGES["day"][1]:
        return days
    return _MONTH_DAYS


def _month_name(draft: Draft, month: int | None) -> str:
    if month is None:
        return "?"
    names = draft.get("world_data", "calendar", "month_names")
    known = None
    if isinstance(names, list) and 1 <= month <= len(names):
        known = plain(names[month - 1])
    # In words: a number beside the day could be taken for it.
    count = _ORDINALS[month] if 0 <= month < len(_ORDINALS) else "unknown"
    return known or f"{count} month, day"
