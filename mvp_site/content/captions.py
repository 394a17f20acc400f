"""Fields, their values and filters on them as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..retrieval.filters import FieldKind, FilterField
from ..text.names import singular
from .types import SENSES, SPEEDS, EntityType
from .wording import coins, number

_FRACTIONS: Final = {0.125: "1/8", 0.25: "1/4", 0.5: "1/2"}
_FEET: Final = frozenset({
    "range_feet", "area_size", "range_normal", "range_long", "speed", *SPEEDS, *SENSES,
})
_ACRONYMS: Final = {"xp": "XP", "challenge_rating": "Challenge", "hit_die": "Hit die"}

TITLES: Final[Mapping[EntityType, tuple[str, str]]] = {
    type_: (singular(several).capitalize(), several.capitalize())
    for type_ in EntityType if (several := type_.replace("-", " "))
}
"""What one and what several of a type are called."""


def label(name: str) -> str:
    """A field's name as people write it."""
    return _ACRONYMS.get(name) or name.replace("_", " ").capitalize()


def shown(name: str, value: Any) -> str:
    """A field's value as people write it, with its unit; '' for nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _quantity(name, float(value))
    if isinstance(value, list | tuple):
        return ", ".join(text for text in (shown(name, part) for part in value) if text)
    return str(value) if isinstance(value, str) else ""


def flat(name: str, value: Any) -> str:
    """A value of any depth in one line."""
    if isinstance(value, Mapping) and set(value) == {"name", "quantity"}:
        times = "" if value["quantity"] == 1 else f" × {value['quantity']}"
        return f"{value['name']}{times}"
    if isinstance(value, Mapping):
        pairs = ((str(key), flat(str(key), part)) for key, part in value.items())
        return ", ".join(
            f"{key}{':' * key.isdecimal()} {text}" for key, text in pairs if text
        )
    if isinstance(value, list | tuple):
        several = [text for part in value if (text := flat(name, part))]
        return ("; " if any(", " in text for text in several) else ", ").join(several)
    return shown(name, value)


def condition(field: FilterField | None, name: str, clause: Any) -> str:
    """What a filter asks for, in words: "level 1 or 2", "challenge 5 to 6", "not ritual"."""
    text = label(name)
    text = text if text.isupper() else text[:1].lower() + text[1:]
    if isinstance(clause, Mapping):
        if "contains" in clause:
            return f"{text} has “{clause['contains']}”"
        ends = {end: shown(name, clause[end]) for end in ("min", "max") if end in clause}
        if len(ends) == 2:
            return f"{text} {ends['min']} to {ends['max']}"
        return f"{text} {ends['min']} or more" if "min" in ends else f"{text} up to {ends['max']}"
    several = clause if isinstance(clause, list | tuple) else [clause]
    if field is not None and field.kind is FieldKind.FLAG and len(several) == 1:
        return text if several[0] is True else f"not {text}"
    return f"{text} {' or '.join(shown(name, choice) or str(choice) for choice in several)}"


def _quantity(name: str, value: float) -> str:
    if name == "cost":
        return coins(value)
    if name == "challenge_rating":
        return _FRACTIONS.get(value, number(value))
    unit = " lb" if name == "weight" else " ft" if name in _FEET else ""
    if name == "xp":
        return f"{value:,.0f}"
    return f"d{value:.0f}" if name == "hit_die" else number(value) + unit
