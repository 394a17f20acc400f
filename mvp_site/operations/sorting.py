"""Entities in the order of one of their fields. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..content.types import RARITIES, SIZES, EntityType, fields_of
from ..entities.results import Results
from ..errors import FilterError
from ..text.typos import near

_ORDERS: Final[Mapping[str, tuple[str, ...]]] = {"size": SIZES, "rarity": RARITIES}
"""Words that have an order of their own."""
_UNSAID: Final[tuple[Any, ...]] = (None, "", [])


def sort_by(results: Results, type_: EntityType, order: str) -> None:
    """Sort results by the field ``order``; with - before it from the greatest, or from Z.

    Equals stay in their order; what lacks the field comes last.

    Raises:
        FilterError: the type has no such field; the message names near ones, or all.
    """
    known = {name: field.name for field in fields_of(type_) for name in (field.name, *field.also)}
    asked = order.removeprefix("-")
    if asked not in known:
        names = near(asked, known) or dict.fromkeys(known.values())
        raise FilterError(f"{type_} cannot be sorted by {asked[:80]!r}: sort by {', '.join(names)}")
    by = known[asked]
    stated = [result for result in results if result.get(by) not in _UNSAID]
    rest = [result for result in results if result.get(by) in _UNSAID]
    stated.sort(key=lambda result: _key(by, result[by]), reverse=order.startswith("-"))
    results[:] = [*stated, *rest]


def _key(name: str, value: Any) -> tuple[float, str]:
    first = value[0] if isinstance(value, list) else value
    if isinstance(first, int | float):
        return float(first), ""
    text, order = str(first).casefold(), _ORDERS.get(name, ())
    return float(order.index(text) if text in order else len(order)), text
