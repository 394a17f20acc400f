"""Magic items, weapons, armor and other gear."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ...text.vocabulary import DAMAGE_TYPES, RARITIES
from ..types import EntityType
from .labels import label, read
from .parts import Blocks, labelled, lines_of, parts, told

_RARE: Final = "|".join(sorted(RARITIES, key=len, reverse=True))
_KIND: Final = label(
    "", r"(?P<item_type>(?:adventuring gear|ammunition|armor|instrument|potion|ring|rod|scroll|"
        r"shield|staff|tattoo|tool|vehicle|wand|weapon|wondrous item)s?)(?:\s*\("
        rf"(?P<subtype>[^()]*)\))?,\s*(?P<rarity_printed>"
        rf"(?:(?:{_RARE}|rarity(?: varies| by [a-z]+(?: type)?)?|varies)\b"
        r"(?:\s*\((?!requires)[^()]*\))?(?:,? or |,? )?)+)\s*"
        r"(?P<attunement>\(requires attunement[^()]*\))?",
)
_PRICE: Final = r"(?P<cost>[\d,]+(?:\.\d+)? ?[csegp]p)"
_LABELS: Final = (
    label("", r"(?P<category>simple|martial) (?P<style>melee|ranged) weapons?(?=$| [^.]{2,20}:)"),
    label("", r"(?P<category>light|medium|heavy) armor(?=$| [^.]{2,20}:)"),
    label("Category|Type", r"(?P<category>[a-z].*)"),
    label("Cost|Price|Value", _PRICE),
    label("Weight", r"(?P<weight>[\d,]+(?:[./]\d+)?|[½¼])\s*(?:lbs?|pounds?)?\b\.?"),
    label("Damage", rf"(?P<damage_dice>\d+(?:d\d+)?) (?P<damage_type>{'|'.join(DAMAGE_TYPES)})"),
    label("Properties|Property", r"(?P<properties>[a-z].*)"),
    label("Armor Class(?: \\(AC\\))?|AC", r"(?P<armor_class_printed>\+?(?P<armor_class>\d+).*)"),
    label("Strength", r"(?:Str )?(?P<strength>\d+)"),
    label("Stealth", r"(?P<stealth_disadvantage>disadvantage)"),
)
_ATTUNEMENT: Final = re.compile(r"requires attunement(?: by ([^()]*))?", re.IGNORECASE)


def magic_item(name: str, blocks: Blocks, _: Sequence[str]) -> dict[str, Any]:
    """A magic item; of "rare (+1) or very rare (+2)" the rarities are both."""
    values, below = labelled(name, blocks, (_KIND,))
    fields = values.given
    if printed := fields.get("rarity_printed"):
        rarity = re.findall(_RARE, printed.lower())
        match = _ATTUNEMENT.search(fields.get("attunement", ""))
        fields |= {"rarity": list(dict.fromkeys(rarity)), "magic": True,
                  "attunement": "attunement" in fields,
                  "attunement_by": (match[1] or "").strip() if match else ""}
    return fields | told(values.rest, below)


def gear(name: str, blocks: Blocks, above: Sequence[str]) -> dict[str, Any]:
    """Armor or another thing, of labelled lines, of its row in a table, or of titles above."""
    head, *below = parts(name, blocks)
    values = read((*lines_of(head.texts, name), *above[:0:-1]), _LABELS)
    if "stealth_disadvantage" in values.given:
        values.given["stealth_disadvantage"] = True
    return values.given | told((line for line in values.rest if line not in above), below)


def equipment(name: str, blocks: Blocks, above: Sequence[str]) -> dict[str, Any]:
    """A thing, whose category may be the title above it."""
    return {"category": above[-1] if above else ""} | gear(name, blocks, above)


def weapon(name: str, blocks: Blocks, above: Sequence[str]) -> dict[str, Any]:
    """A weapon; its range is read out of its properties."""
    fields = gear(name, blocks, above)
    properties = fields.get("properties", "")
    if reach := re.search(r"range (\d+)(?:/(\d+))?", properties, flags=re.IGNORECASE):
        fields |= {"range_normal": reach[1], "range_long": reach[2]}
    return fields | {"properties": re.sub(r"\s*\([^()]*\)", "", properties)}


def gear_type(name: str, blocks: Blocks) -> EntityType:
    """Whether an entry about equipment is a weapon, armor or another thing."""
    fields = gear(name, blocks, ())
    if "damage_dice" in fields:
        return EntityType.WEAPONS
    return EntityType.ARMOR if "armor_class" in fields else EntityType.EQUIPMENT
