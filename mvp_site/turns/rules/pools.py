"""Pools: what a character spends and a rest gives back, wherever the state keeps it.

Fields go by meaning, for states are other people's: the words of their names say what they count
(hit dice, spell slots, exhaustion, hit points) and how (what is left, what is used, the most there
can be). So ``hit_dice.current``, ``hdRemaining``, ``spellcasting.slots.L1.used`` and
``spell_slots: [0, 1]`` are all read. What has none of these words counts as a pool where it stands
under ``resources`` or says what recharges it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from .context import number
from .wording import key_words

Kind = Literal["hit dice", "slots", "pact slots", "spells", "exhaustion", "hit points", "pool"]
Role = Literal["left", "used", "most"]

_MOST: Final = frozenset({"max", "maximum", "most", "total", "cap", "capacity", "limit", "full"})
_USED: Final = frozenset({"used", "spent", "expended", "consumed", "missing", "burned", "burnt"})
_LEFT: Final = frozenset({
    "current", "remaining", "left", "available", "value", "now", "unused", "unspent", "free",
    "remain",
})
_ROLES: Final = _MOST | _USED | _LEFT
# What is kept beside a count and is none itself
_NO_COUNT: Final = frozenset({
    "die", "sides", "faces", "size", "type", "dc", "mod", "modifier", "bonus", "per", "recharge",
    "regain", "regained", "recovery", "cost", "known", "prepared", "temp", "temporary", "level",
    "lvl", "healed", "save", "attack", "multiplier", "since", "day",
})
_DEGREE: Final = frozenset({
    "level", "levels", "lvl", "of", "stage", "points", "count", "tier", "stacks", "is",
})
_GEAR: Final = frozenset({
    "equipment", "equipped", "inventory", "gear", "item", "items", "attunement", "attuned", "bag",
    "backpack", "belt", "pack", "body", "hand", "hands", "weapon", "weapons", "armor", "armour",
    "gem", "rune", "mount", "saddle", "quick", "action",
})
_CASTING: Final = frozenset({"spell", "spells", "spellcasting", "casting", "caster"})
_AFFLICTED: Final = frozenset({"condition", "conditions", "status", "effects", "afflictions"})
_NAMED_BY: Final = ("level", "die", "class", "name", "id", "type")
_MAX_DEPTH: Final = 6
_MAX_LISTED: Final = 40
_FRACTION: Final = re.compile(r"([0-9]{1,4})\s*(?:d[0-9]{1,3}\s*)?(?:/|\bof\b)\s*([0-9]{1,4})")
_DICE: Final = re.compile(r"\s*([0-9]{1,3})d[0-9]{1,3}\s*")
_EXHAUSTED: Final = re.compile(r"\bexhaust(?:ed|ion)\b[^0-9]{0,12}([0-9])?", re.IGNORECASE)
_FIRST: Final = re.compile(r"[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class Pool:
    """A count of one kind under one name: what is left, what is used, the most there can be.

    Each by the path that says it, for a state may say it twice.
    """

    kind: Kind
    name: str
    recharge: object = None
    counts: dict[Role, dict[str, float]] = field(default_factory=dict)


class _Place(NamedTuple):
    """Where the walk is: the words on the way, and what the way says of what stands at its end."""

    stem: tuple[tuple[str, ...], ...] = ()
    kind: Kind | None = None
    role: Role | None = None
    name: str = ""
    path: str = ""
    recharge: object = None
    depth: int = 0
    gear: bool = False
    pact: bool = False

    def below(self, word: str) -> bool:
        """Whether a name on the way has a word."""
        return any(word in words for words in self.stem)

    def at(self, name: str) -> _Place:
        """The place of an element, by what tells it from the others."""
        return self._replace(stem=(*self.stem, (name,)), path=f"{self.path}{name}",
                             depth=self.depth + 1)


Stem = tuple[Kind, tuple[tuple[str, ...], ...]]


def pools(character: object) -> dict[Stem, Pool]:
    """Every pool of a character, by its kind and its name without the words that say how."""
    found: dict[Stem, Pool] = {}
    for place, role, count in _counts(character, _Place()):
        if place.kind is None:
            continue
        pool = found.setdefault((place.kind, place.stem),
                                Pool(place.kind, place.name, place.recharge))
        pool.counts.setdefault(role, {})[place.path] = count
    return found


def _counts(value: object, place: _Place) -> Iterator[tuple[_Place, Role, float]]:
    """Every count at ``place`` and below it."""
    if isinstance(value, Mapping):
        if place.depth < _MAX_DEPTH:
            recharge = value.get("recharge", place.recharge)
            here = place._replace(recharge=recharge)
            if isinstance(recharge, str) and here.kind is None and "recharge" in value:
                here = here._replace(kind="pool")
            for key, below in value.items():
                yield from _counts(below, _entered(here, str(key)))
    elif isinstance(value, list):
        if place.kind != "exhaustion" and any(map(place.below, _AFFLICTED)):
            yield from _afflictions(value, place)
        elif place.kind is not None and place.depth < _MAX_DEPTH:
            for index, item in enumerate(value[:_MAX_LISTED]):
                yield from _counts(item, _listed(place, index, item))
    elif place.kind is not None:
        yield from _count(value, place)


def _entered(place: _Place, key: str) -> _Place:
    """The place of a member called ``key``."""
    words = key_words(key)
    plain = tuple(word for word in words if word not in _ROLES)
    role: Role | None = place.role
    for said, names in (("most", _MOST), ("used", _USED), ("left", _LEFT)):
        if names & set(words):
            role = said  # type: ignore[assignment]
            break
    gear, pact = place.gear or bool(_GEAR & set(words)), place.pact or "pact" in words
    kind = _kind(words, gear=gear, pact=pact) or place.kind
    beside = bool(_NO_COUNT & set(words)) and not any(map(str.isdigit, words))
    if place.kind is not None and beside:
        kind = "exhaustion" if kind == "exhaustion" and set(plain) <= _DEGREE else None
    if kind == "exhaustion":
        plain = tuple(word for word in plain if word not in _DEGREE)
    if kind is None and not beside and place.below("resources"):
        kind = "pool"
    name = place.name if kind == place.kind and place.name else key
    stem = (*place.stem, plain) if plain else place.stem
    return place._replace(stem=stem, kind=kind, role=role, name=name, path=f"{place.path}.{key}",
                          depth=place.depth + 1, gear=gear, pact=pact)


def _kind(words: tuple[str, ...], *, gear: bool, pact: bool) -> Kind | None:
    """What a name counts by its words, if they say it."""
    joined, said = " ".join(words), set(words)
    kind: Kind | None = None
    if "hit dice" in joined or "hit die" in joined or said & {"hd", "hitdice"}:
        kind = "hit dice"
    elif said & {"exhaustion", "exhausted"} and said <= _DEGREE | _ROLES | {
        "exhaustion", "exhausted"
    }:
        kind = "exhaustion"
    elif gear or said & {"known", "prepared", "book", "list", "save", "attack", "dc"}:
        kind = None
    elif said & {"slot", "slots"}:
        kind = "pact slots" if pact else "slots"
    elif "pact" in said and said & {"magic", *_CASTING}:
        kind = "pact slots"
    elif said & {"spells", "spell"}:
        kind = "spells"
    elif "hp" in said or "hit points" in joined or joined in ("health", "hitpoints"):
        kind = None if said & {"temp", "temporary", "bonus", "per"} else "hit points"
    return kind


def _listed(place: _Place, index: int, item: object) -> _Place:
    """The place of an element: under what names it, or else under its number."""
    name: object = index
    if isinstance(item, Mapping):
        name = next((f"{key} {item[key]}" for key in _NAMED_BY
                     if isinstance(item.get(key), str | int)), index)
    return place.at(f"[{name}]")


def _count(value: object, place: _Place) -> Iterator[tuple[_Place, Role, float]]:
    """The count that a value tells: a number, ``"1/3"``, ``"2d10"``, ``"L1 2/4, L2 0/2"``."""
    if place.kind == "exhaustion":
        if (degree := _degree(value)) is not None and place.role != "most":
            yield place, "left", degree
        return
    role: Role = place.role or "left"
    exact = number(int(value) if isinstance(value, bool) and role == "used" else value)
    if exact is not None:
        if place.role is not None or place.kind != "spells":
            yield place, role, exact
        return
    if not isinstance(value, str):
        return
    fractions = _FRACTION.findall(value[:200])
    for index, (count, most) in enumerate(fractions):
        at = place.at(f"[{index}]") if len(fractions) > 1 else place
        yield at, role, float(count)
        yield at, "most", float(most)
    if place.kind == "hit dice" and not fractions and (dice := _DICE.fullmatch(value)):
        yield place, role, float(dice[1])


def _degree(value: object) -> float | None:
    """How exhausted a value says that somebody is."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        found = _FIRST.search(value)
        return float(found[0]) if found else float(value.strip().casefold() in ("yes", "exhausted"))
    return number(value)


def _afflictions(listed: list[Any], place: _Place) -> Iterator[tuple[_Place, Role, float]]:
    """The exhaustion that stands in a list of conditions."""
    for item in listed[:_MAX_LISTED]:
        fields = item if isinstance(item, Mapping) else {"name": item}
        if found := _EXHAUSTED.search(str(fields.get("name", ""))):
            level = number(fields.get("level", fields.get("value")))
            yield place.at("exhaustion")._replace(kind="exhaustion"), "left", level or float(
                found[1] or 1)
            return
