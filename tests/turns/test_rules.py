"""Rules one by one: what breaks each of them, and what only looks like it. Prose has a file of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.turns.checking import MODE_LINES, check_answer, claimed_rolls
from mvp_site.turns.dice import Dice, entry, tray_rolls
from mvp_site.turns.rules.frame import MAX_CHARS

from .answers import ARROW, DAMAGE, MISSING, STATE, TURNS, Turn, header, roll

SNEAK, FIGHT, CELLAR, NIGHT, NOVICE, THINK, THINK_ON, RULING, CORRECTION, GOLD, REWIND = TURNS
GONE: Final = "__DELETE__"
HUGE: Final = int("9" * 3_000)
PC: Final = "player_character_data"
TIME: Final = "state_updates/world_data/world_time"
WARDEN, GUARD, FORD, VAULT = "npc_ford_warden_001", "npc_drowned_guard_001", "loc_grey_ford_001", "loc_toll_cellar_001"
TOP, STAMP, PLACE, STATUS = SNEAK.answer["session_header"].split("\n")
Changes = Mapping[str, Any]
Row = tuple[str, Turn, Changes]


def altered(turn: Turn, changes: Changes) -> Turn:
    """A copy with other values: at a path of the answer, after ``<`` of the state before, or what was asked."""
    for place, value in changes.items():
        if place == "asked":
            turn = turn.asked(value)
        else:
            turn = turn.in_state(place[1:], value) if place[0] == "<" else turn.having(place, value)
    return turn


def writes(place: str, *values: Any, turn: Turn = SNEAK) -> list[tuple[Turn, Changes]]:
    """Turns that write a leaf of the state; of a pair the first stood there before."""
    return [(turn, {f"<{place}": value[0], f"state_updates/{place}": value[1]} if isinstance(value, tuple) else {f"state_updates/{place}": value}) for value in values]


def shows(stamp: str = STAMP, status: str = STATUS, turn: Turn = SNEAK, **state: Any) -> tuple[Turn, Changes]:
    """A turn with another session header, on a state with other fields of the player's character."""
    return turn, {**{f"<{PC}/{name}": value for name, value in state.items()}, "session_header": "\n".join((TOP, stamp, PLACE, status))}


def says(status: str, **state: Any) -> tuple[Turn, Changes]:
    return shows(status=f"Status: {status}", **state)


def rests(said: str, back: Any, time: Any, **state: Any) -> tuple[Turn, Changes]:
    """A turn of a tired ranger that gives something back in some time."""
    return SNEAK, {"dice_rolls": [], f"<{PC}/exhaustion": 1, **{f"<{PC}/{name}": value for name, value in state.items()}, "asked": said, f"state_updates/{PC}": back, TIME: time}


def deletes(*places: str, also: Any = (), **state: Any) -> tuple[Turn, Changes]:
    """A turn that deletes entities, and writes more; ``__`` parts the path of what the state has."""
    return SNEAK, {**{f"<{place.replace('__', '/')}": value for place, value in state.items()}, "state_updates": dict(also), **{f"state_updates/{place}": GONE for place in places}}


def throws(made: Any, **change: Any) -> tuple[Turn, Changes]:
    """A turn of one roll, shown with a change."""
    return SNEAK.rolled(made), {"dice_rolls": [entry(made) | change]}


STILL: Changes = {TIME: {"minute": 5, "second": 0}, "session_header": header("4, 21:05:00")}
SLOT, DICE = {"spell_slots": {"level_1": {"current": 3}}}, {"hit_dice": {"current": 3}}
TIE = roll("r1", "1d20+5", [8], 5, 13, target="DC", value=13)
LOW = replace(TIE, dice=(7,), total=12, success=False)
NAT20, NAT1 = roll("r1", "1d20-4", [20], -4, 16, target="AC", value=18), roll("r1", "1d20+9", [1], 9, 10, target="AC", value=9)

BROKEN: dict[str, list[tuple[Turn, Changes]]] = {
    "code_fence": [(SNEAK, {"narrative": "A note:\n```\nkeep out\n```"}), (SNEAK, {"narrative": "~~~json\nkeep out\n~~~"}), (RULING, {"narrative": "```text\n7 against 12\n```"}), (GOLD, {"god_mode_response": "```json\n{}\n```"})],
    "time_forward": [(SNEAK, {TIME: {"hour": 20}}), (CORRECTION, {TIME: {"day": 3}}), (SNEAK, {TIME: {"day": 32}}), (SNEAK, {TIME: {"month": 13}}), (GOLD, {TIME: {"minute": 60}})],
    "deep_think": [
        (THINK, {TIME: {"year": 1500}}), (THINK, {TIME: {"microsecond": 2}}), (THINK, {f"state_updates/{PC}": {"hp_current": 3}}), (THINK, {"state_updates/item_data": {"item_arrows_001": GONE}}),
        (THINK, {"dice_rolls": [entry(TIE)]}), (THINK, {f"state_updates/{PC}": {"luck": 1}}),
    ],
    "state_range": [
        *(row for turn in (SNEAK, CORRECTION, GOLD) for row in writes(f"{PC}/hp_current", GONE, None, -5, 18.5, HUGE, 29, -HUGE, (-5, -8), (30, 31), (None, -1), (MISSING, 1.5), turn=turn)),
        *writes(f"{PC}/hp_max", 20, None, 28.5), *writes(f"{PC}/hp_temp", (0, -1)), *writes(f"{PC}/level", 0, 21, 2.5, GONE, None), *writes(f"{PC}/xp", -1, GONE, 1e300, 1100.5),
        *writes(f"{PC}/gold", -1, GONE), *writes(f"{PC}/currency/gp", (4, -0.5)), *writes(f"{PC}/currency/cp", (4, -1)), *writes(f"{PC}/abilities/str", (12, 31), (12, -1), (12, 12.5), (12, None)),
        *writes(f"{PC}/exhaustion", 7, -1), *writes(f"{PC}/death_saves/failures", (2, 4)), *writes(f"{PC}/spell_slots/level_1/current", -1), *writes(f"{PC}/hit_dice/current", -1, 1.5),
        *writes(f"npc_data/{WARDEN}/hp_current", -3, 12, 4.5), *writes(f"npc_data/{WARDEN}/trust", HUGE), *writes("npc_data/npc_new_001", {"hp_current": -1}), *writes("world_data/omen", HUGE),
        *writes("custom_campaign_state/list", ([1], [1, [HUGE]])), *writes(f"combat_state/combatants/{GUARD}", {"hp_current": 14, "hp_max": 13}),
        (SNEAK, {f"<{PC}/hp_temp": 5, f"state_updates/{PC}/hp_current": 34}),
    ],
    "state_reference": [
        deletes(f"location_data/{FORD}"), deletes(f"location_data/{FORD}", also={"world_data": {"current_location_id": VAULT}}), deletes(f"location_data/{VAULT}"), deletes("location_data/loc_run_vale_001"),
        deletes(f"npc_data/{WARDEN}", f"npc_data/{GUARD}"), deletes("item_data/item_arrows_001", "item_data/item_iron_key_002"), deletes(f"npc_data/{WARDEN}", quest_data__quest_lost_carter_001__giver_id=WARDEN),
        deletes(f"npc_data/{WARDEN}", combat_state__combatants={WARDEN: {"hp_current": 3}}), deletes(f"npc_data/{WARDEN}", custom_campaign_state__watch=[{"who": [WARDEN]}]),
        deletes(f"npc_data/{GUARD}", item_data__item_arrows_001__holder_id=GUARD),
    ],
    "state_player": [
        *(row for turn in (SNEAK, CORRECTION, GOLD) for row in writes(f"{PC}/id", ("pc_ilva_001", GONE), ("pc_ilva_001", None), ("pc_ilva_001", "pc_other_002"), ("Ilva", "Bran"), ("Ilva", GONE), turn=turn)),
        (GOLD, {f"<{PC}": {"pc_ilva_001": {"level": 3}}, "state_updates": {PC: {"pc_ilva_001": GONE}}}),
    ],
    "travel_time": [
        (SNEAK, {**STILL, "state_updates/world_data/current_location_id": VAULT}), (SNEAK, {**STILL, "<world_data/current_location_id": "Vale of the Run", "state_updates/world_data/current_location_id": VAULT}),
    ],
    "rest_time": [
        rests("We take a long rest.", DICE, {"minute": 15}), rests("I press on.", DICE, {"minute": 15}), rests("A long rest, please.", {"exhaustion": 0}, {"day": 5, "hour": 4}),
        rests("Short rest.", {"exhaustion": 0}, {"hour": 22, "minute": 10}), rests("Long rest", {"hp_current": 28}, {"minute": 35}), rests("We take a LONG-REST", SLOT, {"day": 5, "hour": 4}),
        rests("short rest, I spend a hit die", {"hp_current": 27, "hit_dice": {"current": 1}}, {"minute": 15}), rests("a short rest", SLOT, {"hour": 22, "minute": 4}),
    ],
    "session_header": [
        (SNEAK, {"session_header": "\n".join(lines)}) for lines in (
            (STAMP, PLACE, STATUS), (TOP, PLACE, STAMP, STATUS), (TOP, STAMP, PLACE, STATUS, "x"), (TOP, STAMP, "Location:", STATUS), (TOP, STAMP, PLACE, STATUS.replace("XP", "Rank")), (TOP, STAMP.replace("21:", "20:"), PLACE, STATUS),
            (TOP, STAMP.replace("Mirtul 4", "Mirtul 5"), PLACE, STATUS), (TOP, "Timestamp: evening", PLACE, STATUS))
    ] + [(SNEAK, {"<world_data/calendar": {"month_names": ["Hammer", "Mirtul"]}})],
    "status_line": [
        (SNEAK, {"location_confirmed": "Mirabar"}), says("Lvl 4 | HP 24/28 | XP 1100 | Gold 37"), says("Lvl 3 | HP 23/28 | XP 1100 | Gold 37"), says("Lvl 3 | HP 24/27 | XP 1100 | Gold 37"), says("Lvl 3 | HP 24/28 | XP 1,101 | Gold 37"), says("Lvl 3 | HP 24/28 | XP 1100 | Gold 39gp"),
        says("Lvl 3 | HP 28/28 | XP ? | Gold ?", hp_temp=5), says("Lvl ? | HP 24/28 | XP ? | Gold ?", hp_current=10**3_000), (SNEAK, {f"state_updates/{PC}": {"hp_current": 5}}), (NIGHT, {f"state_updates/{PC}/hp_current": 27}),
    ],
    "half_caster": [
        *((NOVICE, {f"<{PC}/class": role, "resources": text}) for role, text in (("Paladin", "HD 1/1 | Exhaustion 0"), ("ranger", "HD 1/1 | Spells L1 2/2"), ("Human Ranger (hunter)", "-"), ("Ranger", "No Spells Yet (Level 3+)"))),
        (SNEAK, {f"<{PC}/level": 1}), (GOLD, {f"<{PC}/level": 1, "resources": "HD 1/1"}),
    ],
    "roll_made": [
        (SNEAK, {"dice_rolls/0/roll_id": "r9"}), (SNEAK, {"dice_rolls/0/total": 30}), (SNEAK, {"dice_rolls/0/modifier": 7}), (SNEAK, {"dice_rolls/0/dice": [1, 1]}), (SNEAK, {"dice_rolls": SNEAK.answer["dice_rolls"] * 2}),
        (SNEAK, {"dice_rolls/0/expression": "3d20kh1+5"}), (SNEAK, {"dice_rolls/0/expression": "some dice"}), (SNEAK.rolled(), {}),
    ],
    "roll_shown": [(SNEAK, {"dice_rolls": []}), (SNEAK, {"dice_rolls": SNEAK.answer["dice_rolls"][::-1]}), (FIGHT, {"dice_rolls": FIGHT.answer["dice_rolls"][1:]})],
    "roll_target": [
        throws(TIE, success=False), throws(LOW, success=True), throws(DAMAGE, success=False), throws(ARROW, success=False), throws(replace(NAT1, target="DC"), success=False), throws(replace(NAT20, target="DC"), success=True),
        throws(roll("r1", "2d20kl1+4", [20, 3], 4, 7, target="AC", value=12, advantage="disadvantage"), success=True), throws(roll("r1", "1d20+2", [12], 2, 14), target={"kind": "DC", "value": 15}),
        throws(TIE, target={"kind": "DC", "value": 12}), throws(TIE, target={"kind": "CR", "value": 13}), (SNEAK, {"dice_rolls/0/target": MISSING}),
    ],
    "roll_dice": [(SNEAK, {"dice_rolls/0/advantage": "none"}), (SNEAK, {"dice_rolls/0/dice": [7]}), throws(TIE, advantage="advantage")],
}
KEPT: dict[str, list[tuple[Turn, Changes]]] = {
    "code_fence": [(SNEAK, {place: text}) for place, text in (
        ("narrative", "The sign: ```keep out```"), ("narrative", "He goes.\n~~~\nLater."), ("narrative", "He waits~~~ and waits."), ("narrative", "~~\nLater."), ("debug_info/state_rationale", "```"), ("planning_block/thinking", "```"))],
    "time_forward": [
        *((SNEAK, {TIME: time}) for time in ({"minute": 5}, {"day": 5, "hour": 0}, {"month": 6, "day": 1, "hour": 0}, {"year": 1493, "month": 1, "day": 1, "hour": 0, "minute": 0}, {"microsecond": 1}, {"day": 31}, {"month": 12})),
        (REWIND, {TIME: {"year": 1400}}), (GOLD, {TIME: {"day": 1}}), (SNEAK, {"<world_data/calendar": {"month_names": list("abcdefghijklm")}, TIME: {"month": 13}}),
        (SNEAK, {"<world_data/calendar": {"days_per_month": 40}, TIME: {"day": 40}}), (SNEAK, {"<world_data/calendar": {"days_per_month": [30, 35]}, TIME: {"day": 33}}), (SNEAK, {"<world_data/world_time/day": 34, TIME: {"day": 34, "hour": 22}}),
        *((SNEAK, {f"<{place}": value, TIME: {"hour": 1}}) for place in ("world_data", "world_data/world_time") for value in ({}, None, "late", [])),
    ],
    "deep_think": [
        (THINK, {TIME: {"microsecond": 1}}), (THINK_ON, {TIME: {"minute": 6, "second": 0, "microsecond": 0}}), (THINK, {f"state_updates/{PC}": {"hp_current": 24}}), (THINK, {"state_updates/custom_campaign_state": {}}), (SNEAK, {TIME: {"minute": 30}}),
        *((THINK, {**{f"<world_data/world_time/{unit}": value for unit, value in (date | {"minute": 59, "second": 59, "microsecond": 999_999}).items()}, TIME: after | {"minute": 0, "second": 0, "microsecond": 0}}) for date, after in (
            ({}, {"hour": 22}), ({"hour": 23}, {"day": 5, "hour": 0}), ({"day": 30, "hour": 23}, {"month": 6, "day": 1, "hour": 0}), ({"month": 12, "day": 30, "hour": 23}, {"year": 1493, "month": 1, "day": 1, "hour": 0}))),
    ],
    "state_range": [
        *writes(f"{PC}/hp_current", 0, 28, 20.0, (-5, -3), (40, 35), (18.5, 17.5), (None, None), (HUGE, HUGE - 1), (MISSING, 12)), *writes(f"{PC}/hp_max", 40), *writes(f"{PC}/hp_temp", (5, GONE), (5, None)),
        *writes(f"{PC}/level", 4, (0, 0), (25, 26), (MISSING, 30)), *writes(f"{PC}/gold", 0, 1.5, (-10, -4)), *writes(f"{PC}/currency/cp", (0, GONE)), *writes(f"{PC}/abilities/str", (65, 70), (MISSING, 65)),
        *writes(f"{PC}/debt", (0, -30)), *writes(f"npc_data/{WARDEN}/trust", -9), *writes(f"npc_data/{WARDEN}/hp_current", GONE, None), *writes(f"npc_data/{WARDEN}/level", (1, 40)), *writes("custom_campaign_state/level", (0, -4)),
        *writes("world_data/world_time/year", 10_482_113), *writes("custom_campaign_state/stamp", ([HUGE], [HUGE, 1])), (SNEAK, {f"<{PC}/hp_temp": 5, f"state_updates/{PC}/hp_current": 33}),
        (SNEAK, {"<npc_data/npc_mob_001": {"hp_current": 33, "hp_max": 11, "count": 3}, "state_updates/npc_data/npc_mob_001": {"hp_current": 34}}),
    ],
    "state_reference": [
        deletes(f"location_data/{FORD}", also={"world_data": {"current_location_id": VAULT}, "npc_data": {WARDEN: {"location_id": VAULT}}}), deletes(f"location_data/{VAULT}", also={"location_data": {FORD: {"exits": {"cellar": {"to": None}}}}}),
        deletes("item_data/item_arrows_001", "item_data/item_iron_key_002", also={"item_data": {"item_ash_001": {"name": "ash"}}}), deletes(f"npc_data/{GUARD}"), deletes("quest_data/quest_lost_carter_001"),
        deletes(also={"npc_data": {WARDEN: {"location_id": "loc_nowhere_009"}}}), deletes(f"npc_data/{GUARD}", custom_campaign_state__notes=[f"{GUARD} was here"]), deletes("npc_data/npc_nobody_001", combat_state__order=["npc_nobody_001"]),
        deletes(f"combat_state/combatants/{GUARD}", combat_state__combatants={GUARD: {"side": "foe"}}, combat_state__order=[GUARD]), deletes(f"npc_data/{GUARD}", also={"location_data": {GUARD: {"name": "his grave"}}}, combat_state__order=[GUARD]),
        (replace(SNEAK, facts=replace(SNEAK.facts, mode="god")), deletes(f"npc_data/{WARDEN}", item_data__item_arrows_001__holder_id=WARDEN)[1]),
    ],
    "state_player": writes(f"{PC}/id", ("pc_ilva_001", "pc_ilva_001"), (MISSING, "pc_ilva_001"), (None, "pc_ilva_001"), ("Ilva", "pc_ilva_001")),
    "travel_time": [
        (SNEAK, {**STILL, "location_confirmed": VAULT}), (SNEAK, {**STILL, "<world_data/world_time": MISSING, "state_updates/world_data/current_location_id": VAULT}),
        (SNEAK, {**STILL, "<world_data/current_location_id": "a rumour", "state_updates/world_data/current_location_id": VAULT}),
        (CELLAR, {TIME: {"second": 6}}), (CORRECTION, {"location_confirmed": VAULT}), (GOLD, {"state_updates/world_data": {"current_location_id": VAULT}}), (SNEAK, {**STILL, f"state_updates/npc_data/{WARDEN}/location_id": VAULT}),
    ],
    "rest_time": [
        rests("I sleep.", SLOT, {"minute": 15}), rests("Before the long rest I use the pearl.", SLOT, {"minute": 10}), rests("There is no time for a short rest.", SLOT, {"minute": 10}), rests("We take a long rest.", DICE, {"day": 5, "hour": 5}),
        rests("We take a long rest.", {"hp_current": 24}, {"minute": 30}), rests("I drink the potion.", {"exhaustion": 0, "hp_current": 28}, {"minute": 6}), rests("We take a short rest.", {"hp_current": 26, "hit_dice": {"current": 1}}, {"hour": 22, "minute": 6}),
        rests("Level up!", {"level": 4, "hit_dice": {"current": 3, "max": 4}}, {"minute": 6}), rests("long rest", {"hit_dice": "all"}, {"minute": 6}, hit_dice="few"), rests("We rest.", DICE, {"month": 6, "day": 1, "hour": 6}),
        (NIGHT, {}), (CORRECTION, {"asked": "My long rest", f"state_updates/{PC}": DICE}), (GOLD, {f"state_updates/{PC}": DICE}),
    ],
    "session_header": [
        *(shows(f"Timestamp: {stamp}") for stamp in (
            "1492 DR, 4 Mirtul, 21:15:00", "1492 DR, Mirtul 4th, 21:15", "1492-05-04 21:15:00", "year 1492, month 5, day 4, 21:15:00", "Mirtul 4, 21:15:00", "Year of the Crow, the fourth of Frost, 21:15:00", "21:15:00, Mirtul 4, 1492 DR", "04.05.1492, 21:15:00")),
        *(says(status) for status in ("Lvl ? ? | HP ?/? | XP ?/? | Gold ?gp", "Lvl 3 Fighter 2/Wizard 1 | HP 24/28 (+5 temp) | XP milestone | Gold 37 gp | Inspired", "Lvl 3 Ranger, HP 24/28, XP 1100/2700, Gold 37gp")),
        (SNEAK, {"<world_data/calendar": {"month_names": ["Hammer", "Alturiak", "Ches", "Tarsakh", "Mirtul"]}}), (SNEAK, {"<world_data/calendar": {"month_names": [1, None, ""]}}),
        (SNEAK, {"<world_data": MISSING, "state_updates": {PC: {"hp_current": 20}}, "session_header": "\n".join((TOP, "Timestamp: ?, ? ?, ??:??:??", PLACE, STATUS))}),
    ],
    "status_line": [
        *(says(status) for status in ("Lvl 3 | HP 24 | XP 1,100/2,700 | Gold 37.0gp", "Lvl 3, HP 24/28, XP 1100, Gold 37 gp, AC 15", "Lvl: 3 | HP: 24/28 | XP: 1.1k | Gold none", "fine", "Wolf HP 7/11 | Lvl 3 | HP 24/28 | XP +300 (1100)")),
        says("Lvl 9 | HP 3/28", level=MISSING, hp_current=MISSING), says("HP 29/28", hp_temp=5), says("HP 7/11", active_effects={"wild_shape": {"hp_current": 7, "hp_max": 11}}), says("Gold 38gp", gold=37.6), says("Gold 12,050gp", gold=12_050),
        says("Gold 5gp", gold=MISSING), says("Gold 5gp", gold=MISSING, currency={"gp": 4, "sp": 12}), says("HP -3/28", hp_current=-3), (NIGHT, {}), (GOLD, {}), (SNEAK, {f"state_updates/{PC}": {"hp_current": "9"}}), (THINK, {f"state_updates/{PC}": {"hp_current": 3}}),
    ],
    "half_caster": [
        (NOVICE, {f"<{PC}/class": role, f"<{PC}/level": level, "resources": text}) for role, level, text in (
            ("Paladin", 1, "HD 1/1 | No Spells Yet (Level 2+) | Exhaustion 0"), ("Ranger", 1, "no spells yet (level 2+)"), ("Paladin", 2, "HD 1/1"), ("Wizard", 1, "HD 1/1"), (None, 1, "HD 1/1"), ("Arranger", 1, "HD 1/1"), ("Ranger", None, "HD 1/1"))
    ] + [(NOVICE, {f"state_updates/{PC}": {"level": 2}, "resources": "HD 2/2 | Spells L1 2/2"})],
    "roll_made": [(SNEAK, {f"dice_rolls/0/{place}": value}) for place, value in (("purpose", "Stealth"), ("expression", "2D20KH1 + 5"), ("expression", " 2d20kh+5+0"), ("dice", [16, 7]), ("dice", [7.0, 16]), ("modifier", 5.0))]
    + [throws(roll("r1", "1d8+1d6+3", [6, 4], 3, 13), expression="d8 + d6 + 3")],
    "roll_target": [
        throws(TIE), throws(LOW), throws(DAMAGE), throws(roll("r1", "1d4-5", [2], -5, -3)), throws(roll("r1", "1d4-5", [2], -5, -3), success=False), throws(NAT20), throws(NAT20, success=True), throws(NAT1, success=False),
        throws(roll("r1", "2d20kh1+4", [20, 3], 4, 24, target="AC", value=26, advantage="advantage"), success=True), throws(roll("r1", "1d20+2", [14], 2, 16), target={"kind": "DC", "value": 15}),
    ],
}


def rows(table: Mapping[str, list[tuple[Turn, Changes]]]) -> list[Row]:
    return [(rule, turn, changes) for rule, cases in table.items() for turn, changes in cases]


@pytest.mark.parametrize(("rule", "turn", "changes"), rows(BROKEN), ids=[row[0] for row in rows(BROKEN)])
def test_what_breaks_a_rule(rule: str, turn: Turn, changes: Changes) -> None:
    assert altered(turn, changes).named(rule)


@pytest.mark.parametrize(("rule", "turn", "changes"), rows(KEPT), ids=[row[0] for row in rows(KEPT)])
def test_what_keeps_a_rule(rule: str, turn: Turn, changes: Changes) -> None:
    assert altered(turn, changes).named(rule) == []


@pytest.mark.parametrize("place", ["dice_rolls/0/total", "dice_rolls/0/target/value", f"{TIME}/hour", f"state_updates/{PC}/hit_dice/current", f"state_updates/{PC}/hp_current", "entities_mentioned/0", "session_header"])
def test_thousands_of_digits_are_a_fault_and_no_crash(place: str) -> None:
    for number in (HUGE, -HUGE, 10**4_200):
        assert SNEAK.having(place, number).check().violations
        assert SNEAK.having("session_header", SNEAK.answer["session_header"].replace("Lvl 3", f"Lvl {number}")).check().violations
        SNEAK.in_state(PC, {**STATE[PC], "hp_current": number, "hp_max": number, "level": number, "gold": number}).check()


EXPRESSIONS = ("1d20+5", "d20", "2d20kh1+5", "2d20kl1-1", "2d6", "4d6kh3", "1d20+5+1d4", "1d4-5", "8d6", "1d12 + 2", "2D20KH1+1", "2d20+1")
TARGETS = ((None, None), ("DC", 13), ("DC", 0), ("AC", 16), ("AC", 1), ("DC", 30))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.sampled_from(EXPRESSIONS), st.sampled_from(TARGETS)), max_size=8), st.booleans())
def test_what_the_dice_give_keeps_every_rule_of_rolls(seed: int, thrown: list[Any], tray: bool) -> None:
    dice = Dice(seed)
    for expression, (kind, value) in thrown:
        dice.roll(expression, "a try", kind, value)
    entries = [entry(made) for made in dice.rolls]
    made = tray_rolls(Dice(seed), entries) if tray else dice.rolls
    turn = SNEAK.rolled(*made).having("dice_rolls", entries)
    assert turn.check().violations == ()
    if entries:
        lie = turn.having("dice_rolls/0/total", entries[0]["total"] + 1)
        cheated = tray_rolls(Dice(seed), lie.answer["dice_rolls"]) if tray else made
        assert lie.rolled(*cheated).named("roll_made")


# --- the frame ----------------------------------------------------------------------------------

LINE, BODY = SNEAK.text.split("\n", 1)


@pytest.mark.parametrize("raw", [
    f"\n\n{SNEAK.text}\n", f"{LINE}\r\n{BODY}\r\n", f"{LINE}  \n\t{BODY}  ", f"{LINE}\n{json.dumps(SNEAK.answer, indent=2)}\n\n", f"\u00a0\n{LINE}\u202f\r\n\u00a0{BODY}\n\u2003",
])
def test_white_space_is_no_text(raw: str) -> None:
    assert not check_answer(raw, SNEAK.facts).violations


def test_a_line_of_tildes_may_be_a_fence() -> None:
    assert [hint.path for hint in SNEAK.saying("~~~\nkeep out\n~~~").warned("code_fence")] == ["narrative"]


def test_several_faults_of_the_frame_are_told_at_once_each_once() -> None:
    checked = check_answer(f"Hello\n```json\n{LINE}\nand\n{BODY}\n```\nbye", SNEAK.facts)
    assert [violation.rule for violation in checked.violations] == ["mode_line", "outside_json", "outside_json", "code_fence"]
    assert checked.answer == SNEAK.answer


@pytest.mark.parametrize("text", ["x", "{", "[", '"', "`", "{}", " ", "\\", "\u0301", "{\n", "~~~\n", '{"a":', f"{MODE_LINES['story']}\n"])
def test_ten_megabytes_are_not_read(text: str) -> None:
    checked = check_answer(f"{LINE}\n" + text * (10_000_000 // len(text)), SNEAK.facts)
    assert (checked.answer, [violation.rule for violation in checked.violations]) == (None, ["json"])
    assert f"{MAX_CHARS:,}" in checked.violations[0].message


@pytest.mark.parametrize(("raw", "claimed"), [
    (f"hello {SNEAK.text} bye", SNEAK.answer["dice_rolls"]), ("nothing", []), (f"{LINE}\n{{}}", []), (f'{LINE}\n{{"dice_rolls": {{}}}}', []), (f'{LINE}\n{{"dice_rolls": [1, null]}}', [1, None]),
])
def test_claimed_rolls(raw: str, claimed: list[object]) -> None:
    assert list(claimed_rolls(raw)) == claimed
