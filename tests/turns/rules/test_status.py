"""The header's status line beside the state after the turn."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import FIGHT, GOLD, MISSING, NIGHT, REWIND, SNEAK, STATE, THINK, Turn

PC = "player_character_data"
HEADER = SNEAK.answer["session_header"].rpartition("\n")[0]
FOE = "npc_drowned_guard_001"


def showing(status: str, turn: Turn = SNEAK) -> bool:
    """Whether the rule names a turn that shows a status."""
    return bool(turn.having("session_header", f"{HEADER}\nStatus: {status}").named("status_line"))


@pytest.mark.parametrize("status", [
    "Lvl 3 Ranger | HP 24/28 | XP 1100/2700 | Gold 37gp", "Lvl ? ? | HP ?/? | XP ?/? | Gold ?gp", "Lvl 3 Fighter 2/Wizard 1 | HP 24/28 (+5 temp) | XP 1,100/2,700 | Gold 37 gp | Inspired",
    "Lvl 3 | HP 24/? | XP milestone | Gold 37", "Lvl 3 | HP 24 | XP 1 100/2 700 | Gold 37.0gp", "Lvl 3, HP 24 of 28, XP 1100, Gold 37 gp, AC 15", "Level 3 | HP: 24/28 | XP: 1.100/2.700 | Gold: 37",
    "Lvl 3 | HP 24/28 | XP 1100/max | Gold 4sp", "Lvl 3 | HP 24/28 | XP 1100 | Gold none", "fine", "Wolf HP 7/11 | Lvl 3 | HP 24/28 | XP 1100 | Gold 37",
    "Lvl 2/1 Ranger/Rogue | HP 24+5/28 | XP 1.1k/2.7k | Gold 37", "Lvl 2 + 1 | HP 24/28 | XP +300 (1100) | Gold 0.04k", "Lvl 3 Ranger 12 / HP 24/28 | XP 1100 | Gold 37 (gp)",
])
def test_a_status_that_the_state_allows(status: str) -> None:
    assert not showing(status)


@pytest.mark.parametrize(("place", "value", "status", "caught"), [
    ("level", MISSING, "Lvl 9", False), ("level", None, "Lvl 9", False), ("level", "third", "Lvl 9", False), ("level", 2.0, "Lvl 2", False), ("hp_current", MISSING, "HP 3/28", False), ("hp_current", 3, "HP ?/28", False),
    ("hp", {"current": 7, "max": 9}, "HP 7/9", False), ("hp", "7/9", "HP 7/9", False), ("hp_temp", 5, "HP 29/28", False), ("hp_temp", 5, "HP 29/33", False), ("hp_temp", 5, "HP 28/28", True),
    ("active_effects", {"wild_shape": {"hp_current": 7, "hp_max": 11}}, "HP 7/11", False), ("xp", MISSING, "XP 5", False), ("xp", {"now": 5, "next": 9}, "XP 5/9", False), ("xp", {"now": 5, "next": 9}, "XP 6/9", True),
    ("gold", MISSING, "Gold 5gp", False), ("gold", 37.6, "Gold 38gp", False), ("gold", 37.6, "Gold 37gp", False), ("gold", 0.75, "Gold 0.75gp", False), ("gold", -5, "Gold -5gp", False), ("gold", 12_050, "Gold 12,050gp", False),
    ("hp_current", -3, "HP -3/28", False), ("hp_current", 10**3_000, "HP 24/28", True), ("cash_usd", 84, "Gold 37gp", False),
])
def test_states_of_other_shapes(place: str, value: Any, status: str, caught: bool) -> None:
    assert showing(status, SNEAK.in_state(f"{PC}/{place}", value)) is caught


def test_the_state_after_the_turn_counts() -> None:
    assert not NIGHT.named("status_line")
    assert NIGHT.having(f"state_updates/{PC}/hp_current", 27).named("status_line")
    hurt = SNEAK.having(f"state_updates/{PC}", {"hp_current": 5})
    assert hurt.named("status_line")
    assert not showing("HP 5/28", hurt)


def test_where_the_state_after_is_not_known_or_not_told() -> None:
    broken = SNEAK.having(f"state_updates/{PC}", {"hp_current": "9"})
    assert broken.named("state_type")
    assert not showing("HP 9/28", broken)
    assert not showing("HP 24/28", THINK.having(f"state_updates/{PC}", {"hp_current": 3}))
    assert not GOLD.named("status_line")
    assert showing("HP 9/28", REWIND)


def test_a_fighter_whose_hit_points_stand_in_the_fight() -> None:
    fight = FIGHT.in_state("combat_state/combatants", {"pc_ilva_001": {"hp_current": 8, "hp_max": 28}, FOE: {"hp_current": 13}})
    assert not showing("HP 8/28", fight)
    assert showing("HP 13/28", fight)
    assert STATE[PC]["hp_current"] == 24
