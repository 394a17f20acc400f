"""The fallback: for any state and mode an answer that keeps the contract and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.text.normalising import clean
from mvp_site.turns.checking import check_answer
from mvp_site.turns.clock import world_time
from mvp_site.turns.draft import fallback_answer
from mvp_site.turns.routing import route
from mvp_site.turns.rules import Facts
from mvp_site.turns.state import BRANCHES
from mvp_site.turns.types import TurnRequest

from .game import STATE
from .test_offline import inputs, states

TEXTS = ("I wait", "think: what now?", "we make camp and sleep", "I rest for an hour", "I travel to Millford", "I attack", "")


def found_wrong(state: Mapping[str, Any], text: str, mode: Any) -> list[str]:
    where = route(TurnRequest("c", text, mode, "god"))
    answer, raw = fallback_answer(where, state)
    checked = check_answer(raw, Facts(where.mode, text, state))
    assert checked.answer == answer
    return [f"{v.rule} {v.path}: {v.message}" for v in checked.violations]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("mode", ["story", "dm", "god"])
@pytest.mark.parametrize("state", [{}, STATE, {"world_data": {"world_time": "evening"}}, {"world_data": None}, dict.fromkeys(BRANCHES[1:], 1)],
                         ids=["empty", "good", "no clock", "null", "one branch"])
def test_it_keeps_the_contract(state: Mapping[str, Any], mode: Any, text: str) -> None:
    assert found_wrong(state, text, mode) == []


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(states(), inputs, st.sampled_from(("story", "story", "dm", "god")))
def test_it_keeps_the_contract_for_any_state(state: dict[str, Any], text: str, mode: Any) -> None:
    state = json.loads(clean(json.dumps(state)))
    if not any(isinstance(state.get(branch), Mapping | None) for branch in BRANCHES):
        return  # such a state is refused when a turn begins: nothing can be written to it
    below = any(isinstance(unit, int) and unit < 0 for unit in world_time(state).values())
    if below and route(TurnRequest("c", text, mode, "god")).deep_think:
        return  # no answer keeps the contract there
    assert found_wrong(state, text, mode) == []
