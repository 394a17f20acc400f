"""What of a state has changed since an earlier turn, nested like the state. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .state import DELETE, merged
from .values import same


def changes(base: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any] | None:
    """The update that makes ``state`` of ``base``, with nothing but what differs.

    None where no update can say it, as of an object in place of a number.
    """
    update = _changes(base, state)
    return update if same(merged(base, update), state) else None


def _changes(base: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    update: dict[str, Any] = {key: DELETE for key in base if key not in state}
    for key, value in state.items():
        old = base.get(key)
        if key not in base:
            update[key] = value
        elif isinstance(value, Mapping) and isinstance(old, Mapping):
            if inner := _changes(old, value):
                update[key] = inner
        elif not same(old, value):
            update[key] = value
    return update
