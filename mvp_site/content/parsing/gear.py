"""Magic items, weapons, armor and other gear."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ..own_fields import ATTUNEMENT
from ..types import DAMAGE_TYPES, RARITIES, EntityType
from .labels import Label, markdown, read
from .parts import Blocks, Part, lines_of, parts

_RARE: Final = "|".join(sorted(RARITIES, key=len, reverse=True))
_KIND: Final = Label(
    "", r"(?P<item_type>(?:adventuring gear|ammunition|armor|instrument|potion|ring|rod|scroll|"
        r"shield|staff|tattoo|tool|vehicle|wand|weapon|wondrous item)s?)(?:\s*\("
        rf"(?P<subtype>[^()]*)\))?,\s*(?P<rarity_printed>"
        rf"(?:(?:{_RARE}|rarity(?: varies| by [a-z]+(?: type)?)?|varies)\b"
        r"(?:\s*\((?!requires)[^()]*\))?(?:,? or |,? )?)+)\s*"
        r"(?P<attunement>\(requires attunement[^()]*\))?",
)
_PRICE: Final = r"(?P<cost>[\d,]+(?:\.\d+)? ?[csegp]p)"
_LABELS: Final = (
    Label("", r"(?P<category>simple|martial) (?P<style>melee|ranged) weapons?(?=$| [^.]{2,20}:)"),
    Label("", r"(?P<category>light|medium|heavy) armor(?=$| [^.]{2,20}:)"),
    Label("Category|Type", r"(?P<category>[a-z].*)"),
    Label("Cost|Price|Value", _PRICE),
    Label("Weight", r"(?P<weight>[\d,]+(?:[./]\d+)?|[½¼])\s*(?:lbs?|pounds?)?\b\.?"),
    Label("Damage", rf"(?P<damage_dice>\d+(?:d\d+)?) (?P<damage_type>{'|'.join(DAMAGE_TYPES)})"),
    Label("Properties|Property", r"(?P<properties>[a-z].*)"),
    Label("Armor Class(?: \\(AC\\))?|AC", r"(?P<armor_class_printed>\+?(?P<armor_class>\d+).*)"),
    Label("Strength", r"(?:Str )?(?P<strength>\d+)"),
    Label("Stealth", r"(?P<stealth_disadvantage>disadvantage)"),
)
_RANGE: Final = re.compile(r"range (\d+)(?:/(\d+))?", re.IGNORECASE)


def magic_item(name: str, blocks: Blocks) -> dict[str, Any]:
    """A magic item; of "rare (+1) or very rare (+2)" the rarities are both."""
    held = parts(name, blocks)
    found = read(lines_of(held[0].texts), (_KIND,))
    given: dict[str, Any] = dict(found.given)
    if printed := given.get("rarity_printed"):
        rarity = re.findall(_RARE, printed, re.IGNORECASE)
        given["rarity"] = list(dict.fromkeys(map(str.lower, rarity)))
        given["attunement"] = "attunement" in given
        if asked := ATTUNEMENT.search(found.given.get("attunement", "")):
            given["attunement_by"] = (asked[1] or "").strip()
        given["magic"] = True
    return given | _told(held, (*found.before, *found.after))


def gear(type_: EntityType, name: str, blocks: Blocks, above: Sequence[str]) -> dict[str, Any]:
    """A weapon, armor or a thing, of labelled lines, of its row in a table, or of titles above."""
    held = parts(name, blocks)
    found = read((*lines_of(held[0].texts, name), *above[:0:-1]), _LABELS)
    found.after = [one for one in found.after if one not in above]
    given: dict[str, Any] = dict(found.given)
    if type_ is EntityType.EQUIPMENT and above:
        given.setdefault("category", above[-1])
    if given.pop("stealth_disadvantage", None):
        given["stealth_disadvantage"] = True
    if type_ is EntityType.WEAPONS and (properties := given.get("properties")):
        if reach := _RANGE.search(properties):
            given |= {"range_normal": reach[1], "range_long": reach[2]}
        given["properties"] = re.sub(r"\s*\([^()]*\)", "", properties)
    return given | _told(held, (*found.before, *found.after))


def gear_type(name: str, blocks: Blocks) -> EntityType:
    """Whether an entry about equipment is a weapon, armor or another thing."""
    found = read(lines_of(parts(name, blocks)[0].texts, name), _LABELS).given
    if "damage_dice" in found:
        return EntityType.WEAPONS
    return EntityType.ARMOR if "armor_class" in found else EntityType.EQUIPMENT


def _told(held: list[Part], texts: tuple[str, ...]) -> dict[str, Any]:
    return {"desc": "\n\n".join(map(markdown, texts)),
            "sections": [{"name": part.title, "desc": part.text} for part in held[1:] if part.text]}
