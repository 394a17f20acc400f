"""The clock goes forward, within its calendar; in a deep think by one microsecond, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CORRECTION, GOLD, MISSING, REWIND, SNEAK, THINK, THINK_ON, Turn, header

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


@pytest.mark.parametrize(("turn", "place", "value"), [
    (THINK, TIME, {"microsecond": 1}), (THINK, TIME, {"hour": 21, "minute": 5, "microsecond": 1}), (THINK_ON, TIME, {"minute": 6, "second": 0, "microsecond": 0}),
    (THINK, "state_updates/player_character_data", {"hp_current": 24}), (THINK, "state_updates/custom_campaign_state", {}),
    (THINK, "state_updates/item_data", {"item_arrows_001": {"quantity": 20}}), (SNEAK, TIME, {"minute": 30}), (CORRECTION, TIME, {"minute": 30}), (GOLD, TIME, {"minute": 30}),
    (THINK, "state_updates/player_character_data", {"languages": ["Common"]}), (THINK, "state_updates/player_character_data", {"concentration": None}),
    (THINK, "debug_info/dm_notes", ["the drain exists"]),
])
def test_what_a_deep_think_may(turn: Turn, place: str, value: Any) -> None:
    assert turn.having(place, value).named("deep_think") == []


@pytest.mark.parametrize(("before", "after"), [
    ({"hour": 23, "minute": 59, "second": 59, "microsecond": 999_999}, {"day": 5, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}),
    ({"day": 30, "hour": 23, "minute": 59, "second": 59, "microsecond": 999_999}, {"month": 6, "day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}),
    ({"month": 12, "day": 30, "hour": 23, "minute": 59, "second": 59, "microsecond": 999_999}, {"year": 1493, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}),
    ({"minute": 59, "second": 59, "microsecond": 999_999}, {"hour": 22, "minute": 0, "second": 0, "microsecond": 0}),
    ({"microsecond": 41}, {"microsecond": 42}),
    ({"microsecond": MISSING}, {"microsecond": 1}),
])
def test_carries(before: dict[str, Any], after: dict[str, int]) -> None:
    turn = THINK
    for unit, value in before.items():
        turn = turn.in_state(f"world_data/world_time/{unit}", value)
    assert turn.having(TIME, after).named("deep_think") == []
    assert turn.having(TIME, {"year": 1500}).named("deep_think")
