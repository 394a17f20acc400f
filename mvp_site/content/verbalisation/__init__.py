"""A document's fields as prose: what an entity without a text of its own has to say.

The words are those that players use, general facts of the fields: what finesse is good for, that
a flying speed means that it flies. A card follows from the keys of the document alone, so that a
user's own entity has one as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ..document import Document
from ..reading import Reading
from ..types import EntityType
from ..wording import sentence
from . import characters, gear, monsters, spells

_SAID: Final[dict[EntityType, Callable[[Reading], Iterator[str]]]] = {
    EntityType.SPELLS: spells.spell,
    EntityType.MONSTERS: monsters.monster,
    EntityType.WEAPONS: gear.weapon,
    EntityType.ARMOR: gear.armor,
    EntityType.EQUIPMENT: gear.equipment,
    EntityType.MAGIC_ITEMS: gear.magic_item,
    EntityType.CLASSES: characters.class_,
    EntityType.SUBCLASSES: characters.subclass,
    EntityType.RACES: characters.race,
    EntityType.FEATURES: characters.feature,
    EntityType.TRAITS: characters.trait,
    EntityType.CONDITIONS: characters.condition,
    EntityType.RULES: characters.rule,
    EntityType.BACKGROUNDS: characters.background,
    EntityType.FEATS: characters.feat,
}


def card(type_: EntityType, document: Document) -> str:
    """The fields of a document in a few sentences, which begin with its name; never empty.

    Fields that are missing, or hold nothing of their kind, are passed over. Keys that the type
    does not know follow as "Key: value.", where the value is one text, number or flag.
    """
    of = Reading(document)
    noun, *more = _SAID[type_](of)
    opening = f"{of.text('name') or 'Unnamed'}: {noun}."
    return " ".join((opening, *(sentence(part) for part in (*more, *of.others()) if part)))
