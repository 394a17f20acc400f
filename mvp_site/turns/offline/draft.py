"""A draft of a turn: the state, and the narrow updates that the stand-in makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..clock import Clock, later, range_problems
from ..state import BRANCHES, apply_state_updates, update_problems

Json = Mapping[str, Any]


class Draft:
    """A state, which is never altered, and the updates to it that the contract takes."""

    def __init__(self, state: Json) -> None:
        self.before = state
        self.updates: dict[str, Any] = {}

    @property
    def after(self) -> dict[str, Any]:
        """The state with the updates."""
        return apply_state_updates(self.before, self.updates)

    def add(self, update: Json) -> bool:
        """Whether ``update`` was taken; nothing of it is where the state has no room for a part."""
        joined = _joined(self.updates, update)
        if update_problems(self.before, joined):
            return False
        self.updates = joined
        return True

    def write(self, value: object, *path: str) -> bool:
        """Whether ``value`` now stands at ``path``."""
        update: Any = value
        for key in reversed(path):
            update = {key: update}
        return self.add(update)

    def pass_time(self, microseconds: int) -> bool:
        """Whether the clock was moved on; one that is missing or cannot be read is left alone."""
        before = Clock.of(self.before)
        if before is None or range_problems(self.before):
            return False
        after = later(before, microseconds, self.before)
        units = {unit: value for unit, value in asdict(after).items()
                 if value != getattr(before, unit)}
        update = {"world_data": {"world_time": units}}
        return not range_problems(update) and self.add(update)

    def touch(self) -> None:
        """Leave a trace that changes nothing, where an update may not be empty."""
        if not self.updates:
            any(self.add({branch: {}}) for branch in reversed(BRANCHES))


def _joined(one: Json, other: Json) -> dict[str, Any]:
    joined = dict(one)
    for key, value in other.items():
        below = joined.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        joined[key] = _joined(below, value) if both else value  # type: ignore[arg-type]
    return joined
