"""What a rest gives back has cost the time of a rest."""

from __future__ import annotations

import pytest

from ..answers import CORRECTION, GOLD, NIGHT, SNEAK, STATE, Json, Turn

PC = "state_updates/player_character_data"
TIME = "state_updates/world_data/world_time"
SLOT = {"spell_slots": {"level_1": {"current": 3}}}
DICE = {"hit_dice": {"current": 3}}
MORNING = {"day": 5, "hour": 5}
TIRED = SNEAK.having("dice_rolls", []).in_state("player_character_data/exhaustion", 1)


def resting(said: str, back: Json, time: dict[str, int]) -> Turn:
    """A turn that gives something back in some time."""
    return TIRED.asked(said).having(PC, back).having(TIME, time)


@pytest.mark.parametrize(("said", "back", "time"), [
    ("We take a long rest.", DICE, {"minute": 15}), ("I sleep.", DICE, {"hour": 23}), ("I press on.", DICE, {"minute": 15}), ("We rest.", DICE, {}),
    ("A long rest, please.", {"exhaustion": 0}, {"day": 5, "hour": 4}), ("Short rest.", {"exhaustion": 0}, {"hour": 22, "minute": 10}),
    ("Long rest", {"hp_current": 28}, {"minute": 35}), ("We take a LONG-REST", SLOT, {"day": 5, "hour": 4}), ("We finish the night.", DICE, {"minute": 15}),
    ("short rest, I spend a hit die", {"hp_current": 27, "hit_dice": {"current": 1}}, {"minute": 15}), ("a short rest", SLOT, {"hour": 22, "minute": 4}),
])
def test_a_rest_that_costs_too_little(said: str, back: Json, time: dict[str, int]) -> None:
    found, = resting(said, back, time).named("rest_time")
    assert found.path == "state_updates.world_data.world_time"


@pytest.mark.parametrize(("said", "back", "time"), [
    ("I sleep.", SLOT, {"minute": 15}), ("We make camp.", {"exhaustion": 0}, {"minute": 15}), ("I rest for an hour.", SLOT, {"hour": 22, "minute": 1}),
    ("Before the long rest I use the pearl.", SLOT, {"minute": 10}), ("There is no time for a short rest.", SLOT, {"minute": 10}),
    ("We take a long rest.", DICE, MORNING), ("I sleep.", SLOT, MORNING), ("We take a long rest.", {"hp_current": 24}, {"minute": 30}),
    ("We make camp.", {}, {"minute": 30}), ("I drink the potion.", {"exhaustion": 0, "hp_current": 28}, {"minute": 6}),
    ("I turn my points into a slot.", SLOT, {"second": 6}), ("Level up!", {"level": 4, "hit_dice": {"current": 3, "max": 4}}, {"minute": 6}),
    ("We finish the night's sleep.", DICE, {"day": 5, "hour": 1}), ("We take a short rest.", {"hp_current": 26, "hit_dice": {"current": 1}}, {"hour": 22}),
])
def test_what_is_no_rest_or_may_have_another_cause(said: str, back: Json, time: dict[str, int]) -> None:
    turn = resting(said, back, time)
    assert turn.named("rest_time") == []


@pytest.mark.parametrize(("before", "after"), [
    ({"hit_dice": 2}, {"hit_dice": 3}), ({"hit_dice": "2/3"}, {"hit_dice": "3/3"}), ({"hitDice": "1 of 4"}, {"hitDice": "3 of 4"}), ({"hitDiceRemaining": 1}, {"hitDiceRemaining": 2}),
    ({"hit_dice": {"used": 1, "max": 3}}, {"hit_dice": {"used": 0}}), ({"hd": {"expended": 2, "total": 4}}, {"hd": {"expended": 0}}), ({"hit_dice": {"d8": 1, "d6": 0}}, {"hit_dice": {"d6": 2}}),
    ({"spell_slots": {"level_1": 0}}, {"spell_slots": {"level_1": 2}}), ({"slots": {"L1": {"used": 2, "total": 3}}}, {"slots": {"L1": {"used": 0}}}), ({"spell_slots_1": 0}, {"spell_slots_1": 2}),
    ({"pactMagic": {"slots": {"current": 0, "max": 1}}}, {"pactMagic": {"slots": {"current": 1}}}), ({"exhaustion_level": 2}, {"exhaustion_level": 1}), ({"pc_wim_002": {"slots": {"1": 0}}}, {"pc_wim_002": {"slots": {"1": 4}}}),
])
def test_fields_go_by_the_words_of_their_names(before: Json, after: Json) -> None:
    state = {**STATE, "player_character_data": {"class": "Cleric", "level": 3, **before}}
    turn = Turn("rest", SNEAK.answer, type(SNEAK.facts)("story", "We take a long rest.", state, SNEAK.facts.rolls)).having(PC, after)
    assert turn.named("rest_time")
    assert turn.having(TIME, {"day": 5, "hour": 6}).named("rest_time") == []


@pytest.mark.parametrize(("before", "after"), [
    ({"spell_slots": {"1": {"spent": 0}}}, {"spell_slots": {"1": {"spent": 2}}}), ({"equipment": {"slots": {"used": 3}}}, {"equipment": {"slots": {"used": 2}}}),
    ({"hit_dice": {"die": 8, "left": 1}}, {"hit_dice": {"die": 10}}), ({"slots": {"L1": {"left": 2, "total": 2}}}, {"slots": {"L1": {"left": 3, "total": 3}}}),
    ({"exhaustion_save_bonus": 2}, {"exhaustion_save_bonus": 1}), ({}, {"spell_slots": {"1": {"current": 2}}}), ({"hit_dice": "few"}, {"hit_dice": "many"}), ({"hd": 3}, {"hd": 4, "level": 4}),
])
def test_what_does_not_come_back(before: Json, after: Json) -> None:
    state = {**STATE, "player_character_data": {"class": "Cleric", "level": 3, **before}}
    turn = Turn("rest", SNEAK.answer, type(SNEAK.facts)("story", "We take a long rest.", state, SNEAK.facts.rolls)).having(PC, after)
    assert turn.named("rest_time") == []


@pytest.mark.parametrize("turn", [NIGHT, CORRECTION.asked("My long rest: the dice").having(PC, DICE), GOLD.having(PC, DICE)])
def test_only_a_story_rests(turn: Turn) -> None:
    assert turn.named("rest_time") == []
