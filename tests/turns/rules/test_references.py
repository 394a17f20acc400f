"""What a turn deletes is named nowhere afterwards, and the player's character stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mvp_site.turns.checking import MODE_LINES

from ..answers import CORRECTION, GOLD, MISSING, SNEAK, Turn

GONE = "__DELETE__"
WARDEN, GUARD = "npc_ford_warden_001", "npc_drowned_guard_001"
FORD, CELLAR = "loc_grey_ford_001", "loc_toll_cellar_001"
PC = "player_character_data"


def deleting(*places: str, also: Any = None, turn: Turn = SNEAK) -> Turn:
    """A turn that deletes entities, and writes more."""
    turn = turn.having("state_updates", dict(also or {}))
    for place in places:
        turn = turn.having(f"state_updates/{place}", GONE)
    return turn


@pytest.mark.parametrize(("place", "value"), [
    ("quest_data/quest_lost_carter_001/giver_id", WARDEN), ("item_data/item_arrows_001/holder_id", WARDEN), ("faction_data/faction_salt_toll_001/leader", WARDEN),
    ("combat_state/combatants", {WARDEN: {"hp_current": 3}}), ("combat_state/initiative_order", ["pc_ilva_001", WARDEN]), ("custom_campaign_state/companions", [WARDEN]),
    ("custom_campaign_state/watch", [{"who": [WARDEN]}]), ("location_data/loc_toll_cellar_001/people", {WARDEN: True}), ("world_data/scheduled_events/riders_come/by", WARDEN),
    ("item_data/item_arrows_001/holder_id", GUARD), ("quest_data/quest_lost_carter_001/target_ids", [GUARD]),
])
def test_what_still_names_a_deleted_entity_dangles(place: str, value: Any) -> None:
    gone = GUARD if GUARD in str(value) else WARDEN
    turn = deleting(f"npc_data/{gone}").in_state(place, value)
    found, = turn.named("state_reference")
    assert found.path == f"state_updates.npc_data.{gone}"
    assert place.split("/", maxsplit=1)[0] in found.message
    branch, *rest = place.split("/")
    mended = turn.having(f"state_updates/{branch}/{'/'.join(rest)}", GONE if not isinstance(value, list) else []) if not isinstance(value, dict) else (
        turn.having(f"state_updates/{place}/{gone}", GONE))
    assert mended.named("state_reference") == []
    assert replace(turn, facts=replace(turn.facts, mode="god")).named("state_reference") == []
    assert replace(turn, facts=replace(turn.facts, mode="dm")).named("state_reference")


@pytest.mark.parametrize(("places", "also", "caught"), [
    ([f"location_data/{FORD}"], {}, True), ([f"location_data/{FORD}"], {"world_data": {"current_location_id": CELLAR}}, True),
    ([f"location_data/{FORD}"], {"world_data": {"current_location_id": CELLAR}, "npc_data": {WARDEN: {"location_id": CELLAR}}}, False),
    ([f"location_data/{FORD}"], {"world_data": {"current_location_id": None}, "npc_data": {WARDEN: {"location_id": None}}}, True),
    ([f"location_data/{CELLAR}"], {}, True), ([f"location_data/{CELLAR}"], {"location_data": {FORD: {"exits": {"cellar": {"to": None}}}}}, False),
    ([f"npc_data/{WARDEN}", f"npc_data/{GUARD}"], {}, True), (["item_data/item_arrows_001", "item_data/item_iron_key_002"], {}, True),
    (["item_data/item_arrows_001", "item_data/item_iron_key_002"], {"item_data": {"item_ash_001": {"name": "ash"}}}, False),
    ([f"npc_data/{GUARD}"], {}, False), ([f"npc_data/{WARDEN}"], {}, False), (["item_data/item_arrows_001"], {}, False), (["quest_data/quest_lost_carter_001"], {}, False),
    (["location_data/loc_run_vale_001"], {}, True), ([], {"npc_data": {WARDEN: {"location_id": "loc_nowhere_009"}}}, False),
])
def test_places_and_whole_branches(places: list[str], also: Any, caught: bool) -> None:
    assert bool(deleting(*places, also=also).named("state_reference")) is caught


def test_the_place_by_its_name() -> None:
    named = deleting("location_data/loc_run_vale_001").in_state(f"location_data/{FORD}/parent_id", MISSING).in_state("world_data/current_location_id", MISSING)
    named = named.in_state("world_data/current_location", "Vale of the Run")
    assert named.named("state_reference")
    assert named.having("state_updates/world_data/current_location", "Grey Ford, the toll house").named("state_reference") == []


@pytest.mark.parametrize("turn", [
    deleting(f"npc_data/{GUARD}").in_state("combat_state/slain", [GUARD]), deleting(f"npc_data/{GUARD}").in_state("custom_campaign_state/notes", [f"{GUARD} was here"]),
    deleting(f"npc_data/{GUARD}").in_state("custom_campaign_state/last_seen", {GUARD: 4}), deleting(f"npc_data/{GUARD}").in_state(f"npc_data/{GUARD}/self", GUARD),
    deleting().in_state("item_data/item_arrows_001/holder_id", "npc_gone_long_ago_001"), deleting("combat_state/combatants").in_state("combat_state/order", [GUARD]),
    deleting(f"combat_state/combatants/{GUARD}").in_state("combat_state/combatants", {GUARD: {"side": "foe"}}).in_state("combat_state/order", [GUARD]),
    deleting(f"npc_data/{GUARD}", also={"location_data": {GUARD: {"name": "his grave"}}}).in_state("combat_state/order", [GUARD]),
    deleting("npc_data/npc_nobody_001").in_state("combat_state/order", ["npc_nobody_001"]),
])
def test_what_does_not_dangle_by_this_turn(turn: Turn) -> None:
    assert turn.named("state_reference") == []


@pytest.mark.parametrize(("had", "has", "caught"), [
    ("pc_ilva_001", GONE, True), ("pc_ilva_001", None, True), ("pc_ilva_001", "pc_other_002", True), ("pc_ilva_001", "", True), ("Ilva", "Bran", True), ("Ilva", GONE, True),
    ("pc_ilva_001", "pc_ilva_001", False), (MISSING, "pc_ilva_001", False), (None, "pc_ilva_001", False), ("Ilva", "pc_ilva_001", False), ("pc_ilva_001", MISSING, False),
])
@pytest.mark.parametrize("turn", [SNEAK, CORRECTION, GOLD], ids=lambda turn: turn.facts.mode)
@pytest.mark.parametrize("name", ["id", "character_id"])
def test_the_characters_id_stays(turn: Turn, name: str, had: Any, has: Any, caught: bool) -> None:
    turn = turn.in_state(f"{PC}/{name}", had)
    turn = turn if has is MISSING else turn.having(f"state_updates/{PC}/{name}", has)
    found = turn.named("state_player")
    assert bool(found) is caught
    assert all(violation.path == f"state_updates.{PC}.{name}" for violation in found)
    assert turn.text.startswith(MODE_LINES[turn.facts.mode])


@pytest.mark.parametrize(("gone", "also", "caught"), [
    (["pc_ilva_001", "pc_bo_002"], {}, True), (["pc_bo_002"], {}, False), ([], {"pc_ilva_001": {"id": "pc_bo_002"}}, True), ([], {"pc_bo_002": {"level": 4}}, False),
])
@pytest.mark.parametrize("turn", [SNEAK, GOLD], ids=lambda turn: turn.facts.mode)
def test_of_several_characters_one_stays(turn: Turn, gone: list[str], also: Any, caught: bool) -> None:
    turn = turn.in_state(PC, {"pc_ilva_001": {"id": "pc_ilva_001", "level": 3}, "pc_bo_002": {"level": 3}})
    turn = turn.having("state_updates", {PC: also | dict.fromkeys(gone, GONE)})
    assert bool(turn.named("state_player")) is caught
