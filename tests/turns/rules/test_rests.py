"""What a rest gives back has cost the time of a rest."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CORRECTION, GOLD, NIGHT, SNEAK, STATE, Json, Turn, header

PC = "state_updates/player_character_data"
SHORT = {"resources": {"second_wind": {"current": 1}}}
NAP = SNEAK.asked("We take a short rest.").in_state("player_character_data/resources/second_wind/current", 0)


def resting(said: str, back: Json, time: dict[str, int], base: Turn = SNEAK) -> Turn:
    """A turn that gives something back in some time."""
    return base.asked(said).having(PC, back).having("state_updates/world_data/world_time", time)


@pytest.mark.parametrize(("said", "back", "time"), [
    ("We take a long rest.", {"hit_dice": {"current": 3}}, {"minute": 15}), ("We make camp for the night.", {"hit_dice": {"current": 3}}, {"hour": 23}),
    ("I sleep.", {"spell_slots": {"level_1": {"current": 3}}}, {"hour": 22}), ("I go to bed.", {"spell_slots": {"level_1": {"current": 3}}}, {"day": 5, "hour": 4}),
    ("I press on.", {"hit_dice": {"current": 3}}, {"minute": 15}), ("We rest until dawn.", {"hp_current": 28, "hit_dice": {"current": 3}}, {"hour": 22}),
    ("We rest.", {"exhaustion": 0}, {"minute": 35}), ("A long rest, please.", {"exhaustion": 0}, {"day": 5, "hour": 4}),
    ("Long rest", {"hp_current": 28}, {"minute": 35}), ("short rest, I spend a hit die", {"hp_current": 27, "hit_dice": {"current": 1}}, {"minute": 15}),
    ("I catch my breath and spend a hit die.", {"hp_current": 26, "hit_dice": {"current": 1}}, {"minute": 6}),
    ("Let us rest for an hour.", {"spell_slots": {"level_1": {"current": 3}}}, {"hour": 22, "minute": 4}),
    ("We sleep through the night.", {"hit_dice": {"current": 3}, "exhaustion": 0}, {}),
])
def test_a_rest_that_costs_too_little(said: str, back: Json, time: dict[str, int]) -> None:
    turn = resting(said, back, time, SNEAK.having("dice_rolls", [])).in_state("player_character_data/exhaustion", 1)
    found, = turn.named("rest_time")
    assert found.path == "state_updates.world_data.world_time"


@pytest.mark.parametrize(("said", "back", "time"), [
    ("We take a long rest.", {"hit_dice": {"current": 3}}, {"day": 5, "hour": 5}), ("I sleep.", {"spell_slots": {"level_1": {"current": 3}}}, {"day": 5, "hour": 6}),
    ("We take a long rest.", {"hp_current": 24}, {"minute": 30}), ("We make camp.", {}, {"minute": 30}), ("I drink the potion.", {"exhaustion": 0}, {"minute": 6}),
    ("I drink the potion.", {"hp_current": 28}, {"minute": 6}), ("I turn my points into a slot.", {"spell_slots": {"level_1": {"current": 3}}}, {"second": 6}),
    ("I watch the rest of the guards.", {"spell_slots": {"level_1": {"current": 3}}}, {"second": 6}), ("I lay the sword to rest.", {"hp_current": 28}, {"second": 6}),
    ("Level up!", {"level": 4, "hit_dice": {"current": 3, "max": 4}}, {"minute": 6}), ("We finish the night's sleep.", {"hit_dice": {"current": 3}}, {"day": 5, "hour": 1}),
    ("We take a short rest.", {"hp_current": 26, "hit_dice": {"current": 1}}, {"hour": 22}), ("We rest.", {"hit_dice": {"current": 1}}, {"minute": 30}),
    ("I cast sleep on him.", {"spell_slots": {"level_1": {"current": 1}}}, {"second": 6}), ("We rest.", {"resources": {"second_wind": {"current": 1}}}, {"minute": 30}),
])
def test_what_is_no_rest_or_has_cost_its_time(said: str, back: Json, time: dict[str, int]) -> None:
    turn = resting(said, back, time).in_state("player_character_data/exhaustion", 1)
    assert turn.named("rest_time") == []


@pytest.mark.parametrize(("recharge", "time", "caught"), [
    ("short", {"minute": 35}, True), ("short", {"hour": 22, "minute": 4}, True), ("short", {"hour": 22, "minute": 5}, False),
    ("long", {"hour": 23}, True), ("dawn", {"minute": 35}, False), ("never", {"minute": 35}, False), (None, {"minute": 35}, True), (None, {"hour": 22, "minute": 5}, False),
])
def test_pools_come_back_as_they_say(recharge: Any, time: dict[str, int], caught: bool) -> None:
    turn = NAP.in_state("player_character_data/resources/second_wind/recharge", recharge)
    turn = turn.having(PC, SHORT).having("state_updates/world_data/world_time", time)
    assert bool(turn.named("rest_time")) is caught


@pytest.mark.parametrize(("role", "caught"), [("Ranger", True), ("Cleric", True), ("Warlock", False), ("wizard", False), ("Fighter/Wizard", False)])
def test_some_get_slots_back_by_the_hour(role: str, caught: bool) -> None:
    turn = NAP.in_state("player_character_data/class", role)
    turn = turn.having(PC, {"spell_slots": {"level_1": {"current": 3}}}).having("state_updates/world_data/world_time", {"hour": 22})
    assert bool(turn.named("rest_time")) is caught


@pytest.mark.parametrize(("before", "after"), [
    ({"hit_dice": 2}, {"hit_dice": 3}), ({"hit_dice": "2/3"}, {"hit_dice": "3/3"}), ({"hit_dice_current": 1}, {"hit_dice_current": 3}),
    ({"hit_dice": {"used": 1, "max": 3}}, {"hit_dice": {"used": 0}}), ({"resources": {"hit_dice": {"current": 1, "max": 3}}}, {"resources": {"hit_dice": {"current": 3}}}),
    ({"spell_slots": {"level_1": 0}}, {"spell_slots": {"level_1": 2}}), ({"spell_slots": {"level_1": {"used": 2, "total": 3}}}, {"spell_slots": {"level_1": {"used": 0}}}),
    ({"spell_slots_1": 0}, {"spell_slots_1": 2}), ({"exhaustion_level": 2}, {"exhaustion_level": 1}), ({"resources": {"exhaustion": 1}}, {"resources": {"exhaustion": 0}}),
])
def test_fields_by_other_names(before: Json, after: Json) -> None:
    state = {**STATE, "player_character_data": {"class": "Cleric", "level": 3, **before}}
    turn = Turn("rest", SNEAK.answer, type(SNEAK.facts)("story", "We take a long rest.", state, SNEAK.facts.rolls)).having(PC, after)
    assert turn.named("rest_time")
    assert turn.having("state_updates/world_data/world_time", {"day": 5, "hour": 6}).named("rest_time") == []


@pytest.mark.parametrize("turn", [NIGHT, CORRECTION.asked("My long rest: the dice").having(PC, {"hit_dice": {"current": 3}}), GOLD.having(PC, {"hit_dice": {"current": 3}})])
def test_only_a_story_rests(turn: Turn) -> None:
    assert turn.named("rest_time") == []


def test_what_the_answer_says_counts_as_well() -> None:
    back = SNEAK.asked("We stop here.").having(PC, {"spell_slots": {"level_1": {"current": 3}}})
    assert back.named("rest_time") == []
    assert back.having("debug_info/state_rationale", "long rest: all slots").named("rest_time")
    assert back.saying("You sleep like a stone in a stream.").named("rest_time")
    assert back.having("state_updates/custom_campaign_state", {"last_long_rest_end": "1492-5-5"}).named("rest_time")
    late = back.having("session_header", header("5, 05:15:00")).having("state_updates/world_data/world_time", {"day": 5, "hour": 5, "minute": 15})
    assert late.saying("You sleep like a stone in a stream.").check().ok
