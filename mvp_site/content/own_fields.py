"""Fields of people's documents that follow from what else they say.

- A monster's speeds and senses follow from ``speed`` and ``senses``, ``flying`` from ``fly``,
  ``legendary`` from its actions;
- a spell's ``range_feet`` follows from ``range``, ``concentration`` from ``duration``, ``save``,
  area and damage type from what the usual data sets have;
- a weapon's flags follow from ``properties``, its damage and ranges from its dice and such sets;
- whether a magic item asks for attunement follows from the first line of its text.

What they follow from is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..retrieval.filters import FieldKind, fold
from .types import ABILITIES, SENSES, SPEEDS, EntityType, fields_of
from .wording import average, feet_of

ATTUNEMENT: Final = re.compile(r"requires attunement(?: by ([^()]*))?", re.IGNORECASE)
_MEASURE: Final = re.compile(
    rf"(?:({'|'.join((*SPEEDS, *SENSES))})\s+)?([0-9]{{1,6}})\s*(?:ft|feet)\b", re.IGNORECASE
)
_SHORT: Final = {name[:3]: name.capitalize() for name in ABILITIES}
_NO_PROPERTY: Final = "magic"
_Document = dict[str, Any]


def ability(name: str) -> str:
    """``Dexterity`` of ``DEX``; another text as it is."""
    return _SHORT.get(name.lower(), name)


def follows(type_: EntityType, base: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    """Fields that follow from what is given, as names and values; a later one sees those before."""
    match type_:
        case EntityType.SPELLS:
            yield from _of_spell(base, own)
        case EntityType.MONSTERS:
            yield from _of_monster(base, own)
        case EntityType.WEAPONS:
            yield from _of_weapon(base, own)
        case EntityType.MAGIC_ITEMS:
            desc = base.get("desc", "")
            first = desc[0] if isinstance(desc, list) else str(desc).partition("\n")[0]
            if match := ATTUNEMENT.search(str(first)):
                yield "attunement", True
                if match[1]:
                    yield "attunement_by", match[1].strip()
            if isinstance(by := own.pop("attunement_by", None), str):
                yield "attunement_by", by


def _of_spell(base: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    if (feet := feet_of(str(base.get("range", "")))) is not None:
        yield "range_feet", feet
    if "concentration" in str(base.get("duration", "")).lower():
        yield "concentration", True
    if name := _name_in(own.get("dc"), "dc_type"):
        yield "save", ability(name)
    area = own.get("area_of_effect")
    if isinstance(area, Mapping) and isinstance(area.get("type"), str) and (
            isinstance(area.get("size"), int)):
        yield from (("area_shape", area["type"]), ("area_size", area["size"]))
    if name := _name_in(own.get("damage"), "damage_type"):
        yield "damage_type", [name]


def _of_monster(base: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    for key, names in (("speed", SPEEDS), ("senses", SENSES)):
        raw = own.get(key)
        if isinstance(raw, int) and not isinstance(raw, bool):
            raw = f"{raw} ft."
        if isinstance(raw, Mapping):
            raw = ", ".join(
                f"{move} {str(feet).removesuffix('.').removesuffix('ft').strip()} ft"
                for move, feet in raw.items() if move in names
            )
        if not isinstance(raw, str):
            continue
        speeds = {(move or "walk").lower(): int(feet) for move, feet in _MEASURE.findall(raw)}
        if speeds or (key == "senses" and isinstance(own[key], Mapping)):  # passive ones alone
            yield from ((name, speeds.get(name, 0)) for name in names)
    if isinstance(fly := base.get("fly"), int | float):
        yield "flying", fly > 0
    if base.get("legendary_actions"):
        yield "legendary", True


def _of_weapon(base: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    damage = own.get("damage")
    if isinstance(damage, Mapping) and isinstance(damage.get("damage_dice"), str):
        yield "damage_dice", damage["damage_dice"]
    if name := _name_in(damage, "damage_type"):
        yield "damage_type", name
    dice = str(base.get("damage_dice", ""))
    if "d" in dice.lower() and (mean := average(dice)) is not None:
        yield "damage_average", mean
    reach = own.get("throw_range", own.get("range"))
    if isinstance(reach, Mapping):
        yield from (
            (f"range_{end}", reach[end]) for end in ("normal", "long")
            if isinstance(reach.get(end), int)
        )
    properties = base.get("properties")
    if isinstance(properties, list):
        traits = {fold(name).split("(")[0].strip() for name in properties if isinstance(name, str)}
        yield from (
            (field.name, fold(field.name) in traits) for field in fields_of(EntityType.WEAPONS)
            if field.kind is FieldKind.FLAG and field.name != _NO_PROPERTY
        )


def _name_in(raw: Any, key: str) -> str:
    """The name of a reference under a key, or the text that stands for one; '' for none."""
    text = raw.get(key) if isinstance(raw, Mapping) else None
    name = text.get("name") if isinstance(text, Mapping) else text
    return name.strip() if isinstance(name, str) else ""
