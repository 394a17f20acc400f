"""The session header's four lines, and what a half-caster's resources say."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import GOLD, MISSING, NOVICE, SNEAK, Turn

MARK, TIME, PLACE, STATUS = SNEAK.answer["session_header"].split("\n")


def having(*lines: str) -> Turn:
    return SNEAK.having("session_header", "\n".join(lines))


@pytest.mark.parametrize("time", [
    "1492 DR, Mirtul 4, 21:15:00", "1492 AR, Thornmoon 4, 21:15:00", "1492 DR, 4 Mirtul, 21:15:00", "1492 DR, Mirtul 4th, 21:15:00", "4 Mirtul 1492, 21:15:00", "1492-05-04 21:15:00",
    "1492 DR, Mirtul 4, 21:15", "year 1492, month 5, day 4, 21:15:00", "Mirtul 4, 21:15:00", "Year of the Crow, the fourth of Frost, 21:15:00", "1492 DR, Mirtul 4, 9:15:00 PM", "21:15:00, Mirtul 4, 1492 DR",
    "1492 DR, Mirtul the fourth, 21:15:00", "1492 DR, Mirtul 4, 21:15:00.000000", "1492 DR, Mirtul 4 (evening), 21:15:00",
    "1492 DR, Mirtul 4, 21.15", "1492 DR, Mirtul 4, 21.15.00", "1492 DR, Mirtul 4, 9.15 p.m.", "1492 DR, Mirtul 4, 21h15", "04.05.1492, 21:15:00", "04.05.1492, 21.15",
    "1492\u00a0DR, Mirtul\u00a04, 21:15\u00a0",
])
def test_a_timestamp_may_be_written_in_many_ways(time: str) -> None:
    assert having(MARK, f"Timestamp: {time}", PLACE, STATUS).named("session_header") == []


@pytest.mark.parametrize("status", [
    "Status: Lvl 3 Ranger | HP 24/28 | XP 1100/2700 | Gold 37gp", "Status: Lvl 3 Ranger | HP 24/28 (+5 temp) | XP 1,100/2,700 | Gold 37 gp | Inspired",
    "Status: Lvl ? ? | HP ?/? | XP ?/? | Gold ?gp", "Status: Lvl 3 Fighter 2/Wizard 1 | HP 0/28 | XP milestone | Gold 0gp", "Status: Lvl 3 Ranger, HP 24/28, XP 1100/2700, Gold 37gp",
    "Status: Level 3 Ranger | HP 24/28 | XP 1100/2700 | Gold 37gp", "Status:\u00a0Lv 3 Ranger | HP\u00a024/28 | XP\u00a01100/2700 | Gold\u00a037gp\u00a0",
    "Status: Lvl 20 Ranger | HP 24 of 28 | XP 355000 | Gold: 12000",
])
def test_a_status_may_be_written_in_many_ways(status: str) -> None:
    assert having(MARK, TIME, PLACE, status).named("session_header") == []


@pytest.mark.parametrize(("months", "name", "caught"), [
    (["Hammer", "Alturiak", "Ches", "Tarsakh", "Mirtul"], "Mirtul", False), (["Hammer", "Alturiak", "Ches", "Tarsakh", "Mirtul"], "Ches", True),
    (["Hammer", "Alturiak", "Ches", "Tarsakh", "Mirtul"], "Frostmoon", False), ([], "Ches", False), ("none", "Ches", False), ([1, None, ""], "Ches", False),
])
def test_a_month_that_the_calendar_has_is_the_right_one(months: Any, name: str, caught: bool) -> None:
    turn = having(MARK, TIME.replace("Mirtul", name), PLACE, STATUS).in_state("world_data/calendar", {"month_names": months})
    assert bool(turn.named("session_header")) is caught


@pytest.mark.parametrize("missing", ["world_data/world_time", "world_data"])
def test_without_a_clock_any_time_may_stand(missing: str) -> None:
    turn = SNEAK.in_state(missing, MISSING).having("state_updates", {"player_character_data": {"hp_current": 20}})
    assert turn.having("session_header", "\n".join((MARK, "Timestamp: ?, ? ?, ??:??:??", PLACE, STATUS))).named("session_header") == []
    partly = SNEAK.in_state("world_data/world_time", {"hour": 21, "minute": 5})
    assert partly.having("session_header", "\n".join((MARK, "Timestamp: ?, ? ?, 21:15:??", PLACE, STATUS))).named("session_header") == []


@pytest.mark.parametrize(("role", "level", "resources", "caught"), [
    ("Paladin", 1, "HD 1/1 | Exhaustion 0", True), ("ranger", 1, "HD 1/1 | Spells L1 2/2", True), ("Human Ranger (hunter)", 1, "HD 1/1", True), ("Ranger", 1, "No Spells Yet", True),
    ("Paladin", 1, "HD 1/1 | No Spells (Level 2+)", True), ("PALADIN", 1, "-", True), ("Ranger", 1, "No Spells Yet (Level 3+)", True),
    ("Paladin", 1, "HD 1/1 | No Spells Yet (Level 2+) | Exhaustion 0", False), ("Ranger", 1, "no spells yet (level 2+)", False), ("Ranger", 1, "No  Spells Yet\u00a0(Level 2+)", False),
    ("Paladin", 2, "HD 1/1 | Exhaustion 0", False), ("Ranger", 3, "HD 1/1", False), ("Wizard", 1, "HD 1/1 | Spells L1 2/2", False), ("Fighter", 1, "HD 1/1", False),
    (None, 1, "HD 1/1", True), ("Paladin", None, "HD 1/1", True), (MISSING, MISSING, "HD 1/1", True), ({"ranger": 1}, 1, "HD 1/1", True), ("Arranger", 1, "HD 1/1", False),
])
def test_half_casters(role: Any, level: Any, resources: str, caught: bool) -> None:
    turn = NOVICE.in_state("player_character_data/class", role).in_state("player_character_data/level", level)
    assert bool(turn.having("resources", resources).named("half_caster")) is caught


def test_the_level_is_that_after_the_turn() -> None:
    risen = NOVICE.having("state_updates/player_character_data", {"level": 2}).having("resources", "HD 2/2 | Spells L1 2/2")
    assert risen.named("half_caster") == []
    assert SNEAK.in_state("player_character_data/level", 1).named("half_caster")
    god = GOLD.in_state("player_character_data/level", 1)
    assert god.named("half_caster") == []
    assert god.having("resources", "HD 1/1").named("half_caster")
