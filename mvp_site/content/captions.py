"""Fields, their values and filters on them as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..retrieval.filters import FieldKind, FilterField
from ..text.names import singular
from .types import LABELS, UNITS, EntityType
from .wording import coins, number

_FRACTIONS: Final = {0.125: "1/8", 0.25: "1/4", 0.5: "1/2"}
TITLES: Final[Mapping[EntityType, tuple[str, str]]] = {
    type_: (singular(several).capitalize(), several.capitalize())
    for type_ in EntityType if (several := type_.replace("-", " "))
}
"""What one and what several of a type are called."""


def label(name: str) -> str:
    """A field's name as people write it."""
    return LABELS.get(name) or name.replace("_", " ").capitalize()


def shown(name: str, value: Any) -> str:
    """A field's value as people write it, with its unit; '' for nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _quantity(name, float(value))
    if isinstance(value, list | tuple):
        return ", ".join(text for text in (shown(name, part) for part in value) if text)
    return value if isinstance(value, str) else ""


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
    match UNITS.get(name):
        case "gp":
            return coins(value)
        case "rating":
            return _FRACTIONS.get(value, number(value))
        case "xp":
            return f"{value:,.0f}"
        case "die":
            return f"d{value:.0f}"
        case "ft" | "lb" as unit:
            return f"{number(value)} {unit}"
    return number(value)
