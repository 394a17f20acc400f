"""The SRD as documents: each of its records under the type of entity that a player knows it as.

A document has every field of its type that the record has something for, flags and counts always,
and beside them what a person wants to read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ...srd import Srd
from ..derived import with_derived
from ..document import Document, listing_key
from ..types import EntityType
from . import characters, gear, monsters, rules, spells
from .values import document

_RECORDS: Final[Mapping[EntityType, tuple[tuple[str, ...], Callable[[Any, Srd], Document]]]] = {
    EntityType.SPELLS: (("spells",), spells.spell_document),
    EntityType.MONSTERS: (("monsters",), monsters.monster_document),
    EntityType.WEAPONS: (("weapons",), gear.weapon),
    EntityType.ARMOR: (("armor",), gear.armor),
    EntityType.EQUIPMENT: (("equipment",), gear.equipment),
    EntityType.MAGIC_ITEMS: (("magic_items",), gear.magic_item),
    EntityType.CLASSES: (("classes",), characters.class_),
    EntityType.SUBCLASSES: (("subclasses",), characters.subclass),
    EntityType.RACES: (("races", "subraces"), characters.race),
    EntityType.FEATURES: (("features",), characters.feature),
    EntityType.TRAITS: (("traits",), characters.trait),
    EntityType.CONDITIONS: (("conditions",), lambda record, _srd: document(record)),
    EntityType.BACKGROUNDS: (("backgrounds",), characters.background),
    EntityType.FEATS: (("feats",), characters.feat),
}
"""The records of each type, and what makes a document of one."""


def srd_documents(srd: Srd) -> dict[EntityType, tuple[Document, ...]]:
    """The documents of every type, in the order of their names; JSON values, no nulls."""
    documents: dict[EntityType, Iterable[Document]] = {
        type_: [with_derived(type_, make(record, srd)) for name in names
                for record in getattr(srd, name)]
        for type_, (names, make) in _RECORDS.items()
    }
    documents[EntityType.RULES] = rules.rules(srd)
    return {type_: tuple(sorted(documents[type_], key=listing_key)) for type_ in EntityType}
