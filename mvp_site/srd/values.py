"""Small values that the records of the SRD are made of: keys, prices, damage, saves, choices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from ..text.vocabulary import COINS
from .cells import At

Row: TypeAlias = dict[str, Any]


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


@dataclass(frozen=True, slots=True)
class Cost:
    """A price in one kind of coin: ``unit`` is cp, sp, ep, gp or pp."""

    quantity: int
    unit: str

    @property
    def copper(self) -> int:
        """The price in copper pieces, by which prices compare."""
        return self.quantity * COINS[self.unit]

    def __str__(self) -> str:
        """As the SRD prints it: ``1,500 gp``."""
        return f"{self.quantity:,} {self.unit}"


@dataclass(frozen=True, slots=True)
class Damage:
    """Dice (``2d6+3``, or a plain number) and the type of the damage, if it has one."""

    dice: Annotated[str, At("damage_dice", lambda dice: dice.replace(" ", ""))]
    type: Annotated[Ref | None, At("damage_type")] = None


@dataclass(frozen=True, slots=True)
class Save:
    """A saving throw; ``half`` if success halves the damage."""

    ability: Annotated[Ref, At("dc_type")]
    half: Annotated[
        bool, At("", lambda row: "half" in {row.get("dc_success"), row.get("success_type")})
    ]


@dataclass(frozen=True, slots=True)
class Area:
    """An area of effect: cone, cube, cylinder, line or sphere, and its size in feet."""

    shape: Annotated[str, At("type")]
    size: int


@dataclass(frozen=True, slots=True)
class Scaling:
    """What a spell deals or heals at one step: the slot's level or the caster's level."""

    level: int
    amount: str


@dataclass(frozen=True, slots=True)
class AbilityValue:
    """A figure for one ability: a bonus to it, or the least score that is asked for."""

    ability: Annotated[Ref, At("ability_score")]
    value: Annotated[int, At("", lambda row: row.get("bonus", row.get("minimum_score")))]


@dataclass(frozen=True, slots=True)
class Amount:
    """So many of one record: 20 arrows."""

    ref: Annotated[Ref, At("", lambda row: row.get("equipment") or row["item"])]
    quantity: int = 1


def _flat(options: Any) -> list[Any]:
    if isinstance(options, dict):
        options = [option["item"] for option in options["options"]]
    return [option["ability_score"] if isinstance(option, dict) else option for option in options]


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """Choose ``count`` of ``options``, each a reference."""

    count: Annotated[int, At("choose")]
    options: Annotated[tuple[Ref, ...], At("from", _flat)]


def _parts(row: Row) -> list[Row]:
    # An option of several things holds them under "0", "1" and so on.
    return [row[key] for key in sorted(row) if key.isdigit()] or [row]


def _items(row: Row) -> list[Row]:
    return [part for part in _parts(row) if "equipment" in part]


def _categories(row: Row) -> list[Row]:
    categories = []
    for part in _parts(row):
        if chosen := part.get("equipment_option"):
            category = chosen["from"]["equipment_category"]
            categories.append({"item": category, "quantity": chosen["choose"]})
        elif "equipment_category" in part:
            categories.append({"item": part["equipment_category"]})
    return categories


def _prerequisite(row: Row) -> Any:
    return next((row["proficiency"] for row in row.get("prerequisites", ())), None)


@dataclass(frozen=True, slots=True)
class EquipmentOption:
    """One of the alternatives of starting equipment: all of ``items``, and any of each category.

    A category stands with how many are chosen from it. ``proficiency`` is what one must have to
    take this option.
    """

    items: Annotated[tuple[Amount, ...], At("", _items)] = ()
    categories: Annotated[tuple[Amount, ...], At("", _categories)] = ()
    proficiency: Annotated[Ref | None, At("", _prerequisite)] = None


@dataclass(frozen=True, slots=True)
class EquipmentChoice:
    """Choose ``count`` of the options."""

    count: Annotated[int, At("choose")]
    options: Annotated[tuple[EquipmentOption, ...], At("from")]
