"""Armor and weapons: a table for each category, and a section for each piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ...srd import ArmorRecord, Srd, WeaponRecord
from .part import Part, part_of
from .words import NOTHING, labelled, pounds, price, table

_ARMOR: Final = {
    "Light": "Light Armor", "Medium": "Medium Armor", "Heavy": "Heavy Armor", "Shield": "Shields",
}  # fmt: skip
_ARMOR_TABLE: Final = ("Armor", "Cost", "Armor Class (AC)", "Strength", "Stealth", "Weight")
_WEAPON_TABLE: Final = ("Name", "Cost", "Damage", "Weight", "Properties")
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
            shown = table(_ARMOR_TABLE, [(one.name, *_suit(one).values()) for one in suits])
            kind = title.removesuffix("s")
            below = tuple(_piece(one.name, kind, one.text, _suit(one)) for one in suits)
            parts.append(Part(title, (shown,), below))
    return Part("Armor", parts=tuple(parts))


def weapons(srd: Srd) -> Part:
    """The section ``Weapons``: four categories, then the properties."""
    parts = []
    for category, style in _WEAPONS:
        held = [one for one in srd.weapons if (one.category, one.style) == (category, style)]
        if held:
            shown = table(_WEAPON_TABLE, [(one.name, *_weapon(one).values()) for one in held])
            kind = f"{category} {style.lower()} weapon"
            below = tuple(
                _piece(one.name, kind, (*one.text, *one.special), _weapon(one)) for one in held
            )
            parts.append(Part(f"{category} {style} Weapons", (shown,), below))
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


def _suit(one: ArmorRecord) -> dict[str, str]:
    """The figures of a suit, as its table and its section show them."""
    return {
        "Cost": price(one.cost),
        "Armor Class": armor_class(one),
        "Strength": f"Str {one.strength}" if one.strength else NOTHING,
        "Stealth": "Disadvantage" if one.stealth_disadvantage else NOTHING,
        "Weight": pounds(one.weight),
    }


def _weapon(one: WeaponRecord) -> dict[str, str]:
    """The figures of a weapon."""
    return {
        "Cost": price(one.cost), "Damage": _damage(one), "Weight": pounds(one.weight),
        "Properties": _properties(one),
    }


def _piece(name: str, kind: str, text: Iterable[str], figures: Mapping[str, str]) -> Part:
    return part_of(name, text, [f"*{kind}*", *(labelled(*figure) for figure in figures.items())])


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
