"""Weapons, armor and all other gear as documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...srd import ArmorRecord, EquipmentRecord, Srd, WeaponRecord
from ..document import Document
from .values import Filled, average, counted, document, gold, name_of, names, whole

_PROPERTIES: Final = (
    "finesse", "light", "heavy", "two-handed", "versatile", "thrown", "reach", "ammunition",
    "loading", "special",
)
_REACH: Final = 5
_SHIELD: Final = "Shield"


def weapons(srd: Srd) -> Iterator[Document]:
    """A document for each weapon."""
    return map(_weapon, srd.weapons)


def armor(srd: Srd) -> Iterator[Document]:
    """A document for each suit of armor and the shield."""
    return map(_armor, srd.armor)


def equipment(srd: Srd) -> Iterator[Document]:
    """A document for each piece of gear, tool, mount and vehicle."""
    return map(_equipment, srd.equipment)


def _weapon(one: WeaponRecord) -> Document:
    has = {ref.slug for ref in one.properties}
    reach = one.thrown or one.range
    flags: Filled = {name.replace("-", "_"): name in has for name in _PROPERTIES}
    # The record gives every melee weapon 5 feet; the property says that it is 5 more.
    further = _REACH if "reach" in has and reach.long is None else 0
    damage = one.damage
    return document(
        one, desc=(*one.text, *one.special),
        category=one.category, style=one.style, cost=gold(one.cost), weight=whole(one.weight),
        damage_dice=damage.dice if damage else None,
        damage_average=average(damage.dice) if damage else None,
        damage_type=name_of(damage.type) if damage else None,
        two_handed_dice=one.two_handed_damage.dice if one.two_handed_damage else None,
        properties=names(one.properties),
        **flags,
        magic=False, range_normal=reach.normal + further, range_long=reach.long,
    )


def _armor(one: ArmorRecord) -> Document:
    return document(
        one, category=one.category, armor_class=one.base, armor_class_printed=_printed(one),
        adds_dexterity=one.adds_dexterity, max_dexterity=one.max_dexterity,
        cost=gold(one.cost), weight=whole(one.weight), strength=one.strength,
        stealth_disadvantage=one.stealth_disadvantage, magic=False,
    )


def _printed(one: ArmorRecord) -> str:
    if one.category == _SHIELD:
        return f"+{one.base}"
    if not one.adds_dexterity:
        return str(one.base)
    most = "" if one.max_dexterity is None else f" (max {one.max_dexterity})"
    return f"{one.base} + Dex modifier{most}"


def _equipment(one: EquipmentRecord) -> Document:
    return document(
        one, category=one.category.name, group=one.group, cost=gold(one.cost),
        weight=None if one.weight is None else whole(one.weight), magic=False,
        quantity=one.quantity if one.quantity > 1 else None,
        contents=counted(one.contents), speed=one.speed, capacity=one.capacity,
    )
