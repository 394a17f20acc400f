"""The records of things: weapons, armor, gear and magic items."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from .cells import At, Text, filled
from .types import TextRecord, record
from .values import Amount, Cost, Damage, Kind, Ref, Row

_HEAD: Final = re.compile(
    r"(?P<type>[A-Z][a-z]+(?: [Ii]tem)?)(?: \((?P<subtype>[^)]*)\))?, (?P<rarity>.+?)"
    r"(?: \(requires attunement(?P<attunement>[^)]*)\))?"
)
_RARITIES: Final = "very rare|uncommon|common|rare|legendary|artifact"  # the longer name first
# In the text of an item that stands for several: a cell of a table, or brackets.
_ONE_RARITY: Final = re.compile(rf"[|(]\s*({_RARITIES})\s*(?=[|)])", re.IGNORECASE)


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


@record(Kind.WEAPONS)
class WeaponRecord(TextRecord):
    """A weapon; ``category`` is Simple or Martial, ``style`` Melee or Ranged."""

    category: Annotated[str, At("weapon_category")]
    style: Annotated[str, At("weapon_range")]
    cost: Cost
    weight: float
    damage: Damage | None
    two_handed_damage: Damage | None
    range: Reach
    thrown: Annotated[Reach | None, At("throw_range")]
    properties: tuple[Ref, ...]
    special: Text


@record(Kind.ARMOR)
class ArmorRecord(TextRecord):
    """A suit of armor or a shield; ``category`` is Light, Medium, Heavy or Shield.

    ``base`` is the armor class without dexterity, for a shield what it adds. ``max_dexterity`` is
    None where the modifier counts in full. ``strength`` is 0 where no score is asked for.
    """

    category: Annotated[str, At("armor_category")]
    base: Annotated[int, At("armor_class.base")]
    adds_dexterity: Annotated[bool, At("armor_class.dex_bonus")]
    max_dexterity: Annotated[int | None, At("armor_class.max_bonus")]
    strength: Annotated[int, At("str_minimum")]
    stealth_disadvantage: bool
    cost: Cost
    weight: float


def _group(row: Row) -> str:
    if "gear_category" in row:
        return str(row["gear_category"].name)
    return str(row.get("tool_category", row.get("vehicle_category", "")))


def _speed(cell: Row | None) -> str:
    return f"{cell['quantity']:g} {cell['unit']}" if cell else ""


@record(Kind.EQUIPMENT)
class EquipmentRecord(TextRecord):
    """Gear, a tool, a mount or a vehicle.

    ``cost`` is None for what the SRD gives no price of its own (it comes in a pack). ``weight`` is
    None for animals and vehicles, 0 for what weighs next to nothing. ``quantity`` is how many the
    cost buys. ``speed`` is printed (``60 ft/round``, ``1.5 mph``), so is ``capacity``.
    """

    category: Annotated[Ref, At("equipment_category")]
    group: Annotated[str, At("", _group)]
    cost: Cost | None
    weight: float | None
    quantity: Annotated[int, At(form=filled(1))]
    contents: tuple[Amount, ...]
    speed: Annotated[str, At(form=_speed)]
    capacity: Annotated[str, At(form=filled(""))]


@record(Kind.MAGIC_ITEMS)
class MagicItemRecord(TextRecord):
    """A magic item; ``text`` is without the line of its type, rarity and attunement.

    ``item_type`` is Wondrous item, Weapon, Potion and so on; ``subtype`` what stands in brackets
    behind it ("any sword"). ``rarities`` are all that it may have, in order; ``rarity`` is that
    one, or ``varies``. ``rarity_text`` is as printed. ``attunement`` is None for an item that
    needs none, else who may attune, "" where anyone may.
    """

    category: Annotated[Ref, At("equipment_category")]
    item_type: str
    subtype: str
    rarity: Rarity
    rarities: tuple[Rarity, ...]
    rarity_text: str
    attunement: str | None


def with_head(row: Row) -> Row:
    """A magic item's row with what its first line says: what it is, how rare, and who attunes."""
    first, *rest = row["desc"]
    head = _HEAD.fullmatch(first.strip())
    if head is None:
        raise ValueError(f"the first line is no type and rarity: {first!r}")
    kinds = re.findall(_RARITIES, head["rarity"].lower()) or _ONE_RARITY.findall(" ".join(rest))
    rarities = sorted({Rarity(name.lower()) for name in kinds}, key=list(Rarity).index)
    attunement = head["attunement"]
    return {
        **row,
        "desc": rest,
        "item_type": head["type"].capitalize(),
        "subtype": head["subtype"] or "",
        "rarity": rarities[0] if len(rarities) == 1 else Rarity.VARIES,
        "rarities": rarities,
        "rarity_text": head["rarity"],
        "attunement": None if attunement is None else attunement.strip(),
    }


@record(Kind.EQUIPMENT_CATEGORIES)
class EquipmentCategoryRecord(TextRecord):
    """A category of equipment."""
