"""The types of entities, and the fields of each that filters and cards know.

A type and a slug name an entity; the same slug may stand under two types. Field names are those
of the documents that searches give back; ``fields.toml`` has them.
"""

from __future__ import annotations

import tomllib
from enum import StrEnum
from importlib.resources import files
from typing import Final

from ..errors import EntityTypeError
from ..retrieval.filters import FieldKind, FilterField
from ..text.typos import near

ABILITIES: Final = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
SPEEDS: Final = ("walk", "fly", "swim", "burrow", "climb")
SENSES: Final = ("darkvision", "blindsight", "tremorsense", "truesight")
SIZES: Final = ("tiny", "small", "medium", "large", "huge", "gargantuan")
DAMAGE_TYPES: Final = (
    "acid", "bludgeoning", "cold", "fire", "force", "lightning", "necrotic", "piercing", "poison",
    "psychic", "radiant", "slashing", "thunder",
)
RARITIES: Final = ("common", "uncommon", "rare", "very rare", "legendary", "artifact")


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


def _field(name: str, kind: str, about: str = "", *also: str) -> FilterField:
    return FilterField(name, FieldKind[kind.upper()], about, also)


_COMMON: Final = (
    _field("slug", "text"), _field("name", "text"),
    _field("document", "text", "where it comes from, such as SRD 5.1", "documents", "source"),
)
_FIELDS: Final = {
    EntityType(type_): tuple(_field(name, *field) for name, field in fields.items())
    for type_, fields in tomllib.loads(
        files(__package__).joinpath("fields.toml").read_text("utf-8")
    ).items()
}


def fields_of(type_: EntityType) -> tuple[FilterField, ...]:
    """The fields of a type that filters may name."""
    return (*_COMMON, *_FIELDS[type_])
