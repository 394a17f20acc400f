"""State updates: tables of problems, and what holds for any state and update."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import StateUpdateError
from mvp_site.text.json_values import leaves
from mvp_site.turns.state import (
    BRANCHES,
    DELETE,
    MAX_DEPTH,
    MAX_LEAVES,
    apply_state_updates,
    update_problems,
)

from .game import STATES

STATE: dict[str, Any] = STATES["updates"]


def under(path: str, value: Any) -> dict[str, Any]:
    """An update that writes one value at a dotted path."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return dict(value)


def read(state: Mapping[str, Any], path: str) -> Any:
    """What stands at a dotted path; ``...`` where nothing does."""
    found: Any = state
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            return ...
        found = found[key]
    return found


PROBLEMS: list[tuple[dict[str, Any], list[tuple[str, str, str]]]] = [
    ({"notes": {"a": 1}}, [("state_branch", "notes", "'notes' is no branch of the state; it has")]),
    ({"npc_data": DELETE}, [("state_branch", "npc_data", "never replaced or deleted")]),
    (under("world_data.world_time", "evening"), [("state_branch", "world_data.world_time", "is an object and gets 'evening'")]),
    (under("world_data.world_time", DELETE), [("state_branch", "world_data.world_time", "neither an entity nor a record")]),
    (under("npc_data.npc_gate_sergeant_001", None), [("state_branch", "npc_data.npc_gate_sergeant_001", "gets null")]),
    (under("npc_data.npc_gate_sergeant_001", "dead"), [("state_type", "npc_data.npc_gate_sergeant_001", 'is an entity and gets \'dead\'; write its leaves, or delete it with "__DELETE__"')]),
    (under("npc_data.npc_nobody_009", DELETE), [("state_delete", "npc_data.npc_nobody_009", "does not exist, so it cannot be deleted")]),
    (under("player_character_data.languages", ["Common", DELETE]), [("state_delete", "player_character_data.languages[1]", "inside a list, which is one leaf")]),
    (under("player_character_data.hp_current", "-5"), [("state_type", "player_character_data.hp_current", "is a number and gets a string; keep the type")]),
    (under("player_character_data.hp_current", True), [("state_type", "player_character_data.hp_current", "is a number and gets true or false")]),
    (under("player_character_data.name.first", "Kaela"), [("state_type", "player_character_data.name", "is a string and gets an object")]),
    (
        {"player_character_data": {"hp_current": "19", "level": 4, "wings": DELETE}, "npc_data": 3, "spells": {}},
        [
            ("state_type", "player_character_data.hp_current", "a number and gets a string"),
            ("state_delete", "player_character_data.wings", "does not exist"),
            ("state_branch", "npc_data", "is a branch and gets 3"),
            ("state_branch", "spells", "'spells' is no branch"),
        ],
    ),
]


@pytest.mark.parametrize(("updates", "expected"), PROBLEMS)
def test_every_problem_is_named_and_nothing_is_applied(
    updates: dict[str, Any], expected: list[tuple[str, str, str]],
) -> None:
    before = copy.deepcopy(STATE)
    problems = update_problems(STATE, updates)
    assert [(problem.kind, problem.path) for problem in problems] == [row[:2] for row in expected]
    for problem, (_, _, message) in zip(problems, expected, strict=True):
        assert message in problem.message
    with pytest.raises(StateUpdateError) as caught:
        apply_state_updates(STATE, updates)
    assert (caught.value.path, str(caught.value)) == (problems[0].path, problems[0].message)
    assert before == STATE


NPC = STATE["npc_data"]["npc_gate_sergeant_001"]
CLOCK = STATE["world_data"]["world_time"]
TOLL = {"name": "the Toll", "standing": -1, "mood": "sour"}
GOBLIN = {"hp": 7, "side": "foe", "initiative": 12}
SMALL: dict[str, Any] = STATE | {
    "faction_data": {"faction_toll_001": TOLL, "faction_other_002": TOLL},
    "combat_state": {"round": 1, "combatants": {"npc_ash_goblin_003": {"hp": 7}, "npc_ash_goblin_004": GOBLIN}},
    "custom_campaign_state": {"weather_table": {"rain": 3, "sun": 2, "fog": 1}, "clocks": {"a": 1, "b": 2, "c": 3, "d": 4}},
}
REWRITTEN: list[tuple[str, dict[str, Any], str | None]] = [
    ("one changed", {"npc_data": {"npc_gate_sergeant_001": {**NPC, "attitude": "hostile"}}}, "npc_data.npc_gate_sergeant_001"),
    ("three of five changed", {"npc_data": {"npc_gate_sergeant_001": {**NPC, "attitude": "x", "hp_current": 3, "status": "fled"}}}, None),
    ("one deleted", {"npc_data": {"npc_gate_sergeant_001": {**NPC, "disguise": DELETE}}}, "npc_data.npc_gate_sergeant_001"),
    ("one not written", {"npc_data": {"npc_gate_sergeant_001": {k: v for k, v in NPC.items() if k != "name"}}}, None),
    ("an entity of two leaves", {"item_data": STATE["item_data"]}, None),
    ("an entity of three leaves", {"faction_data": {"faction_toll_001": {**TOLL, "standing": 2}}}, "faction_data.faction_toll_001"),
    ("two of its three changed", {"faction_data": {"faction_toll_001": {**TOLL, "standing": 2, "mood": "kind"}}}, None),
    ("three leaves that are no entity", {"custom_campaign_state": {"weather_table": {"rain": 3, "sun": 2, "fog": 2}}}, None),
    ("four leaves that are no entity", {"custom_campaign_state": {"clocks": {"a": 1, "b": 2, "c": 3, "d": 5}}}, "custom_campaign_state.clocks"),
    ("whole branch", {"player_character_data": {**STATE["player_character_data"], "hp_current": 3}}, "player_character_data"),
    ("a date", {"world_data": {"world_time": {**CLOCK, "minute": 6}}}, None),
    ("place and date", {"world_data": {"current_location_id": "loc_b_001", "world_time": {**CLOCK, "hour": 22}}}, None),
]


@pytest.mark.parametrize(("updates", "path"), [row[1:] for row in REWRITTEN], ids=[row[0] for row in REWRITTEN])
def test_an_object_written_again_is_refused(updates: dict[str, Any], path: str | None) -> None:
    problems = update_problems(SMALL, updates)
    assert [(p.kind, p.path) for p in problems] == ([("state_branch", path)] if path else [])
    if path:
        assert "is written again whole, though" in problems[0].message
        with pytest.raises(StateUpdateError, match="write only those that change"):
            apply_state_updates(SMALL, updates)


def nested(depth: int, value: Any = 1) -> Any:
    for _ in range(depth):
        value = {"a": value}
    return value


SIZES: list[tuple[Any, str]] = [
    (nested(MAX_DEPTH - 1), ""),
    (nested(MAX_DEPTH), f"nested deeper than {MAX_DEPTH} levels"),
    (nested(100_000), f"nested deeper than {MAX_DEPTH} levels"),
    ({"a": json.loads("[" * 32 + "]" * 32)}, f"nested deeper than {MAX_DEPTH} levels"),
    ({str(n): n for n in range(MAX_LEAVES)}, ""),
    ({str(n): n for n in range(MAX_LEAVES + 1)}, "more than 10,000 values"),
    ({"a": [0] * (MAX_LEAVES + 1)}, "more than 10,000 values"),
    ({str(n): {} for n in range(MAX_LEAVES + 1)}, "more than 10,000 values"),
]


@pytest.mark.parametrize(("value", "message"), SIZES, ids=range(len(SIZES)))
def test_size_and_depth_are_bounded(value: Any, message: str) -> None:
    problems = update_problems(STATE, {"custom_campaign_state": value})
    assert [p.kind for p in problems] == (["state_type"] if message else [])
    assert all(message in p.message for p in problems)
    if not message:
        assert apply_state_updates(STATE, {"custom_campaign_state": value})


KEYS = st.sampled_from(["a", "b", "c", "npc_a_001", "item_b_002"])
LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["x", "y"]) | st.lists(st.integers(0, 2), max_size=2)
)
OBJECTS = st.recursive(
    st.dictionaries(KEYS, LEAVES, max_size=4),
    lambda inner: st.dictionaries(KEYS, LEAVES | inner, max_size=4), max_leaves=12,
)
STATES = st.dictionaries(st.sampled_from(BRANCHES[:3]), OBJECTS, max_size=3)
GOOD_UPDATES = st.dictionaries(st.sampled_from(BRANCHES[:3]), OBJECTS, min_size=1, max_size=3)
ODD = st.just(DELETE) | st.just([DELETE])
UPDATES = GOOD_UPDATES | st.dictionaries(
    st.sampled_from(BRANCHES[:3]),
    st.recursive(
        st.dictionaries(KEYS, LEAVES | st.just(DELETE), max_size=3),
        lambda inner: st.dictionaries(KEYS, inner | ODD, max_size=3), max_leaves=8,
    ),
    min_size=1, max_size=2,
) | st.dictionaries(st.sampled_from([*BRANCHES[:2], "spells"]), LEAVES | ODD | OBJECTS, max_size=2)


def reference(state: dict[str, Any], updates: Mapping[str, Any]) -> dict[str, Any]:
    """The state after an update that has no problem, leaf by leaf and path by path."""
    result = copy.deepcopy(state)
    for path, value in leaves(updates):
        at = result
        for key in path[:-1]:
            if at.get(key) is None:
                at[key] = {}
            at = at[key]
        if value == DELETE:
            del at[path[-1]]
        else:
            at[path[-1]] = copy.deepcopy(value)
    for branch, value in updates.items():
        if value:
            make_objects(result, branch, value)
    return result


def make_objects(at: dict[str, Any], key: str, value: Any) -> None:
    """The empty objects of an update stand where nothing did."""
    if isinstance(value, Mapping):
        if at.get(key) is None:
            at[key] = {}
        for name, part in value.items():
            make_objects(at[key], name, part)


@given(STATES, UPDATES)
def test_applies_exactly_where_there_is_no_problem(
    state: dict[str, Any], updates: dict[str, Any],
) -> None:
    before = copy.deepcopy((state, updates))
    problems = update_problems(state, updates)
    try:
        after = apply_state_updates(state, updates)
    except StateUpdateError as error:
        after, first = None, (error.path, str(error))
    else:
        first = None
    assert repr((state, updates)) == repr(before), "compared as text: a NaN is not even itself"
    if problems:
        assert first == (problems[0].path, problems[0].message)
    else:
        assert after == reference(state, updates)


def test_the_result_shares_nothing_that_changes_with_the_update() -> None:
    updates: dict[str, Any] = {"custom_campaign_state": {"a": [{"b": [1]}]}, "npc_data": {"npc_new_001": {"c": {"d": 1}}}}
    after = apply_state_updates(STATE, updates)
    updates["custom_campaign_state"]["a"][0]["b"].append(2)
    updates["npc_data"]["npc_new_001"]["c"]["d"] = 2
    assert (after["custom_campaign_state"], after["npc_data"]["npc_new_001"]) == ({"a": [{"b": [1]}]}, {"c": {"d": 1}})


@pytest.mark.parametrize(("path", "goes"), [
    ("world_data.scheduled_events.torch_burns_out", True), ("location_data.loc_keep_001.exits.north", True), ("combat_state.combatants.goblin_scout", True),
    ("world_data.scheduled_events", False), ("npc_data.npc_guard_001.stats", False), ("combat_state.combatants.npc_guard_001.position", False),
])
def test_a_record_of_a_map_can_be_deleted_and_a_part_of_an_entity_cannot(path: str, goes: bool) -> None:
    state = under(path, {"due": 3, "kept": True})
    if goes:
        assert read(apply_state_updates(state, under(path, DELETE)), path.rpartition(".")[0]) == {}
    else:
        with pytest.raises(StateUpdateError, match="neither an entity nor a record"):
            apply_state_updates(state, under(path, DELETE))
