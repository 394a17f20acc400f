"""The types of entities, and what each is: its fields, and how an entity of it is worded.

A type and a slug name an entity; the same slug may stand under two types. Field names are those
of the documents that searches give back; ``entity_types.toml`` describes each type once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import msgspec

from ..errors import EntityTypeError
from ..retrieval.filters import FieldKind, FilterField
from ..text.shipped_tables import shipped_tables
from ..text.typos import near


class EntityType(StrEnum):
    """What an entity is, as it stands in calls, folders and keys."""

    SPELLS = "spells"
    MONSTERS = "monsters"
    WEAPONS = "weapons"
    ARMOR = "armor"
    EQUIPMENT = "equipment"
    MAGIC_ITEMS = "magic-items"
    CLASSES = "classes"
    SUBCLASSES = "subclasses"
    RACES = "races"
    FEATURES = "features"
    TRAITS = "traits"
    CONDITIONS = "conditions"
    RULES = "rules"
    BACKGROUNDS = "backgrounds"
    FEATS = "feats"


def entity_type(name: str) -> EntityType:
    """The type of that name; ``magic_items`` and ``Magic Items`` name one too.

    Raises:
        EntityTypeError: there is none; the message lists the types.
    """
    folded = str(name).strip().casefold().replace("_", "-").replace(" ", "-")
    try:
        return EntityType(folded)
    except ValueError:
        hint = next((f" (did you mean {name}?)" for name in near(folded, EntityType, 1)), "")
        raise EntityTypeError(
            f"Invalid entity type {str(name)[:60]!r}{hint}: there are " + ", ".join(EntityType)
        ) from None


@dataclass(frozen=True, slots=True)
class EntityDescription:
    """What ``entity_types.toml`` says of a type; its templates are those of :mod:`.templates`.

    A line of ``head`` or ``behind`` is a label, a template, and where there are such the field
    whose values it links and the key of a text that is shown instead where it says more.
    """

    card: tuple[str, ...]
    caption: tuple[str, ...] = ()
    kind: str = ""
    head: tuple[tuple[str, ...], ...] = ()
    behind: tuple[tuple[str, ...], ...] = ()
    needs: tuple[str, ...] = ()
    expected: Mapping[str, float] = field(default_factory=lambda: {"desc": 1.0})
    alike: Mapping[str, float] = field(default_factory=dict)
    columns: str = ""
    facets: str = ""
    unsaid: str = ""
    unshown: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_FILE: Final = shipped_tables(__package__, "entity_types.toml")
DESCRIPTIONS: Final = msgspec.convert(_FILE["types"], dict[EntityType, EntityDescription])
NAMES: Final[Mapping[str, str]] = _FILE["names"]
"""Names that other data sets have for fields of every type."""
LABELS: Final[Mapping[str, str]] = _FILE["labels"]
SHORT: Final[Mapping[str, str]] = _FILE["short"]
"""What stands above a column whose label is too long."""
SORTED_BY: Final[Mapping[str, str]] = _FILE["sorted"]
"""Fields whose texts say a number, each with the number's field."""
IMPLIED: Final = {key: others.split() for key, others in _FILE["implied"].items()}
"""Keys that go without saying where one of the others is there."""
WORDS: Final[Mapping[str, Mapping[str, str]]] = _FILE["words"]
UNITS: Final = {name: unit for unit, names in _FILE["units"].items() for name in names.split()}


def _field(name: str, kind: str, about: str = "", *also: str) -> FilterField:
    return FilterField(name, FieldKind[kind.upper()], about, also)


_COMMON: Final = (
    _field("slug", "text"), _field("name", "text"),
    _field("document", "text", "where it comes from, such as SRD 5.1", "documents", "source"),
)
_FIELDS: Final = {
    type_: (*_COMMON, *(_field(name, *field) for name, field in described.fields.items()))
    for type_, described in DESCRIPTIONS.items()
}


def fields_of(type_: EntityType) -> tuple[FilterField, ...]:
    """The fields of a type that filters may name."""
    return _FIELDS[type_]


def field_names(type_: EntityType) -> dict[str, str]:
    """The fields of a type by all their names."""
    return {name: field.name for field in _FIELDS[type_] for name in (field.name, *field.also)}
