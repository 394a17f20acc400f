"""Travel: a story turn that ends in another place has taken time.

Where the party is stands in the state as an id or as a name, and in ``location_confirmed`` in the
model's own words. A place that the state knows is certainly another. Of other names two may be of
different places if each has a word that the other lacks: that is a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..state import is_entity_id
from ..types import Hint, Violation
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
_WORD: Final = re.compile(r"[^\W_]+")
_SMALL_WORDS: Final = frozenset({
    "the", "a", "an", "of", "in", "at", "on", "by", "to", "near", "inside", "outside", "and", "s",
})
_UNKNOWN: Final = frozenset({"", "?", "unknown", "none", "n/a"})

Place = tuple[str, ...]


def given_places(state: Mapping[str, Any]) -> dict[Place, str]:
    """Every field that says where the party is, by its path."""
    found: dict[Place, str] = {}
    for branch in (("world_data",), ("custom_campaign_state",), (PC,), *characters(state)):
        record = mapping(state, *branch)
        for key in _FIELDS & record.keys():
            value = record[key]
            if isinstance(value, str):
                found[*branch, key] = value
            for name in _WITHIN if isinstance(value, Mapping) else ():
                if isinstance(value.get(name), str):
                    found[*branch, key, name] = value[name]
    return dict(sorted(found.items()))


def known_as(state: Mapping[str, Any], value: str) -> str:
    """The id of the location that ``value`` is the id or the name of; '' where none is known."""
    if is_entity_id(value):
        return value if value.startswith("loc_") else ""
    said = value.strip().casefold()
    return next((key for key, location in mapping(state, "location_data").items()
                 if said and said in (key.casefold(), _name(location).casefold())), "")


def travel_time(context: Context) -> Iterator[Violation]:
    """Another place than the state's has cost time."""
    moved = span(context)
    if context.facts.mode != "story" or moved is None or moved[0] < moved[1]:
        return
    before, after = given_places(context.facts.state), given_places(context.after)
    for place, here in before.items():
        there = after.get(place, here)
        known = [known_as(context.after, value) for value in (here, there)]
        elsewhere = known[0] != known[1] if all(known) else not _same_place(here, there)
        if here != there and elsewhere:
            yield (Violation if all(known) else Hint)(
                "travel_time", path("state_updates", *place), f"the place changes from "
                f"{quoted(here)} to {quoted(there)} and the clock stands still; write the time "
                "that the way costs")
            return
    confirmed = context.text("location_confirmed")
    values = [*before.values(), *after.values()]
    stood = [known_as(context.after, value) for value in values]
    keys = {key for here in stood for key in _around(context.after, here)}
    names = [*(value for value in values if not is_entity_id(value)),
             *(_name(mapping(context.after, "location_data", key)) for key in keys), *keys]
    known_place = known_as(context.after, confirmed)
    if not keys or keys & {*_around(context.after, known_place)}:
        return
    if known_place or not any(_same_place(confirmed, name) for name in names if name):
        yield (Violation if known_place else Hint)(
            "travel_time", "location_confirmed", f"{quoted(confirmed)} is not where the state has "
            f"the party, {quoted(values[0])}, and the clock stands still; write the time that the "
            "way costs, or the place as it is")


def _around(state: Mapping[str, Any], key: str) -> Iterator[str]:
    """A location and the locations that it lies in."""
    for _ in range(_MAX_PARENTS):
        if not key:
            return
        yield key
        location = mapping(state, "location_data", key)
        parent = location.get("parent_id", location.get("parent"))
        key = known_as(state, parent) if isinstance(parent, str) else ""


def _name(location: object) -> str:
    name = location.get("name", location.get("title")) if isinstance(location, Mapping) else None
    return name if isinstance(name, str) else ""


def _same_place(one: str, other: str) -> bool:
    """Whether two names may be of one place, the same said more narrowly included."""
    if {one.casefold(), other.casefold()} & _UNKNOWN:
        return True
    words, others = (
        {word for word in _WORD.findall(name.casefold()) if word not in _SMALL_WORDS}
        for name in (one, other)
    )
    return words <= others or words >= others
