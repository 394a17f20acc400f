"""Ranges: the numbers of a sheet stay what a sheet can hold.

Only what the turn writes is judged, and only where it makes or worsens the fault: a campaign that
was odd before goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ...text.strict_json import short
from ..state import DELETE
from ..types import Violation
from ..values import MOST, at, leaves, mapping, number, parts
from .context import PC, Context, path


class SheetNumber(NamedTuple):
    """A number of a sheet: the names on its path, its range, and whether it is whole.

    ``kept``: the player's character always has it. ``everybody``: others have it too.
    """

    names: str
    low: int
    high: int | None = None
    whole: bool = True
    kept: bool = True
    everybody: bool = False


FIELDS: Final = (
    SheetNumber(r"hp_current|hp_max", 0, everybody=True),
    SheetNumber(r"hp_temp", 0, kept=False, everybody=True),
    SheetNumber(r"level", 1, 20),
    SheetNumber(r"xp", 0),
    SheetNumber(r"gold|currency\.gp", 0, whole=False),
    SheetNumber(r"currency\.(?:cp|sp|ep|pp)", 0, whole=False, kept=False),
    SheetNumber(r"abilities\.\w+", 0, 30),
    SheetNumber(r"exhaustion", 0, 6, kept=False),
    SheetNumber(r"death_saves\.(?:successes|failures)", 0, 3, kept=False),
    SheetNumber(r"(?:hit_dice|spell_slots\.\w+)\.(?:current|max)", 0, kept=False),
)


def state_range(context: Context) -> Iterator[Violation]:
    """The numbers that a turn writes are those that a sheet can hold."""
    state = context.facts.state
    for place, value in leaves(context.updates):
        if _huge(value) and not _huge(at(state, *place)):
            yield Violation("state_range", path("state_updates", *place), "is a number beyond "
                            f"{MOST:,}; write one that the game can have")
    others = ((*branch, key) for branch in (("npc_data",), ("combat_state", "combatants"))
              for key in mapping(context.updates, *branch))
    for place in ((PC,), *others):
        before, after = mapping(state, *place), mapping(context.after, *place)
        for below, value in leaves(mapping(context.updates, *place)):
            had, has = at(before, *below), None if value == DELETE else value
            field = next((field for field in FIELDS if (place[0] == PC or field.everybody)
                          and re.fullmatch(field.names, ".".join(below))), None)
            if field and (wrong := _wrong(field, had, has, place)):
                yield Violation("state_range", path("state_updates", *place, *below), wrong)
        over = _excess(after)
        if over > max(0, _excess(before)) and "count" not in after:  # a group's are many
            yield Violation("state_range", path("state_updates", *place, "hp_current"),
                            f"is {over:g} above the most hit points; raise the maximum, or write "
                            "no more than it")


def _wrong(field: SheetNumber, had: Any, has: Any, place: tuple[str, ...]) -> str:
    """What is wrong with a field's new value beside the old one; '' where nothing is."""
    before, after = number(had), number(has)
    if after is None:
        removed = has is None and before is not None and field.kept and place[0] == PC
        return f"is {short(had)} and goes; the player's character always has it" if removed else ""
    if field.whole and after % 1 and not (before or 0) % 1:
        return f"is {short(has)}, and must be a whole number"
    low, high = field.low, field.high
    if after < low and (before is None or after < before):
        return f"is {short(has)}; the least it can be is {low}"
    # What is or begins beyond it is another game's
    if high is not None and before is not None and after > high >= before:
        return f"is {short(has)}; the most it can be is {high}"
    return ""


def _excess(record: Mapping[str, Any]) -> float:
    """By how much hit points are above their maximum and the temporary ones; below 0 if not."""
    current, most, more = (number(record.get(name)) for name in ("hp_current", "hp_max", "hp_temp"))
    return current - most - max(0, more or 0) if current is not None and most is not None else 0


def _huge(value: object) -> bool:
    """Whether a leaf is or holds a number that no game counts to."""
    return any(isinstance(part, int | float) and abs(part) > MOST for part in parts(value))
