"""The contract's turns: enough of each kind, sound states, and an answer to each that is valid."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

import pytest

from mvp_site.errors import SettingsError
from mvp_site.evaluation.needles import load_needles
from mvp_site.evaluation.turn_set import ContractTurn, load_turns, set_sha256
from mvp_site.retrieval.text import normalise
from mvp_site.turns.clock import range_problems, world_time
from mvp_site.turns.contract import Facts, check
from mvp_site.turns.fallback import fallback_answer
from mvp_site.turns.routing import Route, route
from mvp_site.turns.state import BRANCHES, is_entity_id, update_problems
from mvp_site.turns.types import TurnRequest
from mvp_site.types import AUDIENCES, MODES

RECORDS = ("npc_data", "location_data", "item_data", "faction_data", "quest_data")
MOST_CHARS = 4_000


@cache
def turns() -> tuple[ContractTurn, ...]:
    return load_turns()


def lines() -> list[dict[str, Any]]:
    text = resources.files("mvp_site.evaluation").joinpath("sets/turns.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def routed(turn: ContractTurn) -> Route:
    return route(TurnRequest("c", turn.input, turn.mode, turn.audience, turn.state))


each = pytest.mark.parametrize("turn", turns(), ids=lambda turn: turn.id)


# --- how many -----------------------------------------------------------------------------------


def test_a_line_has_these_fields_and_no_others() -> None:
    kinds = {"id": str, "mode": str, "audience": str, "input": str, "state": dict}
    for line in lines():
        assert {name: type(value) for name, value in line.items()} == kinds, line["id"]


def test_there_are_enough_of_each_kind() -> None:
    assert len(turns()) >= 72
    assert Counter(turn.mode for turn in turns()) == dict.fromkeys(MODES, len(turns()) // 3)
    assert sum(routed(turn).deep_think for turn in turns()) == 8
    assert {turn.audience for turn in turns()} == set(AUDIENCES)


def test_ids_inputs_and_seeds_are_different() -> None:
    assert len({turn.id for turn in turns()}) == len(turns())
    assert len({normalise(turn.input) for turn in turns()}) == len(turns())
    assert len({turn.seed for turn in turns()}) == len(turns())
    assert all(0 <= turn.seed < 2**63 for turn in turns())
    assert all(re.fullmatch(rf"{turn.mode}-[0-9]{{2}}", turn.id) for turn in turns())


def test_no_turn_is_a_needle() -> None:
    needles = {normalise(n.query) for split in ("tune", "test") for n in load_needles(split)}  # type: ignore[arg-type]
    assert [turn.id for turn in turns() if normalise(turn.input) in needles] == []


def test_there_are_many_characters_of_many_kinds() -> None:
    sheets = [turn.state.get("player_character_data", {}) for turn in turns()]
    assert len({sheet.get("name") for sheet in sheets}) >= 12
    classes = {(str(sheet.get("class")).lower(), sheet.get("level")) for sheet in sheets}
    assert {("paladin", 1), ("ranger", 1), ("warlock", 4), ("fighter 3 / rogue 2", 5)} <= classes
    assert any(sheet.get("level_up_pending") for sheet in sheets)
    assert any(turn.state.get("combat_state", {}).get("in_combat") for turn in turns())
    assert any("level" not in sheet for sheet in sheets)
    years = {world_time(turn.state).get("year") for turn in turns()}
    assert min(year for year in years if year is not None) < 0


@pytest.mark.parametrize("first", [3, 9, 12, 30, 60])
def test_the_first_of_them_are_a_fair_part(first: int) -> None:
    taken = load_turns(first)
    assert taken == turns()[:first]
    assert set(Counter(turn.mode for turn in taken).values()) == {first // 3}
    assert sum(routed(turn).deep_think for turn in taken) == first // 9


@pytest.mark.parametrize("first", [0, -1, 73, 10_000])
def test_more_than_there_are_cannot_be_taken(first: int) -> None:
    with pytest.raises(SettingsError, match=f"{first} turns cannot be taken: the set has 72"):
        load_turns(first)


def test_the_set_has_a_digest() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", set_sha256())


# --- each of them -------------------------------------------------------------------------------


@each
def test_a_turn_is_one_that_the_handler_takes_in_its_mode(turn: ContractTurn) -> None:
    assert routed(turn).mode == turn.mode
    assert turn.input == turn.input.strip() != ""


@each
def test_a_state_is_one_that_turns_could_have_written(turn: ContractTurn) -> None:
    assert turn.state
    assert set(turn.state) <= set(BRANCHES)
    assert update_problems({}, turn.state) == ()
    assert range_problems(turn.state) == ()
    assert len(json.dumps(turn.state)) <= MOST_CHARS
    kinds = dict(zip(RECORDS, ("npc", "loc", "item", "faction", "quest"), strict=True))
    for branch, kind in kinds.items():
        for key in turn.state.get(branch, {}):
            assert is_entity_id(key), key
            assert key.startswith(f"{kind}_"), key


@each
def test_what_a_state_points_at_is_there(turn: ContractTurn) -> None:
    known = {key for branch in RECORDS for key in turn.state.get(branch, {})}
    known.add(turn.state.get("player_character_data", {}).get("id", ""))
    assert {text for text in texts(turn.state) if is_entity_id(text)} <= known


def texts(value: Any) -> Iterator[str]:
    """Every string in a state, keys apart."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for below in value.values():
            yield from texts(below)
    elif isinstance(value, list):
        for below in value:
            yield from texts(below)


@each
def test_each_has_an_answer_that_keeps_the_contract(turn: ContractTurn) -> None:
    _, text = fallback_answer(routed(turn), turn.state)
    assert check(text, Facts(turn.mode, turn.input, turn.state)).violations == ()
