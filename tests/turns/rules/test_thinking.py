"""A deep think: one microsecond, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CORRECTION, GOLD, MISSING, SNEAK, THINK, THINK_ON, Turn

TIME = "state_updates/world_data/world_time"


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
