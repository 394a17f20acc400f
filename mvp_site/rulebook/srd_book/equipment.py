"""The chapters of things: coins, armor, weapons, gear, tools, mounts; magic items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...content.srd_documents.gear import armor as armor_document
from ...srd import ArmorRecord, EquipmentRecord, MagicItemRecord, Rarity, Srd, WeaponRecord
from .part import NOTHING, BookPart, bullets, facts, grouped, part, pounds, table
from .rules import chapter, section

_ELSEWHERE: Final = ("objects", "poisons", "sentient-magic-items")
"""Sections of the rules on equipment that this book has in other chapters."""
_ARMOR: Final = {
    "Light": "Light Armor", "Medium": "Medium Armor", "Heavy": "Heavy Armor", "Shield": "Shields",
}  # fmt: skip
_SUIT: Final = ("Armor", "Cost", "Armor Class (AC)", "Strength", "Stealth", "Weight")
_WEAPON: Final = ("Name", "Cost", "Damage", "Weight", "Properties")
_SHARED: Final = 3
"""A text that a third of a group's things have, and more than one, is the group's."""
_PLURALS: Final = {
    "Armor": "Magic Armor and Shields", "Staff": "Staffs", "Weapon": "Magic Weapons",
    "Musical Instrument": "Musical Instruments",
}


def equipment(srd: Srd) -> BookPart:
    """The chapter ``Equipment``."""
    armor = part("Armor", (
        _pieces(title, title.removesuffix("s"), _SUIT, [
            (gear.name, gear.text, _suit(srd, gear))
            for gear in sorted(srd.armor, key=lambda gear: (gear.cost.copper, gear.name))
            if gear.category == category
        ])
        for category, title in _ARMOR.items()
    ))
    weapons = part("Weapons", (
        _pieces(f"{category} {style} Weapons", f"{category} {style.lower()} weapon", _WEAPON, [
            (gear.name, (*gear.text, *gear.special), _weapon(gear)) for gear in srd.weapons
            if (gear.category, gear.style) == (category, style)
        ])
        for category in ("Simple", "Martial") for style in ("Melee", "Ranged")
    ), part("Weapon Properties", (part(gear.name, gear.text) for gear in srd.weapon_properties)))
    return chapter(srd, "equipment", armor, weapons, (
        part(category, (
            _group(name, records) for name, records in grouped(things, lambda record: record.group)
        ))
        for category, things in grouped(srd.equipment, lambda record: record.category.name)
    ), leave=_ELSEWHERE)


def _pieces(title: str, kind: str, head: Sequence[str],
            pieces: Sequence[tuple[str, Iterable[str], dict[str, str]]]) -> BookPart:
    return part(title, table(head, ((name, *figures.values()) for name, _, figures in pieces)),
                (part(name, f"*{kind}*", facts(figures), text) for name, text, figures in pieces))


def _suit(srd: Srd, armor: ArmorRecord) -> dict[str, str]:
    return {
        "Cost": str(armor.cost),
        "Armor Class": str(armor_document(armor, srd)["armor_class_printed"]),
        "Strength": f"Str {armor.strength}" if armor.strength else NOTHING,
        "Stealth": "Disadvantage" if armor.stealth_disadvantage else NOTHING,
        "Weight": pounds(armor.weight),
    }


def _weapon(weapon: WeaponRecord) -> dict[str, str]:
    damage = NOTHING
    if weapon.damage:
        damage = weapon.damage.dice
        if weapon.damage.type:
            damage += f" {weapon.damage.type.name.lower()}"
    return {
        "Cost": str(weapon.cost), "Damage": damage, "Weight": pounds(weapon.weight),
        "Properties": ", ".join(_properties(weapon)) or NOTHING,
    }


def _properties(weapon: WeaponRecord) -> Iterator[str]:
    reach = weapon.thrown or weapon.range
    for number, ref in enumerate(weapon.properties):
        name = ref.name.lower() if number else ref.name
        if ref.slug in {"ammunition", "thrown"} and reach.long is not None:
            name += f" (range {reach.normal}/{reach.long})"
        elif ref.slug == "versatile" and weapon.two_handed_damage is not None:
            name += f" ({weapon.two_handed_damage.dice})"
        yield name


def _group(name: str, things: Sequence[EquipmentRecord]) -> BookPart:
    """A group: the text that its things share, their prices, and each that has more to it."""
    counts = Counter(block for equipment_record in things for block in equipment_record.text)
    shared = [block for block, n in counts.items() if n > 1 and n * _SHARED >= len(things)]
    figures = [_figures(record) for record in things]
    head = [label for label in figures[0] if any(figure[label] for figure in figures)]
    prices = table(("Item", "Cost", *head), (
        (f"{gear.name} ({gear.quantity})" if gear.quantity > 1 else gear.name,
         str(gear.cost or NOTHING), *(own[label] or NOTHING for label in head))
        for gear, own in zip(things, figures, strict=True)
    ))
    below = (_thing(gear, [block for block in gear.text if block not in shared]) for gear in things)
    return part(_PLURALS.get(name, name), shared, prices, filter(None, below))


def _figures(gear: EquipmentRecord) -> dict[str, str]:
    return {"Weight": pounds(gear.weight) if gear.weight else "", "Speed": gear.speed,
            "Carrying Capacity": gear.capacity}


def _thing(gear: EquipmentRecord, text: Sequence[str]) -> BookPart | None:
    """What there is to say of a thing but its price."""
    if not text and not gear.contents:
        return None
    cost = f"{gear.cost} for {gear.quantity}" if gear.quantity > 1 else str(gear.cost)
    inside = bullets(
        f"{item.quantity} × {item.ref.name}" if item.quantity > 1 else item.ref.name
        for item in gear.contents
    )
    figures = {"Cost": cost if gear.cost else "no price of its own", **_figures(gear)}
    return part(gear.name, facts(figures), text, ("**Contents:**", inside) if inside else ())


def magic_items(srd: Srd) -> BookPart:
    """The chapter ``Magic Items``: by what they are, each with its rarity and attunement."""
    return part("Magic Items", (
        part(title, (part(record.name, f"*{_item_line(record)}*", record.text) for record in held))
        for title, held in grouped(
            srd.magic_items,
            lambda record: _PLURALS.get(record.item_type, f"{record.item_type.title()}s"),
        )
    ), section(srd, "sentient-magic-items"))


def _item_line(item: MagicItemRecord) -> str:
    """``Armor (medium or heavy), rare (requires attunement by a bard)``."""
    kind = f"{item.item_type} ({item.subtype})" if item.subtype else item.item_type
    attunement = ""
    if item.attunement is not None:
        attunement = f" (requires attunement {item.attunement})".replace(" )", ")")
    rarity = item.rarity_text
    return f"{kind}, {'rarity ' if rarity == Rarity.VARIES else ''}{rarity}{attunement}"
