"""Rows of weapons, armor, gear, magic items and their categories to records."""

from __future__ import annotations

import re
from typing import Final

from ..items import (
    ArmorRecord,
    EquipmentCategoryRecord,
    EquipmentRecord,
    MagicItemRecord,
    Rarity,
    Reach,
    WeaponRecord,
)
from ..raw import Row
from ..values import Cost
from .fields import References, amounts, cost, damage, paragraphs

_HEAD: Final = re.compile(
    r"(?P<type>[A-Z][a-z]+(?: [Ii]tem)?)(?: \((?P<subtype>[^)]*)\))?, (?P<rarity>.+?)"
    r"(?: \(requires attunement(?P<attunement>[^)]*)\))?"
)
_RANKS: Final[list[Rarity]] = [rarity for rarity in Rarity if rarity != Rarity.VARIES]
_NAMES: Final = "very rare|uncommon|common|rare|legendary|artifact"  # the longer name first
_RARITY: Final = re.compile(_NAMES)
# In the text of an item that stands for several: a cell of a table, or brackets.
_ONE_RARITY: Final = re.compile(rf"[|(]\s*({_NAMES})\s*(?=[|)])", re.IGNORECASE)


def weapon(references: References, slug: str, row: Row) -> WeaponRecord:
    """The record of a weapon."""
    return WeaponRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row.get("desc")),
        category=row["weapon_category"],
        style=row["weapon_range"],
        cost=_price(row),
        weight=float(row["weight"]),
        damage=damage(references, row.get("damage")),
        two_handed_damage=damage(references, row.get("two_handed_damage")),
        range=_reach(row["range"]),
        thrown=_reach(row["throw_range"]) if "throw_range" in row else None,
        properties=references.all(row["properties"]),
        special=paragraphs(row.get("special")),
    )


def armor(_: References, slug: str, row: Row) -> ArmorRecord:
    """The record of a suit of armor or a shield."""
    armor_class = row["armor_class"]
    most = armor_class["max_bonus"]
    return ArmorRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row.get("desc")),
        category=row["armor_category"],
        base=int(armor_class["base"]),
        adds_dexterity=armor_class["dex_bonus"] is True,
        max_dexterity=None if most is None else int(most),
        strength=int(row["str_minimum"]),
        stealth_disadvantage=row["stealth_disadvantage"] is True,
        cost=_price(row),
        weight=float(row["weight"]),
    )


def equipment(references: References, slug: str, row: Row) -> EquipmentRecord:
    """The record of gear, a tool, a mount or a vehicle."""
    gear = row.get("gear_category", {}).get("name")
    speed = row.get("speed")
    return EquipmentRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row.get("desc")),
        category=references.of(row["equipment_category"]),
        group=gear or row.get("tool_category") or row.get("vehicle_category") or "",
        cost=cost(row["cost"]),
        weight=float(row["weight"]) if "weight" in row else None,
        quantity=int(row.get("quantity", 1)),
        contents=amounts(references, row.get("contents", ())),
        speed=f"{speed['quantity']:g} {speed['unit']}" if speed else "",
        capacity=row.get("capacity", ""),
    )


def magic_item(references: References, slug: str, row: Row) -> MagicItemRecord:
    """The record of a magic item; its first line says what it is, how rare, and who attunes."""
    first, *rest = row["desc"]
    head = _HEAD.fullmatch(first.strip())
    if head is None:
        raise ValueError(f"the first line is no type and rarity: {first!r}")
    found = _RARITY.findall(head["rarity"].lower()) or _ONE_RARITY.findall(" ".join(rest))
    rarities = tuple(sorted({Rarity(name.lower()) for name in found}, key=_RANKS.index))
    attunement = head["attunement"]
    return MagicItemRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(rest),
        category=references.of(row["equipment_category"]),
        item_type=head["type"].capitalize(),
        subtype=head["subtype"] or "",
        rarity=rarities[0] if len(rarities) == 1 else Rarity.VARIES,
        rarities=rarities,
        rarity_text=head["rarity"],
        attunement=None if attunement is None else attunement.strip(),
    )


def equipment_category(references: References, slug: str, row: Row) -> EquipmentCategoryRecord:
    """The record of a category of things."""
    return EquipmentCategoryRecord(
        slug=slug, name=row["name"], members=references.all(row["equipment"])
    )


def _price(row: Row) -> Cost:
    found = cost(row["cost"])
    if found is None:
        raise ValueError("no cost")
    return found


def _reach(cell: Row) -> Reach:
    return Reach(int(cell["normal"]), None if cell["long"] is None else int(cell["long"]))
