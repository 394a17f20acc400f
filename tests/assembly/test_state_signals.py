"""State signals: what the state says of a turn; state is data, and never raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.own_modes import SIGNALS, read_declared
from mvp_site.assembly.state_signals import WORDS, classes, state_signals

from ..texts import any_text

pytestmark = pytest.mark.serving


def pc(**fields: Any) -> dict[str, Any]:
    return {"player_character_data": fields}


def at(place: dict[str, Any]) -> dict[str, Any]:
    return {"world_data": {"current_location_id": "loc_x_001"}, "location_data": {"loc_x_001": place}}


@pytest.mark.parametrize(("state", "expected"), [
    (None, set()), ({"combat_state": {"in_combat": True}}, {"in_combat"}), ({"combat_state": {"in_combat": False}}, set()),
    ({"combat_state": {"in_combat": "no"}}, set()), (pc(xp=300, level=1), {"level_up_due"}), (pc(xp=299, level=1), set()),
    (pc(xp=999_999, level=20), set()), (pc(xp=999, level=-3), set()), (pc(xp={"current": 900}, level=2), {"level_up_due"}),
    (pc(xp=True, level=1), set()), (pc(hp_current=20, hp_max=24), set()), (pc(hp_current=6, hp_max=24), {"low_hp"}),
    (pc(hp={"current": 3, "max": 24}, hp_max=24), {"low_hp"}), (pc(hp_current=0, hp_max=24), {"dead_or_dying"}), (pc(hp_current=3), set()),
    (pc(resting=True), {"resting"}), ({"world_data": {"resting": True}}, {"resting"}), (at({"type": "Dungeon"}), {"dungeon"}),
    (at({"name": "The Howling Forest"}), {"wilderness"}), ({"world_data": {"current_location_id": "loc_old_crypt_003"}}, {"dungeon"}),
    ({"world_data": {"current_location": {"type": "village"}}}, set()), ({"location_data": {"loc_a_001": {"type": "cave"}}}, {"dungeon"}),
    (at({"type": "demiplane"}), set()),
    ({**pc(hp_current=1, hp_max=9, xp=300, level=1), **at({"type": "crypt"}), "combat_state": {"active": True}}, {"low_hp", "level_up_due", "dungeon", "in_combat"}),
    *((wrong, set()) for wrong in ([], "x", 7, [("combat_state", {})], {"combat_state": [True]}, {"player_character_data": "dead"}, {7: 8},
                                   {"world_data": {"current_location_id": ["a"]}})),
])
def test_what_the_state_says(state: Any, expected: set[str]) -> None:
    assert state_signals(state) == expected


@pytest.mark.parametrize(("text", "mode", "expected"), [
    ("think: what are my options", "story", {"deep_think"}), ("  THINK: x", "story", {"deep_think"}),
    ("I think: no", "story", set()), ("x", "god", {"god"}), ("god: x", "story", set()), ("", "dm", set()),
])
def test_what_the_form_of_a_turn_says(text: str, mode: str, expected: set[str]) -> None:
    assert state_signals(None, text, mode) == expected


@pytest.mark.parametrize(("state", "expected"), [
    ({"encounter": {"active": True}}, {"in_combat"}), ({"encounter": {"foes": ["a wolf"]}}, {"in_combat"}),
    ({"encounter": {"active": False, "foes": []}}, set()), ({"camp": 2}, {"resting"}), ({"camp": 0}, set()),
    ({"scene": {"where": {"kind": "Sewer", "depth": 3}}}, {"dungeon"}), ({"scene": {"where": "the river town"}}, set()),
    ({"scene": {"mode": "fight"}}, {"in_combat"}), ({"scene": {"mode": "talk"}}, set()),
    ({"encounter": [True], "scene": None}, set()), ({"combat_state": {"in_combat": True}}, set()),
])
def test_a_version_says_where_its_states_tell(state: dict[str, Any], expected: set[str]) -> None:
    paths = read_declared(SIGNALS, b'combat = ["encounter.active", "encounter.foes", "scene.mode = Fight"]\nrest = ["camp"]\nplace = ["scene.where"]', "signals.toml")
    assert state_signals(state, paths=paths) == expected


keys = st.sampled_from(
    ("in_combat", "active", "xp", "level", "hp", "hp_max", "hp_current", "current", "max", "total", "resting",
     "current_location_id", "current_location", "current_location_name", "loc_x_001", "type", "name", "experience")
)
json_like = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
              st.sampled_from((10**400, -(10**400), float("inf"), float("nan"), "loc_x_001", "dungeon"))),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=5)), max_leaves=8,
)

@given(st.dictionaries(st.sampled_from(("combat_state", "player_character_data", "location_data", "world_data", "custom_campaign_state")), json_like), any_text)
def test_no_state_makes_it_raise(state: dict[str, Any], text: str) -> None:
    assert state_signals(state, text) <= set(WORDS)


# --- what people are ----------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "own", "expected"), [
    ({"player_character_data": {"class": "Ranger"}, "npc_data": {"npc_brenna_001": {"class": "cleric"}, "npc_tobin_001": {}}}, None, ("Ranger", "cleric")),
    ({"player_character_data": {"class": ["Fighter", {"name": "Wizard", "level": 2}]}}, None, ("Fighter", "Wizard")),
    ({"party": [{"role": "Tinker"}, {"role": "Envoy"}, "x"]}, b'class = ["party.*.role"]', ("Envoy", "Tinker")),
    ({"player_character_data": {"class": 7}}, None, ()), ({"player_character_data": {"class": "Ranger"}}, b"", ()), (None, None, ()),
])
def test_what_people_are(state: Any, own: bytes | None, expected: tuple[str, ...]) -> None:
    assert classes(state, None if own is None else read_declared(SIGNALS, own, "signals.toml")) == expected
