"""The SRD as documents: each of its records under the type of entity that a player knows it as.

One module for each family of records. A document has every field of its type that the record has
something for, flags and counts always, and beside them what a person wants to read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from ...srd import Srd
from ..document import Document
from ..types import EntityType
from . import classes, gear, magic_items, monsters, options, races, rules, spells

_FAMILIES: Final[dict[EntityType, Callable[[Srd], Iterable[Document]]]] = {
    EntityType.SPELLS: spells.spells,
    EntityType.MONSTERS: monsters.monsters,
    EntityType.WEAPONS: gear.weapons,
    EntityType.ARMOR: gear.armor,
    EntityType.EQUIPMENT: gear.equipment,
    EntityType.MAGIC_ITEMS: magic_items.magic_items,
    EntityType.CLASSES: classes.classes,
    EntityType.SUBCLASSES: classes.subclasses,
    EntityType.RACES: races.races,
    EntityType.FEATURES: classes.features,
    EntityType.TRAITS: races.traits,
    EntityType.CONDITIONS: rules.conditions,
    EntityType.RULES: rules.rules,
    EntityType.BACKGROUNDS: options.backgrounds,
    EntityType.FEATS: options.feats,
}


def srd_documents(srd: Srd) -> dict[EntityType, tuple[Document, ...]]:
    """The documents of every type, in the order of their names; JSON values, no nulls."""
    return {
        type_: tuple(sorted(
            of_family(srd), key=lambda one: (str(one["name"]).casefold(), str(one["slug"]))
        ))
        for type_, of_family in _FAMILIES.items()
    }
