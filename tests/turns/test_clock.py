"""The world's clock: reading, order, distance, and the one microsecond of a deep think."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site.turns.clock import UNITS, Clock, hours_between, range_problems


def at(**units: Any) -> dict[str, Any]:
    """A state whose clock shows these units."""
    return {"world_data": {"world_time": units}}


RANGE_PROBLEMS: list[tuple[dict[str, Any], list[str]]] = [
    (at(year=1492, month=5, day=4, hour=21, minute=15, second=7, microsecond=9), []),
    (at(month=20, day=40, hour=23, minute=59, second=59, microsecond=999_999), []),
    (at(month=1, day=1, hour=0, minute=0, second=0, microsecond=0), []),
    (at(hour=None), []),
    ({}, []),
    (at(month=0, day=0), ["month is 0, and must be from 1 to 20", "day is 0, and must be from 1 to 40"]),
    (at(month=21, day=41), ["month is 21, and must be from 1 to 20", "day is 41, and must be from 1 to 40"]),
    (at(hour=24, minute=60, second=60), ["hour is 24, and must be from 0 to 23", "minute is 60, and must be from 0 to 59", "second is 60, and must be from 0 to 59"]),
    (at(microsecond=1_000_000), ["microsecond is 1000000, and must be from 0 to 999999"]),
    (at(minute=-1), ["minute is -1, and must be from 0 to 59"]),
    (at(hour="evening"), ["hour is 'evening', and must be an integer"]),
    (at(hour=21.0), ["hour is 21.0, and must be an integer"]),
    (at(hour=True), ["hour is true, and must be an integer"]),
    (at(hour=[1]), ["hour is [1], and must be an integer"]),
    (at(year=10**30), ["year is 1000000000000000000000000000000, and must be from -1000000 to 1000000"]),
]


@pytest.mark.parametrize(("state", "messages"), RANGE_PROBLEMS, ids=range(len(RANGE_PROBLEMS)))
def test_units_out_of_range_are_named(state: dict[str, Any], messages: list[str]) -> None:
    assert [message for _, message in range_problems(state)] == messages
    assert all(unit in UNITS for unit, _ in range_problems(state))


BETWEEN = [
    (Clock(1492, 5, 4, 21, 15), Clock(1492, 5, 4, 21, 15), 0), (Clock(1492, 5, 4, 21, 15), Clock(1492, 5, 4, 22, 45), 1.5), (Clock(1492, 5, 4, 23), Clock(1492, 5, 5, 7), 8),
    (Clock(1492, 5, 30, 23), Clock(1492, 6, 1, 7), 8), (Clock(1492, 2, 28, 23), Clock(1492, 3, 1, 7), 8), (Clock(1492, 13, 30, 23), Clock(1493, 1, 1, 7), 8), (Clock(0, 0, 3, 23), Clock(0, 0, 4, 1), 2),
]


@pytest.mark.parametrize(("before", "after", "hours"), BETWEEN)
def test_hours_between(before: Clock, after: Clock, hours: float) -> None:
    assert hours_between(before, after) == hours
