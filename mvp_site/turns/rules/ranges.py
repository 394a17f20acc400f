"""Ranges: the numbers of a sheet stay what a sheet can hold.

Only what the turn writes is judged, and only where it makes or worsens the fault: a campaign that
was odd before goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...archive.state_leaves import StateLeaf
from ...text.json_values import MOST, at, leaves, mapping, number, parts
from ...text.strict_json import short
from ..state import DELETE, PC
from ..types import Violation
from .context import Context, path


def state_range(context: Context) -> Iterator[Violation]:
    """The numbers that a turn writes are those that a sheet can hold."""
    state = context.facts.state
    for place, value in leaves(context.updates):
        if _huge(value) and not _huge(at(state, *place)):
            yield Violation("state_range", path("state_updates", *place), "is a number beyond "
                            f"{MOST:,}; write one that the game can have")
        match = context.leaves.match(place)
        if match is None or len(match.written) < len(place):
            continue
        has = at(context.after, *match.own) if value == DELETE else value
        if wrong := _wrong(match.leaf, at(state, *place), has):
            yield Violation("state_range", path("state_updates", *place), wrong)
    others = ((*branch, key) for branch in (("npc_data",), ("combat_state", "combatants"))
              for key in mapping(context.updates, *branch))
    for place in ((PC,), *others):
        before, after = mapping(state, *place), mapping(context.after, *place)
        over = _excess(after)
        if over > max(0, _excess(before)) and "count" not in after:  # a group's are many
            yield Violation("state_range", path("state_updates", *place, "hp_current"),
                            f"is {over:g} above the most hit points; raise the maximum, or write "
                            "no more than it")


def _wrong(leaf: StateLeaf, had: Any, has: Any) -> str:
    """What is wrong with a leaf's new value beside the old one; '' where nothing is."""
    before, after = number(had), number(has)
    if after is None:
        removed = has is None and before is not None and leaf.kept and leaf.path[0] == PC
        return f"is {short(had)} and goes; the player's character always has it" if removed else ""
    low, high = leaf.least, leaf.most
    if low is None and high is None:
        return ""
    if leaf.type == "integer" and after % 1 and not (before or 0) % 1:
        return f"is {short(has)}, and must be a whole number"
    if low is not None and after < low and (before is None or after < before):
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
