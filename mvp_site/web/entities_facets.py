"""The facets of a browse page: each field's values with counts, as boxes, ends, or a part. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..content.captions import label, shown
from ..content.types import EntityType, fields_of
from ..entities.facets import CLOSED
from ..retrieval.filters import AnyOf, Clause, Contains, Field, FieldKind, Range, fold
from .entities_forms import BrowseForm, text_of

Count = Callable[[Mapping[str, Any]], Mapping[str, Mapping[Any, int]]]
"""How often each value of each field is there under some filters, but for those on the field."""

NUMBERS: Final = 12
"""Up to so many values of a number are boxes; more are a range."""

_UNSHOWN: Final = frozenset({"slug", "name"})
_FIRST: Final[Mapping[EntityType, tuple[str, ...]]] = {
    EntityType.SPELLS: (
        "level", "school", "classes", "concentration", "ritual", "damage_type",
    ),
    EntityType.MONSTERS: ("challenge_rating", "type", "size", "flying", "legendary"),
    EntityType.WEAPONS: ("category", "style", "damage_type", "properties", "cost"),
    EntityType.ARMOR: ("category", "armor_class", "cost", "stealth_disadvantage"),
    EntityType.EQUIPMENT: ("category", "group", "cost"),
    EntityType.MAGIC_ITEMS: ("item_type", "rarity", "attunement"),
    EntityType.FEATURES: ("class", "level", "subclass"),
    EntityType.RULES: ("category", "chapter"),
    EntityType.TRAITS: ("races", "damage_type"),
}
"""What stands open, in this order; the other types open all that they have."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A box: the value as the address has it, as people read it, and how many have it."""

    value: str
    text: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A field to filter by: ``choices``, or a range between ``ends``, or a part of a text.

    ``given`` are its texts in the address, by key: ``level_min``, ``duration_contains``.
    """

    name: str
    title: str
    about: str
    active: bool
    given: Mapping[str, str]
    choices: tuple[Choice, ...] | None = None
    ends: tuple[str, ...] = ()


def facets_of(type_: EntityType, form: BrowseForm, count: Count,
              ) -> tuple[tuple[Facet, ...], tuple[Facet, ...]]:
    """The facets of a type under the filters of ``form``: those that stand open, and the others."""
    every, now = count({}), count(form.filters)
    found: dict[str, Facet] = {}
    for one in fields_of(type_):
        name = one.name
        clauses = [clause for clause in form.condition if clause.field == name]
        if name not in _UNSHOWN and (clauses or len(every.get(name, ())) > 1):
            found[name] = _facet(one, every.get(name, {}), now.get(name, {}), clauses)
    first = _FIRST.get(type_, tuple(found))
    return (
        tuple(found[name] for name in first if name in found),
        tuple(facet for name, facet in found.items() if name not in first),
    )


def _facet(one: Field, every: Mapping[Any, int], counts: Mapping[Any, int],
           clauses: Sequence[Clause]) -> Facet:
    number = one.kind is FieldKind.NUMBER
    head = one.name, label(one.name), one.about, bool(clauses), _given(one, clauses)
    few = one.kind is FieldKind.FLAG or len(every) <= (NUMBERS if number else CLOSED)
    wanted = {value for clause in clauses if isinstance(clause, AnyOf) for value in clause.values}
    if few and all(isinstance(clause, AnyOf) for clause in clauses):
        return Facet(*head, choices=tuple(
            Choice(text_of(value), _said(one, value), counts.get(value, 0), chosen)
            for value in _ordered(one, every)
            if (chosen := (fold(value) if isinstance(value, str) else value) in wanted)
            or counts.get(value)
        ))
    numbers = sorted(float(value) for value in every) if number else []
    ends = tuple(shown(one.name, end) for end in numbers[:1] + numbers[-1:]) or ("", "")
    return Facet(*head, ends=ends if number else ())


def _given(one: Field, clauses: Sequence[Clause]) -> dict[str, str]:
    """What a range or a part of a text was asked for with, by key of the address.

    A range has no boxes: values become the range from the least to the greatest of them.
    """
    given: dict[str, str] = {}
    for clause in clauses:
        match clause:
            case Range(_, low, high):
                ends = ((f"{one.name}_min", low), (f"{one.name}_max", high))
                given.update({key: text_of(end) for key, end in ends if end is not None})
            case Contains(_, part):
                given[f"{one.name}_contains"] = part
            case AnyOf(_, values) if one.kind is FieldKind.NUMBER:
                numbers = sorted(float(value) for value in values)
                given.setdefault(f"{one.name}_min", text_of(numbers[0]))
                given.setdefault(f"{one.name}_max", text_of(numbers[-1]))
            case AnyOf(_, values):
                given.setdefault(f"{one.name}_contains", str(values[0]))
    return given


def _ordered(one: Field, every: Mapping[Any, int]) -> Sequence[Any]:
    if one.kind in {FieldKind.FLAG, FieldKind.NUMBER}:
        return sorted(every, reverse=one.kind is FieldKind.FLAG)
    return sorted(every, key=lambda value: (-every[value], str(value)))


def _said(one: Field, value: Any) -> str:
    if one.name == "level" and value == 0:
        return "Cantrip"
    text = shown(one.name, value)
    return text[:1].upper() + text[1:]
