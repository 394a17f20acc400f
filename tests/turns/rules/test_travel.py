"""Another place has cost time."""

from __future__ import annotations

from typing import Any

import pytest

from ..answers import CELLAR, CORRECTION, GOLD, MISSING, SNEAK, THINK, Turn, header

STILL = {"minute": 5, "second": 0}


def still(turn: Turn) -> Turn:
    """The same turn without a moment passing."""
    return turn.having("state_updates/world_data/world_time", STILL).having("session_header", header("4, 21:05:00"))


@pytest.mark.parametrize("confirmed", ["Toll house, cellar", "TOLL HOUSE, CELLAR", "loc_toll_cellar_001"])
def test_a_confirmed_place_that_the_state_knows_as_another(confirmed: str) -> None:
    turn = still(SNEAK).having("location_confirmed", confirmed)
    assert [violation.path for violation in turn.named("travel_time")] == ["location_confirmed"]
    assert SNEAK.having("location_confirmed", confirmed).named("travel_time") == []
    assert turn.in_state("location_data/loc_toll_cellar_001/parent_id", "loc_grey_ford_001").named("travel_time") == []


@pytest.mark.parametrize("confirmed", [
    "Thornwick market", "Grey Ford, the ferry", "the taproom", "Grey Ford, the toll house", "Toll house", "Vale of the Run", "loc_grey_ford_001", "", "?",
])
def test_a_confirmed_place_that_may_be_the_same(confirmed: str) -> None:
    checked = still(SNEAK).having("location_confirmed", confirmed).check()
    assert not checked.violations
    assert checked.warnings == ()


FORD, CELLAR_ID = "loc_grey_ford_001", "loc_toll_cellar_001"
FORD_NAME, CELLAR_NAME = "Grey Ford, the toll house", "Toll house, cellar"


@pytest.mark.parametrize(("place", "before", "after"), [
    ("player_character_data/current_place", FORD, CELLAR_ID), ("player_character_data/whereabouts", FORD_NAME, CELLAR_NAME), ("player_character_data/where", FORD_NAME, CELLAR_ID),
    ("player_character_data/place/name", FORD_NAME, CELLAR_NAME), ("player_character_data/pc_ilva_001/location", FORD, CELLAR_ID), ("world_data/party_location_id", FORD, CELLAR_ID),
    ("custom_campaign_state/party_location", FORD_NAME.upper(), CELLAR_NAME), ("world_data/current_location/id", FORD, CELLAR_ID),
])
def test_a_place_by_another_name(place: str, before: str, after: str) -> None:
    moved = SNEAK.in_state("world_data/current_location_id", MISSING).in_state(place, before).having(f"state_updates/{place}", after)
    moved = moved.having("location_confirmed", CELLAR_NAME)
    assert [found.path for found in still(moved).named("travel_time")] == [f"state_updates/{place}".replace("/", ".")]
    assert moved.named("travel_time") == []


@pytest.mark.parametrize(("place", "before", "after"), [
    ("player_character_data/position", "by the door", "on the roof beam"), ("player_character_data/where/room", "taproom", "loft"), ("player_character_data/last_location", FORD, CELLAR_ID),
    ("player_character_data/home_location_id", FORD, CELLAR_ID), ("player_character_data/place", "second", "first"), ("player_character_data/horse/location", FORD, CELLAR_ID),
    ("world_data/location", FORD_NAME, FORD), ("world_data/location", "?", CELLAR_NAME), ("world_data/location", FORD_NAME, f"{FORD_NAME} (the hearth)"), ("location_data/loc_grey_ford_001/position", FORD, CELLAR_ID),
    ("custom_campaign_state/location", "a rumour", "a fact"), ("custom_campaign_state/beacon/location", FORD, CELLAR_ID), ("player_character_data/location/area", "yard", "gate"),
])
def test_a_part_of_a_place_or_the_place_of_another(place: str, before: str, after: str) -> None:
    turn = still(SNEAK.in_state(place, before).having(f"state_updates/{place}", after))
    assert turn.named("travel_time") == []


@pytest.mark.parametrize(("turn", "place", "value"), [
    (CELLAR, "state_updates/world_data/world_time", {"second": 6}), (CELLAR, "state_updates/world_data/world_time", {"microsecond": 1}),
    (CORRECTION, "location_confirmed", "Ashen Keep"), (GOLD, "location_confirmed", "Ashen Keep"), (GOLD, "state_updates/world_data", {"current_location_id": "loc_toll_cellar_001"}),
    (THINK, "location_confirmed", "Ashen Keep"), (SNEAK, "state_updates/npc_data/npc_ford_warden_001/location_id", "loc_toll_cellar_001"),
])
def test_what_is_no_travel_or_has_cost_time(turn: Turn, place: str, value: Any) -> None:
    assert turn.having(place, value).named("travel_time") == []


@pytest.mark.parametrize("missing", ["world_data/world_time", "world_data", "location_data"])
def test_without_facts_it_says_nothing(missing: str) -> None:
    turn = still(SNEAK).in_state(missing, MISSING).having("location_confirmed", "Ashen Keep")
    assert turn.named("travel_time") == []
