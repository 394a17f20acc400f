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
        return ", ".join(text for text in (shown(name, one) for one in value) if text)
    return str(value) if isinstance(value, str) else ""


def flat(name: str, value: Any) -> str:
    """A value of any depth in one line."""
    if isinstance(value, Mapping) and set(value) == {"name", "quantity"}:
        times = "" if value["quantity"] == 1 else f" × {value['quantity']}"
        return f"{value['name']}{times}"
    if isinstance(value, Mapping):
        pairs = ((str(key), flat(str(key), one)) for key, one in value.items())
        return ", ".join(
            f"{key}{':' * key.isdecimal()} {text}" for key, text in pairs if text
        )
    if isinstance(value, list | tuple):
        several = [text for one in value if (text := flat(name, one))]
        return ("; " if any(", " in text for text in several) else ", ").join(several)
    return shown(name, value)


def condition(field: FilterField | None, name: str, wanted: Any) -> str:
    """What a filter asks for, in words: "level 1 or 2", "challenge 5 to 6", "not ritual"."""
    said = label(name)
    said = said if said.isupper() else said[:1].lower() + said[1:]
    if isinstance(wanted, Mapping):
        if "contains" in wanted:
            return f"{said} has “{wanted['contains']}”"
        ends = {end: shown(name, wanted[end]) for end in ("min", "max") if end in wanted}
        if len(ends) == 2:
            return f"{said} {ends['min']} to {ends['max']}"
        return f"{said} {ends['min']} or more" if "min" in ends else f"{said} up to {ends['max']}"
    several = wanted if isinstance(wanted, list | tuple) else [wanted]
    if field is not None and field.kind is FieldKind.FLAG and len(several) == 1:
        return said if several[0] is True else f"not {said}"
    return f"{said} {' or '.join(shown(name, one) or str(one) for one in several)}"


def _quantity(name: str, value: float) -> str:
    if name == "cost":
        return coins(value)
    if name == "challenge_rating":
        return _FRACTIONS.get(value, number(value))
    unit = " lb" if name == "weight" else " ft" if name in _FEET else ""
    if name == "xp":
        return f"{value:,.0f}"
    return f"d{value:.0f}" if name == "hit_die" else number(value) + unit
