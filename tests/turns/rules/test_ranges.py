"""Numbers of a sheet that a turn may not write."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CORRECTION, GOLD, MISSING, SNEAK, STATE, Turn

GONE = "__DELETE__"
PC = "player_character_data"
NPC = "npc_data/npc_ford_warden_001"
HUGE = int("9" * 3_000)
HP = {"current": 20, "max": 28}


def writing(place: str, had: Any, has: Any, turn: Turn = SNEAK) -> list[str]:
    """The paths that the rule names where a turn writes one leaf."""
    turn = turn if had is ... else turn.in_state(place, had)
    return [found.path for found in turn.having("state_updates", {}).having(f"state_updates/{place}", has).named("state_range")]


BAD = [
    (f"{PC}/hp_current", ..., GONE), (f"{PC}/hp_current", ..., None), (f"{PC}/hp_current", ..., -5), (f"{PC}/hp_current", ..., 18.5), (f"{PC}/hp_current", ..., HUGE),
    (f"{PC}/hp_current", ..., 29), (f"{PC}/hp_current", ..., -HUGE), (f"{PC}/hp_current", -5, -8), (f"{PC}/hp_current", 30, 31), (f"{PC}/hp_current", None, -1), (f"{PC}/hp_current", MISSING, 1.5),
    (f"{PC}/hp_max", ..., 20), (f"{PC}/hp_max", ..., None), (f"{PC}/hp_max", ..., 28.5), (f"{PC}/hp/current", 20, -1), (f"{PC}/hitPoints/now", 20, -1), (f"{PC}/hp", 20, -2), (f"{PC}/hp_temp", 0, -1),
    (f"{PC}/level", ..., 0), (f"{PC}/level", ..., 21), (f"{PC}/level", ..., -1), (f"{PC}/level", ..., 2.5), (f"{PC}/level", ..., GONE), (f"{PC}/level", ..., HUGE), (f"{PC}/level", ..., None),
    (f"{PC}/xp", ..., -1), (f"{PC}/xp", ..., None), (f"{PC}/xp", ..., GONE), (f"{PC}/xp", ..., 1e300), (f"{PC}/xp", ..., 1100.5), (f"{PC}/experience_points", 4, -4),
    (f"{PC}/gold", ..., -1), (f"{PC}/gold", ..., GONE), (f"{PC}/gold", ..., HUGE), (f"{PC}/currency/gp", 4, -0.5), (f"{PC}/currency/cp", 4, -1), (f"{PC}/purse/silver", 4, -1),
    (f"{PC}/abilities/str", 12, 31), (f"{PC}/abilities/dexterity", 12, -1), (f"{PC}/abilities/wis", 12, 12.5), (f"{PC}/abilities/cha", 12, None), (f"{PC}/exhaustion", ..., 7), (f"{PC}/exhaustion", ..., -1),
    (f"{PC}/death_saves/failures", 2, 4), (f"{PC}/spell_slots/level_1/current", ..., -1), (f"{PC}/hit_dice/current", ..., -1), (f"{PC}/hit_dice/current", ..., 1.5),
    (f"{NPC}/hp_current", ..., -3), (f"{NPC}/hp_current", ..., 12), (f"{NPC}/hp_current", ..., 4.5), (f"{NPC}/hp_current", ..., HUGE), (f"{NPC}/trust", ..., HUGE),
    ("world_data/omen", MISSING, HUGE), ("custom_campaign_state/list", [1], [1, [HUGE]]), ("custom_campaign_state/deep", MISSING, {"a": {"b": HUGE}}),
    ("combat_state/combatants/npc_drowned_guard_001", MISSING, {"hp_current": 14, "hp_max": 13}), ("npc_data/npc_new_001", MISSING, {"hp_current": -1}),
]


@pytest.mark.parametrize(("place", "had", "has"), BAD)
@pytest.mark.parametrize("turn", [SNEAK, CORRECTION, GOLD], ids=lambda turn: turn.facts.mode)
def test_a_number_that_a_sheet_cannot_hold(turn: Turn, place: str, had: Any, has: Any) -> None:
    found = writing(place, had, has, turn)
    assert found
    assert all(path.startswith(f"state_updates.{place.split('/', maxsplit=1)[0]}") for path in found)


@pytest.mark.parametrize(("place", "had", "has"), [
    (f"{PC}/hp_current", ..., 0), (f"{PC}/hp_current", ..., 28), (f"{PC}/hp_current", ..., 20.0), (f"{PC}/hp_current", -5, -3), (f"{PC}/hp_current", 40, 35), (f"{PC}/hp_current", 18.5, 17.5),
    (f"{PC}/hp_current", None, None), (f"{PC}/hp_current", HUGE, HUGE - 1), (f"{PC}/hp_current", MISSING, 12), (f"{PC}/hp_max", ..., 40), (f"{PC}/hp_temp", 5, GONE), (f"{PC}/hp_temp", 5, None),
    (f"{PC}/level", ..., 4), (f"{PC}/level", 0, 0), (f"{PC}/level", 0, 1), (f"{PC}/level", 25, 26), (f"{PC}/level", MISSING, 30), (f"{PC}/xp", ..., 355_000), (f"{PC}/gold", ..., 0), (f"{PC}/gold", ..., 1.5),
    (f"{PC}/gold", -10, -4), (f"{PC}/currency/cp", 0, GONE), (f"{PC}/abilities/str", 65, 70), (f"{PC}/abilities/str", MISSING, 65), (f"{PC}/stats/str", 1, -1), (f"{PC}/debt", 0, -30), (f"{PC}/luck", 1, -1),
    (f"{PC}/armor_class", 15, 16), (f"{PC}/proficiencies", ["x"], ["x", "y"]), (f"{PC}/xp_next", 2700, 6500), (f"{PC}/hp_bonus_per_level", 1, 1.5), (f"{PC}/speed_modifier", 0, -10),
    (f"{NPC}/trust", ..., -9), (f"{NPC}/hp_current", ..., GONE), (f"{NPC}/hp_current", ..., None), (f"{NPC}/level", 1, 40), (f"{NPC}/gold", 3, -3), (f"{NPC}/count", 3, 2),
    ("location_data/loc_toll_cellar_001/level", 0, -1), ("custom_campaign_state/level", 0, -4), ("custom_campaign_state/hull", 92.5, 71.25), ("faction_data/faction_salt_toll_001/standing", ..., -10),
    ("world_data/world_time/year", ..., 10_482_113), ("custom_campaign_state/stamp", [HUGE], [HUGE, 1]),
])
@pytest.mark.parametrize("turn", [SNEAK, GOLD], ids=lambda turn: turn.facts.mode)
def test_a_number_that_may_be(turn: Turn, place: str, had: Any, has: Any) -> None:
    assert writing(place, had, has, turn) == []


@pytest.mark.parametrize(("record", "update", "caught"), [
    ({"hp": HP}, {"hp": {"current": 29}}, True), ({"hp": HP}, {"hp": {"current": 30, "max": 30}}, False), ({"hp": {**HP, "temp": 5}}, {"hp": {"current": 33}}, False),
    ({"hp": {**HP, "temp": 5}}, {"hp": {"current": 34}}, True), ({"hp": HP, "active_effects": {"wild_shape": {"hp_current": 4, "hp_max": 11}}}, {"active_effects": {"wild_shape": {"hp_current": 11}}}, False),
    ({"hp_current": 33, "hp_max": 11, "count": 3}, {"hp_current": 34}, False), ({"hp_current": 9, "hp_max_base": 8}, {"hp_current": 10}, False), ({"hp": HP}, {"xp": 5}, False),
    ({"hp": {"current": 40, "max": 28}}, {"xp": 5}, False), ({"max_hp": 20, "hp": 3}, {"hp": 21}, True), ({"hit_points": {"now": 3, "total": 9}}, {"hit_points": {"now": 10}}, True),
])
@pytest.mark.parametrize("branch", [PC, "npc_data/npc_x_001", "combat_state/combatants/npc_x_001"])
def test_hit_points_and_their_maximum(branch: str, record: Any, update: Any, caught: bool) -> None:
    turn = SNEAK.in_state(branch, record).having("state_updates", {}).having(f"state_updates/{branch}", update)
    assert bool(turn.named("state_range")) is caught


@pytest.mark.parametrize("place", ["dice_rolls/0/total", "dice_rolls/0/target/value", "dice_rolls/0/dice/0", "state_updates/world_data/world_time/hour", "state_updates/world_data/world_time/year",
                                   f"state_updates/{PC}/hit_dice/current", f"state_updates/{PC}/resources/second_wind/current", f"state_updates/{PC}/exhaustion", f"state_updates/{PC}/hp_current",
                                   "entities_mentioned/0", "session_header", "planning_block/choices/press_on/text"])
@pytest.mark.parametrize("number", [HUGE, -HUGE, 10**4_200])
def test_thousands_of_digits_are_a_fault_and_no_crash(place: str, number: int) -> None:
    assert SNEAK.having(place, number).check().violations
    assert SNEAK.having("session_header", SNEAK.answer["session_header"].replace("Lvl 3", f"Lvl {number}")).check().violations
    SNEAK.in_state(PC, {**STATE[PC], "hp_current": number, "hp_max": number, "level": number, "gold": number}).check()
