"""Weapons, armor, all other gear and magic items as documents."""

from __future__ import annotations

from ...srd import ArmorRecord, EquipmentRecord, MagicItemRecord, Srd, WeaponRecord
from ..document import Document
from .values import counted, document, gold


def weapon(row: WeaponRecord, _srd: Srd) -> Document:
    """A weapon; its properties make flags, too."""
    reach, damage = row.thrown or row.range, row.damage
    # The record gives every melee weapon 5 feet; the property says that it is 5 more.
    longer = reach.long is None and any(ref.slug == "reach" for ref in row.properties)
    return document(
        row, "category style weight properties", desc=(*row.text, *row.special),
        cost=gold(row.cost), damage_dice=damage.dice if damage else None,
        damage_type=damage.type.name if damage and damage.type else None,
        two_handed_dice=row.two_handed_damage.dice if row.two_handed_damage else None,
        magic=False, range_normal=reach.normal + 5 * longer, range_long=reach.long,
    )


def armor(row: ArmorRecord, _srd: Srd) -> Document:
    """A suit of armor, or the shield."""
    return document(
        row, "category adds_dexterity max_dexterity weight strength stealth_disadvantage",
        armor_class=row.base, armor_class_printed=_printed(row), cost=gold(row.cost), magic=False,
    )


def _printed(record: ArmorRecord) -> str:
    if record.category == "Shield":
        return f"+{record.base}"
    if not record.adds_dexterity:
        return str(record.base)
    most = "" if record.max_dexterity is None else f" (max {record.max_dexterity})"
    return f"{record.base} + Dex modifier{most}"


def equipment(record: EquipmentRecord, _srd: Srd) -> Document:
    """A piece of gear, a tool, a mount or a vehicle."""
    return document(
        record, "category group weight speed capacity", cost=gold(record.cost), magic=False,
        quantity=record.quantity if record.quantity > 1 else None,
        contents=counted(record.contents),
    )


def magic_item(record: MagicItemRecord, _srd: Srd) -> Document:
    """A magic item; rarity and attunement are fields, and its text is without that line."""
    rarities = [str(rarity) for rarity in record.rarities]
    attunement = record.attunement or ""
    by = attunement.startswith("by ")
    return document(
        record, "item_type subtype", rarity=rarities,
        rarity_printed=record.rarity_text if len(rarities) != 1 else None,
        attunement=record.attunement is not None,
        attunement_by=attunement.removeprefix("by ") if by else None,
        attunement_note=None if by else attunement, magic=True,
    )
