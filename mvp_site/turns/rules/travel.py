"""Travel: a story turn that ends in another place has taken time.

Where the party is stands in the state as an id or as a name, and in ``location_confirmed`` in the
model's own words. Only of places that the state knows is it certain that they are others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..state import is_entity_id
from ..types import Violation
from ..values import mapping
from .context import PC, Context, characters, path, quoted
from .times import span

_FIELDS: Final = frozenset({
    "current_location_id", "current_location", "current_location_name", "location_id", "location",
    "current_place", "place", "party_location", "party_location_id", "player_location",
    "where", "whereabouts",
})
_WITHIN: Final = ("id", "location_id", "name")
_MAX_PARENTS: Final = 20

Place = tuple[str, ...]


def given_places(state: Mapping[str, Any]) -> dict[Place, str]:
    """Every field that says where the party is, by its path."""
    places: dict[Place, str] = {}
    for branch in (("world_data",), ("custom_campaign_state",), (PC,), *characters(state)):
        record = mapping(state, *branch)
        for key in _FIELDS & record.keys():
            value = record[key]
            if isinstance(value, str):
                places[*branch, key] = value
            for name in _WITHIN if isinstance(value, Mapping) else ():
                if isinstance(value.get(name), str):
                    places[*branch, key, name] = value[name]
    return dict(sorted(places.items()))


def known_as(state: Mapping[str, Any], value: str) -> str:
    """The id of the location that ``value`` is the id or the name of; '' where none is known."""
    if is_entity_id(value):
        return value if value.startswith("loc_") else ""
    text = value.strip().casefold()
    return next((key for key, location in mapping(state, "location_data").items()
                 if text and text in (key.casefold(), _name(location).casefold())), "")


def travel_time(context: Context) -> Iterator[Violation]:
    """Another place than the state's has cost time."""
    moved = span(context)
    if context.facts.mode != "story" or moved is None or moved[0] < moved[1]:
        return
    before, after = given_places(context.facts.state), given_places(context.after)
    for place, old in before.items():
        new = after.get(place, old)
        spellings = {known_as(context.after, value) for value in (old, new)}
        if len(spellings) > 1 and all(spellings):
            yield Violation(
                "travel_time", path("state_updates", *place), f"the place changes from "
                f"{quoted(old)} to {quoted(new)} and the clock stands still; write the time "
                "that the way costs")
            return
    values = [*before.values(), *after.values()]
    stood = {key for value in values for key in _around(context.after, value)}
    confirmed = context.text("location_confirmed")
    named = {*_around(context.after, confirmed)}
    if stood and named and not stood & named:
        yield Violation(
            "travel_time", "location_confirmed", f"{quoted(confirmed)} is not where the state has "
            f"the party, {quoted(values[0])}, and the clock stands still; write the time that the "
            "way costs, or the place as it is")


def _around(state: Mapping[str, Any], place: object) -> Iterator[str]:
    """The location that ``place`` is the id or the name of, and the locations that it lies in."""
    for _ in range(_MAX_PARENTS):
        key = known_as(state, place) if isinstance(place, str) else ""
        if not key:
            return
        yield key
        location = mapping(state, "location_data", key)
        place = location.get("parent_id", location.get("parent"))


def _name(location: object) -> str:
    name = location.get("name", location.get("title")) if isinstance(location, Mapping) else None
    return name if isinstance(name, str) else ""
