"""What the state refuses, and ids that are none or nobody's."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CORRECTION, GOLD, MISSING, REWIND, RULING, SNEAK, STATE, THINK, Turn

PC = "state_updates/player_character_data"


@pytest.mark.parametrize(("rule", "place", "value", "path"), [
    ("state_branch", "state_updates/player_data", {"hp": 1}, "player_data"),
    ("state_branch", "state_updates/world_time", {"hour": 22}, "world_time"),
    ("state_branch", "state_updates/quest_data", "__DELETE__", "quest_data"),
    ("state_branch", "state_updates/npc_data", None, "npc_data"),
    ("state_branch", "state_updates/item_data", [], "item_data"),
    ("state_branch", "state_updates/combat_state", "over", "combat_state"),
    ("state_branch", "state_updates/world_data/world_time", "evening", "world_data.world_time"),
    ("state_branch", "state_updates/world_data/weather", ["rain"], "world_data.weather"),
    ("state_branch", f"{PC}/hit_dice", 3, "player_character_data.hit_dice"),
    ("state_branch", f"{PC}/spell_slots", "__DELETE__", "player_character_data.spell_slots"),
    ("state_branch", f"{PC}/resources", None, "player_character_data.resources"),
    ("state_branch", "state_updates/npc_data/npc_ford_warden_001", STATE["npc_data"]["npc_ford_warden_001"] | {"trust": 0}, "npc_data.npc_ford_warden_001"),
    ("state_branch", "state_updates/player_character_data", STATE["player_character_data"] | {"hp_current": 20}, "player_character_data"),
    ("state_branch", "state_updates/npc_data/npc_data", {"npc_data": 1}, None),
    ("state_delete", "state_updates/item_data/item_gold_ring_001", "__DELETE__", "item_data.item_gold_ring_001"),
    ("state_delete", f"{PC}/curse", "__DELETE__", "player_character_data.curse"),
    ("state_delete", "state_updates/npc_data/npc_ford_warden_001/disguise", "__DELETE__", "npc_data.npc_ford_warden_001.disguise"),
    ("state_delete", f"{PC}/languages", ["Common", "__DELETE__"], "player_character_data.languages[1]"),
    ("state_type", f"{PC}/hp_current", "19", "player_character_data.hp_current"),
    ("state_type", f"{PC}/gold", {"gp": 5}, "player_character_data.gold"),
    ("state_type", f"{PC}/name", 5, "player_character_data.name"),
    ("state_type", f"{PC}/languages", "Elvish", "player_character_data.languages"),
    ("state_type", f"{PC}/inspiration", 1, "player_character_data.inspiration"),
    ("state_type", "state_updates/location_data/loc_toll_cellar_001/visited", "yes", "location_data.loc_toll_cellar_001.visited"),
    ("state_type", "state_updates/world_data/world_time/hour", "21", "world_data.world_time.hour"),
    ("state_type", "state_updates/npc_data/npc_ford_warden_001", "dead", "npc_data.npc_ford_warden_001"),
    ("state_type", "state_updates/npc_data/npc_ford_warden_001/trust", [1], "npc_data.npc_ford_warden_001.trust"),
])
def test_what_the_state_refuses(rule: str, place: str, value: Any, path: str | None) -> None:
    turn = SNEAK.having(place, value)
    if path is None:
        assert turn.named("entity_ids")
        return
    assert f"state_updates.{path}" in [violation.path for violation in turn.named(rule)]
    assert turn.check().state_after is None
    others = {"schema", "state_branch", "state_delete", "state_type"} - {rule}
    assert not others & {violation.rule for violation in turn.check().violations}


@pytest.mark.parametrize(("turn", "place", "value"), [
    (SNEAK, f"{PC}/hp_current", 24.0), (SNEAK, f"{PC}/concentration", "fog"), (SNEAK, f"{PC}/name", None),
    (SNEAK, f"{PC}/languages", []), (SNEAK, f"{PC}/new_field", {"a": 1}), (SNEAK, f"{PC}/curse", "mild"), (SNEAK, f"{PC}/inspiration", "__DELETE__"),
    (SNEAK, "state_updates/npc_data/npc_drowned_guard_001", "__DELETE__"), (SNEAK, "state_updates/npc_data/npc_ford_warden_001/trust", 0),
    (SNEAK, "state_updates/world_data/weather", {"sky": "clear"}), (SNEAK, "state_updates/combat_state/combatants", {"npc_drowned_guard_001": {"side": "foe"}}),
    (SNEAK, "state_updates/custom_campaign_state", {}), (GOLD, f"{PC}/gold", 0), (REWIND, "state_updates/npc_data", {"npc_ford_warden_001": {"trust": -2}}),
    (CORRECTION, f"{PC}/xp", 1100), (SNEAK, "state_updates/faction_data", {"faction_salt_toll_001": {"standing": -2}}),
])
def test_what_the_state_takes(turn: Turn, place: str, value: Any) -> None:
    checked = turn.having(place, value).check()
    assert checked.violations == ()
    assert checked.state_after is not None


def test_the_state_afterwards() -> None:
    checked = SNEAK.check()
    assert checked.state_after is not None
    assert checked.state_after["world_data"]["world_time"]["minute"] == 15
    assert "item_iron_key_002" not in checked.state_after["item_data"]
    assert RULING.check().state_after == STATE


@pytest.mark.parametrize(("place", "value", "path"), [
    ("entities_mentioned", ["the warden"], "entities_mentioned.0"), ("entities_mentioned", ["npc_ford_warden_1"], "entities_mentioned.0"),
    ("entities_mentioned", ["NPC_ford_warden_001"], "entities_mentioned.0"), ("entities_mentioned", ["person_odo_001"], "entities_mentioned.0"),
    ("entities_mentioned", ["npc_ford_warden_001 "], "entities_mentioned.0"), ("entities_mentioned", [""], "entities_mentioned.0"),
    ("entities_mentioned", ["npc_ford_warden_001\n"], "entities_mentioned.0"), ("entities_mentioned", ["npc_ford_warden_0001x"], "entities_mentioned.0"),
    ("entities_mentioned", ["loc_grey_ford_001", "npc_ghost_009"], "entities_mentioned.1"), ("entities_mentioned", ["pc_other_001"], "entities_mentioned.0"),
    ("state_updates/npc_data/gate_sergeant", {"name": "x"}, "state_updates.npc_data.gate_sergeant"),
    ("state_updates/npc_data/npc_Odo_001", {"name": "x"}, "state_updates.npc_data.npc_Odo_001"),
    ("state_updates/item_data/rope", {"quantity": 1}, "state_updates.item_data.rope"),
    ("state_updates/location_data/loc_mill", {"name": "x"}, "state_updates.location_data.loc_mill"),
    ("state_updates/faction_data/faction_toll", {"standing": 1}, "state_updates.faction_data.faction_toll"),
    ("state_updates/quest_data/quest_find_001_", {"status": "active"}, "state_updates.quest_data.quest_find_001_"),
    ("state_updates/npc_data/npc_data", {"x": 1}, "state_updates.npc_data.npc_data"),
])
def test_ids_that_are_none(place: str, value: Any, path: str) -> None:
    assert [violation.path for violation in SNEAK.having(place, value).named("entity_ids")] == [path]


@pytest.mark.parametrize(("turn", "place", "value"), [
    (SNEAK, "entities_mentioned", ["pc_ilva_001", "loc_run_vale_001", "quest_lost_carter_001"]),
    (SNEAK, "state_updates/npc_data/npc_new_face_001", {"name": "Odd"}),
    (SNEAK, "entities_mentioned", ["item_iron_key_002"]),
    (GOLD, "entities_mentioned", ["faction_salt_toll_001"]),
    (SNEAK, "state_updates/combat_state/combatants", {"wolves": {"count": 3}}),
    (SNEAK, "state_updates/player_character_data/conditions", {"prone": "slipped; stands; until it stands"}),
    (SNEAK, "entities_mentioned", ["loc_toll_cellar_001", "loc_toll_cellar_001"]),
])
def test_ids_that_are_known(turn: Turn, place: str, value: Any) -> None:
    assert turn.having(place, value).named("entity_ids") == []


def test_an_id_that_the_update_makes_is_known() -> None:
    turn = SNEAK.having("state_updates/npc_data/npc_new_face_001", {"name": "Odd", "location_id": "loc_new_place_001"})
    assert turn.having("entities_mentioned", ["npc_new_face_001", "loc_new_place_001"]).named("entity_ids") == []


def test_an_odd_key_that_the_state_has_is_written_where_it_is() -> None:
    turn = SNEAK.in_state("npc_data/gate sergeant", {"trust": 1}).having("state_updates/npc_data", {"gate sergeant": {"trust": 2}})
    assert turn.named("entity_ids") == []


@pytest.mark.parametrize("turn", [SNEAK, THINK])
def test_a_check_without_facts_says_nothing(turn: Turn) -> None:
    bare = Turn(turn.name, turn.answer, type(turn.facts)(turn.facts.mode, turn.facts.user_input, {}, turn.facts.rolls))
    assert bare.named("entity_ids") == []
    nameless = turn.in_state("player_character_data/id", MISSING)
    nameless = nameless.in_state("item_data", {}).having("entities_mentioned", ["pc_whoever_001"])
    assert nameless.named("entity_ids") == []


def test_a_long_list_of_faults_is_cut() -> None:
    many = {f"npc_nobody_{n:03}": "__DELETE__" for n in range(200)}
    assert len(SNEAK.having("state_updates/npc_data", many).named("state_delete")) == 20
