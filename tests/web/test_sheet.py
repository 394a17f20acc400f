"""The sheet beside the story: of any state, and what differs between two."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site.web.sheet import changes, sheet_of

PC = {"id": "pc_isolde_001", "name": "Isolde Marsh", "class": "Ranger", "hp_current": 6, "hp_max": 28, "gold": 0, "spell_slots": {"level_1": {"current": 1, "max": 2}}}
STATE: dict[str, Any] = {
    "player_character_data": PC,
    "item_data": {"item_rope_001": {"name": "rope", "holder_id": "pc_isolde_001", "quantity": 2, "lost": False, "worn": True}},
    "npc_data": {"npc_reeve_001": {"name": "Reeve", "hp": {"current": 3, "max": 4}, "mood": {"today": "sour"}}},
    "location_data": {"loc_keep_001": {"name": "Ashen Keep"}},
    "quest_data": {"quest_cart_001": {"title": "The cart", "objectives": {"find_it": {"text": "Find it", "done": True, "optional": False}, "tell": {"text": "Tell her", "done": False}}}},
    "world_data": {"current_location_id": "loc_keep_001", "weather": "rain", "world_time": {"year": 1492, "month": 5, "day": 4, "hour": 9}},
    "combat_state": {"in_combat": False, "round": 0, "combatants": {}},
}


def test_a_state_is_told() -> None:
    found = sheet_of(STATE)
    assert (found.name, found.line, found.place, found.time) == ("Isolde Marsh", "Ranger", "Ashen Keep", "4.5.1492, 09:00")
    assert [(one.remaining, one.most, round(one.share, 2)) for one in found.bars] == [(6, 28, 0.21)]
    groups = {group.title: group for group in found.groups}
    assert groups["Quests"].entries[0].rows == (("Objectives: find it", "Find it (done)"), ("Objectives: tell", "Tell her (open)"))
    assert list(groups) == ["Character", "Gear", "Quests", "People", "World"]
    assert groups["Character"].rows == (("Gold", "0"),)
    assert groups["Character"].entries[0].rows == (("Level 1", "1 / 2"),)
    (rope,), (reeve,) = groups["Gear"].entries, groups["People"].entries
    assert (rope.name, rope.aside, rope.rows) == ("rope", "2", (("Holder", "Isolde Marsh"), ("Quantity", "2"), ("Worn", "yes")))
    assert reeve.rows == (("HP", "3 / 4"), ("Mood", "today sour"))
    assert groups["World"].rows == (("Weather", "rain"),)


@pytest.mark.parametrize(("state", "told"), [
    ({}, []), ({"ship": {"hull": {"current": 4, "max": 6}, "crew": ["Ana", "Bo"]}}, [("Ship", (("Hull", "4 / 6"), ("Crew", "Ana, Bo")))]),
    ({"alert": "yellow", "n": None, "flags": {}, "deep": []}, [("Alert", (("", "yellow"),))]), ({"player_character_data": "gone", "world_data": [1, {"a": 2}]}, [("Character", (("", "gone"),)), ("World", (("", "1, a 2"),))]),
    ({"fuelTank": {"leftOver": 0.5, "note": "x" * 500}}, [("Fuel tank", (("Left over", "0.5"), ("Note", "x" * 160 + "…")))]),
    ({"npc_data": {"a": 3, "b": {"hp": "x"}}}, [("People", (("A", "3"),))]), ({"world_data": {"world_time": {"month": "May", "hour": True}, "calendar": {"month_names": 3}}}, [("World", ())]),
])
def test_states_of_other_games_are_told_as_they_stand(state: dict[str, Any], told: list[Any]) -> None:
    assert [(group.title, group.rows) for group in sheet_of(state).groups] == told


def test_a_month_has_its_name_and_much_is_cut() -> None:
    state = {"world_data": {"world_time": {"day": 4, "month": 1, "year": 3}, "calendar": {"month_names": ["Frost"]}}, "item_data": {f"i{n}": {"k": n} for n in range(60)}}
    found = sheet_of(state)
    assert found.time == "4 Frost 3"
    assert [(len(group.entries), group.more) for group in found.groups if group.title == "Gear"] == [(40, 20)]


@pytest.mark.parametrize(("was", "now", "told"), [
    (STATE, STATE, []), ({"a": {"b": 1}}, {"a": {"b": 2}}, [("B", "1", "2")]), ({"a": 1}, {"a": True}, [("A", "1", "yes")]), ({"a": 1}, {"a": 1.0}, []),
    ({}, {"item_data": {"item_rope_001": {"name": "rope"}}}, [("Item data", None, "new")]), ({"item_data": {}}, {"item_data": {"item_rope_001": {"name": "rope"}}}, [("rope", None, "new")]),
    ({"npc_data": {"x": {"name": "Ada", "mood": "sour"}}}, {"npc_data": {}}, [("Ada", "", None)]), ({"npc_data": {"x": {"name": "Ada", "mood": "sour"}}}, {"npc_data": {"x": {"name": "Ada"}}}, [("Ada: Mood", "sour", None)]),
    ({"world_data": {"world_time": {"hour": 9, "microsecond": 0}}}, {"world_data": {"world_time": {"hour": 9, "microsecond": 1}}}, []),
    ({"world_data": {"world_time": {"hour": 9}}}, {"world_data": {"world_time": {"hour": 10}}}, [("Time", "09:00", "10:00")]),
    ({"world_data": {"world_time": {"day": 4, "hour": 9}}}, {"world_data": {"world_time": {"day": 4, "hour": 10}}}, [("Time", "09:00", "10:00")]),
    ({"world_data": {"world_time": {"day": 4, "hour": 9}}}, {"world_data": {"world_time": {"day": 5, "hour": 9}}}, [("Time", "4, 09:00", "5, 09:00")]),
])
def test_what_differs_is_told(was: dict[str, Any], now: dict[str, Any], told: list[Any]) -> None:
    assert [(one.name, one.was, one.now) for one in changes(was, now)] == told
