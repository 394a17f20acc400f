"""Deep think: the clock moves one microsecond, nothing else changes, nothing is rolled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..clock import UNITS, Clock, is_next_microsecond, range_problems
from ..json_values import leaves, same
from ..state import DELETE
from ..types import Violation
from .context import Context, Rule, at, path
from .times import TIME_PATH, clock_after, shown

_CLOCK: Final = frozenset(("world_data", "world_time", unit) for unit in UNITS)
_SHOWN: Final = 10


def _deep_think(context: Context) -> Iterator[Violation]:
    if not context.facts.deep_think:
        return
    before, after = Clock.of(context.facts.state), clock_after(context)
    if range_problems(context.facts.state):
        before = None  # what follows hour 24 nobody can say
    if before is not None and after is not None and not is_next_microsecond(before, after):
        yield Violation("deep_think", path(*TIME_PATH), f"the clock goes from {shown(before)} to "
                        f"{shown(after)}; a deep think moves it by exactly one microsecond")
    changed = [place for place, value in leaves(context.updates)
               if place not in _CLOCK and _changes(context, place, value)]
    for place in changed[:_SHOWN]:
        yield Violation("deep_think", path("state_updates", *place), "is changed; a deep think "
                        "changes nothing but the clock")
    rolls = (context.answer or {}).get("dice_rolls")
    if isinstance(rolls, list) and rolls:
        yield Violation("deep_think", "dice_rolls", f"claims {len(rolls)} rolls; nobody rolls in a "
                        "deep think")


def _changes(context: Context, place: tuple[str, ...], value: object) -> bool:
    """Whether a written leaf differs from the state's, or is none of its leaves."""
    parent = at(context.facts.state, *place[:-1])
    if not isinstance(parent, Mapping) or place[-1] not in parent:
        return value != DELETE  # what is not there cannot be deleted: state_delete says so
    return not same(parent[place[-1]], value)


DEEP_THINK: Final = Rule(
    "deep_think", "Deep think: input that starts `think:`", _deep_think
)
