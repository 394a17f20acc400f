"""State signals: what the game's state and a turn's form say that its words do not. Pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..archive.declared import SignalPaths

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
CLASSES: Final = ("player_character_data.class", "npc_data.*.class")
"""Where a campaign's state says what people are."""
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
    if isinstance(state, Mapping) and paths is not None:
        signals.update(_at_paths(state, paths))
    elif isinstance(state, Mapping):
        combat = _branch(state, "combat_state")
        if _flagged(combat, "in_combat", "active", "is_active", "combat_active"):
            signals.add("in_combat")
        signals.update(_character(_branch(state, "player_character_data")), _place(state))
    return frozenset(signals)


def classes(state: Mapping[str, Any] | None, paths: SignalPaths | None = None) -> tuple[str, ...]:
    """What the people of a game are by their class, as the state says it; untrusted text."""
    if not isinstance(state, Mapping):
        return ()
    places = CLASSES if paths is None else paths.classes
    return tuple(sorted({text for path in places for value in _all_at(state, path.split("."))
                         for text in _texts(value)}))


def _texts(value: Any) -> Iterator[str]:
    """The texts of a value and, by name or in a list, inside it."""
    if isinstance(value, str):
        yield value
    for inner in _inner(value):
        yield from (text for text in (inner, *_inner(inner)) if isinstance(text, str))


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _at_paths(state: Mapping[str, Any], paths: SignalPaths) -> Iterator[str]:
    for signal, places in (("in_combat", paths.combat), ("resting", paths.rest)):
        if any(_holds(state, *path.partition("=")) for path in places):
            yield signal
    texts: list[str] = []
    for place in (_at(state, path) for path in paths.place):
        parts = place.values() if isinstance(place, Mapping) else [place]
        texts += [part for part in parts if isinstance(part, str)]
    yield from _kind_of(texts)


def _holds(state: Mapping[str, Any], path: str, equals: str, expected: str) -> bool:
    value = _at(state, path.strip())
    if equals:
        return str(value).casefold() == expected.strip().casefold()
    return value > 0 if isinstance(value, int | float) else bool(value)


def _at(state: Mapping[str, Any], path: str) -> Any:
    """The first value at a dotted path, None where there is none."""
    return next(_all_at(state, path.split(".")), None)


def _all_at(value: Any, keys: Sequence[str]) -> Iterator[Any]:
    """The values at a path; ``*`` leads to all that an object or a list has."""
    if not keys:
        yield value
    elif keys[0] == "*":
        yield from (inner for part in _inner(value) for inner in _all_at(part, keys[1:]))
    elif isinstance(value, Mapping) and keys[0] in value:
        yield from _all_at(value[keys[0]], keys[1:])


def _kind_of(texts: Iterable[str]) -> list[str]:
    """The kind of place that texts speak of; none of a settlement, where most is talk."""
    words = {word for text in texts for word in re.split(r"[\W_]+", text.lower())}
    kinds = [place for place, names in _PLACES.items() if not words.isdisjoint(names)][:1]
    return [place for place in kinds if place in WORDS]


def _branch(state: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = state.get(name)
    return value if isinstance(value, Mapping) else {}


def _flagged(branch: Mapping[str, Any], *names: str) -> bool:
    return any(branch.get(name) is True for name in names)


def _character(character: Mapping[str, Any]) -> Iterator[str]:
    xp = _number(character, "xp", "xp_current", "experience", "current")
    level = _number(character, "level")
    earned = xp is not None and level is not None and (
        1 <= level < len(LEVEL_XP) and xp >= LEVEL_XP[int(level)]
    )
    if earned or _flagged(character, "level_up_due", "level_up_available"):
        yield "level_up_due"
    hp = _number(character, "hp_current", "hp", "current_hp", "current")
    most = _number(character, "hp_max", "max_hp", "max")
    if hp is not None and hp <= 0:
        yield "dead_or_dying"
    elif hp is not None and most and hp / most <= 0.25:
        yield "low_hp"
    if _flagged(character, "resting", "is_resting"):
        yield "resting"


def _number(values: Mapping[str, Any], *names: str) -> float | None:
    """The first number under one of ``names``, or one record deeper (``hp: {current: 3}``)."""
    for name in names:
        value = values.get(name)
        numbers = [value.get(key) for key in (*names, "total")] if isinstance(value, Mapping) else [
            value]
        for number in numbers:
            if (isinstance(number, int | float) and not isinstance(number, bool)
                    and abs(number) <= sys.float_info.max):
                return float(number)
    return None


def _place(state: Mapping[str, Any]) -> Iterator[str]:
    world, places = _branch(state, "world_data"), _branch(state, "location_data")
    place = next(
        (v for branch in (world, places, _branch(state, "player_character_data"))
         for k in ("current_location_id", "current_location", "location_id", "current")
         if (v := branch.get(k))),
        None,
    )
    record = places.get(place) if isinstance(place, str) else place
    texts = [t for t in (place, world.get("current_location_name")) if isinstance(t, str)]
    if isinstance(record, Mapping):
        texts += [str(record[k]) for k in ("type", "kind", "location_type", "name") if k in record]
    if places and not texts and len(places) == 1:
        only = next(iter(places.values()))
        if isinstance(only, Mapping):
            texts += [str(only[k]) for k in ("type", "kind", "location_type") if k in only]
    yield from _kind_of(texts)
    if any(_flagged(_branch(state, name), "resting")
           for name in ("world_data", "custom_campaign_state")):
        yield "resting"
