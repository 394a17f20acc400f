"""Armor and weapons: a table for each category, and a section for each piece."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...srd import ArmorRecord, Srd, WeaponRecord
from .part import Part, part_of
from .words import NOTHING, labelled, pounds, price, table

_ARMOR: Final = {
    "Light": "Light Armor", "Medium": "Medium Armor", "Heavy": "Heavy Armor", "Shield": "Shields",
}  # fmt: skip
_WEAPONS: Final = tuple(
    (category, style) for category in ("Simple", "Martial") for style in ("Melee", "Ranged")
)


def armor(srd: Srd) -> Part:
    """The section ``Armor``; within a category by price, as rulebooks have it."""
    parts = []
    for category, title in _ARMOR.items():
        suits = [one for one in srd.armor if one.category == category]
        suits.sort(key=lambda one: (one.cost.copper, one.name))
        if suits:
            below = tuple(_suit(one, title) for one in suits)
            parts.append(Part(title, (_armor_table(suits),), below))
    return Part("Armor", parts=tuple(parts))


def weapons(srd: Srd) -> Part:
    """The section ``Weapons``: four categories, then the properties."""
    parts = []
    for category, style in _WEAPONS:
        held = [one for one in srd.weapons if (one.category, one.style) == (category, style)]
        if held:
            title = f"{category} {style} Weapons"
            parts.append(Part(title, (_weapon_table(held),), tuple(map(_weapon, held))))
    properties = tuple(part_of(one.name, one.text) for one in srd.weapon_properties)
    return Part("Weapons", parts=(*parts, Part("Weapon Properties", parts=properties)))


def armor_class(one: ArmorRecord) -> str:
    """``11 + Dex modifier``, ``14 + Dex modifier (max 2)``, ``18``; ``+2`` for a shield."""
    if one.category == "Shield":
        return f"+{one.base}"
    if not one.adds_dexterity:
        return str(one.base)
    most = "" if one.max_dexterity is None else f" (max {one.max_dexterity})"
    return f"{one.base} + Dex modifier{most}"


def _suit(one: ArmorRecord, title: str) -> Part:
    before = [
        f"*{title.removesuffix('s')}*",
        labelled("Cost", price(one.cost)),
        labelled("Armor Class", armor_class(one)),
        labelled("Strength", _strength(one)),
        labelled("Stealth", _stealth(one)),
        labelled("Weight", pounds(one.weight)),
    ]
    return part_of(one.name, one.text, before)


def _armor_table(suits: Iterable[ArmorRecord]) -> str:
    return table(
        ("Armor", "Cost", "Armor Class (AC)", "Strength", "Stealth", "Weight"),
        (
            (
                one.name, price(one.cost), armor_class(one), _strength(one), _stealth(one),
                pounds(one.weight),
            )
            for one in suits
        ),
    )


def _strength(one: ArmorRecord) -> str:
    return f"Str {one.strength}" if one.strength else NOTHING


def _stealth(one: ArmorRecord) -> str:
    return "Disadvantage" if one.stealth_disadvantage else NOTHING


def _weapon(one: WeaponRecord) -> Part:
    before = [
        f"*{one.category} {one.style.lower()} weapon*",
        labelled("Cost", price(one.cost)),
        labelled("Damage", _damage(one)),
        labelled("Weight", pounds(one.weight)),
        labelled("Properties", _properties(one)),
    ]
    return part_of(one.name, (*one.text, *one.special), before)


def _weapon_table(held: Sequence[WeaponRecord]) -> str:
    return table(
        ("Name", "Cost", "Damage", "Weight", "Properties"),
        (
            (one.name, price(one.cost), _damage(one), pounds(one.weight), _properties(one))
            for one in held
        ),
    )


def _damage(one: WeaponRecord) -> str:
    if one.damage is None:
        return NOTHING
    kind = f" {one.damage.type.name.lower()}" if one.damage.type else ""
    return f"{one.damage.dice}{kind}"


def _properties(one: WeaponRecord) -> str:
    shown: list[str] = []
    for ref in one.properties:
        name = ref.name.lower() if shown else ref.name
        reach = one.thrown or one.range
        if ref.slug in {"ammunition", "thrown"} and reach.long is not None:
            name += f" (range {reach.normal}/{reach.long})"
        elif ref.slug == "versatile" and one.two_handed_damage is not None:
            name += f" ({one.two_handed_damage.dice})"
        shown.append(name)
    return ", ".join(shown) or NOTHING
