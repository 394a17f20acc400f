"""The clock goes forward, and within its calendar."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CORRECTION, GOLD, REWIND, SNEAK, Turn, header

DAY = {"year": 1492, "month": 5, "day": 4, "hour": 21, "minute": 5, "second": 0, "microsecond": 0}
TIME = "state_updates/world_data/world_time"


@pytest.mark.parametrize(("turn", "time"), [
    (SNEAK, {"minute": 5}), (SNEAK, {"minute": 59}), (SNEAK, {"day": 5, "hour": 0, "minute": 30}), (SNEAK, {"month": 6, "day": 1, "hour": 0}), (SNEAK, DAY),
    (SNEAK, {"year": 1493, "month": 1, "day": 1, "hour": 0, "minute": 0}), (SNEAK, {"microsecond": 1}), (SNEAK, {"day": 31}), (SNEAK, {"month": 12}),
    (CORRECTION, {"minute": 5}), (CORRECTION, {"hour": 22}), (REWIND, {"year": 1400}), (GOLD, {"day": 1}), (GOLD, {"hour": 0, "minute": 0}),
])
def test_forwards_or_by_god(turn: Turn, time: dict[str, int]) -> None:
    assert turn.having(TIME, time).named("time_forward") == []


@pytest.mark.parametrize(("place", "value", "time"), [
    ("world_data/calendar", {"month_names": list("abcdefghijklm")}, {"month": 13}),
    ("world_data/calendar", {"days_per_month": 40}, {"day": 40}),
    ("world_data/calendar", {"days_per_month": [30, 35, 30]}, {"day": 33}),
    ("world_data/calendar", {"days_per_month": {"Frost": 36}}, {"day": 36}),
    ("world_data/world_time/day", 34, {"day": 34, "hour": 22}),
    ("world_data/world_time/month", 14, {"month": 14, "hour": 22}),
])
def test_the_campaigns_own_calendar_counts(place: str, value: Any, time: dict[str, int]) -> None:
    assert SNEAK.in_state(place, value).having(TIME, time).named("time_forward") == []


@pytest.mark.parametrize("place", ["world_data", "world_data/world_time", "world_data/world_time/hour"])
@pytest.mark.parametrize("value", [{}, None, "late", [], 7])
def test_a_state_without_a_clock_says_nothing(place: str, value: Any) -> None:
    turn = SNEAK.in_state(place, value).having(TIME, {"hour": 1})
    assert turn.named("time_forward") == [] or place.endswith("hour")


def test_a_clock_that_cannot_be_applied_is_told_by_the_state_rules_alone() -> None:
    turn = SNEAK.having(TIME, "evening").having("session_header", header("4, 21:15:00"))
    assert {violation.rule for violation in turn.check().violations} == {"state_branch"}
