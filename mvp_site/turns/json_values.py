"""Values of JSON as a state holds them: kinds, equality, leaves, and how a message shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

Kind = Literal["number", "string", "bool", "null", "list", "object", "other"]
_NAMES: dict[Kind, str] = {
    "number": "a number", "string": "a string", "bool": "true or false", "null": "null",
    "list": "a list", "object": "an object", "other": "no JSON value",
}


def kind_of(value: object) -> Kind:
    """The kind of ``value``: integers and floats are both numbers, what JSON lacks is ``other``."""
    kind: Kind = "other"
    if value is None:
        kind = "null"
    elif isinstance(value, bool):
        kind = "bool"
    elif isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        kind = "number"
    elif isinstance(value, str):
        kind = "string"
    elif isinstance(value, list):
        kind = "list"
    elif isinstance(value, Mapping):
        kind = "object"
    return kind


def named(kind: Kind) -> str:
    """``kind`` with its article, for a message."""
    return _NAMES[kind]


def shown(value: object) -> str:
    """``value`` as a message shows it: a short string, number or boolean, else its kind."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}…")
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**20):
        return repr(value)
    return named(kind_of(value))


def leaves(value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each leaf of an object with the keys that lead to it, in order.

    Leaves are the values that are no objects: a list is one leaf. An empty object has none.
    """
    pending: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while pending:
        path, found = pending.pop()
        if isinstance(found, Mapping):
            pending.extend(((*path, key), found[key]) for key in reversed(list(found)))
        else:
            yield path, found


def leaf_values(value: object) -> Iterator[Any]:
    """Each leaf of an object without its path, in no order; a value that is a leaf gives itself."""
    pending = [value]
    while pending:
        found = pending.pop()
        if isinstance(found, Mapping):
            pending.extend(found.values())
        else:
            yield found


def has_leaf(value: object) -> bool:
    """Whether ``value`` is a leaf or has one somewhere below it."""
    return any(True for _ in leaf_values(value))


def same(one: object, other: object) -> bool:
    """Whether two values are the same JSON: 1 equals 1.0, but neither equals ``true``."""
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        if kind_of(left) != kind_of(right):
            return False
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            if left.keys() != right.keys():
                return False
            pending.extend((left[key], right[key]) for key in left)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pending.extend(zip(left, right, strict=True))
        elif left != right:
            return False
    return True
