"""The chapter of magic items: by what they are, each with its rarity and attunement."""

from __future__ import annotations

from typing import Final

from ...srd import MagicItemRecord, Rarity, Srd
from .part import Part, part_of
from .rules import section

_PLURALS: Final = {"Armor": "Magic Armor and Shields", "Staff": "Staffs", "Weapon": "Magic Weapons"}
_VARIES: Final = Rarity.VARIES.value
_SENTIENT: Final = "sentient-magic-items"


def magic_items(srd: Srd) -> Part:
    """The chapter ``Magic Items``."""
    by_type: dict[str, list[MagicItemRecord]] = {}
    for item in srd.magic_items:
        by_type.setdefault(type_title(item.item_type), []).append(item)
    groups = [Part(title, parts=tuple(map(_item, by_type[title]))) for title in sorted(by_type)]
    return Part("Magic Items", parts=(*groups, *section(srd, _SENTIENT)))


def type_title(item_type: str) -> str:
    """The heading over the items of a type."""
    return _PLURALS.get(item_type, f"{item_type.title()}s")


def item_line(item: MagicItemRecord) -> str:
    """``Armor (medium or heavy), rare (requires attunement by a bard)``."""
    kind = f"{item.item_type} ({item.subtype})" if item.subtype else item.item_type
    asked = ""
    if item.attunement is not None:
        asked = f" (requires attunement {item.attunement})".replace(" )", ")")
    rarity = f"rarity {_VARIES}" if item.rarity_text == _VARIES else item.rarity_text
    return f"{kind}, {rarity}{asked}"


def _item(item: MagicItemRecord) -> Part:
    return part_of(item.name, item.text, (f"*{item_line(item)}*",))
