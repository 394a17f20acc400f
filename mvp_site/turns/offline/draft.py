"""A draft: the state as the narrator sees it, and the narrow updates that it makes.

A write is taken only where the contract lets it stand: on a leaf that is new, null or of the same
type, below objects alone. Reading sees what was written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

ID: Final = re.compile(r"(?:pc|npc|loc|item|faction|quest)_[a-z0-9_]+_[0-9]{3}")
MOST: Final = 10**9
_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Draft:
    """A state, which is never altered, and the updates that were taken."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._state = state
        self.updates: dict[str, Any] = {}

    def get(self, *path: str) -> object:
        """The value at ``path`` after the updates; None where there is none."""
        written = _walk(self.updates, path)
        if written is not None and not isinstance(written, Mapping):
            return written
        found = _walk(self._state, path)
        return written if found is None else found

    def integer(self, *path: str) -> int | None:
        """The whole number at ``path``, where it has one that a table would use."""
        value = self.get(*path)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST:
            return None
        return value

    def text(self, *path: str) -> str | None:
        """The string at ``path``."""
        value = self.get(*path)
        return value if isinstance(value, str) else None

    def keys(self, *path: str) -> list[str]:
        """The keys of the object at ``path`` that the contract lets anybody write, sorted."""
        value = _walk(self._state, path)
        if not isinstance(value, Mapping):
            return []
        return sorted(key for key in value if _KEY.fullmatch(key))

    def entities(self, branch: str, kind: str) -> list[str]:
        """The ids of ``branch`` that have the documented form of ``kind``, sorted."""
        found = _walk(self._state, (branch,))
        if not isinstance(found, Mapping):
            return []
        return sorted(
            key for key, record in found.items()
            if key.startswith(f"{kind}_") and ID.fullmatch(key) and isinstance(record, Mapping)
        )

    def write(self, value: int | str | list[Any], *path: str) -> bool:
        """Whether ``value`` now stands at ``path``; nothing is written where it may not."""
        if not self.takes(value, *path):
            return False
        had = self.get(*path)
        if had != value or type(had) is not type(value):
            place = self.updates
            for key in path[:-1]:
                place = place.setdefault(key, {})
            place[path[-1]] = value
        return True

    def enters(self, branch: str) -> bool:
        """Whether an object may stand at ``branch``."""
        found = self._state.get(branch)
        return found is None or isinstance(found, Mapping)

    def takes(self, value: int | str | list[Any], *path: str) -> bool:
        """Whether the contract lets ``value`` be written at ``path``."""
        place: object = self._state
        for key in path[:-1]:
            if not isinstance(place, Mapping):
                return False
            place = place.get(key)
            if place is None:
                return True
        if not isinstance(place, Mapping):
            return False
        had = place.get(path[-1])
        return had is None or _kind(had) == _kind(value)


def _walk(place: object, path: tuple[str, ...]) -> object:
    for key in path:
        if not isinstance(place, Mapping) or key not in place:
            return None
        place = place[key]
    return place


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return type(value).__name__
