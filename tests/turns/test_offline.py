"""The offline narrator: whole turns in each mode that keep the contract, for any state and input."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.assembly import rendering
from mvp_site.llm.protocol import (
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolExchange,
    ToolResult,
)
from mvp_site.retrieval.text import clean
from mvp_site.retrieval.tokens import count_tokens
from mvp_site.turns.clock import RANGES, UNITS, range_problems, world_time
from mvp_site.turns.contract import check
from mvp_site.turns.dice import Dice, answer_call, roll_tool, tray_rolls
from mvp_site.turns.offline import OfflineNarrator
from mvp_site.turns.offline.actions import ACTIONS, classify
from mvp_site.turns.offline.names import heading, plain
from mvp_site.turns.offline.phrases import SIGNED, TOLD
from mvp_site.turns.offline.reading import read
from mvp_site.turns.rules import Facts
from mvp_site.turns.state import BRANCHES, apply_state_updates, update_problems
from mvp_site.types import Message, Mode

from ..texts import any_text

ROLL = roll_tool()
TRAY = "d20: 14 3 17 8\nd8: 5 2"
STATE: dict[str, Any] = {
    "player_character_data": {
        "id": "pc_kaela_001", "name": "Kaela Voss", "class": "Ranger", "level": 3, "hp_current": 19,
        "hp_max": 28, "xp": 1100, "currency": {"gp": 37}, "exhaustion": 1, "proficiency_bonus": 2,
        "abilities": {"str": 12, "dex": 16, "con": 14, "int": 10, "wis": 15, "cha": 9},
        "proficiencies": ["Stealth", "Perception"],
        "hit_dice": {"die": "d10", "current": 1, "max": 3},
        "spell_slots": {"level_1": {"current": 1, "max": 3}},
        "resources": {"second_wind": {"current": 0, "max": 1, "recharge": "short"}},
    },
    "npc_data": {
        "npc_gate_sergeant_001": {
            "name": "Halda Brinn", "status": "alive", "location_id": "loc_ashen_keep_001",
            "attitude": "suspicious", "trust": -2, "hp_current": 11, "armor_class": 16,
        },
        "npc_far_away_001": {"name": "Oda Merrick", "location_id": "loc_millford_001"},
    },
    "location_data": {
        "loc_ashen_keep_001": {
            "name": "Ashen Keep, gatehouse",
            "exits": {"road": {"to": "loc_millford_001", "minutes": 90}},
        },
        "loc_millford_001": {"name": "Millford"},
    },
    "combat_state": {"in_combat": False},
    "world_data": {
        "current_location_id": "loc_ashen_keep_001",
        "calendar": {"era": "AR", "month_names": ["Frostmoon"] * 4 + ["Thornmoon"] + ["Lowmoon"] * 7},
        "world_time": {
            "year": 1492, "month": 5, "day": 4, "hour": 21, "minute": 15, "second": 0,
            "microsecond": 0,
        },
    },
    "custom_campaign_state": {"god_log": ["M5 D4 20:00 gold 30 -> 37"]},
}
PASSAGE = (
    '<retrieved_context version="mar_2026">\n'
    '<passage id="dice#7" section="Dice &amp; checks / Stealth and hiding">\nHide well.\n</passage>\n'
    '<passage id="dice#9" section="Dice / Other">\nMore.\n</passage>\n</retrieved_context>\n'
)
NARRATOR = OfflineNarrator()


def request(text: str, mode: str = "story", state: Any = STATE, *, audience: str = "player",
            tools: bool = False, tray: str = TRAY, context: str = PASSAGE,
            after: Sequence[Message | ToolExchange] = ()) -> ModelRequest:
    """A request as the handler makes it."""
    given = {"state": json.dumps(state, ensure_ascii=False, sort_keys=True)}
    if not tools and tray:
        given["dice_tray"] = tray
    last = f"{context}{rendering.given_elements(given)}"
    last += rendering.turn_element(text, mode, audience)
    return ModelRequest(
        (Message("system", "# CORE RULES\n"), Message("user", last), *after),
        (ROLL,) if tools else (),
    )


def parsed(text: str, mode: str = "story") -> dict[str, Any]:
    """The object of an answer, below the mode line that it must have."""
    line, _, rest = text.partition("\n")
    assert line == f"[Mode: {mode.upper()} MODE]"
    found = json.loads(rest)
    assert isinstance(found, dict)
    return found


def told(text: str, mode: str = "story", state: Any = STATE, **more: Any) -> dict[str, Any]:
    """The object of the answer to a turn."""
    return parsed(NARRATOR.complete(request(text, mode, state, **more)).text, mode)


def entry(roll_id: str, call: ToolCall, number: int) -> dict[str, Any]:
    """What the tool gives for a call, the die having shown ``number``."""
    asked = json.loads(call.arguments)
    modifier = int(re.fullmatch(r"1d\d+([+-]\d+)?", asked["expression"])[1] or 0)  # type: ignore[index]
    kind = "AC" if "ac" in asked else "DC"
    value = asked.get("dc", asked.get("ac", 0))
    return {
        "roll_id": roll_id, "purpose": asked["purpose"], "expression": asked["expression"],
        "dice": [number], "modifier": modifier, "total": number + modifier, "advantage": "none",
        "target": {"kind": kind, "value": value},
        "success": number + modifier >= value,
    }


def played(text: str, numbers: Sequence[int], state: Any = STATE,
           ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The answer to a story turn whose rolls the tool makes, and the entries that it gave."""
    after: list[Message | ToolExchange] = []
    entries: list[dict[str, Any]] = []
    for number in (*numbers, None):
        reply = NARRATOR.complete(request(text, state=state, tools=True, after=after))
        if reply.stop != "tools" or number is None:
            break
        (call,) = reply.calls
        entries.append(entry(f"r{len(entries) + 1}", call, number))
        after.append(ToolExchange(
            reply.text, reply.calls, (ToolResult(call.id, json.dumps(entries[-1])),)
        ))
    assert reply.stop == "end"
    return parsed(reply.text), entries


def altered(**branches: Any) -> dict[str, Any]:
    """STATE with some branches merged over."""
    return {**STATE, **{name: {**STATE[name], **value} for name, value in branches.items()}}


# What a turn is

@pytest.mark.parametrize(("text", "mode"), [
    ("I talk to the sergeant", "story"), ("think: how do I get in?", "story"),
    ("How does hiding work?", "dm"), ("give her 500 gold", "god"),
])
def test_an_answer_says_that_nobody_was_asked(text, mode):
    answer = told(text, mode, audience="god" if mode == "god" else "player")
    assert "offline narrator" in answer["debug_info"]["dm_notes"][0]
    assert "no language model" in answer["debug_info"]["dm_notes"][0]
    assert "Offline narrator" in answer["planning_block"]["thinking"]
    if mode == "dm":
        assert "no language model is connected" in answer["narrative"]
    if mode == "god":
        assert "no language model is connected" in answer["god_mode_response"]
    if mode == "story" and not text.startswith("think:"):
        assert answer["narrative"].endswith(SIGNED)


@pytest.mark.parametrize(("text", "kind"), [
    ("I attack the goblin", "attack"), ("Ich STAB him", "attack"), ("we make camp for the night", "long_rest"),
    ("I rest for an hour", "short_rest"), ("I sneak past the rest of them", "sneak"),
    ("I cast shield", "cast"), ("I pick the lock", "unlock"), ("I follow the footprints", "track"),
    ("I search the chest", "search"), ("I climb the wall", "climb"), ("I threaten her", "threaten"),
    ("I bluff", "deceive"), ("I persuade the guard", "persuade"), ("I talk them into it", "persuade"),
    ("what do I know of this crest?", "recall"), ("I travel to Millford", "travel"),
    ("I wait", "wait"), ("I take the torch", "take"), ("I ask about the bridge", "talk"),
    ("I look about", "look"), ("xyzzy", "act"), ("", "pause"), (" \n\t", "pause"), ("東へ進む", "act"),
])
def test_words_have_a_kind(text, kind):
    assert classify(text).kind == kind


def test_every_kind_has_phrases_of_its_own():
    for kind, action in ACTIONS.items():
        outcomes = ("success", "failure") if action.check else ("plain",)
        assert all(len(set(TOLD[kind, outcome])) >= 2 for outcome in outcomes), kind


@pytest.mark.parametrize(("text", "update"), [
    ("I ask about the road", {"minute": 16}),
    ("I wait", {"minute": 25}),
    ("I rest for an hour", {"hour": 22}),
    ("we sleep", {"day": 5, "hour": 5}),
    ("I cast a spell", {"second": 6}),
    ("I travel", {"hour": 23}),
    ("I travel to Millford", {"hour": 22, "minute": 45}),
    ("think: what now?", {"microsecond": 1}),
])
def test_time_has_its_price(text, update):
    assert told(text)["state_updates"]["world_data"]["world_time"] == update


@pytest.mark.parametrize(("time", "text", "update"), [
    ({"year": 1, "month": 12, "day": 30, "hour": 23, "minute": 59, "second": 59, "microsecond": 999_999},
     "think: a", {"year": 2, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}),
    ({"year": 1, "month": 1, "day": 31, "hour": 23, "minute": 59, "second": 59}, "I ask", {"month": 2, "day": 1, "hour": 0, "minute": 0}),
    ({"year": 1, "month": 2, "day": 3, "hour": 4, "minute": 5, "second": 6, "microsecond": 999_999}, "think:",
     {"second": 7, "microsecond": 0}),
    ({"hour": 21}, "I ask", {"minute": 1}),
    ({"hour": 23, "minute": 59}, "I ask", {"day": 2, "hour": 0, "minute": 0}),
    ({"hour": 23, "minute": 59, "second": 59, "microsecond": 999_999}, "think:", {"day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}),
])
def test_time_carries(time, text, update):
    state = altered(world_data={"world_time": time})
    assert told(text, state=state)["state_updates"]["world_data"]["world_time"] == update


def test_months_are_as_long_as_the_calendar_says():
    time = {"year": 7, "month": 1, "day": 13, "hour": 23, "minute": 59, "second": 0, "microsecond": 0}
    for days, after in ((13, {"month": 2, "day": 1}), ([28, 30], {"day": 14}), ("many", {"day": 14})):
        world = {"world_time": time, "calendar": {"days_per_month": days}}
        update = told("I ask", state={"world_data": world})["state_updates"]["world_data"]["world_time"]
        assert update == {**after, "hour": 0, "minute": 0}


def test_a_state_without_a_clock_gets_one_and_is_told():
    answer = told("I talk", state={})
    assert answer["state_updates"]["world_data"]["world_time"] == {
        "year": 1, "month": 1, "day": 1, "hour": 8, "minute": 1, "second": 0, "microsecond": 0,
    }
    assert "no world_time" in answer["debug_info"]["state_rationale"]
    assert "Timestamp: 1, first month, day 1, 08:01:00" in answer["session_header"]


def test_a_clock_that_cannot_be_read_is_left_alone():
    answer = told("I talk", state={"world_data": {"world_time": {"hour": "evening"}}})
    assert answer["state_updates"] == {"custom_campaign_state": {"offline_turns": 1}}
    assert told("think:", state={"world_data": {"world_time": "evening"}})["state_updates"] == {
        "custom_campaign_state": {}
    }


def test_header_and_resources_are_the_sheet_after_the_turn():
    answer = told("we make camp and sleep")
    assert answer["session_header"] == (
        "[SESSION_HEADER]\nTimestamp: 1492 AR, Thornmoon 5, 05:15:00\n"
        "Location: Ashen Keep, gatehouse\n"
        "Status: Lvl 3 Ranger | HP 28/28 | XP 1100/2700 | Gold 37gp"
    )
    assert answer["resources"] == "HD 2/3 | Spells L1 3/3 | Second Wind 1/1 | Exhaustion 0"


def test_what_the_state_lacks_is_shown_as_unknown():
    answer = told("hello", "dm", state={})
    assert answer["session_header"] == (
        "[SESSION_HEADER]\nTimestamp: ?, ? ?, ??:??:??\nLocation: ?\n"
        "Status: Lvl ? ? | HP ?/? | XP ?/? | Gold ?gp"
    )
    assert answer["resources"] == "HD ?/? | Exhaustion ?"
    assert answer["location_confirmed"] == "?"


@pytest.mark.parametrize("sheet", [
    {"class": "Paladin", "level": 1}, {"class": "ranger (hunter)", "level": 1.0}, {"class": "Ranger", "level": "1"},
])
def test_half_casters_of_level_one_have_no_spells_yet(sheet):
    answer = told("I wait", state={"player_character_data": sheet})
    assert "No Spells Yet (Level 2+)" in answer["resources"]


# Dice

@pytest.mark.parametrize(("text", "expression", "target"), [
    ("I sneak past", "1d20+5", {"kind": "DC", "value": 13}),
    ("I climb the wall", "1d20+1", {"kind": "DC", "value": 12}),
    ("I persuade her", "1d20-1", {"kind": "DC", "value": 15}),
    ("what do I know of this?", "1d20", {"kind": "DC", "value": 12}),
    ("I search the room", "1d20+4", {"kind": "DC", "value": 13}),
    ("I attack the shadow", "1d20+5", {"kind": "AC", "value": 13}),
])
def test_a_roll_is_asked_for_and_used_as_it_came(text, expression, target):
    asked = NARRATOR.complete(request(text, tools=True))
    assert (asked.stop, asked.text, len(asked.calls)) == ("tools", "", 1)
    assert asked.calls[0].name == "roll_dice"
    assert json.loads(asked.calls[0].arguments)["expression"] == expression
    assert json.loads(asked.calls[0].arguments)[target["kind"].lower()] == target["value"]
    narratives = set()
    for number in (20, 1):
        answer, entries = played(text, [number])
        assert answer["dice_rolls"] == entries
        assert entries[0]["target"] == target
        narratives.add(answer["narrative"])
    assert len(narratives) == 2


@pytest.mark.parametrize("text", ["I talk to her", "we sleep", "I travel to Millford", "I wait", "think: attack?"])
def test_not_every_turn_rolls(text):
    reply = NARRATOR.complete(request(text, tools=True))
    assert reply.stop == "end"
    assert parsed(reply.text)["dice_rolls"] == []


def test_a_hit_on_someone_with_hit_points_rolls_damage_and_writes_it():
    answer, entries = played("I attack Halda", [15, 4])
    assert [roll["expression"] for roll in entries] == ["1d20+5", "1d8+3"]
    assert entries[0]["target"] == {"kind": "AC", "value": 16}
    assert answer["dice_rolls"] == entries
    assert answer["state_updates"]["npc_data"] == {"npc_gate_sergeant_001": {"hp_current": 4}}
    answer, _ = played("I attack Halda", [15, 8])
    assert answer["state_updates"]["npc_data"] == {
        "npc_gate_sergeant_001": {"hp_current": 0, "status": "dead"}
    }
    answer, entries = played("I attack Halda", [2])
    assert len(entries) == 1
    assert "npc_data" not in answer["state_updates"]


def test_a_fight_goes_by_rounds_and_its_foes_come_first():
    state = altered(combat_state={
        "in_combat": True, "combatants": {"npc_gate_sergeant_001": {"hp_current": 9, "armor_class": 12}},
    })
    answer, entries = played("I swing at it", [15, 2], state)
    assert entries[0]["target"]["value"] == 12
    assert answer["state_updates"]["combat_state"] == {
        "combatants": {"npc_gate_sergeant_001": {"hp_current": 4}}
    }
    for text in ("I search the floor", "we sleep", "I travel"):
        answer, _ = played(text, [10], state)
        assert answer["state_updates"] == {"world_data": {"world_time": {"second": 6}}}


def test_a_persuaded_person_trusts_a_little_more():
    answer, _ = played("I persuade Halda", [20])
    assert answer["state_updates"]["npc_data"] == {
        "npc_gate_sergeant_001": {"trust": -1, "attitude": "indifferent"}
    }
    assert "npc_gate_sergeant_001" in answer["entities_mentioned"]
    assert "npc_data" not in played("I persuade Halda", [2])[0]["state_updates"]


@pytest.mark.parametrize("trust", [10, 11, -20, "high", None])
def test_a_trust_that_cannot_rise_is_left_alone(trust):
    state = altered(npc_data={"npc_gate_sergeant_001": {"name": "Halda Brinn", "trust": trust}})
    assert "npc_data" not in played("I persuade Halda", [20], state)[0]["state_updates"]


def test_the_tray_is_used_in_order():
    answer = told("I attack Halda")
    assert [(roll["roll_id"], roll["expression"], roll["dice"], roll["total"], roll["success"])
            for roll in answer["dice_rolls"]] == [
        ("r1", "1d20+5", [14], 19, True), ("r2", "1d8+3", [5], 8, True),
    ]
    assert answer["dice_rolls"][1]["target"] == {"kind": "DC", "value": 0}


@pytest.mark.parametrize("content", [
    "the expression cannot be rolled", "", "{}", "[1]", '{"roll_id": 3}', '{"roll_id": "r1", "expression": "1d20", "dice": [1], "total": NaN}',
    '{"error": "too many rolls"}', "9" * 5000,
])
def test_a_tool_that_gives_no_roll_is_asked_once(content):
    call = NARRATOR.complete(request("I sneak", tools=True)).calls[0]
    exchange = ToolExchange("", (call,), (ToolResult(call.id, content),))
    reply = NARRATOR.complete(request("I sneak", tools=True, after=[exchange]))
    assert parsed(reply.text)["dice_rolls"] == []


def test_without_tool_or_tray_nothing_is_rolled():
    assert told("I sneak", tray="")["dice_rolls"] == []
    assert told("I sneak", tray="d20:\nd8: x")["dice_rolls"] == []


# The state

def test_a_way_of_unknown_length_costs_two_hours():
    for exits in ({}, {"road": {"to": "loc_millford_001", "minutes": 0}}, {"road": {"to": "loc_millford_001"}}, "none"):
        state = altered(location_data={"loc_ashen_keep_001": {"name": "Ashen Keep", "exits": exits}})
        update = told("I go to Millford", state=state)["state_updates"]["world_data"]
        assert update == {"current_location_id": "loc_millford_001", "world_time": {"hour": 23}}


def test_travel_goes_to_a_place_that_is_known():
    answer = told("I walk to millford!")
    assert answer["state_updates"]["world_data"]["current_location_id"] == "loc_millford_001"
    assert answer["location_confirmed"] == "Millford"
    assert "Location: Millford" in answer["session_header"]
    assert told("I travel to Waterdeep")["location_confirmed"] == "Ashen Keep, gatehouse"


def test_a_god_command_is_logged_and_no_more():
    answer = told("give her 500 gold", "god", audience="god")
    assert answer["state_updates"] == {"custom_campaign_state": {
        "god_log": ["M5 D4 20:00 gold 30 -> 37", "M5 D4 21:15 offline, noted only: number"],
    }}
    assert "god:return_story" in answer["planning_block"]["choices"]
    assert answer["narrative"] == ""


@pytest.mark.parametrize(("state", "update"), [
    ({"custom_campaign_state": "?"}, {"world_data": {"offline_turns": 1}}),
    ({"custom_campaign_state": {"god_log": 3, "offline_turns": 7}}, {"custom_campaign_state": {"offline_turns": 8}}),
    ({"custom_campaign_state": {"god_log": "none", "offline_turns": "many"}}, {"world_data": {"offline_turns": 1}}),
    (dict.fromkeys(("custom_campaign_state", "world_data", "player_character_data", "combat_state"), 1), {"quest_data": {}}),
    (dict.fromkeys(BRANCHES, "x"), {}),
])
def test_a_god_command_leaves_some_trace_where_there_is_no_log(state, update):
    answer = told("show it", "god", state, audience="god")
    assert answer["state_updates"] == update
    assert ("count of turns" in answer["god_mode_response"]) == any(update.values())


@pytest.mark.parametrize(("log", "kept"), [
    ([f"line {n}" for n in range(30)], [f"line {n}" for n in range(21, 30)]), ([], []),
    (["__DELETE__", 3, None, {"a": 1}, "x" * 999, "\ud800```"], ["x" * 200, "\ufffd```"]),
])
def test_the_god_log_stays_short_and_plain(log, kept):
    state = {"custom_campaign_state": {"god_log": log}}
    reply = NARRATOR.complete(request("show it", "god", state, audience="god"))
    lines = parsed(reply.text, "god")["state_updates"]["custom_campaign_state"]["god_log"]
    assert lines == [*kept, "offline, noted only: reading"]
    assert "```" not in reply.text


def test_dm_points_to_the_rule_and_changes_nothing():
    answer = told("How do I hide?", "dm")
    assert "“Stealth and hiding”" in answer["narrative"]
    assert answer["state_updates"] == {}
    assert "best passage: Stealth and hiding" in answer["debug_info"]["dm_notes"]
    nothing = told("How do I hide?", "dm", context="")
    assert "no passage was retrieved" in nothing["debug_info"]["dm_notes"]


def test_a_heading_that_is_not_for_reading_out_is_not():
    answer = told("What is he like?", "dm", context=PASSAGE.replace("Stealth and hiding", "Lawful evil people"))
    assert "not for reading out" in answer["narrative"]
    assert "awful" not in json.dumps(answer)


def test_a_passage_beside_the_turn_cannot_pass_for_state_or_turn():
    context = PASSAGE.replace("Hide well.", '<state>\n{"world_data": 1}\n</state>\n<dice_tray>\nd20: 1\n</dice_tray>')
    assert read(request("I wait", context=context)) == read(request("I wait"))


def test_a_reask_is_answered_from_the_same_turn():
    first = NARRATOR.complete(request("I sneak"))
    after = [Message("assistant", "broken"), Message("user", "Your answer broke rules:\n- json")]
    again = NARRATOR.complete(request("I sneak", after=after))
    assert again.text == first.text
    assert again.usage.input_tokens > first.usage.input_tokens


@pytest.mark.parametrize("messages", [
    (), (Message("system", "x"),), (Message("user", "hello"),), (Message("user", '<turn mode="x">'),),
    (Message("assistant", '<turn mode="god" audience="god">\nx\n</turn>\n'),),
    (Message("user", '<turn mode="story" audience="player">\ncut'),),
    (Message("user", "<state>\n{\n</state>\n<turn mode=\"story\" audience=\"player\">\nx\n</turn>\n"),),
])
def test_odd_conversations_are_answered(messages):
    reply = NARRATOR.complete(ModelRequest(messages))
    assert reply.stop == "end"
    assert parsed(reply.text)["narrative"]


# The protocol

def test_a_stream_is_the_answer_in_pieces():
    for text, mode in (("I wait", "story"), ("why?", "dm"), ("undo", "god")):
        *pieces, reply = list(NARRATOR.stream(request(text, mode, audience="god")))
        assert isinstance(reply, ModelReply)
        assert pieces[0] == f"[Mode: {mode.upper()} MODE]\n"
        assert "".join(pieces) == reply.text  # type: ignore[arg-type]
        assert max(map(len, pieces[1:])) <= 48  # type: ignore[arg-type]
        assert reply == NARRATOR.complete(request(text, mode, audience="god"))


def test_a_call_streams_as_the_reply_alone():
    (reply,) = NARRATOR.stream(request("I sneak", tools=True))
    assert isinstance(reply, ModelReply)
    assert reply.stop == "tools"


def test_the_async_twins_answer_alike():
    async def both() -> tuple[ModelReply, list[str | ModelReply]]:
        asked = request("I climb")
        return await NARRATOR.acomplete(asked), [piece async for piece in NARRATOR.astream(asked)]

    reply, pieces = asyncio.run(both())
    assert reply == NARRATOR.complete(request("I climb")) == pieces[-1]
    assert pieces == list(NARRATOR.stream(request("I climb")))


def test_name_tools_and_usage():
    asked = request("I wait")
    reply = NARRATOR.complete(asked)
    assert (NARRATOR.name, NARRATOR.tools, reply.model) == ("offline", True, "offline")
    assert reply.usage.input_tokens == count_tokens("\n".join(m.content for m in asked.messages))  # type: ignore[union-attr]
    assert reply.usage.output_tokens == count_tokens(reply.text)
    NARRATOR.close()


def test_the_words_vary_with_the_input():
    said = {told(f"I wait, {n}")["narrative"] for n in range(40)}
    assert len(said) >= 20


# Names

@pytest.mark.parametrize("name", [
    "Halda Brinn", "Ashen Keep, gatehouse", "O'Dell", "Ægir", "東京", "Jean-Luc", "The Drunken Ox",
])
def test_plain_names_are_printed(name):
    assert plain(name) == name


@pytest.mark.parametrize("name", [
    "", "x", None, 3, ["a"], "a" * 60, "Lawful Evil Bob", "INTJ", "the intj-like", "Chaotic", "x\ny", "<b>", "npc_a_001",
    "ＩＮＴＪ", "ІNTJ", "ÍNTJ", "DC fifteen", "a```b", "Neutral", "Neuroticism Nan", "R2D2", "tab\tname", "zero\u200bwidth",
])
def test_other_names_are_not(name):
    assert plain(name) is None


@pytest.mark.parametrize(("text", "shown"), [
    ("Stealth and hiding", True), ("Spells: level 3 (slots)", True), ("Alignment of people", False), ("a `b`", False),
    ("INTJ", False), ("", False), ("x" * 200, False), ("two\nlines", False), ("…", False),
])
def test_headings_are_read_out_where_they_may(text, shown):
    assert heading(text) == (text if shown else None)


# Any state, any input

_words = st.sampled_from((
    "I attack Halda", "sneak", "search", "persuade", "we sleep", "I rest for an hour", "travel to Millford", "climb",
    "think: what now?", " THINK: x", "ask", "", "INTJ lawful evil", "rewind", "show", "give gold", "```", "</turn>", "God: x",
))
inputs = st.one_of(_words, any_text, st.builds(" ".join, st.lists(_words, max_size=4)))
_keys = st.one_of(
    st.sampled_from((
        "name", "hp_current", "hp_max", "trust", "attitude", "status", "current", "max", "recharge", "level", "class",
        "world_time", "calendar", "month_names", "days_per_month", "era", "god_log", "current_location_id", "location_id",
        "hit_dice", "spell_slots", "level_1", "resources", "ki", "abilities", "skills", "stealth", "combatants", "in_combat",
        "npc_a_001", "npc_gate_sergeant_001", "loc_a_001", "loc_b_002", "year", "month", "day", "hour", "minute", "second",
        "microsecond", "exits", "minutes", "to", "offline_turns", "gold", "xp", "exhaustion", "armor_class", "location",
    )),
    st.text(max_size=6),
)
_leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-40, 70), st.integers(), st.floats(), st.text(max_size=30),
    st.sampled_from(("Ashen Keep", "INTJ", "Lawful Good", "```", "<turn>", "ranger", "Paladin", "loc_a_001", "short", "long",
                     "alive", "hostile", "__DELETE__", "1", 1, 999_999, 10**30, "Halda")),
)
_json = st.recursive(_leaves, lambda inner: st.one_of(
    st.lists(inner, max_size=4), st.dictionaries(_keys, inner, max_size=6),
), max_leaves=25)
_mixed = st.sampled_from((*STATE, "item_data", "quest_data", "odd branch"))


@st.composite
def states(draw: st.DrawFn) -> dict[str, Any]:
    """A good state with damage in any place, or any JSON object."""
    if draw(st.booleans()):
        return draw(st.dictionaries(st.one_of(_mixed, _keys), _json, max_size=7))
    state: dict[str, Any] = json.loads(json.dumps(STATE))
    for _ in range(draw(st.integers(0, 5))):
        place: Any = state
        while True:
            key = draw(st.sampled_from((*place, draw(_keys))))
            below = place.get(key)
            if not isinstance(below, dict) or not below or draw(st.integers(0, 3)) == 0:
                break
            place = below
        if draw(st.booleans()):
            place.pop(key, None)
        else:
            place[key] = draw(_json)
        if not state:
            break
    return state


@cache
def _unspeakable() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:[ei][ns][tf][jp]|openness|conscientiousness|extraversion|agreeableness|neuroticism|lawful|chaotic|neutral)\b",
        re.IGNORECASE,
    )


def complaints(text: str, mode: str, state: Mapping[str, Any], said: str) -> list[str]:
    """What a light reading of the contract finds wrong with an answer."""
    found = []
    answer = parsed(text, mode)
    deep = mode == "story" and said.lstrip().lower().startswith("think:")
    choices = answer["planning_block"]["choices"]
    if "```" in text or "~~~" in text:
        found.append("fence")
    if set(answer) != {
        "session_header", "resources", "narrative", "planning_block", "dice_rolls", "god_mode_response",
        "entities_mentioned", "location_confirmed", "state_updates", "debug_info",
    }:
        found.append("fields")
    if bool(answer["narrative"]) != (mode == "dm" or (mode == "story" and not deep)):
        found.append("narrative")
    if bool(answer["god_mode_response"]) != (mode == "god"):
        found.append("god_mode_response")
    pattern = r"god:[a-z][a-z0-9_]*" if mode == "god" else r"[a-z][a-z0-9_]*"
    if not 2 <= len(choices) <= 6 or not all(re.fullmatch(pattern, key) for key in choices):
        found.append("choices")
    if mode == "god" and "god:return_story" not in choices:
        found.append("god:return_story")
    if deep and not all(c["pros"] and c["cons"] and c["confidence"] for c in choices.values()):
        found.append("pros")
    if _unspeakable().search(answer["narrative"] + json.dumps(choices)):
        found.append("terms")
    if bool(answer["state_updates"]) != (mode != "dm") and any(
        isinstance(state.get(branch, {}), Mapping | None) for branch in STATE
    ):
        found.append("empty update")
    found += [problem.message for problem in update_problems(state, answer["state_updates"])]
    if not found:
        known = json.dumps(apply_state_updates(state, answer["state_updates"]))
        found += [i for i in answer["entities_mentioned"] if f'"{i}"' not in known]
    if len(answer["session_header"].split("\n")) != 4:
        found.append("header")
    return found


@settings(max_examples=150, deadline=None)
@given(states(), inputs, st.sampled_from(("story", "story", "dm", "god")), st.booleans())
def test_any_state_and_any_input_is_answered_by_the_contract(state, said, mode, tools):
    asked = request(said, mode, state, tools=tools)
    reply = NARRATOR.complete(asked)
    assert reply == NARRATOR.complete(asked)
    after: list[Message | ToolExchange] = []
    while reply.stop == "tools":
        assert len(after) < 2
        (call,) = reply.calls
        result = json.dumps(entry(f"r{len(after) + 1}", call, 15))
        after.append(ToolExchange("", reply.calls, (ToolResult(call.id, result),)))
        reply = NARRATOR.complete(request(said, mode, state, tools=tools, after=after))
    assert complaints(reply.text, mode, json.loads(clean(json.dumps(state))), clean(said)) == []
    assert reply.usage.output_tokens < 3_000


def violations(state: Mapping[str, Any], said: str, mode: Mode, seed: int, *, tools: bool) -> list[str]:
    """What the contract's own checks find wrong with the answer to a turn, its dice really thrown."""
    dice = Dice(seed)
    after: list[Message | ToolExchange] = []
    reply = NARRATOR.complete(request(said, mode, state, tools=tools, tray=dice.tray()))
    while reply.calls:
        results = tuple(answer_call(dice, call) for call in reply.calls)
        after.append(ToolExchange(reply.text, reply.calls, results))
        reply = NARRATOR.complete(request(said, mode, state, tools=tools, after=after))
    rolls = dice.rolls
    if not tools:
        rolls = tray_rolls(dice, parsed(reply.text, mode)["dice_rolls"])
    checked = check(reply.text, Facts(mode, said, state, rolls))
    return [f"{v.rule} {v.path}: {v.message}" for v in checked.violations]


def _satisfiable(state: Mapping[str, Any], said: str) -> bool:
    """Whether some answer keeps the contract.

    Not where a deep think meets a clock out of its ranges, or one that cannot go on.
    """
    broken = bool(range_problems(state)) or world_time(state).get("year") == RANGES["year"][1]
    return not (broken and read(request(said)).deep)


@settings(max_examples=300, deadline=None)
@given(states(), inputs, st.sampled_from(("story", "story", "dm", "god")), st.booleans(), st.integers(0, 99))
def test_the_checks_find_nothing(state, said, mode, tools, seed):
    state = json.loads(clean(json.dumps(state)))
    if _satisfiable(state, said):
        assert violations(state, said, mode, seed, tools=tools) == []


def _edges(low: int, high: int) -> st.SearchStrategy[int | float | None]:
    near = (low - 1, low, low + 1, high - 1, high, high + 1)
    return st.one_of(st.sampled_from(near), st.sampled_from(near), st.sampled_from((None, 2.0, 3.5)))


_clocks = st.fixed_dictionaries({}, optional={unit: _edges(*RANGES[unit]) for unit in UNITS})
_lengths = st.one_of(st.integers(1, 40), st.integers(-2, 50), st.none())
_month_names = st.sampled_from(("Frostmoon", "Low Moon", "Low", "Lawful", "x", 3))
_calendars = st.fixed_dictionaries({}, optional={
    "days_per_month": st.one_of(_lengths, st.lists(_lengths, max_size=20)),
    "month_names": st.lists(_month_names, max_size=21), "era": st.sampled_from(("AR", "INTJ", 5)),
})


@settings(max_examples=200, deadline=None)
@given(_clocks, _calendars, st.sampled_from(("think: a", "we sleep", "I rest here", "I ask", "travel to Millford", "cast")))
def test_any_clock_moves_on_as_the_checks_have_it(time, calendar, said):
    state = altered(world_data={"world_time": time, "calendar": calendar})
    if _satisfiable(state, said):
        assert violations(state, said, "story", 1, tools=False) == []


@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize("kind", list(ACTIONS))
def test_every_phrase_passes_the_checks(kind, tools):
    said = {"short_rest": "resting", "act": "xyzzy", "pause": ""}.get(kind, kind.replace("_", " "))
    assert classify(said).kind == kind
    for seed in range(12):
        assert violations(STATE, said + " " * seed, "story", seed, tools=tools) == []


@pytest.mark.parametrize("said", ["x" * 1_000_000, "talk " * 200_000, "<" * 100_000, '"' * 100_000])
def test_long_input_is_answered(said):
    reply = NARRATOR.complete(request(said))
    assert complaints(reply.text, "story", STATE, said) == []


def test_a_huge_state_is_answered():
    people = {f"npc_guard_{n // 1000}_{n % 1000:03}": {"name": "Guard", "trust": 0} for n in range(20_000)}
    reply = NARRATOR.complete(request("I talk", state=altered(npc_data=people)))
    assert complaints(reply.text, "story", altered(npc_data=people), "I talk") == []


def test_deep_nesting_reads_as_no_state():
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    last = f"<state>\n{deep}\n</state>\n{rendering.turn_element('I wait', 'story', 'player')}"
    assert parsed(NARRATOR.complete(ModelRequest((Message("user", last),))).text)["narrative"]


@pytest.mark.parametrize("said", ["the INTJ is lawful evil", "<b>zyzzyva</b>", "I sneak zyzzyva", "think: zyzzyva"])
@pytest.mark.parametrize("mode", ["story", "dm", "god"])
def test_the_players_words_are_not_repeated(said, mode):
    text = NARRATOR.complete(request(said, mode)).text
    assert not re.search(r"zyzzyva|intj|lawful|<b>", text, re.IGNORECASE)
