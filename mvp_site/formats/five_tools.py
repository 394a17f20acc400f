"""Creatures, spells and items in the JSON of 5e.tools as entities of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ..text.dm_words import reserved
from ..text.shipped_tables import shipped_tables
from ..text.vocabulary import ABILITIES, DAMAGE_TYPES, SCHOOLS, SIZES
from .export_fields import at, number, text
from .types import Format, Sample

_TABLES: Final[dict[str, dict[str, str]]] = shipped_tables(__package__, "five_tools.toml")
_TAG: Final = re.compile(r"\{@(\w+)\s?([^{}]*)\}")
_PLAIN: Final = frozenset({"damage", "dice", "scaledamage", "scaledice", "d20", "autodice"})
"""Tags whose first part is what is shown; of others the last of three is, else the first."""
_SIZES: Final = dict(zip("TSMLHG", map(str.capitalize, SIZES), strict=True))
_SCHOOLS: Final = dict(zip("ACDEVINT", SCHOOLS, strict=True))
_DAMAGE: Final = dict(zip("ABCFOLNPIYRST", map(str.capitalize, DAMAGE_TYPES), strict=True))


def words(entry: Any) -> str:
    """A text as it is read: tags as what they show, lists and tables a line each."""
    return _untagged(" ".join(_lines(entry)) if isinstance(entry, str) else "\n\n".join(
        filter(None, _lines(entry))))


def _untagged(markup: str) -> str:
    for _ in range(4):  # tags stand in tags
        shown = _TAG.sub(_tag, markup)
        if shown == markup:
            break
        markup = shown
    return markup


def _tag(match: re.Match[str]) -> str:
    name, inner = match.groups()
    if name in {"atk", "atkr"}:
        return " or ".join(_TABLES["attacks"].get(kind, kind) for kind in inner.split(",")) + ":"
    if name == "hit" and inner.strip().isdecimal():
        return f"+{inner.strip()}"
    if name in _TABLES["shown"]:
        return _TABLES["shown"][name].format(inner.partition("|")[0] or 6)
    parts = inner.split("|")
    return parts[2] if len(parts) > 2 and parts[2] and name not in _PLAIN else parts[0]


def _lines(entry: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(entry, (str, int, float)):
        yield str(entry)
    elif isinstance(entry, list) and depth < 12:
        for part in entry:
            yield from _lines(part, depth + 1)
    elif isinstance(entry, Mapping) and depth < 12:
        name, kind = text(entry, "name"), text(entry, "type")
        if name and reserved(name):
            return  # everybody may see every entity
        if kind == "table":
            rows = [entry.get("colLabels") or [], *(entry.get("rows") or [])]
            yield "\n".join(" | ".join(" ".join(_lines(cell, depth + 1)) for cell in row)
                            for row in rows if isinstance(row, list) and row)
            return
        parts = [*_lines([entry.get(key) for key in ("entry", "entries", "items", "headerEntries")
                          if entry.get(key)], depth + 1)]
        if name:
            parts[:1] = [f"{name}. {parts[0] if parts else ''}".strip()]
        yield from (f"- {part}" if kind == "list" else part for part in parts)


def _named(entries: Any) -> list[dict[str, str]]:
    return [{"name": words(entry["name"]), "desc": desc}
            for entry in entries if isinstance(entry, Mapping) and entry.get("name")
            and (desc := words(entry.get("entries") or entry.get("headerEntries") or []))
            ] if isinstance(entries, list) else []


def creature(sample: Sample) -> dict[str, Any]:
    """A creature as an own monster."""
    of = sample.value
    kind, armor = of.get("type"), (of.get("ac") or [None])[0]
    armor = armor.get("ac", armor.get("special")) if isinstance(armor, Mapping) else armor
    rating = of.get("cr")
    fields = {
        "name": text(of, "name"), "size": " or ".join(_SIZES.get(size, size) for size in _listed(
            of.get("size"))),
        "type": text(kind, "type") if isinstance(kind, Mapping) else kind,
        "subtype": ", ".join(_listed(at(kind, "tags"))),
        "alignment": " ".join(_TABLES["alignments"].get(part, "")
                              for part in _listed(of.get("alignment"))).strip(),
        "armor_class": armor, "hit_points": number(of, "hp", "average") or _special(of),
        "hit_dice": text(of, "hp", "formula").replace(" ", ""),
        "challenge_rating": text(rating, "cr") if isinstance(rating, Mapping) else rating,
        "speed": ", ".join(_speeds(of.get("speed"))),
        "senses": ", ".join(_listed(of.get("senses"))),
        "passive_perception": number(of, "passive"), "languages": _listed(of.get("languages")),
        **{key: number(of, key) for key in (name[:3] for name in ABILITIES)},
        "saves": _bonuses(of.get("save")), "skills": _bonuses(of.get("skill")),
        **{ours: [*_kinds(of.get(theirs), theirs)] for theirs, ours in (
            ("resist", "resistances"), ("immune", "immunities"),
            ("vulnerable", "vulnerabilities"), ("conditionImmune", "condition_immunities"))},
        "desc": words(at(of, "fluff", "entries") or []), "document": text(of, "source"),
    }
    for key, group in _TABLES["texts"].items():
        fields[group] = [*(fields.get(group) or ()), *_named(of.get(key))]
    if header := words(of.get("legendaryHeader") or []):
        fields["legendary_actions"].insert(0, {"name": "Legendary actions", "desc": header})
    fields["special_abilities"] += [
        {"name": row["name"], "desc": _spellcasting(row)} for row in of.get("spellcasting") or ()
        if isinstance(row, Mapping) and row.get("name")]
    return fields


def _special(of: Mapping[str, Any]) -> int | None:
    """Hit points that follow from no dice: ``{"special": "1"}``."""
    points = text(of, "hp", "special")
    return int(points) if points.isdecimal() else None


def _spellcasting(row: Mapping[str, Any]) -> str:
    lists = [f"At will: {', '.join(_listed(row.get('will')))}"] if row.get("will") else []
    lists += [f"{key.rstrip('e')}/day: {', '.join(_listed(spells))}"
              for key, spells in (row.get("daily") or {}).items()]
    lists += [f"{f'Level {level}' if level != '0' else 'Cantrips'}: "
              f"{', '.join(_listed(at(spells, 'spells')))}"
              for level, spells in (row.get("spells") or {}).items()]
    return _untagged("\n".join([words(row.get("headerEntries") or []), *lists]))


def spell(sample: Sample) -> dict[str, Any]:
    """A spell as an own one."""
    of = sample.value
    parts = of.get("components") or {}
    material = parts.get("m")
    durations = [row for row in of.get("duration") or () if isinstance(row, Mapping)]
    return {
        "name": text(of, "name"), "level": number(of, "level"),
        "school": _SCHOOLS.get(text(of, "school"), text(of, "school")),
        "casting_time": " or ".join(", ".join(filter(None, (
            f"{row.get('number', 1)} {row.get('unit', '')}", _untagged(text(row, "condition")))))
            for row in of.get("time") or () if isinstance(row, Mapping)),
        "range": _range(of.get("range")),
        "components": [key.upper() for key in "vsm" if parts.get(key)],
        "material": text(material, "text") if isinstance(material, Mapping) else
        material if isinstance(material, str) else "",
        "duration": " or ".join(map(_duration, durations)),
        "concentration": any(row.get("concentration") for row in durations),
        "ritual": bool(at(of, "meta", "ritual")), "desc": words(of.get("entries") or []),
        "higher_level": words(of.get("entriesHigherLevel") or []),
        "damage_type": _listed(of.get("damageInflict")),
        "save": next(iter(_listed(of.get("savingThrow"))), ""),
        "classes": [text(row, "name") for row in at(of, "classes", "fromClassList") or ()],
        "document": text(of, "source"),
    }


def item(sample: Sample) -> dict[str, Any]:
    """An item as an own entity of the type whose folder it stands in."""
    of = sample.value
    kind = text(of, "type").partition("|")[0]
    attunes, rarity = of.get("reqAttune"), text(of, "rarity")
    fields: dict[str, Any] = {
        "name": text(of, "name"), "desc": words(of.get("entries") or []),
        "rarity": [] if rarity in {"none", "unknown", ""} else [rarity],
        "item_type": "Wondrous item" if of.get("wondrous") else _TABLES["kinds"].get(kind, kind),
        "attunement": bool(attunes), "weight": of.get("weight"),
        "attunement_by": attunes.removeprefix("by ") if isinstance(attunes, str) else "",
        "cost": value / 100 if (value := number(of, "value", most=10**9)) else None,
        "document": text(of, "source"),
    }
    if "weaponCategory" in of or "dmg1" in of:
        fields |= {"category": text(of, "weaponCategory").capitalize(),
                   "style": "Ranged" if kind == "R" else "Melee", "damage_dice": text(of, "dmg1"),
                   "damage_type": _DAMAGE.get(text(of, "dmgType"), ""),
                   "properties": [_TABLES["properties"].get(mark.partition("|")[0], mark)
                                  for mark in _listed(of.get("property"))]}
    elif "ac" in of:
        fields |= {"category": _TABLES["kinds"].get(kind, ""), "armor_class": number(of, "ac"),
                   "strength": int(least) if (least := text(of, "strength")).isdecimal() else None,
                   "stealth_disadvantage": bool(of.get("stealth"))}
    return fields


def _listed(value: Any) -> list[str]:
    values: Iterable[Any] = value if isinstance(value, list) else [value] if value else []
    return [_untagged(part) if isinstance(part, str) else
            text(part, "entry") or text(part, "special")
            for part in values if isinstance(part, (str, Mapping))]


def _kinds(value: Any, key: str) -> Iterator[str]:
    for row in value if isinstance(value, list) else ():
        if isinstance(row, str):
            yield row
        elif isinstance(row, Mapping) and isinstance(row.get(key), list):
            note = text(row, "note")
            inner = ", ".join(_kinds(row[key], key))
            yield from [f"{inner} {note}"] if note else _kinds(row[key], key)


def _bonuses(value: Any) -> dict[str, Any]:
    return {name.capitalize(): int(bonus) if bonus.lstrip("+-").isdecimal() else bonus
            for name, bonus in value.items() if isinstance(bonus, str)
            } if isinstance(value, Mapping) else {}


def _speeds(value: Any) -> Iterator[str]:
    if isinstance(value, int):
        yield f"walk {value} ft."
    for kind, measure in value.items() if isinstance(value, Mapping) else ():
        inner = isinstance(measure, Mapping)
        feet = number(measure, "number") if inner else number(value, kind)
        if feet is not None:
            note = f" {text(measure, 'condition')}".rstrip()
            yield f"{kind} {feet} ft.{note}"


def _range(value: Any) -> str:
    count, unit = number(value, "distance", "amount"), text(value, "distance", "type")
    area = text(value, "type")
    reach = f"{count} {unit}" if count else unit.capitalize()
    return reach if area in {"point", ""} else f"Self ({reach} {area})"


def _duration(row: Mapping[str, Any]) -> str:
    kind, count = text(row, "type"), number(row, "duration", "amount")
    if kind != "timed" or not count:
        return {"instant": "Instantaneous", "permanent": "Until dispelled"}.get(kind, kind)
    span = f"{count} {text(row, 'duration', 'type')}{'s' * (count > 1)}"
    return f"Concentration, up to {span}" if row.get("concentration") else span


def _is(sample: Sample, key: str, *kinds: type) -> bool:
    return sample.has("name", key) and isinstance(sample.value[key], kinds)


FORMATS: Final = (
    Format("a 5e.tools creature", "entities", lambda sample: (
        _is(sample, "ac", list) and _is(sample, "hp", Mapping)),
           "all fields of a stat block, traits and actions with their tags as words, spells",
           "sources, pictures, sounds, tokens and variants", extent="read in part", read=creature),
    Format("a 5e.tools spell", "entities", lambda sample: (
        _is(sample, "time", list) and _is(sample, "entries", list)),
           "level, school, time, range, components, duration, classes and texts",
           "sources and effects on scenes", extent="read in part", read=spell),
    Format("a 5e.tools item", "entities", lambda sample: (
        _is(sample, "rarity", str) and _is(sample, "source", str)
        and not sample.has("document")),
           "rarity, attunement, weapon and armor fields, weight, value and texts",
           "bonuses to rolls, attached spells", extent="read in part", read=item),
)
