"""The types of entities, and the fields of each that filters and cards know.

A type and a slug name an entity; the same slug may stand under two types. Field names are those
of the documents that searches give back.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Final

from ..errors import EntityTypeError
from ..retrieval.filters import Field, FieldKind
from ..typos import near

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


def _field(kind: FieldKind, name: str, about: str = "", *also: str) -> Field:
    return Field(name, kind, about, also)


_number, _flag = partial(_field, FieldKind.NUMBER), partial(_field, FieldKind.FLAG)
_text, _texts = partial(_field, FieldKind.TEXT), partial(_field, FieldKind.TEXTS)
_COMMON: Final = (
    _text("slug"), _text("name"),
    _text("document", "where it comes from, such as SRD 5.1", "documents", "source"),
)
_COST: Final = _number("cost", "in gp", "price")
_WEIGHT: Final = _number("weight", "in pounds")

_FIELDS: Final[dict[EntityType, tuple[Field, ...]]] = {
    EntityType.SPELLS: (
        _number("level", "0 for a cantrip"), _text("school"),
        _texts("classes", "classes that can learn it", "class", "dnd_class"),
        _texts("subclasses", "subclasses that get it", "subclass"),
        _flag("concentration"), _flag("ritual"),
        _text("casting_time", "such as 1 action"), _text("range", "as printed"),
        _number("range_feet", "0 for self, 5 for touch"), _text("duration", "as printed"),
        _texts("components", "V, S, M", "component"), _texts("damage_type", "", "damage_types"),
        _texts("resistances", "damage types that it protects from", "resistance"),
        _text("save", "the ability of the saving throw", "saving_throw"),
        _text("attack", "melee or ranged"), _flag("healing", "whether it restores hit points"),
        _text("area_shape", "cone, cube, cylinder, line or sphere"),
        _number("area_size", "in feet"),
    ),
    EntityType.MONSTERS: (
        _text("size"), _text("type", "such as undead", "creature_type"), _text("subtype"),
        _text("alignment"), _number("armor_class", "", "ac"), _number("hit_points", "", "hp"),
        _number("challenge_rating", "0.25 for 1/4", "cr"), _number("xp"),
        *(_number(f, "speed in feet, 0 for none") for f in SPEEDS),
        _flag("flying", "whether it has a flying speed"), _flag("legendary", "legendary actions"),
        _flag("spellcaster"), _texts("languages", "", "language"),
        _texts("damage_types", "damage that its attacks deal", "damage_type"),
        _texts("resistances", "damage types", "resistance"),
        _texts("immunities", "damage types", "immunity"),
        _texts("vulnerabilities", "damage types", "vulnerability"),
        _texts("condition_immunities", "conditions"),
        *(_number(f, "range in feet, 0 for none") for f in SENSES),
        *(_number(ability, "the score") for ability in ABILITIES),
    ),
    EntityType.WEAPONS: (
        _text("category", "Simple or Martial"), _text("style", "Melee or Ranged"), _COST, _WEIGHT,
        _text("damage_dice"), _number("damage_average", "of the dice"), _text("damage_type"),
        _texts("properties", "such as Finesse", "property"),
        *(_flag(f) for f in ("finesse", "light", "heavy", "two_handed", "versatile", "thrown",
                             "reach", "ammunition", "loading", "special", "magic")),
        _number("range_normal", "in feet"), _number("range_long", "in feet"),
    ),
    EntityType.ARMOR: (
        _text("category", "Light, Medium, Heavy or Shield"),
        _number("armor_class", "without Dexterity; of a shield what it adds", "ac"),
        _COST, _WEIGHT, _number("strength", "the score it asks for, 0 for none"),
        _flag("stealth_disadvantage"), _flag("magic"),
    ),
    EntityType.EQUIPMENT: (
        _text("category"), _text("group"), _COST, _WEIGHT, _flag("magic"),
    ),
    EntityType.MAGIC_ITEMS: (
        _text("item_type", "such as Ring", "type"),
        _texts("rarity", "every rarity that it comes in", "rarities"),
        _flag("attunement", "whether it needs it", "requires_attunement"),
        _text("attunement_by", "who may attune"), _flag("magic"),
    ),
    EntityType.CLASSES: (
        _number("hit_die", "its sides"), _texts("saving_throws", "abilities", "saving_throw"),
        _flag("spellcaster"), _text("spellcasting_ability"),
        _texts("proficiencies", "", "proficiency"),
    ),
    EntityType.SUBCLASSES: (_text("class", "its class", "classes"), _flag("spellcaster")),
    EntityType.RACES: (
        _text("size"), _number("speed", "in feet"), _text("race", "of which it is a subrace"),
        _texts("languages", "", "language"), _texts("ability_bonuses", "abilities that rise"),
    ),
    EntityType.FEATURES: (
        _text("class", "its class", "classes"), _text("subclass", "its subclass"),
        _number("level", "that brings it"),
    ),
    EntityType.TRAITS: (
        _texts("races", "races and subraces that have it", "race"), _text("damage_type"),
    ),
    EntityType.CONDITIONS: (),
    EntityType.RULES: (
        _text("category", "chapter, section, skill, language and so on", "type"),
        _text("chapter", "the chapter of a section"),
    ),
    EntityType.BACKGROUNDS: (_texts("proficiencies", "", "proficiency"),),
    EntityType.FEATS: (_texts("prerequisites", "abilities"),),
}


def fields_of(type_: EntityType) -> tuple[Field, ...]:
    """The fields of a type that filters may name."""
    return (*_COMMON, *_FIELDS[type_])
