"""The facets of a browse page: each field's values with counts, as boxes, ends, or a part. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..content.captions import label, shown
from ..content.types import EntityType, fields_of
from ..entities.facets import CLOSED
from ..retrieval.filters import AnyOf, Clause, Condition, Contains, Field, FieldKind, Range, fold
from .entities_forms import BrowseForm, text_of

Count = Callable[[Mapping[str, Any]], Mapping[str, Mapping[Any, int]]]
"""How often each value of each field is there under some filters, but for those on the field."""

NUMBERS: Final = 12
"""Up to so many values of a number are boxes; more are a range."""
FIRST: Final = 8
"""How many boxes stand open."""

_UNSHOWN: Final = frozenset({"slug", "name"})
_FIRST_FIELDS: Final[Mapping[EntityType, tuple[str, ...]]] = {
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
    """A field to filter by: ``choices``, or a range from ``low`` to ``high``, or a part of a text.

    ``given`` are its texts in the address, by key: ``level_min``, ``duration_contains``.
    """

    name: str
    title: str
    about: str
    kind: str
    choices: tuple[Choice, ...] = ()
    low: str = ""
    high: str = ""
    given: Mapping[str, str] | None = None
    active: bool = False

    @property
    def first(self) -> tuple[Choice, ...]:
        """The boxes that stand open."""
        return self.choices if len(self.choices) <= FIRST + 2 else self.choices[:FIRST]

    @property
    def rest(self) -> tuple[Choice, ...]:
        """The boxes that are folded away."""
        return self.choices[len(self.first):]

    @property
    def opened(self) -> bool:
        """Whether one of the folded boxes is chosen."""
        return any(choice.chosen for choice in self.rest)


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets that stand open, and the others."""

    first: tuple[Facet, ...]
    more: tuple[Facet, ...]

    @property
    def opened(self) -> bool:
        """Whether one of the others is in use."""
        return any(facet.active for facet in self.more)


def facets_of(type_: EntityType, form: BrowseForm, count: Count) -> Facets:
    """The facets of a type under the filters of ``form``."""
    fields = [field for field in fields_of(type_) if field.name not in _UNSHOWN]
    every, now = count({}), count(form.filters)
    found: dict[str, Facet] = {}
    for field in fields:
        facet = _facet(
            field, every.get(field.name, {}), now.get(field.name, {}), form.condition
        )
        if facet is not None:
            found[field.name] = facet
    first = _FIRST_FIELDS.get(type_, tuple(found))
    return Facets(
        tuple(found[name] for name in first if name in found),
        tuple(facet for name, facet in found.items() if name not in first),
    )


def _facet(field: Field, every: Mapping[Any, int], counts: Mapping[Any, int],
           condition: Condition) -> Facet | None:
    """The facet of a field; None where it tells nothing apart."""
    clauses = [clause for clause in condition if clause.field == field.name]
    if len(every) < 2 and not clauses:
        return None
    title = label(field.name)
    active = bool(clauses)
    kind = _kind(field, every)
    if kind == "choices" and all(isinstance(clause, AnyOf) for clause in clauses):
        wanted = {value for clause in clauses if isinstance(clause, AnyOf)
                  for value in clause.values}
        choices = _choices(field, every, counts, wanted)
        return Facet(field.name, title, field.about, "choices", choices, active=active)
    given = _given(field, clauses)
    if field.kind is FieldKind.NUMBER:
        numbers = sorted(float(value) for value in every)
        low, high = (shown(field.name, numbers[end]) if numbers else "" for end in (0, -1))
        return Facet(field.name, title, field.about, "range", (), low, high, given, active)
    return Facet(field.name, title, field.about, "contains", (), given=given, active=active)


def _given(field: Field, clauses: Sequence[Clause]) -> dict[str, str]:
    """What a range or a part of a text was asked for with, by key of the address.

    A range has no boxes: values become the range from the least to the greatest of them.
    """
    given: dict[str, str] = {}
    for clause in clauses:
        match clause:
            case Range(_, low, high):
                ends = ((f"{field.name}_min", low), (f"{field.name}_max", high))
                given.update({key: text_of(end) for key, end in ends if end is not None})
            case Contains(_, part):
                given[f"{field.name}_contains"] = part
            case AnyOf(_, values) if field.kind is FieldKind.NUMBER:
                numbers = sorted(float(value) for value in values)
                given.setdefault(f"{field.name}_min", text_of(numbers[0]))
                given.setdefault(f"{field.name}_max", text_of(numbers[-1]))
            case AnyOf(_, values):
                given.setdefault(f"{field.name}_contains", str(values[0]))
    return given


def _kind(field: Field, every: Mapping[Any, int]) -> str:
    match field.kind:
        case FieldKind.FLAG:
            return "choices"
        case FieldKind.NUMBER:
            return "choices" if len(every) <= NUMBERS else "range"
    return "choices" if len(every) <= CLOSED else "contains"


def _choices(field: Field, every: Mapping[Any, int], counts: Mapping[Any, int],
             wanted: set[str | float | bool]) -> tuple[Choice, ...]:
    found = []
    for value in _ordered(field, every):
        chosen = (fold(value) if isinstance(value, str) else value) in wanted
        count = counts.get(value, 0)
        if count or chosen:
            found.append(Choice(text_of(value), _said(field, value), count, chosen))
    return tuple(found)


def _ordered(field: Field, every: Mapping[Any, int]) -> Sequence[Any]:
    if field.kind is FieldKind.FLAG:
        return sorted(every, reverse=True)
    if field.kind is FieldKind.NUMBER:
        return sorted(every)
    return sorted(every, key=lambda value: (-every[value], str(value)))


def _said(field: Field, value: Any) -> str:
    if field.name == "level" and value == 0:
        return "Cantrip"
    text = shown(field.name, value)
    return text[:1].upper() + text[1:]
