"""Documents of Foundry's dnd5e system, creatures and things as entities of one's own.

They have the shape of today (``system``) or before (``data``).
What a document says is found in its own keys: nothing is derived by Foundry in an export, so that
armor class, hit points and bonuses are worked out here by the rules of 2014.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lxml import etree

from ..text.dm_words import opens_reserved
from ..text.shipped_tables import shipped_tables
from ..text.vocabulary import ABILITIES, COINS, SENSES, SPEEDS
from .export_fields import at, definition, number, rows, text
from .types import Format, Sample

FOUNDRY: Final[dict[str, Any]] = shipped_tables(__package__, "foundry.toml")
SHORT: Final = {name[:3]: name.capitalize() for name in ABILITIES}
"""The abilities by their keys."""
ITEMS: Final = frozenset({"weapon", "equipment", "consumable", "tool", "loot", "container",
                          "backpack"})
"""The types of documents that are things."""
ARMOR: Final = frozenset({*FOUNDRY["armor"], "shield"})
_TYPES: Final = ITEMS | {"spell", "feat", "background", "race", "class", "subclass"}
_GROUPS: Final = {
    "legendary": "legendary_actions", "reaction": "reactions", "": "special_abilities",
}
_UNITS: Final = {"inst": "Instantaneous", "perm": "Permanent", "ft": "feet", "self": "Self",
                 "touch": "Touch"}
_LINK: Final = re.compile(r"@\w+\[([^\[\]]*)\](?:\{([^{}]*)\})?")
_REFERENCE: Final = re.compile(
    r"&(?:amp;)?Reference\[(?:\w+=)?([^\[\]\s]+)[^\[\]]*\](?:\{([^{}]*)\})?")
_ROLL: Final = re.compile(r"\[\[/?(?:r|roll|damage|save|check|skill|attack|gmroll|heal)?\s*"
                          r"([^\[\]]*)\]\](?:\{([^{}]*)\})?")
_HEAVIEST: Final = 10**6
_DIE: Final = re.compile(r"\s*@(?:mod|abilities\.\w+\.mod|prof)\b|\s*[+-]\s*@[\w.]+|\[\w+\]")


def system(record: Any) -> Mapping[str, Any]:
    """What the rules' system says of a document; empty for what is no document."""
    entry = record.get("system", record.get("data")) if isinstance(record, Mapping) else None
    return entry if isinstance(entry, Mapping) else {}


def is_actor(record: Any, *types: str) -> bool:
    """Whether a value is an actor of one of these types."""
    return bool(isinstance(record, Mapping) and record.get("type") in types
                and {"attributes", "abilities"} & system(record).keys())


def prose(value: Any, *path: str) -> str:
    """The text at ``path`` without marks and secrets, links as their labels."""
    public = _plain(_parted(_raw(value, *path))[0])
    return "\n\n".join(part for part in public.split("\n\n") if not opens_reserved(part))


def secrets(value: Any, *path: str) -> str:
    """What of a text stands in sections for the game master, or behind a label that says so."""
    public, hidden = _parted(_raw(value, *path))
    return "\n\n".join([*map(_plain, hidden), *filter(opens_reserved,
                                                      _plain(public).split("\n\n"))])


def _parted(markup: str) -> tuple[str, list[str]]:
    """The markup without what is secret and not revealed, and that."""
    if "secret" not in markup.lower():
        return markup, []
    root = etree.fromstring(f"<div>{markup}</div>", etree.HTMLParser())
    hidden: list[str] = []
    while (element := next(filter(_is_secret, root.iter("*")), None)) is not None:
        gap = etree.Element("p")
        gap.tail, element.tail = element.tail, None
        above: Any = element.getparent()
        above.replace(element, gap)
        hidden.append(etree.tostring(element, encoding="unicode", method="html"))
    return etree.tostring(root, encoding="unicode", method="html"), hidden


def _is_secret(element: Any) -> bool:
    classes = element.get("class", "").lower().split()
    return "secret" in classes and "revealed" not in classes


def _raw(value: Any, *path: str) -> str:
    entry = at(value, *path)
    return entry if isinstance(entry, str) else ""


def _plain(markup: str) -> str:
    markup = _LINK.sub(lambda link: link[2] or link[1].rpartition(".")[2], markup)
    markup = _REFERENCE.sub(lambda link: link[2] or link[1], markup)
    return text({"": _ROLL.sub(lambda roll: roll[2] or roll[1], markup)}, "")


def listed(value: Any, *path: str) -> list[str]:
    """The names that a trait has chosen or written: ``{"value": [...], "custom": "a; b"}``."""
    trait = at(value, *path)
    chosen = trait.get("value") if isinstance(trait, Mapping) else trait
    names = [str(name).capitalize() for name in chosen if name] if isinstance(chosen, list) else []
    return [*names, *filter(None, map(str.strip, text(trait, "custom").split(";")))]


def tags(of: Mapping[str, Any]) -> set[str]:
    """The properties of an item, of both shapes, and the components of a spell."""
    marks = of.get("properties")
    listed = {str(mark) for mark in marks} if isinstance(marks, list) else set()
    return listed | {str(key) for key, is_set in (
        *definition(of, "properties").items(), *definition(of, "components").items()) if is_set}


def attunes(of: Mapping[str, Any]) -> bool:
    """Whether an item is attuned to."""
    return of.get("attunement") not in (None, 0, "", "none")


def speeds_of(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Speeds by their kind."""
    units = text(attributes, "movement", "units") or "ft"
    return {key: f"{feet} {units}." for key in SPEEDS
            if (feet := number(attributes, "movement", key))}


def senses_of(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Senses by their kind."""
    return {sense: f"{feet} ft." for sense in SENSES if (
        feet := number(attributes, "senses", sense)
        or number(attributes, "senses", "ranges", sense))}


def dice_of(part: Any) -> tuple[str, str]:
    """The dice and the kind of a part of damage: ``["1d8 + @mod", "fire"]``, or an object."""
    if isinstance(part, list) and part:
        return _DIE.sub("", str(part[0])).strip(), str(part[1]) if part[1:] else ""
    if not isinstance(part, Mapping):
        return "", ""
    kinds = part.get("types")
    kind = " or ".join(map(str, kinds)) if isinstance(kinds, list) else ""
    custom = at(part, "custom", "formula")
    if at(part, "custom", "enabled") and isinstance(custom, str):
        return _DIE.sub("", custom).strip(), kind
    count, faces = number(part, "number"), number(part, "denomination")
    bonus = _DIE.sub("", text(part, "bonus")).strip()
    dice = f"{count}d{faces}" if count and faces else ""
    return " + ".join(filter(None, (dice, bonus))), kind


def damage_of(of: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The dice and kinds of damage of an item, of all shapes, those of its activities included."""
    parts = at(of, "damage", "parts")
    base = at(of, "damage", "base")
    activities = of.get("activities")
    more = [part for activity in (activities.values() if isinstance(activities, Mapping) else ())
            for part in (at(activity, "damage", "parts") or ())]
    for part in (*([base] if base else ()), *(parts if isinstance(parts, list) else ()), *more):
        if (dice := dice_of(part))[0]:
            yield dice


def weight_of(of: Mapping[str, Any]) -> float | None:
    """What one of an item weighs in pounds, if it says so."""
    weight = at(of, "weight")
    weight = at(weight, "value") if isinstance(weight, Mapping) else weight
    weighs = isinstance(weight, (int, float)) and 0 < weight < _HEAVIEST
    return weight if weighs else None


def uses_of(of: Mapping[str, Any]) -> tuple[str, int | None]:
    """How often something can be used, as "3 per long rest", and how often still."""
    most = number(of, "uses", "max") or (int(value) if (
        value := text(of, "uses", "max")).isdecimal() else 0)
    recovery = at(of, "uses", "recovery")
    period = text(of, "uses", "per") or text(
        recovery[0] if isinstance(recovery, list) and recovery else None, "period")
    if not most:
        return "", None
    remaining = number(of, "uses", "value")
    spent = number(of, "uses", "spent")
    if remaining is None and spent is not None:
        remaining = max(0, most - spent)
    per = FOUNDRY["periods"].get(period, period)
    return f"{most}{f' per {per}' if per else ''}", remaining


def creature(sample: Sample) -> dict[str, Any]:
    """A creature as an own monster; what of its items is text becomes abilities and actions."""
    record = sample.value
    of = system(record)
    attributes, details, traits = (definition(of, key)
                                   for key in ("attributes", "details", "traits"))
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
        "speed": ", ".join(map(" ".join, speeds_of(attributes).items())),
        "senses": ", ".join(filter(None, (*map(" ".join, senses_of(attributes).items()),
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
        marks = tags(of)
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
            "attunement": attunes(of),
            "weight": weight_of(of), "item_type": kind if kind != "equipment" else "Wondrous item",
            "cost": cost * coin / COINS["gp"] if cost else None}
        if kind == "weapon":
            fields |= {
                "category": {"m": "Martial", "s": "Simple"}.get(sort[:1], ""),
                "style": "Ranged" if sort.endswith("R") else "Melee", "damage_dice": dice[0],
                "damage_type": dice[1].capitalize(),
                "properties": sorted(FOUNDRY["properties"].get(mark, mark).capitalize()
                                     for mark in tags(of))}
        elif sort in ARMOR:
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
