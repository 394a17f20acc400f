"""The offline narrator: whole turns in each mode that keep the contract, for any state and input."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.assembly import rendering
from mvp_site.llm.protocol import ModelRequest, ToolExchange
from mvp_site.text.normalising import clean
from mvp_site.turns.checking import check_answer
from mvp_site.turns.clock import RANGES, range_problems, world_time
from mvp_site.turns.dice import Dice, answer_call, tray_rolls
from mvp_site.turns.offline import SIGNED, OfflineNarrator
from mvp_site.turns.routing import is_deep_think
from mvp_site.turns.rules import Facts
from mvp_site.turns.tools import described
from mvp_site.types import Message, Mode

from ..texts import any_text
from .game import STATES

ROLL = described("roll_dice")
TRAY = "d20: 14 3 17 8\nd8: 5 2"
STATE: dict[str, Any] = STATES["offline"]
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
    last = context + rendering.text_of(rendering.asked(text, mode, audience, given))
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


def altered(**branches: Any) -> dict[str, Any]:
    """STATE with some branches merged over."""
    return {**STATE, **{name: {**STATE[name], **value} for name, value in branches.items()}}


# What a turn is

@pytest.mark.parametrize(("text", "mode", "field"), [
    ("I talk to Halda", "story", "narrative"), ("xyzzy", "story", "narrative"),
    ("How does hiding work?", "dm", "narrative"), ("give her 500 gold", "god", "god_mode_response"),
])
def test_an_answer_says_that_nobody_was_asked(text, mode, field):
    answer = told(text, mode)
    assert "offline narrator" in answer[field]
    assert "no language model is connected" in answer[field]
    assert "no language model" in answer["debug_info"]["dm_notes"][0]
    assert answer["narrative"].endswith(SIGNED) or mode != "story"


@pytest.mark.parametrize(("text", "parts"), [
    ("I look about", ["You look around.", "A minute passes.", "You are at Ashen Keep, gatehouse.", "With you: Halda Brinn.", "Retrieved: “Stealth and hiding”."]),
    ("I wait", ["You wait.", "10 minutes pass."]), ("xyzzy", ["Nothing was done: try “I look around”", "You are at"]),
])
def test_a_story_turn_says_what_it_understood_and_what_the_state_shows(text, parts):
    narrative = told(text)["narrative"]
    for part in parts:
        assert part in narrative
    assert "Nothing was retrieved." in told(text, context="")["narrative"]
    assert "Retrieved: a passage." in told(text, context=re.sub('section="[^"]*"', 'section=""', PASSAGE))["narrative"]


@pytest.mark.parametrize(("text", "time", "update"), [
    ("I ask about the road", {}, {"minute": 16}), ("I look about", {"hour": 21}, {"minute": 1}), ("think: what now?", {}, {"microsecond": 1}), ("think:", {"second": 5, "microsecond": 999_999}, {"second": 6, "microsecond": 0}),
    ("I ask", {"year": 1, "month": 1, "day": 31, "hour": 23, "minute": 59}, {"month": 2, "day": 1, "hour": 0, "minute": 0}),
    ("think: a", {"year": 1, "month": 12, "day": 30, "hour": 23, "minute": 59, "second": 59, "microsecond": 999_999},
     {"year": 2, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}),
    ("I talk", {"hour": "evening"}, None), ("think:", "evening", None), ("I talk", None, None), ("I talk", {"hour": 99}, None),
])
def test_time_has_its_price(text, time, update):
    state = altered(world_data={} if time == {} else {"world_time": time})
    assert told(text, state=state)["state_updates"].get("world_data", {}).get("world_time") == update


def test_header_and_resources_are_the_sheet_after_the_turn():
    answer = told("I wait")
    assert answer["session_header"] == (
        "[SESSION_HEADER]\nTimestamp: 1492, Thornmoon 4, 21:25:00\nLocation: Ashen Keep, gatehouse\n"
        "Status: Lvl 3 Ranger | HP 19/28 | XP 1100/2700 | Gold 37gp"
    )
    assert answer["resources"].startswith("HD 1/3 | Spells L1 ")


def test_what_the_state_lacks_is_shown_as_unknown():
    answer = told("hello", "dm", state={})
    assert answer["session_header"] == (
        "[SESSION_HEADER]\nTimestamp: ?, month ?, day ?, ??:??:??\nLocation: ?\nStatus: Lvl ? ? | HP ?/? | XP ?/? | Gold ?gp"
    )


# Dice


# Other modes

def test_a_question_is_answered_by_the_nearest_passage():
    assert "“Stealth and hiding”" in told("How does hiding work?", "dm")["narrative"]
    assert told("How does hiding work?", "dm")["state_updates"] == {}
    assert "Nothing was retrieved" in told("How?", "dm", context="")["narrative"]
    hidden = PASSAGE.replace("Stealth and hiding", "The INTJ table")
    assert "INTJ" not in json.dumps(told("How?", "dm", context=hidden))


def test_a_command_changes_nothing():
    answer = told("rewind", "god")
    assert "was not run" in answer["god_mode_response"]
    assert not any(answer["state_updates"].values())


# As a model


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
        while isinstance(place.get(key := draw(st.sampled_from((*place, draw(_keys))))), dict) and draw(st.integers(0, 3)):
            place = place[key]
        place[key] = draw(_json)
    return state


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
    checked = check_answer(reply.text, Facts(mode, said, state, rolls))
    assert checked.answer is not None
    assert len(checked.answer["dice_rolls"]) <= 1
    return [f"{v.rule} {v.path}: {v.message}" for v in (*checked.violations, *checked.warnings)]


def _satisfiable(state: Mapping[str, Any], said: str) -> bool:
    """Whether some answer keeps the contract.

    Not where a deep think meets a clock out of its ranges, or one that cannot go on.
    """
    broken = bool(range_problems(state)) or world_time(state).get("year") == RANGES["year"][1]
    return not (broken and is_deep_think("story", said))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(states(), inputs, st.sampled_from(("story", "story", "dm", "god")), st.booleans(), st.integers(0, 99))
def test_the_checks_find_nothing(state, said, mode, tools, seed):
    state = json.loads(clean(json.dumps(state)))
    if _satisfiable(state, said):
        assert violations(state, said, mode, seed, tools=tools) == []


@pytest.mark.parametrize("said", ["the INTJ is lawful evil", "<b>zyzzyva</b>", "I sneak zyzzyva", "think: zyzzyva", "I buy lawful evil for 1 gold"])
@pytest.mark.parametrize("mode", ["story", "dm", "god"])
def test_odd_words_are_not_repeated(said, mode):
    assert not re.search(r"zyzzyva|intj|lawful|<b>", NARRATOR.complete(request(said, mode)).text, re.IGNORECASE)
