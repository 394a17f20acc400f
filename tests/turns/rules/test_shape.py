"""Fields by the schema, by the mode, and the keys of choices."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from mvp_site.turns.contract import schema, schema_violations

from ..answers import (
    CORRECTION,
    GOLD,
    MISSING,
    REWIND,
    RULING,
    SNEAK,
    THINK,
    TURNS,
    Turn,
    choice,
    rules_of,
    weighed,
)

THREE = {"a": choice("a"), "b": choice("b"), "c": choice("c")}
SEVEN = {f"way_{n}": choice("go") for n in range(7)}
GODLY = {"god:return_story": choice("Back"), "god:undo": choice("Undo")}


@pytest.mark.parametrize("field", [
    "session_header", "resources", "narrative", "dice_rolls", "god_mode_response", "entities_mentioned", "location_confirmed",
    "state_updates", "debug_info", "planning_block/thinking", "planning_block/choices", "planning_block/choices/press_on/text",
    "planning_block/choices/press_on/description", "planning_block/choices/press_on/risk_level", "dice_rolls/0/roll_id",
    "dice_rolls/0/purpose", "dice_rolls/0/expression", "dice_rolls/1/dice", "dice_rolls/1/modifier", "dice_rolls/1/total",
    "dice_rolls/1/advantage", "dice_rolls/1/success", "debug_info/dm_notes", "debug_info/state_rationale",
])
def test_a_missing_field(field: str) -> None:
    found = SNEAK.without(field).named("schema")
    assert [(violation.path, violation.message) for violation in found] == [(field.replace("/", "."), "is missing")]


@pytest.mark.parametrize(("place", "value"), [
    ("session_header", 5), ("session_header", None), ("resources", ["HD 2/3"]), ("narrative", None), ("narrative", {"text": "x"}),
    ("planning_block", "go"), ("planning_block", []), ("planning_block/thinking", 1), ("planning_block/context", None), ("planning_block/choices", ["go"]),
    ("planning_block/choices/press_on", "go"), ("planning_block/choices/press_on/text", 1), ("planning_block/choices/press_on/risk_level", "extreme"),
    ("planning_block/choices/press_on/risk_level", None), ("planning_block/choices/press_on/risk_level", "Low"), ("dice_rolls", {}), ("dice_rolls", None),
    ("dice_rolls/0", "r1"), ("dice_rolls/0/roll_id", 1), ("dice_rolls/0/dice", 7), ("dice_rolls/0/dice/0", "7"), ("dice_rolls/0/dice/0", 7.5), ("dice_rolls/0/modifier", "+5"),
    ("dice_rolls/0/total", True), ("dice_rolls/0/advantage", "yes"), ("dice_rolls/0/advantage", True), ("dice_rolls/0/success", "true"),
    ("dice_rolls/0/success", 1), ("dice_rolls/0/note", "x"), ("dice_rolls/0/target/note", "x"), ("god_mode_response", None), ("entities_mentioned", "npc_ford_warden_001"),
    ("entities_mentioned/0", 5), ("entities_mentioned", None), ("location_confirmed", None), ("location_confirmed", {}), ("state_updates", []), ("state_updates", "none"),
    ("state_updates", None), ("debug_info", "none"), ("debug_info/dm_notes", "one"), ("debug_info/dm_notes/0", 1), ("debug_info/state_rationale", None),
    ("debug_info/mood", "x"), ("notes", "x"), ("choices", {}), ("planning_block/options", {}), ("planning_block/choices/press_on/outcome", "x"),
    ("planning_block/choices/press_on/pros", "one"), ("planning_block/choices/press_on/confidence", "sure"), ("planning_block/choices/press_on/cons", None),
    ("state_updates/world_data/world_time/hour", 21.5), ("state_updates/world_data/world_time/hour", None), ("state_updates/world_data/world_time/hour", "__DELETE__"),
])
def test_a_wrong_field(place: str, value: Any) -> None:
    found = SNEAK.having(place, value).named("schema")
    assert [violation.path for violation in found] == [place.replace("/", ".")]


@pytest.mark.parametrize(("turn", "place", "value"), [
    (SNEAK, "planning_block/context", "night, rain"), (SNEAK, "location_confirmed", ""), (SNEAK, "entities_mentioned", []),
    (SNEAK, "planning_block/choices/press_on/pros", ["quick"]), (SNEAK, "debug_info/dm_notes", []), (SNEAK, "debug_info/state_rationale", ""),
    (SNEAK, "planning_block/choices/press_on/text", ""), (SNEAK, "planning_block/thinking", ""), (SNEAK, "dice_rolls/0/total", 21.0),
    (RULING, "planning_block", MISSING), (CORRECTION, "planning_block", MISSING), (RULING, "state_updates", {}),
    (GOLD, "session_header", ""), (GOLD, "resources", "  "), (GOLD, "narrative", " \n"), (THINK, "narrative", "\n"), (SNEAK, "god_mode_response", " "),
    (GOLD, "planning_block/choices/god:a9_b", choice("x")), (THINK, "dice_rolls", []), (CORRECTION, "narrative", ""),
])
def test_what_may_stand(turn: Turn, place: str, value: Any) -> None:
    if value is MISSING and place not in turn.answer:
        assert turn.check().ok
        return
    assert turn.having(place, value).check().violations == ()


MODES = [
    (SNEAK, "narrative", "", "narrative"), (SNEAK, "narrative", " \n\t", "narrative"), (SNEAK, "god_mode_response", "Done.", "god_mode_response"),
    (SNEAK, "planning_block", MISSING, "planning_block"), (SNEAK, "planning_block/choices", {}, "planning_block.choices"),
    (SNEAK, "planning_block/choices", {"a": choice("a")}, "planning_block.choices"), (SNEAK, "planning_block/choices", SEVEN, "planning_block.choices"),
    (SNEAK, "state_updates", {}, "state_updates"), (SNEAK, "session_header", "", "session_header"), (SNEAK, "resources", " ", "resources"),
    (THINK, "narrative", "You think.", "narrative"), (THINK, "planning_block", MISSING, "planning_block"), (THINK, "state_updates", {}, "state_updates"),
    (THINK, "planning_block/choices/swim/pros", MISSING, "planning_block.choices.swim.pros"), (THINK, "planning_block/choices/swim/cons", MISSING, "planning_block.choices.swim.cons"),
    (THINK, "planning_block/choices/swim/confidence", MISSING, "planning_block.choices.swim.confidence"),
    (THINK, "planning_block/choices", {"a": weighed("a")}, "planning_block.choices"), (THINK, "god_mode_response", "x", "god_mode_response"),
    (RULING, "god_mode_response", "Yes.", "god_mode_response"), (RULING, "session_header", "", "session_header"), (RULING, "resources", "", "resources"),
    (CORRECTION, "planning_block/choices", SEVEN, "planning_block.choices"), (CORRECTION, "planning_block/choices", {"a": choice("a")}, "planning_block.choices"),
    (GOLD, "god_mode_response", "", "god_mode_response"), (GOLD, "god_mode_response", "\n", "god_mode_response"), (GOLD, "narrative", "A scene.", "narrative"),
    (GOLD, "planning_block", MISSING, "planning_block"), (GOLD, "state_updates", {}, "state_updates"),
    (GOLD, "planning_block/choices", {"god:return_story": choice("a")}, "planning_block.choices"),
]


@pytest.mark.parametrize(("turn", "place", "value", "path"), MODES)
def test_what_a_mode_asks_for(turn: Turn, place: str, value: Any, path: str) -> None:
    assert [violation.path for violation in turn.having(place, value).named("mode_fields")] == [path]


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.name)
def test_an_answer_of_another_mode_lacks_what_that_asks_for(turn: Turn) -> None:
    for mode, deep in (("story", False), ("story", True), ("dm", False), ("god", False)):
        found = schema_violations(turn.answer, mode, deep_think=deep)  # type: ignore[arg-type]
        if (mode, deep) == (turn.facts.mode, turn.facts.deep_think):
            assert found == ()
        elif "god" in (mode, turn.facts.mode):
            assert {"mode_fields", "choice_keys"} & {violation.rule for violation in found}


@pytest.mark.parametrize(("turn", "key"), [
    (SNEAK, "Press On"), (SNEAK, "press-on"), (SNEAK, "PressOn"), (SNEAK, "1_press"), (SNEAK, "_press"), (SNEAK, ""), (SNEAK, "press on"), (SNEAK, "pr\u00e9ss"),
    (SNEAK, "god:press"), (SNEAK, "press\n"), (SNEAK, "press!"), (SNEAK, "PRESS"), (THINK, "god:swim"), (CORRECTION, "Go on"), (CORRECTION, "god:go_on"),
    (GOLD, "undo"), (GOLD, "god:Undo"), (GOLD, "god: undo"), (GOLD, "god:"), (GOLD, "God:undo"), (GOLD, "god:undo_1!"), (GOLD, "return_story"), (GOLD, "god:1up"), (GOLD, "god:undo\n"),
])
def test_a_key_of_a_wrong_form(turn: Turn, key: str) -> None:
    made = weighed("x") if turn is THINK else choice("x")
    found = turn.having(f"planning_block/choices/{key}", made).named("choice_keys")
    assert len(found) == 1
    assert repr(key)[1:-1] in found[0].message


@pytest.mark.parametrize("key", ["a", "press_on", "press_on_2", "a__b", "go_", "x9"])
def test_a_key_of_the_right_form(key: str) -> None:
    assert SNEAK.having("planning_block/choices", {key: choice("x"), "other": choice("y")}).check().ok
    assert GOLD.having("planning_block/choices", {f"god:{key}": choice("x"), "god:return_story": choice("y")}).check().ok


@pytest.mark.parametrize("turn", [GOLD, REWIND])
def test_god_always_offers_the_way_back(turn: Turn) -> None:
    found, = turn.having("planning_block/choices", {"god:undo": choice("x"), "god:more": choice("y")}).named("choice_keys")
    assert found.path == "planning_block.choices.god:return_story"


def test_the_schema_alone_tells_modes_apart_too() -> None:
    """Whoever validates with the exported schema finds what the product finds, but by its name."""
    jsonschema.Draft202012Validator.check_schema(schema())
    for turn in TURNS:
        jsonschema.Draft202012Validator(schema()).validate(turn.answer)
        name = "deep_think" if turn.facts.deep_think else turn.facts.mode
        one = {**schema(), "$ref": f"#/$defs/{name}"}
        jsonschema.Draft202012Validator(one).validate(turn.answer)
    for turn, place, value, _ in MODES:
        name = "deep_think" if turn.facts.deep_think else turn.facts.mode
        one = {key: part for key, part in schema().items() if key != "anyOf"} | {"$ref": f"#/$defs/{name}"}
        assert not jsonschema.Draft202012Validator(one).is_valid(turn.having(place, value).answer)


def test_every_fault_is_told_at_once_each_once() -> None:
    worse = SNEAK.without("resources").having("narrative", 5).having("mood", "x").having("debug_info", []).having("planning_block/choices", {})
    checked = worse.check()
    assert rules_of(checked) == {"schema", "mode_fields"}
    assert [violation.path for violation in checked.violations if violation.rule == "schema"] == ["debug_info", "mood", "narrative", "resources"]
    places = [(violation.rule, violation.path) for violation in checked.violations]
    assert len(places) == len(set(places))


@pytest.mark.parametrize("answer", [None, [], "x", 5, {}, {"narrative": {}}, {"planning_block": {"choices": {"": None}}}, {"dice_rolls": [[], None, {}]}])
def test_any_json_has_violations_and_raises_nothing(answer: Any) -> None:
    assert schema_violations(answer, "story", deep_think=False)
