"""Fields of users' documents that follow from others which are given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..content.types import EntityType
from ..retrieval.filters import fold

ABILITIES: Final = {
    "str": "Strength", "dex": "Dexterity", "con": "Constitution", "int": "Intelligence",
    "wis": "Wisdom", "cha": "Charisma",
}
_MOVES: Final = ("walk", "fly", "swim", "burrow", "climb")
_SENSES: Final = ("darkvision", "blindsight", "tremorsense", "truesight")
_PROPERTIES: Final = ("finesse", "light", "heavy", "two_handed", "versatile", "thrown", "reach",
                      "ammunition", "loading", "special")
DICE: Final = re.compile(r"([0-9]{0,3})d([0-9]{1,4})\s*(?:([+-])\s*([0-9]{1,4}))?", re.IGNORECASE)
_FEET: Final = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,7})[ -]*(feet|foot|ft|miles?)\b",
                          re.IGNORECASE)
_MEASURE: Final = re.compile(
    rf"(?:({'|'.join((*_MOVES, *_SENSES))})\s+)?([0-9]{{1,6}})\s*(?:ft|feet)\b", re.IGNORECASE
)
ATTUNEMENT: Final = re.compile(r"requires attunement(?: by ([^()]*))?", re.IGNORECASE)
_Document = dict[str, Any]


def derived(type_: EntityType, known: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    """Fields that follow from what is given, as names and values."""
    match type_:
        case EntityType.SPELLS:
            yield from _of_spell(known, own)
        case EntityType.MONSTERS:
            yield from _of_monster(known, own)
        case EntityType.WEAPONS:
            yield from _of_weapon(known, own)
        case EntityType.MAGIC_ITEMS:
            desc = known.get("desc", "")
            first = desc[0] if isinstance(desc, list) else str(desc).partition("\n")[0]
            if said := ATTUNEMENT.search(str(first)):
                yield "attunement", True
                if said[1]:
                    yield "attunement_by", said[1].strip()
            if isinstance(by := own.pop("attunement_by", None), str):
                yield "attunement_by", by


def _of_spell(known: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    far = str(known.get("range", "")).lower()
    if far.startswith(("self", "touch")):
        yield "range_feet", 0 if far.startswith("self") else 5
    elif feet := _FEET.match(far):
        miles = 5280 if feet[2].startswith("mile") else 1
        yield "range_feet", int(feet[1].replace(",", "")) * miles
    if "concentration" in str(known.get("duration", "")).lower():
        yield "concentration", True
    dc, area, damage = (
        one if isinstance(one, Mapping) else {}
        for one in (own.get("dc"), own.get("area_of_effect"), own.get("damage"))
    )
    if name := _name_of(dc.get("dc_type")):
        yield "save", ABILITIES.get(name.lower(), name)
    if isinstance(area.get("type"), str) and isinstance(area.get("size"), int):
        yield "area_shape", area["type"]
        yield "area_size", area["size"]
    if name := _name_of(damage.get("damage_type")):
        yield "damage_type", [name]


def _of_monster(known: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    for key, names in (("speed", _MOVES), ("senses", _SENSES)):
        given = own.get(key)
        if isinstance(given, int) and not isinstance(given, bool):
            given = f"{given} ft."
        if isinstance(given, Mapping):
            given = ", ".join(
                f"{move} {str(feet).removesuffix('.').removesuffix('ft').strip()} ft"
                for move, feet in given.items() if move in names
            )
        if not isinstance(given, str):
            continue
        found = {(move or "walk").lower(): int(feet) for move, feet in _MEASURE.findall(given)}
        if found or (key == "senses" and isinstance(own[key], Mapping)):  # passive ones alone
            yield from ((name, found.get(name, 0)) for name in names)
            if key == "speed":
                known.setdefault("fly", found.get("fly", 0))
    if isinstance(fly := known.get("fly"), int | float):
        yield "flying", fly > 0
    if known.get("legendary_actions"):
        yield "legendary", True


def _of_weapon(known: _Document, own: _Document) -> Iterator[tuple[str, Any]]:
    damage = own.get("damage")
    if isinstance(damage, Mapping):
        if isinstance(damage.get("damage_dice"), str):
            known.setdefault("damage_dice", damage["damage_dice"])
        if name := _name_of(damage.get("damage_type")):
            yield "damage_type", name
    dice = DICE.fullmatch(str(known.get("damage_dice", "")).strip())
    if dice:
        more = int(f"{dice[3]}{dice[4]}") if dice[3] else 0
        yield "damage_average", max(0, tidy(int(dice[1] or 1) * (int(dice[2]) + 1) / 2 + more))
    reach = own.get("throw_range", own.get("range"))
    if isinstance(reach, Mapping):
        yield from (
            (f"range_{end}", reach[end]) for end in ("normal", "long")
            if isinstance(reach.get(end), int)
        )
    properties = known.get("properties")
    if isinstance(properties, list):
        said = [fold(one) for one in properties if isinstance(one, str)]
        for name in _PROPERTIES:
            yield name, any(one.split("(")[0].strip() == fold(name) for one in said)


def _name_of(reference: Any) -> str:
    """The name of a reference, or the text that stands for one; '' for none."""
    name = reference.get("name") if isinstance(reference, Mapping) else reference
    return name.strip() if isinstance(name, str) else ""


def tidy(value: Any) -> Any:
    """``value``, as a whole number where it is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
