"""Places: where a state has the party, by whatever field says so.

A field says so by the words of its name (``location``, ``current_place``, ``whereabouts``), alone
or with an object below it that has the id or the name. It is looked for in the character's data, in
the world's, in ``location_data`` itself and in the campaign's own, at the top or in the record of
a character or of the party.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ..state import is_entity_id
from .context import at, mapping
from .wording import key_words

_BRANCHES: Final = (
    "world_data", "player_character_data", "custom_campaign_state", "location_data",
)
_CORE: Final = frozenset({"location", "loc", "place", "position", "where", "whereabouts", "locale"})
_BESIDE: Final = frozenset({
    "current", "currently", "party", "player", "players", "pc", "character", "present", "id", "ref",
    "name", "key", "now", "at", "is", "group", "hero",
})
_WHO: Final = frozenset({"party", "player", "pc", "character", "group", "hero", "heroes", "team",
                         "scene"})
_WITHIN: Final = frozenset({"id", "ref", "name", "key", "current", *_CORE})
_PARTS: Final = frozenset({
    "area", "room", "zone", "spot", "sublocation", "site", "district", "region", "alias", "aliases",
    "floor", "deck", "building", "part", "section", "sub", "detail", "specific", "within",
})
# Fields whose text is a place even where no location is known by it
_FREE: Final = frozenset({"location", "current_location", "current_location_name"})
_MAX_PARENTS: Final = 20

Place = tuple[str, ...]


class Given(NamedTuple):
    """What one field says of where the party is; ``free``: in words of its own, if need be."""

    place: Place
    value: str
    free: bool


def given_places(state: Mapping[str, Any]) -> dict[Place, Given]:
    """Every field that says where the party is and has a text, by its path."""
    found: dict[Place, Given] = {}
    for branch in _BRANCHES:
        for key, value in mapping(state, branch).items():
            found.update((given.place, given) for given in _given((branch, key), value))
            words = set(key_words(key))
            if isinstance(value, Mapping) and branch != "location_data" and (
                    (is_entity_id(key) and key.startswith("pc_")) or (words and words <= _WHO)):
                for name, below in value.items():
                    found.update((given.place, given)
                                 for given in _given((branch, key, name), below))
    return found


def _given(place: Place, value: object) -> Iterator[Given]:
    words = set(key_words(place[-1]))
    if is_entity_id(place[-1]) or not words & _CORE or not words <= _CORE | _BESIDE:
        return
    free = place[0] in ("world_data", "player_character_data") and place[-1] in _FREE
    if isinstance(value, str):
        yield Given(place, value, free)
    for key, below in value.items() if isinstance(value, Mapping) else ():
        within = set(key_words(key))
        if isinstance(below, str) and within and within <= _WITHIN:
            yield Given((*place, key), below, False)


def known_as(state: Mapping[str, Any], value: str) -> str:
    """The id of the location that ``value`` is the id or the name of; '' where none is known."""
    if is_entity_id(value):
        return value if value.startswith("loc_") else ""
    said = value.strip().casefold()
    return next((key for key, location in mapping(state, "location_data").items()
                 if isinstance(location, Mapping) and said
                 and said in (key.casefold(), _name(location).casefold())), "")


def place_names(state: Mapping[str, Any]) -> list[str]:
    """What the party's place is called, by name and id; then the places it lies in.

    Empty where the state has no name for it.
    """
    names, pending = [], []
    for given in given_places(state).values():
        key = known_as(state, given.value)
        if not is_entity_id(given.value) and (given.free or key):
            names.append(given.value)
        if key:
            pending.append(key)
    ids: list[str] = []
    while pending and len(ids) < _MAX_PARENTS:
        here = pending.pop()
        location = mapping(state, "location_data", here)
        if here in ids or not _name(location):
            continue
        ids.append(here)
        names.append(_name(location))
        if isinstance(parent := location.get("parent_id", location.get("parent")), str):
            pending.append(known_as(state, parent))
    return [*names, *ids] if names else []


def part_names(state: Mapping[str, Any]) -> list[str]:
    """What the parts of the party's place are called that the state names beside it."""
    found: list[str] = []
    for given in given_places(state).values():
        beside = at(state, *given.place[:-1]) if len(given.place) > 2 else {}
        for record in (beside, mapping(state, "location_data", known_as(state, given.value))):
            for key, value in record.items() if isinstance(record, Mapping) else ():
                if set(key_words(key)) & _PARTS:
                    listed = value if isinstance(value, list) else [value]
                    found += [name for name in listed if isinstance(name, str) and name]
    return found


def _name(location: Mapping[str, Any]) -> str:
    name = location.get("name", location.get("title"))
    return name if isinstance(name, str) else ""
