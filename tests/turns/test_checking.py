"""The contract as a whole: header and rules, good answers, planted breaches, anything at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mvp_site.text.json_values import leaves, parts
from mvp_site.turns.checking import MODE_LINES, RULES, Facts, check_answer, schema
from mvp_site.turns.state import BRANCHES, apply_state_updates
from mvp_site.types import MODES

from ..conftest import REPOSITORY
from .answers import NIGHT, SNEAK, STATE, STEALTH, THINK, TURNS, Turn, choice, roll, rules_of

HEADER = (REPOSITORY / "prompt_archive/core_header.txt").read_text("utf-8").splitlines()
TOLD = {  # of each rule a quotation of the line of the core header that tells the model of it
    "mode_line": "The mode line is `[Mode: STORY MODE]`", "outside_json": "text before, between or after these two", "code_fence": "markdown code fences",
    "json": "then exactly one JSON object", "schema": "Fields, all required unless noted", "mode_fields": "- `god_mode_response`: the answer in God; empty elsewhere.",
    "choice_keys": "Keys are snake_case (`^[a-z][a-z0-9_]*$`; God: `^god:[a-z][a-z0-9_]*$`)", "internal_terms": "Myers-Briggs types, Big Five terms and alignments are INTERNAL ONLY",
    "narrative_debug": "in Story, state, debug notes, dice maths or rules talk inside `narrative`", "time_forward": "only goes forward in Story; only an explicit God command moves it back",
    "deep_think": "Deep think: input that starts `think:`", "state_branch": "only changed leaves, under their existing names, never a whole branch",
    "state_delete": '`"__DELETE__"` removes a leaf or an entity, never a branch', "state_type": "A leaf keeps its type", "state_name": "under their existing names", "state_reference": "clear what names it",
    "state_player": "Never rename or reuse one.", "state_range": "A leaf keeps its type and range.", "entity_ids": "Ids: `^(pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}$`",
    "travel_time": "travel by pace and distance", "rest_time": "a short rest 1 hour, a long rest 8 hours", "session_header": "`session_header`: four lines",
    "status_line": "show `?` for what they lack, never guess", "half_caster": "A level 1 half-caster (paladin, ranger) shows `No Spells Yet (Level 2+)`",
    "roll_made": "Never invent, reuse or alter a number.", "roll_shown": "Show every roll, in order.", "roll_target": "Always show the DC or AC",
    "roll_dice": "with advantage or disadvantage show both dice",
}


# --- the header tells the model of everything ---------------------------------------------------


def properties() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every property of a schema, wherever it is described."""
    for part in parts(schema()):
        if isinstance(part, Mapping) and isinstance(part.get("properties"), Mapping):
            yield from part["properties"].items()


PROPERTIES = list(properties())


@pytest.mark.parametrize(("path", "described"), PROPERTIES)
def test_every_field_quotes_the_line_that_tells_of_it(path: str, described: Mapping[str, Any]) -> None:
    quote = described["$comment"]
    assert sum(quote in line for line in HEADER) == 1
    if "x-rule" not in described and "$ref" not in described:
        assert "description" in described or "allOf" in described or "properties" in described, path


@pytest.mark.parametrize("rule", RULES)
def test_the_header_tells_of_every_rule(rule: str) -> None:
    assert sum(TOLD[rule] in line for line in HEADER) == 1


def test_the_schema_counts_faults_under_rules_that_exist_and_knows_every_branch() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert {part["x-rule"] for part in parts(schema()) if isinstance(part, Mapping) and "x-rule" in part} < set(RULES)
    assert tuple(schema()["$defs"]["updates"]["properties"]) == BRANCHES
    assert set(schema()["$defs"]) > {"story", "dm", "god", "deep_think"}


def test_the_example_that_every_engineer_has_is_taken() -> None:
    answer = {
        "session_header": "[SESSION_HEADER]\nTimestamp: 1492 DR, Mirtul 4, 21:15:00\nLocation: Ashen Keep, gatehouse\nStatus: Lvl 3 Ranger | HP 24/28 | XP 1100/2700 | Gold 37gp",
        "resources": "HD 2/3 | Spells L1 2/3 | Hunter's Mark active | Exhaustion 0",
        "narrative": "The bar gives with a groan …",
        "planning_block": {
            "thinking": "Two guards, one distracted …", "context": "gatehouse, night, light rain",
            "choices": {"slip_past_the_brazier": choice("Slip past", "medium"), "call_out_as_a_guard": choice("Bluff", "high")},
        },
        "dice_rolls": [{"roll_id": "r1", "purpose": "Stealth", "expression": "2d20kh1+5", "dice": [7, 16], "modifier": 5, "total": 21,
                        "advantage": "advantage", "target": {"kind": "DC", "value": 13}, "success": True}],
        "god_mode_response": "", "entities_mentioned": ["npc_ford_warden_001", "loc_grey_ford_001"], "location_confirmed": "Ashen Keep, gatehouse",
        "state_updates": {
            "world_data": {"world_time": {"hour": 21, "minute": 15}}, "npc_data": {"npc_ford_warden_001": {"attitude": "suspicious"}},
            "item_data": {"item_iron_key_002": "__DELETE__"},
        },
        "debug_info": {"dm_notes": ["sergeant rolls Perception next turn"], "state_rationale": "time moved 10 minutes"},
    }
    turn = Turn("example", answer, SNEAK.facts).in_state("location_data/loc_grey_ford_001/name", "Ashen Keep, gatehouse")
    assert turn.rolled(STEALTH).check().violations == ()


# --- good answers -------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.name)
def test_a_good_answer_keeps_the_contract(turn: Turn) -> None:
    checked = turn.check()
    assert checked.violations == ()

    assert checked.answer == turn.answer
    assert checked.state_after == apply_state_updates(turn.facts.state, turn.answer["state_updates"])


def archive_examples() -> list[Any]:
    """Every answer that the archive shows, with its mode line; a long one stands there in parts."""
    found = []
    for file in sorted((REPOSITORY / "prompt_archive").glob("*/examples_*.md")):
        for section in file.read_text("utf-8").split("\n## ")[1:]:
            blocks = [json.loads(block.split("```", 1)[0]) for block in section.split("```json\n")[1:]]
            if blocks and "`[Mode: " in section:
                mode = section.split("`[Mode: ", 1)[1].split(" MODE]`", 1)[0]
                whole = {key: value for block in blocks for key, value in block.items()}
                assert len(whole) == sum(map(len, blocks)), "no field stands twice"
                found.append(pytest.param(mode, json.dumps(whole), id=f"{file.stem}-{len(found)}"))
    assert len(found) == 16
    return found


@pytest.mark.parametrize(("mode", "block"), archive_examples())
def test_the_archives_examples_have_the_shape_and_the_prose(mode: str, block: str) -> None:
    """Their states are not given; so the rules that need one are silent, the others find nothing."""
    thinks = '"confidence"' in block
    entries = json.loads(block)["dice_rolls"]
    rolls = tuple(roll(one["roll_id"], one["expression"], one["dice"], one["modifier"], one["total"]) for one in entries)
    facts = Facts(mode.lower(), "think: how?" if thinks else "on", {}, rolls)  # type: ignore[arg-type]
    assert rules_of(check_answer(f"[Mode: {mode} MODE]\n{block}", facts)) <= {"state_delete"}


# --- anything at all ----------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from([*SNEAK.answer, *BRANCHES, "world_time", "choices", "hour", "target", "roll_id"]) | st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(MODES), st.text(max_size=200), st.text(max_size=40))
def test_any_text_is_answered_with_violations(mode: Any, raw: str, said: str) -> None:
    assert check_answer(raw, Facts(mode, said, STATE)).violations
    assert check_answer(f"{MODE_LINES[mode]}\n{raw}", Facts(mode, said, STATE)).violations
    assert check_answer(raw, Facts(mode, said, STATE), strict=False).violations


WRITTEN = sorted({"/".join(place[:end]) for state in (STATE, SNEAK.answer["state_updates"], NIGHT.answer["state_updates"]) for place, _ in leaves(state) for end in range(1, len(place) + 1)})


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([*TURNS, NIGHT.asked("short rest"), THINK]), st.sampled_from(WRITTEN), JSON, st.booleans())
def test_any_json_anywhere_in_state_or_update_raises_nothing(turn: Turn, place: str, value: Any, written: bool) -> None:
    above = place.rpartition("/")[0]
    odd = turn.in_state(place, value)
    if written:
        odd = Turn(turn.name, {**turn.answer, "state_updates": {}}, odd.facts).having(f"state_updates/{place}", value)
        odd = odd.in_state(above, value) if above else odd
    odd.check()
    check_answer(odd.text, odd.facts, strict=False)


@pytest.mark.slow
@pytest.mark.parametrize("filler", ["a", "DC ", " ", "\n", "rolled a ", "high ", "openness ", "1+1=", "I.N.T.", "lawful ", "??", "?:", "a_", "\u0301", "\u0345\u0301", "x\u200b", '"', "1d", "HP "])
@pytest.mark.parametrize("place", ["narrative", "session_header", "location_confirmed", "planning_block/choices/press_on/text", "debug_info/state_rationale", "dice_rolls/0/expression"])
def test_long_texts_in_a_field_take_no_more_than_their_length(place: str, filler: str) -> None:
    """A pattern that backtracks over all of it would not come back within the test's time."""
    text = filler * (45_000 // len(filler))
    turn = SNEAK.having(place, f"[SESSION_HEADER]\nTimestamp: {text}\nLocation: x\nStatus: {text}" if place == "session_header" else text)
    assert turn.check().answer is not None


@pytest.mark.parametrize(("place", "value"), [
    ("dice_rolls", [{}] * 20_000), ("dice_rolls", [SNEAK.answer["dice_rolls"][0]] * 1_500), ("entities_mentioned", ["npc_x_001"] * 30_000), ("entities_mentioned", [1] * 100_000),
    ("state_updates/npc_data", {f"npc_{n}": {} for n in range(20_000)}), ("state_updates/world_data/world_time", {f"u{n}": n for n in range(20_000)}),
    ("planning_block/choices", {f"way_{n}": choice("go") for n in range(3_000)}), ("debug_info/dm_notes", [None] * 80_000),
])
def test_many_faults_are_cut(place: str, value: Any) -> None:
    checked = SNEAK.having(place, value).check()
    assert 0 < len(checked.violations) <= 20 * len(RULES)


@pytest.mark.parametrize(("turn", "rule"), [
    (SNEAK.having("planning_block/choices/look_about", {**choice("go"), "pros": ["a lawful good man"] * 300}).having("planning_block/choices/zz", choice("Ask the INTJ")), "internal_terms"),
    (SNEAK.having("narrative", "~~~\n" * 300 + "```json\n{}\n```"), "code_fence"),
], ids=["terms", "fences"])
def test_no_number_of_warnings_hides_a_violation(turn: Turn, rule: str) -> None:
    assert turn.named(rule)


# --- reports ------------------------------------------------------------------------------------


def test_all_that_can_be_found_is_told_at_once() -> None:
    worst = (
        SNEAK.saying("INTJ\n```\nDC 13\n```").without("resources").having("god_mode_response", "x").having("planning_block/choices/Bad Key", choice("x"))
        .having("state_updates/world_data/world_time/minute", 1).having("state_updates/zz", 1).having("state_updates/npc_data/npc_nobody_009", "__DELETE__")
        .having("state_updates/player_character_data", {"gold": "5"}).having("entities_mentioned", ["nobody"]).having("session_header", "x")
        .having("dice_rolls/0/total", 30).having("dice_rolls/0/target/value", 14).having("dice_rolls/0/advantage", "none")
    )
    raw = f"Hello!\n{worst.text}\nBye!"
    assert [name for name in RULES if name in rules_of(check_answer(raw, worst.facts))] == [
        "mode_line", "outside_json", "code_fence", "schema", "mode_fields", "choice_keys", "internal_terms", "narrative_debug", "time_forward", "state_branch",
        "state_delete", "state_type", "entity_ids", "session_header", "roll_made", "roll_target", "roll_dice",
    ]
