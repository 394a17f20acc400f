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


SHAPES: list[tuple[str, Json, Json]] = [
    ("falling counts", {"hd": {"expended": 2, "total": 4}}, {"hd": {"expended": 0}}), ("camel case", {"hitDiceRemaining": 1}, {"hitDiceRemaining": 2}),
    ("in a record of the body", {"body": {"hit_dice": {"left": 0}}}, {"body": {"hit_dice": {"left": 2}}}), ("by die", {"hit_dice": {"d8": 1, "d6": 0}}, {"hit_dice": {"d6": 2}}),
    ("x of y", {"hitDice": "1 of 4"}, {"hitDice": "3 of 4"}), ("dice in words of dice", {"hit_dice": "1d8"}, {"hit_dice": "2d8"}),
    ("with the die in the fraction", {"hit_dice": "1d8/4d8"}, {"hit_dice": "4d8/4d8"}), ("list of objects", {"hit_dice": [{"die": "d6", "left": 1}]}, {"hit_dice": [{"die": "d6", "left": 2}]}),
    ("list of numbers", {"slots": [1, 0, 0]}, {"slots": [1, 2, 0]}), ("beside spells", {"spells": {"known": ["bless"], "slots": {"lvl2": "0/2"}}}, {"spells": {"slots": {"lvl2": "1/2"}}}),
    ("spells without the word", {"spells": {"level_2": {"available": 0, "max": 2}}}, {"spells": {"level_2": {"available": 2}}}), ("in one line", {"spellSlots": "1st 0/4; 2nd 1/3"}, {"spellSlots": "1st 4/4; 2nd 3/3"}),
    ("pact", {"pactMagic": {"slots": {"current": 0, "max": 1}}}, {"pactMagic": {"slots": {"current": 1}}}), ("pact, flat", {"pact_slots_used": 2}, {"pact_slots_used": 0}),
    ("used is deleted", {"spell_slots": {"3": {"used": 1}}}, {"spell_slots": {"3": {"used": "__DELETE__"}}}), ("exhaustion as a stage", {"status": {"exhaustion": {"stage": 2}}}, {"status": {"exhaustion": {"stage": 1}}}),
    ("exhaustion in a list", {"conditions": ["prone", "exhaustion (level 2)"]}, {"conditions": ["prone"]}), ("exhausted or not", {"exhausted": True}, {"exhausted": False}),
    ("exhaustion in objects", {"conditions": [{"name": "Exhaustion", "level": 3}]}, {"conditions": [{"name": "Exhaustion", "level": 2}]}), ("exhaustion deleted", {"conditions": {"exhaustion": 1}}, {"conditions": {"exhaustion": "__DELETE__"}}),
    ("somebody of a party", {"pc_wim_002": {"slots": {"1": 0}}}, {"pc_wim_002": {"slots": {"1": 4}}}), ("what recharges", {"superiority": {"value": 0, "max": 4, "recharge": "short rest"}}, {"superiority": {"value": 4}}),
]
STAY: list[tuple[str, Json, Json]] = [
    ("more is used", {"spell_slots": {"1": {"spent": 0}}}, {"spell_slots": {"1": {"spent": 2}}}), ("other slots", {"equipment": {"slots": {"used": 3}}}, {"equipment": {"slots": {"used": 2}}}),
    ("a greater die", {"hit_dice": {"die": 8, "size": 8, "left": 1}}, {"hit_dice": {"die": 10, "size": 10}}), ("more can be held", {"slots": {"L1": {"left": 2, "total": 2}}}, {"slots": {"L1": {"left": 3, "total": 3}}}),
    ("more prepared", {"spells": {"prepared": 3}}, {"spells": {"prepared": 4}}), ("more tired", {"exhaustion_level": 0}, {"exhaustion_level": 1}), ("a new pool", {}, {"spell_slots": {"1": {"current": 2}}}),
    ("a save against it", {"exhaustion_save_bonus": 2}, {"exhaustion_save_bonus": 1}), ("a list that grows", {"slots": [1]}, {"slots": [1, 2]}), ("no number", {"hit_dice": "few"}, {"hit_dice": "many"}),
]


def alone(before: Json, after: Json, said: str, level: Json | None = None) -> Turn:
    """A turn of ten minutes in which a character who has nothing else changes."""
    state = {**STATE, "player_character_data": {"class": "Bard", "level": 3, **before}}
    return Turn("rest", SNEAK.answer, type(SNEAK.facts)("story", said, state, SNEAK.facts.rolls)).having(PC, {**after, **(level or {})})


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES])
def test_pools_go_by_the_words_of_their_names(before: Json, after: Json) -> None:
    assert alone(before, after, "Short rest, then on.").named("rest_time")
    assert alone(after, after, "Short rest, then on.").named("rest_time") == []
    long = alone(before, after, "Long rest.").having("state_updates/world_data/world_time", {"day": 5, "hour": 6})
    assert long.named("rest_time") == []


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in STAY], ids=[row[0] for row in STAY])
def test_what_is_no_pool_or_does_not_come_back(before: Json, after: Json) -> None:
    assert alone(before, after, "Short rest, then on.").named("rest_time") == []


def test_what_a_level_brings_is_no_rest() -> None:
    for before, after in (({"slots": {"1": 2}}, {"slots": {"1": 3}}), ({"hd": 3}, {"hd": 4}), ({"slots": [2, 0]}, {"slots": [3, 0]})):
        assert alone(before, after, "We rest; I level.", {"level": 4}).named("rest_time") == []
        assert alone(before, after, "We rest.").named("rest_time")


RESTS = [
    "We camp under the bridge.", "Let's camp here.", "I doze by the stove.", "We settle in until morning.", "I take a nap.", "Time to sleep.", "Okay, bed down.", "I meditate on the wave.",
    "We hole up for the night.", "I go to sleep.", "We pitch a small camp in the lee.", "I get some sleep.", "I want to recover my spells.", "We sit for a while and catch our breath.", "A breather, please.",
    "I fall asleep in the cart.", "I eat, then sleep.", "Replenish our slots!", "I rest my eyes.", "We turn in early.", "While Osric watches, I sleep.", "I lie down for an hour.", "We take five.", "Everyone rests.", "We bunk down in the loft.", "I crash on the straw.",
]
NO_RESTS = [
    "I go back to camp.", "The camp burns.", "I use the pearl while the others sleep.", "I cast sleep on the hounds.", "I put the child to sleep and break the ring.", "I let him sleep.", "Before we sleep, I break the ring.",
    "There is no time to rest.", "I don't rest.", "I hand in the rest of the coins.", "I rest my hand on the hilt.", "Rest assured, I pay.", "I turn in the thief.", "I recover my slot with the ring.",
    "I restore the magic using two points.", "I wait until he sleeps.", "I find the guards sleeping.", "Retire the old flag.", "I lay the matter to rest.", "I settle down to a game of cards.", "The priest prays; the rest is noise.",
]


@pytest.mark.parametrize("said", RESTS)
def test_words_for_a_rest(said: str) -> None:
    assert alone({"slots": {"2": 0}}, {"slots": {"2": 1}}, said).named("rest_time")


@pytest.mark.parametrize("said", NO_RESTS)
def test_words_that_only_sound_like_it(said: str) -> None:
    assert alone({"slots": {"2": 0}}, {"slots": {"2": 1}}, said).named("rest_time") == []


@pytest.mark.parametrize(("told", "warned"), [
    ("You nod off over the map and sleep.", True), ("You and Osric make camp in the ditch.", True), ("You doze.", True), ("You catch your breath on the stair.", True),
    ("You settle down for the night in the hay.", True), ("You wake with straw in your hair.", True), ("You watch the others sleep.", True), ("You pay the warden.", False),
])
def test_what_is_told_of_a_rest_is_a_hint(told: str, warned: bool) -> None:
    turn = alone({"slots": {"2": 0}}, {"slots": {"2": 1}}, "I go on.").saying(told)
    assert turn.named("rest_time") == []
    assert bool(turn.warned("rest_time")) is warned
    assert turn.having("state_updates/world_data/world_time", {"day": 5, "hour": 6}).warned("rest_time") == []


@pytest.mark.parametrize(("said", "minutes", "caught"), [("I sleep an hour.", 60, False), ("I sleep an hour.", 59, True), ("Long rest.", 60, True), ("Short rest.", 60, False), ("I nap.", 60, False)])
def test_pact_slots_take_an_hour(said: str, minutes: int, caught: bool) -> None:
    turn = alone({"pact_magic": {"slots_current": 0, "slots_max": 2}}, {"pact_magic": {"slots_current": 2}}, said)
    turn = turn.having("state_updates/world_data/world_time", {"hour": 21 + (5 + minutes) // 60, "minute": (5 + minutes) % 60})
    assert bool(turn.named("rest_time")) is caught


@pytest.mark.parametrize("turn", [NIGHT, CORRECTION.asked("My long rest: the dice").having(PC, {"hit_dice": {"current": 3}}), GOLD.having(PC, {"hit_dice": {"current": 3}})])
def test_only_a_story_rests(turn: Turn) -> None:
    assert turn.named("rest_time") == []


def test_what_the_answer_says_counts_as_well() -> None:
    back = SNEAK.asked("We stop here.").having(PC, {"spell_slots": {"level_1": {"current": 3}}})
    assert back.named("rest_time") == []
    assert back.having("debug_info/state_rationale", "long rest: all slots").named("rest_time")
    assert back.saying("You sleep like a stone in a stream.").warned("rest_time")
    assert back.having("state_updates/custom_campaign_state", {"last_long_rest_end": "1492-5-5"}).named("rest_time")
    late = back.having("session_header", header("5, 05:15:00")).having("state_updates/world_data/world_time", {"day": 5, "hour": 5, "minute": 15})
    assert late.saying("You sleep like a stone in a stream.").check().ok
