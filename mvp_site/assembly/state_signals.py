"""State signals: what the game's state and a turn's form say that its words do not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..archive.own_modes import SignalPaths
from ..text.json_values import MOST, at, mapping, number, parts

LEVEL_XP: Final = (
    0, 300, 900, 2700, 6500, 14000, 23000, 34000, 48000, 64000, 85000, 100000, 120000, 140000,
    165000, 195000, 225000, 265000, 305000, 355000,
)
_PLACES: Final = {
    "dungeon": ("dungeon", "cave", "crypt", "tomb", "ruin", "mine", "sewer", "underground", "lair"),
    "settlement": ("settlement", "city", "town", "village", "tavern", "inn", "shop", "market",
                   "port", "temple", "castle"),
    "wilderness": ("wilderness", "forest", "road", "mountain", "swamp", "desert", "sea", "river",
                   "plains", "jungle", "hills", "trail", "camp"),
}
OWN: Final = SignalPaths(
    combat=tuple(f"combat_state.{flag}=true"
                 for flag in ("in_combat", "active", "is_active", "combat_active")),
    rest=("player_character_data.resting=true", "player_character_data.is_resting=true",
          "world_data.resting=true", "custom_campaign_state.resting=true"),
    classes=("player_character_data.class", "npc_data.*.class"),
)
"""Where the state of one of this product's campaigns says it."""
WORDS: Final = {
    "in_combat": "combat round", "level_up_due": "level up", "resting": "rest",
    "dungeon": "dungeon", "wilderness": "wilderness travel",
    "low_hp": "low hit points", "dead_or_dying": "death saving throws",
    "deep_think": "deep think", "god": "god mode",
}
"""What is searched with for each signal, beside the turn's own words."""
SHARES: Final = {"deep_think": 0.75}
"""What a passage is worth at least for a signal's words, where that was chosen on natural turns."""


def state_signals(state: Mapping[str, Any] | None, text: str = "", mode: str = "story",
                  paths: SignalPaths | None = None) -> frozenset[str]:
    """The signals of a turn: names out of :data:`WORDS`.

    ``paths`` say where the state has them; without, it is one of this product's campaigns.
    Unknown or malformed state says nothing; it is data, and never raises.
    """
    signals = {"god"} if mode == "god" else set()
    if text.lstrip()[:6].lower() == "think:":
        signals.add("deep_think")
    if isinstance(state, Mapping):
        signals.update(_at_paths(state, OWN if paths is None else paths))
        if paths is None:
            signals.update(_character(mapping(state, "player_character_data")), _place(state))
    return frozenset(signals)


def classes(state: Mapping[str, Any] | None, paths: SignalPaths | None = None) -> tuple[str, ...]:
    """What the people of a game are by their class, as the state says it; untrusted text."""
    places = (OWN if paths is None else paths).classes
    return tuple(sorted({text for path in places for value in _all_at(state, path.split("."))
                         for text in parts(value) if isinstance(text, str)}))


def _at_paths(state: Mapping[str, Any], paths: SignalPaths) -> Iterator[str]:
    for signal, places in (("in_combat", paths.combat), ("resting", paths.rest)):
        if any(_holds(state, *path.partition("=")) for path in places):
            yield signal
    yield from _kind_of(text for path in paths.place for text in parts(_at(state, path))
                        if isinstance(text, str))


def _holds(state: Mapping[str, Any], path: str, equals: str, expected: str) -> bool:
    value = _at(state, path.strip())
    if equals:
        plain = number(value) if type(value) is int else value
        return isinstance(plain, str | bool | int | float) and (
            str(plain).casefold() == expected.strip().casefold())
    return value > 0 if isinstance(value, int | float) else bool(value)


def _at(state: Mapping[str, Any], path: str) -> Any:
    """The first value at a dotted path, None where there is none."""
    return next(_all_at(state, path.split(".")), None)


def _all_at(value: Any, keys: Sequence[str]) -> Iterator[Any]:
    """The values at a path; ``*`` leads to all that an object or a list has."""
    if not keys:
        yield value
    elif keys[0] == "*":
        below = value if isinstance(value, list) else mapping(value).values()
        yield from (inner for part in below for inner in _all_at(part, keys[1:]))
    elif isinstance(value, Mapping) and keys[0] in value:
        yield from _all_at(value[keys[0]], keys[1:])


def _kind_of(texts: Iterable[str]) -> list[str]:
    """The kind of place that texts speak of; none of a settlement, where most is talk."""
    words = {word for text in texts for word in re.split(r"[\W_]+", text.lower())}
    kinds = [place for place, names in _PLACES.items() if not words.isdisjoint(names)][:1]
    return [place for place in kinds if place in WORDS]


def _character(character: Mapping[str, Any]) -> Iterator[str]:
    xp = _number(character, "xp", "xp_current", "experience", "current")
    level = _number(character, "level")
    earned = xp is not None and level is not None and (
        1 <= level < len(LEVEL_XP) and xp >= LEVEL_XP[int(level)]
    )
    if earned or any(character.get(flag) is True
                     for flag in ("level_up_due", "level_up_available")):
        yield "level_up_due"
    hp = _number(character, "hp_current", "hp", "current_hp", "current")
    most = _number(character, "hp_max", "max_hp", "max")
    if hp is not None and hp <= 0:
        yield "dead_or_dying"
    elif hp is not None and most and hp / most <= 0.25:
        yield "low_hp"


def _number(values: Mapping[str, Any], *names: str) -> float | None:
    """The first number under one of ``names``, or one record deeper (``hp: {current: 3}``)."""
    for name in names:
        value = values.get(name)
        numbers = [value.get(key) for key in (*names, "total")] if isinstance(value, Mapping) else [
            value]
        for count in map(number, numbers):
            if count is not None and abs(count) < MOST:  # else it is no number of a game
                return float(count)
    return None


def _place(state: Mapping[str, Any]) -> list[str]:
    """The kind of the place where the party is, or of the only one that the state has."""
    world, places = mapping(state, "world_data"), mapping(state, "location_data")
    place = next(
        (value for branch in (world, places, mapping(state, "player_character_data"))
         for key in ("current_location_id", "current_location", "location_id", "current")
         if (value := branch.get(key))), None)
    texts = [text for text in (place, world.get("current_location_name")) if isinstance(text, str)]
    record = places.get(place) if isinstance(place, str) else place
    if not record and not texts and len(places) == 1:
        record = next(iter(places.values()))
    return _kind_of([*texts, *(str(text) for key in ("type", "kind", "location_type", "name")
                               if (text := at(record, key)))])
