"""Small values that the records of the SRD are made of: keys, prices, damage, saves, choices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias


class Kind(StrEnum):
    """The type of a record, as it stands in keys, paths and filters."""

    ABILITY_SCORES = "ability-scores"
    ALIGNMENTS = "alignments"
    ARMOR = "armor"
    BACKGROUNDS = "backgrounds"
    CLASSES = "classes"
    CONDITIONS = "conditions"
    DAMAGE_TYPES = "damage-types"
    EQUIPMENT = "equipment"
    EQUIPMENT_CATEGORIES = "equipment-categories"
    FEATS = "feats"
    FEATURES = "features"
    LANGUAGES = "languages"
    MAGIC_ITEMS = "magic-items"
    MAGIC_SCHOOLS = "magic-schools"
    MONSTERS = "monsters"
    PROFICIENCIES = "proficiencies"
    RACES = "races"
    RULE_SECTIONS = "rule-sections"
    RULES = "rules"
    SKILLS = "skills"
    SPELLS = "spells"
    SUBCLASSES = "subclasses"
    SUBRACES = "subraces"
    TRAITS = "traits"
    WEAPON_PROPERTIES = "weapon-properties"
    WEAPONS = "weapons"


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a record, which exists, with the name it has there."""

    kind: Kind
    slug: str
    name: str


Paragraphs: TypeAlias = tuple[str, ...]
"""Text as Markdown blocks: paragraphs, lists, tables or headings, none of them empty."""

COPPER: Final = {"cp": 1, "sp": 10, "ep": 50, "gp": 100, "pp": 1000}
"""The worth of a coin in copper pieces."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A price in one kind of coin: ``unit`` is cp, sp, ep, gp or pp."""

    quantity: int
    unit: str

    @property
    def copper(self) -> int:
        """The price in copper pieces, by which prices compare."""
        return self.quantity * COPPER[self.unit]

    def __str__(self) -> str:
        """As the SRD prints it: ``1,500 gp``."""
        return f"{self.quantity:,} {self.unit}"


@dataclass(frozen=True, slots=True)
class Damage:
    """Dice (``2d6+3``, or a plain number) and the type of the damage, if it has one."""

    dice: str
    type: Ref | None = None


@dataclass(frozen=True, slots=True)
class Save:
    """A saving throw; ``half`` if success halves the damage, ``dc`` None where it varies."""

    ability: Ref
    half: bool
    dc: int | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """An area of effect: cone, cube, cylinder, line or sphere, and its size in feet."""

    shape: str
    size: int


@dataclass(frozen=True, slots=True)
class Scaling:
    """What a spell deals or heals at one step: the slot's level or the caster's level."""

    level: int
    amount: str


@dataclass(frozen=True, slots=True)
class AbilityValue:
    """A figure for one ability: a bonus to it, or the least score that is asked for."""

    ability: Ref
    value: int


@dataclass(frozen=True, slots=True)
class Amount:
    """So many of one record: 20 arrows."""

    ref: Ref
    quantity: int = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """Choose ``count`` of ``options``, each a reference."""

    count: int
    options: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class EquipmentOption:
    """One of the alternatives of starting equipment: all of ``items``, and any of each category.

    A category stands with how many are chosen from it. ``proficiency`` is what one must have to
    take this option.
    """

    items: tuple[Amount, ...] = ()
    categories: tuple[Amount, ...] = ()
    proficiency: Ref | None = None


@dataclass(frozen=True, slots=True)
class EquipmentChoice:
    """Choose ``count`` of the options."""

    count: int
    options: tuple[EquipmentOption, ...]
