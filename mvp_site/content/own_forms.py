"""What people write, brought into the form of documents before the schema checks it.

Every leniency there is:

- nulls are dropped, and so is empty text in a field. A key of a field may have capitals, spaces or
  hyphens, or be another of its names (``cr``, ``price``, and those of :data:`OTHER_NAMES`); two
  names of one field must agree;
- a number may be text: a fraction (``1/4``, ``½``), with thousands (``1,500``), with the unit of
  its field (``60 ft.``, ``2 lb.``, ``5 sp``, which is 0.5), a level (``cantrip``, ``3rd-level``) or
  a die (``d8``); what follows in brackets is kept as ``<field>_note``. A price may be
  ``{"quantity": 15, "unit": "gp"}``, another number ``{"base": 18, …}`` (or ``value``, ``walk``) or
  a list of one such: the other keys are kept as ``<field>_<key>``;
- true and false may be text: ``yes``, ``no``, ``true``, ``false``; of attunement also the words
  "requires attunement by …"; what is special about a weapon may be told instead, and is kept as
  ``special_text``;
- a text may be a number or a reference (``{"index": …, "name": …, "url": …}``). Several texts may
  be one, parted by semicolons, else by commas outside of brackets and by "and" before the last,
  unless it says "from", as damage "from nonmagical attacks" does. ``DEX``, where an ability is
  asked for, is Dexterity;
- named texts may be a mapping from name to text, and their text a list of paragraphs;
- fields that are not given follow from what is given: see :mod:`.own_fields`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Final

from ..retrieval.filters import FieldKind, FilterField, fold
from ..srd.values import COPPER
from .document import NAMED_TEXTS, TEXT
from .notation import typed
from .own_fields import ATTUNEMENT, ability, follows
from .schemas import MAX_VALUE, problem, shown, slug_of
from .types import EntityType, fields_of
from .wording import whole

OTHER_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "": {"index": "slug", "description": "desc", "higher_levels": "higher_level",
         "at_higher_levels": "higher_level"},
    "spells": {"spell_level": "level", "level_int": "level", "attack_type": "attack"},
    "monsters": {
        "damage_resistances": "resistances", "damage_immunities": "immunities",
        "damage_vulnerabilities": "vulnerabilities", "experience_points": "xp",
        "traits": "special_abilities", "str": "strength", "dex": "dexterity",
        "con": "constitution", "int": "intelligence", "wis": "wisdom", "cha": "charisma",
    },
    "weapons": {"weapon_category": "category", "weapon_range": "style"},
    "armor": {"armor_category": "category", "str_minimum": "strength"},
    "equipment": {"equipment_category": "category", "gear_category": "group"},
    "magic-items": {"equipment_category": "item_type"},
}
"""Names of fields in the usual data sets, beside those that filters know."""
_REFERENCE: Final = frozenset({"index", "name", "url", "key", "slug"})
_GLYPHS: Final = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅛": "1/8"}
_SPELT: Final = {
    "level": r"(?:level )?([0-9]{1,2})(?:st|nd|rd|th)?(?:[ -]level)?|cantrip",
    "hit_die": "1?d([0-9]{1,4})",
}
"""What the number of a field may stand in."""
_NUMBER: Final = re.compile(
    r"([+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})(?:\.[0-9]{1,9})?)(?:/([0-9]{1,4}))?"
    r"\s*([a-z]*)\.?\s*(?:\(([^()]*)\))?", re.IGNORECASE,
)
_UNITS: Final = {
    "in gp": {unit: Fraction(worth, COPPER["gp"]) for unit, worth in COPPER.items()},
    "feet": dict.fromkeys(("ft", "feet", "foot"), Fraction(1)),
    "pounds": dict.fromkeys(("lb", "lbs", "pound", "pounds"), Fraction(1)),
}
"""What each unit of a field is worth, by what the field says that it is in."""
_ITEM: Final = re.compile(r"(?:[^,()]++|\((?:[^()]*+\))?+|\))++")
_Document = dict[str, Any]


def normalised(type_: EntityType, raw: Mapping[str, Any]) -> tuple[_Document, list[str]]:
    """``raw`` as a document of the type, with a slug, and what cannot be brought into that form.

    ``raw`` is JSON. What is no value of its field's kind stays as it is, for the schema to find.
    A document that has been normalised stays as it is.
    """
    fields = {field.name: field for field in fields_of(type_)}
    own: _Document = {}
    fixed: _Document = {}
    problems = []
    for key, null in _without_nulls(raw).items():
        name = _names(type_).get(key.strip().lower().replace(" ", "_").replace("-", "_"))
        if name is None:
            own[key] = null
            continue
        value = _read(fields.get(name), name, null, own)
        if value in ("", {}) or (name in NAMED_TEXTS and value == []):
            continue
        if name in fixed and fixed[name] != value and fold(str(fixed[name])) != fold(str(value)):
            problems.append(problem((key,), f"{name} is given twice, as {shown(fixed[name])} and "
                                    f"as {shown(value)}; keep one of them"))
        fixed.setdefault(name, value)
    for name, value in follows(type_, fixed, own):
        fixed.setdefault(name, value)
    if "slug" not in fixed and isinstance(fixed.get("name"), str):
        if slug := slug_of(fixed["name"]):
            fixed["slug"] = slug
        else:
            problems.append("slug: the name has no letter or digit to make it from; give one, such "
                            'as "my-spell"')
    order = dict.fromkeys(("slug", "name", "document", *fields, *TEXT, *NAMED_TEXTS))
    return {**{name: fixed[name] for name in order if name in fixed}, **own}, problems


@cache
def _names(type_: EntityType) -> Mapping[str, str]:
    """Every key that means a field or a text of the type; a field's own name before any other."""
    fields = fields_of(type_)
    also = {other: field.name for field in fields for other in field.also}
    own = {name: name for name in (*(field.name for field in fields), *TEXT, *NAMED_TEXTS)}
    return {**OTHER_NAMES[""], **OTHER_NAMES.get(type_, {}), **also, **own}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_nulls(part) for part in value if part is not None]
    return value


def _read(field: FilterField | None, name: str, value: Any, own: _Document) -> Any:
    """``value`` as the field or text holds it; what more it says goes to ``own``."""
    if field is None:
        return _named(value) if name in NAMED_TEXTS else _paragraphs(value, several=name == "desc")
    single = value[0] if isinstance(value, list) and len(value) == 1 else value
    match field.kind:
        case FieldKind.NUMBER:
            return _number(field, single, own)
        case FieldKind.FLAG:
            return _flag(field, value, own)
        case FieldKind.TEXT:
            return _text(field, single)
        case FieldKind.TEXTS:
            return _texts(field, value, own)


def _paragraphs(value: Any, *, several: bool = False) -> Any:
    """A text; of paragraphs one text, or with ``several`` their list."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        parts = [part.strip() for part in value if part.strip()]
        return parts if parts and several else "\n\n".join(parts)
    return value


def _named(value: Any) -> Any:
    if isinstance(value, Mapping) and all(isinstance(part, str | list) for part in value.values()):
        value = [{"name": name, "desc": text} for name, text in value.items()]
    if isinstance(value, str):
        return value.strip()
    return [_named_text(entry) for entry in value] if isinstance(value, list) else value


def _named_text(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    keys = {"description": "desc"} if "desc" not in value else {}
    entry = {keys.get(key, key): each for key, each in value.items()}
    return entry | {key: _paragraphs(entry[key]) for key in ("name", "desc") if key in entry}


def _flag(field: FilterField, value: Any, own: _Document) -> Any:
    if field.name == "special" and isinstance(value, list) and value:
        own.setdefault("special_text", value)
        return True
    if not isinstance(value, str):
        return value
    text = value.strip()
    if field.name == "attunement" and (match := ATTUNEMENT.fullmatch(text)):
        if match[1]:
            own.setdefault("attunement_by", match[1].strip())
        return True
    return typed(text, FieldKind.FLAG)


def _text(field: FilterField, value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    if isinstance(value, Mapping) and isinstance(value.get("name"), str) and (
            value.keys() <= _REFERENCE):
        value = value["name"]
    if not isinstance(value, str):
        return value
    value = " ".join(value.split()) if field.name == "name" else value.strip()
    return ability(value) if "abilit" in field.name + field.about else value


def _texts(field: FilterField, value: Any, own: _Document) -> Any:
    if isinstance(value, str):
        value = _parted(value)
    several = value if isinstance(value, list) else [value]
    if len(several) > MAX_VALUE:
        return several[:MAX_VALUE + 1]  # more than a field may have, which the schema says
    texts = []
    for entry in several:
        name = entry
        if isinstance(entry, Mapping) and isinstance(entry.get("ability_score"), Mapping):
            name = entry["ability_score"]
            own.setdefault(f"{field.name}_given", several)
        text = _text(field, name)
        if field.name == "components" and isinstance(text, str) and re.match(r"M\s*\(", text):
            own.setdefault("material", text[1:].strip().removeprefix("(").removesuffix(")"))
            text = "M"
        if text != "" and text not in texts:
            texts.append(text)
    return texts


def _parted(text: str) -> list[str]:
    if ";" in text or " from " in text:
        parts = text.split(";")
    else:
        parts = _ITEM.findall(text)
        if parts and not {"(", ")"} & {*parts[-1]}:
            parts[-1:] = parts[-1].strip().removeprefix("and ").split(" and ")
    return [part.strip().removeprefix("and ") for part in parts]


def _number(field: FilterField, value: Any, own: _Document) -> Any:
    if isinstance(value, Mapping) and value.keys() == {"quantity", "unit"}:
        value = f"{value['quantity']} {value['unit']}"
    if isinstance(value, Mapping):
        inner = next((key for key in ("base", "value", "walk") if key in value), None)
        if inner is None or isinstance(value[inner], Mapping | list):
            return value
        for key, more in value.items():
            if key != inner:
                own.setdefault(f"{field.name}_{key}", more)
        value = value[inner]
    return _spelt(field, " ".join(value.split()), own) if isinstance(value, str) else whole(value)


def _spelt(field: FilterField, text: str, own: _Document) -> Any:
    """The number that ``text`` writes; ``text`` where it writes none of the field."""
    if field.name in _SPELT and (hit := re.fullmatch(_SPELT[field.name], text, re.IGNORECASE)):
        return int(hit[1] or 0)
    match = _NUMBER.fullmatch(_GLYPHS.get(text, text))
    if match is None or (match[2] and not int(match[2])):
        return text
    units = next((units for about, units in _UNITS.items() if about in field.about), {})
    worth = {**units, "": Fraction(1)}.get(match[3].lower())
    if worth is None:
        return text
    if match[4] and match[4].strip():
        own.setdefault(f"{field.name}_note", match[4].strip())
    return whole(float(Fraction(match[1].replace(",", "")) / int(match[2] or 1) * worth))
