"""Pools: what a character spends and a rest gives back, and that the rest has cost its time.

States are other people's, so ``hit_dice.current``, ``hdRemaining`` and ``slots.L1.used`` are all
read: the words on a leaf's path say what it counts, and how (what is left or used, the most there
can be).

Hit dice come back by nothing but a long rest. All else may have another cause (a potion, points
turned into slots): it counts where the player names a long or a short rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from ..clock import MICROSECONDS_PER_HOUR, microseconds_between
from ..types import Violation
from ..values import leaves, mapping, number
from .context import PC, Context, key_words
from .times import TIME_PATH, span

Kind = Literal["hit dice", "spell slots", "exhaustion", "hit points"]
Role = Literal["left", "used", "most"]

_MOST: Final = frozenset({"max", "maximum", "most", "total", "cap", "capacity", "limit", "full"})
_USED: Final = frozenset({"used", "spent", "expended", "consumed", "missing"})
_LEFT: Final = frozenset({
    "current", "remaining", "left", "available", "value", "now", "unused", "unspent",
})
_DEGREE: Final = frozenset({"exhaustion", "exhausted", "level", "levels", *_LEFT})
_OTHER: Final = frozenset({
    "die", "sides", "faces", "size", "type", "dc", "mod", "modifier", "bonus", "per", "recharge",
    "regained", "cost", "known", "prepared", "temp", "temporary", "save", "attack", "equipment",
    "equipped", "inventory", "gear", "item", "items", "attunement", "weapon", "armor",
})
_FRACTION: Final = re.compile(r"\s*([0-9]{1,4})\s*(?:/|of)\s*([0-9]{1,4})\s*")
_MINUTES: Final = 60
_LONG: Final = 8
_NAMED: Final = re.compile(r"\b(long|short)[ -]rest", re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(?:no|not|never|without|before|instead|after|last)\b|n't\b",
                            re.IGNORECASE)
_RESUMED: Final = re.compile(r"\b(?:resum|continu|finish)\w*\b|\bback to (?:sleep|bed|rest)\b"
                             r"|\b(?:go(?:es)? on|keep) (?:resting|sleeping)\b", re.IGNORECASE)


class Count(NamedTuple):
    """A number that counts something; ``stem`` is its path without the words that say how."""

    kind: Kind
    role: Role
    stem: tuple[str, ...]
    value: float


def counts(record: object) -> dict[tuple[str, ...], Count]:
    """Every count of a record, by its path."""
    listed = leaves(record) if isinstance(record, Mapping) else ()
    return {path: count for place, value in listed for path, count in _counts(place, value)}


def hit_points(record: object, role: Role) -> list[float]:
    """The numbers of hit points that a record has left or used, or the most of them."""
    return [count.value for count in counts(record).values()
            if (count.kind, count.role) == ("hit points", role)]


def temporary(record: object) -> list[float]:
    """The numbers of temporary hit points in a record."""
    return [number(value) or 0 for place, value in leaves(record)
            if place and {"temp", "temporary"} & {*key_words(place[-1])}]


def gained(before: object, after: object) -> frozenset[Kind]:
    """What there is more of than before; of exhaustion, less.

    A maximum that grows takes what it holds along. Where the level rises, what has no maximum may.
    """
    old, new = counts(before), counts(after)
    most = {count.stem: count.value - old[path].value for path, count in new.items()
            if count.role == "most" and path in old}
    risen = _level(after) > _level(before)
    kinds: set[Kind] = set()
    for path, was in old.items():
        new_value = new.get(path)
        if was.role == "most" or (new_value is None and was.kind != "exhaustion"):
            continue
        change = (new_value.value if new_value else 0) - was.value
        if was.kind == "exhaustion" or was.role == "used":
            change = -change
        if was.stem in most:
            change -= max(0, most[was.stem])
        elif risen and was.kind != "exhaustion":
            continue
        if change > 0:
            kinds.add(was.kind)
    return frozenset(kinds)


def _counts(place: tuple[str, ...], value: object) -> Iterator[tuple[tuple[str, ...], Count]]:
    place_words = tuple(word for key in place for word in key_words(key))
    kind = _kind(place_words)
    if kind is None:
        return
    words = frozenset(place_words)
    role: Role = "most" if words & _MOST else "used" if words & _USED else "left"
    stem = tuple(word for word in place_words if word not in _MOST | _USED | _LEFT)
    exact = number(value)
    if exact is not None:
        yield place, Count(kind, role, stem, exact)
    elif isinstance(value, str) and (parts := _FRACTION.fullmatch(value)):
        yield (*place, "left"), Count(kind, "left", stem, float(parts[1]))
        yield (*place, "most"), Count(kind, "most", stem, float(parts[2]))


def _kind(place_words: tuple[str, ...]) -> Kind | None:
    """What the words of a path count, if they say it."""
    words, joined = frozenset(place_words), " ".join(place_words)
    if words & {"exhaustion", "exhausted"}:
        return "exhaustion" if words <= _DEGREE else None
    if words & _OTHER:
        return None
    if "hit dice" in joined or "hit die" in joined or words & {"hd", "hitdice"}:
        return "hit dice"
    if words & {"slot", "slots"}:
        return "spell slots"
    if "hit points" in joined or words & {"hp", "hitpoints", "health"}:
        return "hit points"
    return None


def _level(record: object) -> float:
    return number(record.get("level")) or 0 if isinstance(record, Mapping) else 0


def rest_time(context: Context) -> Iterator[Violation]:
    """What only a rest gives back has cost its time."""
    moved = span(context)
    if (context.facts.mode != "story" or context.facts.deep_think or moved is None
            or PC not in context.updates):
        return
    took = microseconds_between(*moved)
    before, after = (mapping(state, PC) for state in (context.facts.state, context.after))
    back = gained(before, after)
    user_text = context.facts.user_input
    named = _NAMED.search(user_text) if not _DENIED.search(user_text) else None
    long = bool(named and named[1].casefold() == "long")
    healed = (hit_points(after, "left") == hit_points(after, "most") if long
              else "hit dice" in gained(after, before))
    if not healed:
        back -= {"hit points"}
    if not back or not (named or "hit dice" in back):
        return
    hours = _LONG if long or back & {"hit dice", "exhaustion"} else 1
    if _RESUMED.search(user_text):
        hours = 1
    if took < hours * MICROSECONDS_PER_HOUR:
        minutes = took * _MINUTES // MICROSECONDS_PER_HOUR
        yield Violation(
            "rest_time", TIME_PATH, f"{', '.join(sorted(back))} come back as by a rest of "
            f"{hours} hours, and the clock moves {minutes} minutes; write the time that the rest "
            "costs, or give nothing back")
