"""Rests: what only a rest gives back has cost the time of a rest.

Hit dice come back by nothing but a long rest. All else may have another cause (a potion, points
turned into slots), so it counts only in a turn that rests (:mod:`.resting`). A maximum that grows
takes what it holds along.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ..clock import MICROSECONDS_PER_HOUR
from ..types import Hint, Violation
from .context import Context, Rule, mapping, number, path, quoted
from .pools import Kind, Pool, Role, pools
from .resting import Rest, is_told, rest_of
from .times import TIME_PATH, Span, span
from .wording import key_words

_SLOTS_BY_THE_HOUR: Final = re.compile(r"warlock|wizard|druid", re.IGNORECASE)
_SLOTS: Final[tuple[Kind, ...]] = ("slots", "pact slots", "spells")
_PC: Final = "player_character_data"
_MINUTES: Final = 60
_LONG_HOURS: Final = 8
_MAX_DEPTH: Final = 3


def _rest_time(context: Context) -> Iterator[Violation]:
    moved = span(context)
    if (context.facts.mode != "story" or context.facts.deep_think or moved is None
            or _PC not in context.updates
            or moved.microseconds >= _LONG_HOURS * MICROSECONDS_PER_HOUR):
        return
    rest = rest_of(context)
    if wrong := _too_short(context, moved, rest):
        yield Violation("rest_time", path(*TIME_PATH), wrong)
    elif is_told(context.text("narrative")) and (
            wrong := _too_short(context, moved, rest._replace(long=True))):
        yield Hint("rest_time", path(*TIME_PATH), wrong)


def _too_short(context: Context, moved: Span, rest: Rest) -> str:
    """What is wrong with the time of a rest; '' where nothing is."""
    back = dict(_given_back(context, rest))
    hours = 1 if rest.resumed else max(back.values(), default=0)  # what came before counts as well
    if not back or moved.microseconds >= hours * MICROSECONDS_PER_HOUR:
        return ""
    kind = "long rest of 8 hours" if hours > 1 else "short rest of 1 hour"
    minutes = moved.microseconds * _MINUTES // MICROSECONDS_PER_HOUR
    by = f"{minutes} minutes" if minutes >= 0 else "back"
    return (f"{', '.join(back)} come back as by a {kind}, and the clock moves {by}; write the time "
            "that the rest costs, or give nothing back")


def _given_back(context: Context, rest: Rest) -> Iterator[tuple[str, int]]:
    """What came back that only a rest gives, and the hours that it takes."""
    before, after = (mapping(state, _PC) for state in (context.facts.state, context.after))
    gained = _gained(before, after)
    if gained["hit dice"]:
        yield "hit dice", _LONG_HOURS
    if not rest.long and not rest.short:
        return
    if gained["exhaustion"]:
        yield "exhaustion", _LONG_HOURS
    by_the_hour = not rest.long and _SLOTS_BY_THE_HOUR.search(_classes(after))
    for kind in _SLOTS:
        if gained[kind]:
            soon = not (rest.long and rest.named) and (kind == "pact slots" or all(
                "short" in str(pool.recharge) for pool in gained[kind]))
            yield "spell slots", 1 if soon or by_the_hour else _LONG_HOURS
    for pool in gained["pool"]:
        recharge = str(pool.recharge) if pool.recharge is not None or not rest.named else "short"
        if "short" in recharge or "long" in recharge:
            yield quoted(pool.name), 1 if "short" in recharge else _LONG_HOURS
    if gained["hit points"]:
        old, new = pools(before), pools(after)
        spent = any(_change(old[stem], new.get(stem), risen=False) < 0 for stem in old
                    if stem[0] == "hit dice")
        whole = all(
            set(pool.counts["left"].values()) == set(pool.counts.get("most", {}).values())
            for pool in new.values() if pool.kind == "hit points" and "left" in pool.counts)
        if spent:
            yield "hit points for hit dice", 1
        elif rest.long and whole and not context.entries:
            yield "all hit points", _LONG_HOURS


def _gained(before: Mapping[str, object], after: Mapping[str, object]) -> dict[Kind, list[Pool]]:
    """The pools of each kind in which there is more than before; of exhaustion, less."""
    old, new = pools(before), pools(after)
    risen = _level(after) > _level(before) > 0
    gained: dict[Kind, list[Pool]] = {kind: [] for kind in (
        "hit dice", "exhaustion", *_SLOTS, "pool", "hit points")}
    for stem, pool in old.items():
        change = _change(pool, new.get(stem), risen=risen)
        if (change < 0) if pool.kind == "exhaustion" else (change > 0):
            gained[pool.kind].append(pool)
    return gained


def _change(old: Pool, new: Pool | None, *, risen: bool) -> float:
    """How much more of a pool there is, less what its maximum grew by; 0 where that is not known.

    A number alone does not tell its maximum, so it tells nothing where the level rises. What is no
    longer told of is gone: exhaustion, or that something is used.
    """
    counts = {} if new is None else new.counts
    changes = [-_grown(old, counts, "used", gone=0.0)]
    left = _grown(old, counts, "left", gone=0.0 if old.kind == "exhaustion" else None)
    if "most" in old.counts and "most" in counts:
        left -= max(0, _grown(old, counts, "most")) if left > 0 else 0
    elif risen and left > 0 and old.kind != "exhaustion":
        left = 0
    return max((*changes, left), key=abs)


def _grown(old: Pool, counts: Mapping[Role, Mapping[str, float]], role: Role,
           gone: float | None = None) -> float:
    """By how much the counts of one role grew; where several say it, the one that grew most."""
    now = counts.get(role, {})
    grown = [now.get(path, gone or 0.0) - count
             for path, count in old.counts.get(role, {}).items()
             if path in now or gone is not None]
    return max(grown, key=abs, default=0.0)


def _level(character: Mapping[str, object]) -> float:
    """The levels that a character says it has, summed wherever they stand; 0 where it says none."""
    total = 0.0
    for key, value in _said(character):
        if key in ("level", "lvl"):
            total += number(value) or 0
    return total


def _classes(character: Mapping[str, object]) -> str:
    """What a character says of its classes."""
    return " ".join(json.dumps(value) for key, value in _said(character)
                    if key in ("class", "classes"))


def _said(value: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    """The last words of keys near the top, with their values; lists are gone through."""
    if isinstance(value, list) and depth <= _MAX_DEPTH:
        for item in value[:20]:
            yield from _said(item, depth + 1)
    elif isinstance(value, Mapping) and depth <= _MAX_DEPTH:
        for key, below in value.items():
            words = key_words(str(key))
            yield words[-1] if words else "", below
            if not {"slots", "slot", "exhaustion", "spells"} & set(words):
                yield from _said(below, depth + 1)


REST_TIME: Final = Rule("rest_time", "a short rest 1 hour, a long rest 8 hours", _rest_time)
