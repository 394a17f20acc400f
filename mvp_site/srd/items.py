"""The records of things: weapons, armor, gear and magic items."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from .types import TextRecord
from .values import Amount, Cost, Damage, Kind, Paragraphs, Ref


class Rarity(StrEnum):
    """How rare a magic item is; ``varies`` where one record stands for several."""

    COMMON = "common"
    UNCOMMON = "uncommon"
    RARE = "rare"
    VERY_RARE = "very rare"
    LEGENDARY = "legendary"
    ARTIFACT = "artifact"
    VARIES = "varies"


@dataclass(frozen=True, slots=True)
class Reach:
    """A normal and a long range in feet; ``long`` is None for a melee weapon's reach."""

    normal: int
    long: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeaponRecord(TextRecord):
    """A weapon; ``category`` is Simple or Martial, ``style`` Melee or Ranged."""

    kind: ClassVar[Kind] = Kind.WEAPONS

    category: str
    style: str
    cost: Cost
    weight: float
    damage: Damage | None
    two_handed_damage: Damage | None
    range: Reach
    thrown: Reach | None
    properties: tuple[Ref, ...]
    special: Paragraphs


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmorRecord(TextRecord):
    """A suit of armor or a shield; ``category`` is Light, Medium, Heavy or Shield.

    ``base`` is the armor class without dexterity, for a shield what it adds. ``max_dexterity`` is
    None where the modifier counts in full. ``strength`` is 0 where no score is asked for.
    """

    kind: ClassVar[Kind] = Kind.ARMOR

    category: str
    base: int
    adds_dexterity: bool
    max_dexterity: int | None
    strength: int
    stealth_disadvantage: bool
    cost: Cost
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EquipmentRecord(TextRecord):
    """Gear, a tool, a mount or a vehicle.

    ``cost`` is None for what the SRD gives no price of its own (it comes in a pack). ``weight`` is
    None for animals and vehicles, 0 for what weighs next to nothing. ``quantity`` is how many the
    cost buys. ``speed`` is printed (``60 ft/round``, ``1.5 mph``), so is ``capacity``.
    """

    kind: ClassVar[Kind] = Kind.EQUIPMENT

    category: Ref
    group: str
    cost: Cost | None
    weight: float | None
    quantity: int
    contents: tuple[Amount, ...]
    speed: str
    capacity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MagicItemRecord(TextRecord):
    """A magic item; ``text`` is without the line of its type, rarity and attunement.

    ``item_type`` is Wondrous item, Weapon, Potion and so on; ``subtype`` what stands in brackets
    behind it ("any sword"). ``rarities`` are all that it may have, in order; ``rarity`` is that
    one, or ``varies``. ``rarity_text`` is as printed. ``attunement`` is None for an item that
    needs none, else who may attune, "" where anyone may.
    """

    kind: ClassVar[Kind] = Kind.MAGIC_ITEMS

    category: Ref
    item_type: str
    subtype: str
    rarity: Rarity
    rarities: tuple[Rarity, ...]
    rarity_text: str
    attunement: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EquipmentCategoryRecord(TextRecord):
    """A category and the things in it, each under the type that it has here."""

    kind: ClassVar[Kind] = Kind.EQUIPMENT_CATEGORIES

    members: tuple[Ref, ...]
