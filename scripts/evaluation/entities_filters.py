"""Filters read over the results themselves, apart from the code that is being measured.

What the search's own filters let through is held against this: a second, slower reading of what a
filter asks, over plain dicts, that shares no line with the first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

_BOUNDS: Final = ("min", "max")
_FRACTION: Final = re.compile(r"\d+(/[1-9]\d*)?")
_ALSO: Final[Mapping[str, tuple[str, ...]]] = {
    "cr": ("challenge_rating",), "ac": ("armor_class",), "hp": ("hit_points",),
    "class": ("class", "classes"), "class_": ("class", "classes"),
    "damage_type": ("damage_type", "damage_types"), "price": ("cost",),
    "documents": ("document",), "type": ("type", "item_type", "category"),
    "race": ("race", "races"), "property": ("properties",),
}
"""What callers call a field, and the fields that may hold it."""


def fulfils(entity: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether an entity's fields are all as ``filters`` ask; a field that it has not, is not."""
    return all(_field_is(entity, name, wanted) for name, wanted in filters.items())


def _field_is(entity: Mapping[str, Any], name: str, wanted: Any) -> bool:
    stem, _, bound = name.rpartition("_")
    if name not in entity and bound in _BOUNDS:
        name, wanted = stem, {bound: wanted}
    names = _ALSO.get(name, (name,))
    return any(_is(entity[one], wanted) for one in names if one in entity)


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_is(one, wanted) for one in value)
    if isinstance(wanted, Mapping):
        return _in(value, wanted)
    if isinstance(wanted, list | tuple | set | frozenset):
        return any(_is(value, one) for one in wanted)
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, str):
        return isinstance(wanted, str) and _plain(value) == _plain(wanted)
    return bool(value == _number(wanted))


def _in(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether a text contains a part, or a number lies between bounds."""
    if "contains" in wanted:
        return isinstance(value, str) and _plain(wanted["contains"]) in _plain(value)
    low, high = (_number(wanted.get(bound)) for bound in _BOUNDS)
    return isinstance(value, int | float) and (
        (low is None or value >= low) and (high is None or value <= high)
    )


def _number(wanted: Any) -> float | None:
    """A number, or a challenge rating as it is written, ``5`` or ``1/4``."""
    if isinstance(wanted, str):
        return float(Fraction(wanted)) if _FRACTION.fullmatch(wanted.strip()) else None
    return None if wanted is None else float(wanted)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.replace("-", " ").replace("_", " ").split())
