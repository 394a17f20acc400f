"""Values of JSON: what stands where in one, and which of them are the same. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .strict_json import named

MOST: Final = 10**15
"""The greatest number that is read of a state."""


def at(value: Any, *place: str | int) -> Any:
    """What stands at a path below ``value``; None where the path ends before."""
    for key in place:
        if isinstance(value, Mapping):
            value = value.get(key)
        else:
            inside = isinstance(value, list) and type(key) is int and -1 < key < len(value)
            value = value[key] if inside else None
    return value


def mapping(value: object, *place: str) -> Mapping[str, Any]:
    """The object at a path below ``value``; an empty one where there is none."""
    branch = at(value, *place)
    return branch if isinstance(branch, Mapping) else {}


def number(value: object) -> int | float | None:
    """``value`` where it is a number, cut at ``MOST``: sums stay finite. ``true`` is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return max(-MOST, min(MOST, value))


def leaves(value: object) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each leaf of an object with the keys that lead to it, in order.

    Leaves are the values that are no objects: a list is one leaf. An empty object has none.
    """
    pending: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while pending:
        path, node = pending.pop()
        if isinstance(node, Mapping):
            pending.extend(((*path, key), node[key]) for key in reversed(list(node)))
        else:
            yield path, node


def same(first: object, other: object) -> bool:
    """Whether two values are the same JSON: 1 equals 1.0, but neither equals ``true``."""
    if named(first) != named(other):
        return False
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        return first.keys() == other.keys() and all(same(first[key], other[key]) for key in first)
    if isinstance(first, list) and isinstance(other, list):
        return len(first) == len(other) and all(map(same, first, other))
    return first == other


def parts(value: object) -> Iterator[Any]:
    """``value`` and everything in its objects and lists, in no order."""
    pending = [value]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, Mapping):
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
