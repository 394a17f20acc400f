"""Travel: a story turn that ends in another place has taken time.

Where the party is stands in the state as an id or as a name, and in ``location_confirmed`` in the
model's own words. A place that the state knows is certainly another. Of other names two may be of
different places if each has a word that the other lacks: that is a hint. The places that the place
lies in count as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..types import Hint, Violation
from .context import Context, Rule, mapping, path, quoted
from .places import Given, given_places, known_as, part_names, place_names
from .times import span

_WORD: Final = re.compile(r"[^\W_]+")
_SMALL_WORDS: Final = frozenset({
    "the", "a", "an", "of", "in", "at", "on", "by", "to", "near", "inside", "outside", "and", "s",
})
_UNKNOWN: Final = frozenset({"", "?", "unknown", "none", "n/a"})


def _travel_time(context: Context) -> Iterator[Violation]:
    moved = span(context)
    if context.facts.mode != "story" or moved is None or moved.after > moved.before:
        return
    state = context.facts.state
    there = given_places(context.after)
    for place, here in given_places(state).items():
        if place in there and _is_elsewhere(context, here, there[place]):
            known = known_as(context.after, here.value) and known_as(
                context.after, there[place].value)
            yield _kind(known)(
                "travel_time", path("state_updates", *place), f"the place changes from "
                f"{quoted(here.value)} to {quoted(there[place].value)} and the clock stands still; "
                "write the time that the way costs")
            return
    confirmed = context.text("location_confirmed")
    names = place_names(state)
    allowed = [*names, *place_names(context.after), *part_names(state), *part_names(context.after)]
    if names and not any(_same_place(confirmed, name) for name in allowed):
        key = known_as(context.after, confirmed)
        within = mapping(context.after, "location_data", key).get("parent_id") in [
            known_as(context.after, given.value) for given in there.values()]
        yield _kind(key if not within else "")(
            "travel_time", "location_confirmed", f"{quoted(confirmed)} is not where the state has "
            f"the party, {quoted(names[0])}, and the clock stands still; write the time that the "
            "way costs, or the place as it is")


def _kind(known: str) -> type[Violation]:
    """What it is that another place is named: certain where the state knows it."""
    return Violation if known else Hint


def _is_elsewhere(context: Context, here: Given, there: Given) -> bool:
    """Whether a field that says where the party is says another place than before.

    The same place said more narrowly ("the toll house, by the window") is none.
    """
    if here.value == there.value:
        return False
    known = [known_as(context.after, given.value) for given in (here, there)]
    if all(known):
        return known[0] != known[1]
    if not here.free or {here.value.casefold(), there.value.casefold()} & _UNKNOWN:
        return False
    return not _same_place(here.value, there.value)


def _same_place(one: str, other: str) -> bool:
    """Whether two names may be of one place."""
    words, others = (
        [word for word in _WORD.findall(name.casefold()) if word not in _SMALL_WORDS]
        for name in (one, other)
    )
    if set(words) <= set(others) or set(words) >= set(others):
        return True
    return sorted("".join(words)) == sorted("".join(others))


TRAVEL_TIME: Final = Rule("travel_time", "travel by pace and distance", _travel_time)
