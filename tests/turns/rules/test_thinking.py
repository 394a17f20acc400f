"""A deep think: one microsecond, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CORRECTION, GOLD, MISSING, SNEAK, STEALTH, THINK, THINK_ON, Turn, entry

TIME = "state_updates/world_data/world_time"


@pytest.mark.parametrize(("turn", "place", "value"), [
    (THINK, TIME, {"microsecond": 2}), (THINK, TIME, {"microsecond": 0}), (THINK, TIME, {"second": 1}), (THINK, TIME, {"minute": 6}), (THINK, TIME, {}),
    (THINK, TIME, {"microsecond": 1, "second": 1}), (THINK, TIME, {"second": 0}), (THINK, "state_updates", {"npc_data": {}}), (THINK_ON, TIME, {"microsecond": 0}),
    (THINK_ON, TIME, {"microsecond": 0, "second": 0}), (THINK_ON, TIME, {"minute": 6, "second": 0, "microsecond": 1}), (THINK_ON, TIME, {"minute": 7, "second": 0, "microsecond": 0}),
    (THINK, "state_updates/player_character_data", {"hp_current": 23}), (THINK, "state_updates/npc_data", {"npc_ford_warden_001": {"trust": -1}}),
    (THINK, "state_updates/custom_campaign_state", {"notes": ["a plan"]}), (THINK, "state_updates/item_data", {"item_iron_key_002": "__DELETE__"}),
    (THINK, "state_updates/world_data/weather", {"sky": "clear"}), (THINK, "state_updates/world_data/world_time/season", "spring"),
    (THINK, "state_updates/npc_data", {"npc_new_face_001": {"name": "Odd"}}), (THINK, "dice_rolls", [entry(STEALTH)]), (THINK, "dice_rolls", [{}]),
])
def test_what_a_deep_think_may_not(turn: Turn, place: str, value: Any) -> None:
    assert len(turn.having(place, value).named("deep_think")) == 1


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


def test_without_a_clock_in_the_state_any_may_begin() -> None:
    turn = THINK.in_state("world_data/world_time", MISSING)
    assert turn.having(TIME, {"year": 1, "month": 1, "day": 1, "hour": 8, "microsecond": 1}).named("deep_think") == []
