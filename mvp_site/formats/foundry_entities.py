"""Creatures and things of Foundry's dnd5e system as entities of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..text.vocabulary import COINS, SENSES, SPEEDS
from .export_fields import definition, number, rows, text
from .foundry import (
    FOUNDRY,
    ITEMS,
    SHORT,
    damage_of,
    is_actor,
    listed,
    prose,
    system,
    tags,
    uses_of,
    weight_of,
)
from .types import Format, Sample

_TYPES: Final = ITEMS | {"spell", "feat", "background", "race", "class", "subclass"}
_GROUPS: Final = {
    "legendary": "legendary_actions", "reaction": "reactions", "": "special_abilities",
}
_UNITS: Final = {"inst": "Instantaneous", "perm": "Permanent", "ft": "feet", "self": "Self",
                 "touch": "Touch"}


def creature(sample: Sample) -> dict[str, Any]:
    """A creature as an own monster; what of its items is text becomes abilities and actions."""
    record = sample.value
    of = system(record)
    attributes, details, traits = (definition(of, key)
                                   for key in ("attributes", "details", "traits"))
    units = text(attributes, "movement", "units") or "ft"
    fields: dict[str, Any] = {
        "name": text(record, "name"),
        "size": FOUNDRY["sizes"].get(text(traits, "size"), text(traits, "size")),
        "type": text(details, "type", "value") or text(details, "type"),
        "subtype": text(details, "type", "subtype"), "alignment": text(details, "alignment"),
        "armor_class": _armor(attributes, of),
        "hit_points": number(attributes, "hp", "max") or number(attributes, "hp", "value"),
        "hit_dice": text(attributes, "hp", "formula"),
        "challenge_rating": details.get("cr"),
        "xp": number(details, "xp", "value", most=10**9),
        "speed": ", ".join(f"{key} {feet} {units}." for key in SPEEDS
                           if (feet := number(attributes, "movement", key))),
        "senses": ", ".join(filter(None, (*(f"{key} {feet} ft." for key in SENSES if (
            feet := number(attributes, "senses", key)
            or number(attributes, "senses", "ranges", key))),
            text(attributes, "senses", "special")))),
        "languages": listed(traits, "languages"), "resistances": listed(traits, "dr"),
        "immunities": listed(traits, "di"), "vulnerabilities": listed(traits, "dv"),
        "condition_immunities": listed(traits, "ci"),
        "desc": "\n\n".join(dict.fromkeys(filter(None, (
            prose(details, "biography", key) for key in ("public", "value"))))),
        **{name.lower(): number(of, "abilities", key, "value") for key, name in SHORT.items()},
    }
    for item in rows(record, "items"):
        if item.get("type") == "spell":
            fields.setdefault("spells", []).append(text(item, "name"))
            continue
        ability, time = _ability(item)
        if ability["desc"]:
            fields.setdefault(_GROUPS.get(time, "actions"), []).append(ability)
    return fields


def thing(sample: Sample) -> dict[str, Any]:
    """An item as an own entity of the type whose folder it stands in."""
    record = sample.value
    of, kind = system(record), text(record, "type")
    fields: dict[str, Any] = {"name": text(record, "name"),
                              "desc": prose(of, "description", "value"),
                              "unidentified": prose(of, "unidentified", "description")
                              or prose(of, "description", "unidentified"),
                              "sources": text(of, "source", "custom") or text(of, "source")}
    dice = next(damage_of(of), ("", ""))
    if kind == "spell":
        marks = tags(of) | {key for key, is_set in definition(of, "components").items() if is_set}
        fields |= {
            "level": number(of, "level") or 0,
            "school": FOUNDRY["schools"].get(text(of, "school"), text(of, "school")),
            "casting_time": _measure(of, "activation", "cost", "type"),
            "range": _measure(of, "range", "value", "units"),
            "duration": _measure(of, "duration", "value", "units"),
            "components": [letter.upper() for letter, key in (
                ("v", "vocal"), ("s", "somatic"), ("m", "material")) if key in marks],
            "material": text(of, "materials", "value"),
            "concentration": "concentration" in marks, "ritual": "ritual" in marks,
            "damage_type": [dice[1]] if dice[1] else [],
            "save": SHORT.get(text(of, "save", "ability"), "")}
    elif kind in ITEMS:
        price = definition(of, "price")
        coin = COINS.get(text(price, "denomination"), COINS["gp"])
        cost = number(price, "value", most=10**9)
        sort = text(of, "type", "value") or text(of, "armor", "type") or text(of, "weaponType")
        fields |= {
            "rarity": [rarity] if (rarity := text(of, "rarity")) else [],
            "attunement": of.get("attunement") not in (None, 0, "", "none"),
            "weight": weight_of(of), "item_type": kind if kind != "equipment" else "Wondrous item",
            "cost": cost * coin / COINS["gp"] if cost else None}
        if kind == "weapon":
            fields |= {
                "category": {"m": "Martial", "s": "Simple"}.get(sort[:1], ""),
                "style": "Ranged" if sort.endswith("R") else "Melee", "damage_dice": dice[0],
                "damage_type": dice[1].capitalize(),
                "properties": sorted(FOUNDRY["properties"].get(mark, mark).capitalize()
                                     for mark in tags(of))}
        elif sort in {*FOUNDRY["armor"], "shield"}:
            fields |= {"category": sort.capitalize(), "armor_class": number(of, "armor", "value"),
                       "stealth_disadvantage": bool(of.get("stealth")),
                       "strength": number(of, "strength")}
    else:
        fields |= {"prerequisites": text(of, "requirements")}
    return fields


def _ability(item: Mapping[str, Any]) -> tuple[dict[str, str], str]:
    """What an item of a creature does, in words, and what it takes."""
    of = system(item)
    uses, _ = uses_of(of)
    parts = [f"{dice} {kind} damage".replace("  ", " ") for dice, kind in damage_of(of)]
    desc = prose(of, "description", "value") or "; ".join(parts)
    name = text(item, "name")
    activities = definition(of, "activities").values()
    time = text(of, "activation", "type") or next(
        (text(activity, "activation", "type") for activity in activities), "")
    if item.get("type") in ITEMS and not time:
        time = "action" if item.get("type") == "weapon" else ""
    return {"name": f"{name} ({uses})" if uses else name, "desc": desc}, time


def _measure(of: Mapping[str, Any], key: str, count: str, unit: str) -> str:
    amount, measure = text(of, key, count), text(of, key, unit)
    return f"{amount} {_UNITS.get(measure, measure)}".strip()


def _armor(attributes: Mapping[str, Any], of: Mapping[str, Any]) -> int | None:
    worth = number(attributes, "ac", "flat") or number(attributes, "ac", "value")
    if worth is None and "ac" in attributes:
        return 10 + (number(of, "abilities", "dex", "value") or 10) // 2 - 5
    return worth


FORMATS: Final = (
    Format("a Foundry dnd5e creature", "entities", lambda sample: is_actor(sample.value, "npc"),
           "size, type, armor class, hit points, challenge, speeds, senses, scores, traits, "
           "actions and texts",
           "effects, flags and tokens; secret sections are left out, for everybody may see every "
           "entity", extent="read in part", read=creature),
    Format("a Foundry dnd5e item", "entities",
           lambda sample: bool(system(sample.value)) and sample.value.get("type") in _TYPES,
           "level, school, times, components, damage, rarity, attunement, weight, cost and texts",
           "effects, flags and advancement", extent="read in part", read=thing),
    Format("a Foundry document of another type", "entities",
           lambda sample: bool(system(sample.value)) and "items" in sample.value
           and not is_actor(sample.value, "npc", "character"),
           aside="export a character, a creature or an item", extent="refused"),
)
