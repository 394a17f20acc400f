"""Labels to field names: "Cast Time", "AC", "Wt. (lb.)" as the one name that each field has here.

A label that is not in the table of synonyms names a field too: itself, in lower case.
"""

from __future__ import annotations

import re
from typing import Final

from ...retrieval.names import fold, title_key

_SYNONYMS: Final = {
    # spells
    "casting time": "cast time, cast, time to cast",
    "range": "rng, spell range",
    "components": "component, comp, comps, spell components",
    "duration": "dur, spell duration",
    "level": "spell level, lvl, item level",
    "school": "school of magic, magic school, spell school",
    "classes": "class, spell lists, spell list, class list, available to, available for, casters",
    "ritual": "is ritual, ritual casting",
    "concentration": "requires concentration, is concentration",
    # creatures
    "armor class": "ac, armour class, base armor class",
    "hit points": "hp, hit point, health",
    "hit dice": "hd, hit die",
    "speed": "spd, movement, walking speed, move, base speed",
    "challenge rating": "cr, challenge, challenge level",
    "xp": "experience, exp, experience points",
    "proficiency bonus": "pb, prof bonus",
    "initiative": "init",
    "saving throws": "saves, st, saving throw proficiencies",
    "skills": "skill, skill proficiencies",
    "senses": "sense",
    "languages": "language",
    "damage immunities": "damage immunity",
    "damage resistances": "damage resistance",
    "damage vulnerabilities": "damage vulnerability",
    "condition immunities": "condition immunity",
    "immunities": "immunity, immune",
    "resistances": "resistance, resist",
    "vulnerabilities": "vulnerability",
    "gear": "",
    "size": "creature size",
    "type": "creature type, item type, kind",
    "alignment": "",
    "strength": "str, minimum strength, strength requirement",
    "dexterity": "dex",
    "constitution": "con",
    "intelligence": "int",
    "wisdom": "wis",
    "charisma": "cha",
    # items
    "rarity": "item rarity",
    "attunement": "requires attunement, attune, attuned, attunement required",
    "cost": "price, value, market price, base cost, base price",
    "weight": "wt, mass, base weight",
    "damage": "dmg, weapon damage",
    "damage type": "type of damage, dmg type",
    "properties": "property, weapon properties, special properties",
    "mastery": "weapon mastery, mastery property",
    "stealth": "",
    "category": "",
    "carrying capacity": "capacity",
    "prerequisite": "prerequisites, requirement, requirements, prereq",
}
ABILITIES: Final = (
    "strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma",
)
_NAMES: Final = {
    title_key(written): name
    for name, variants in _SYNONYMS.items()
    for written in (name, *variants.split(", "))
    if written
}
LONGEST_SYNONYM: Final = max(len(key.split()) for key in _NAMES)
_MAX_LABEL_WORDS: Final = 6
_MAX_LABEL_CHARS: Final = 48

_IN_PARENTHESES: Final = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_UNITS: Final = {
    "gp": "gp", "sp": "sp", "cp": "cp", "pp": "pp", "ep": "ep", "gold": "gp", "gold piece": "gp",
    "silver": "sp", "copper": "cp", "lb": "lb.", "pound": "lb.", "kg": "kg", "ft": "ft.",
    "foot": "ft.", "minute": "minutes",
}
_IN_UNIT: Final = re.compile(rf"\s+in\s+({'|'.join(_UNITS)})s?$")
_PER: Final = re.compile(r"(?<=^cost)\s*(?:/|per\b).*|(?<=^price)\s*(?:/|per\b).*")
_BARE_NUMBER: Final = re.compile(r"[\d,./½¼¾⅛ ]*[\d½¼¾⅛]")
ORDER: Final = {name: place for place, name in enumerate(_SYNONYMS)}
"""The order in which fields are shown that the table knows; others follow as they come."""


def field_name(label: str) -> str:
    """The name of the field that ``label`` labels; '' where it has no letter."""
    text = fold(_IN_PARENTHESES.sub(" ", label)).strip(" .:*_=-|")
    if not any(map(str.isalpha, text)):
        text = fold(label).strip(" .:*_=-|()[]")
        if not any(map(str.isalpha, text)):
            return ""
    text = _PER.sub("", text)
    key = title_key(_IN_UNIT.sub("", text))
    return _NAMES.get(key, text)


def known(label: str) -> str | None:
    """The name of the field where the table knows ``label``, else None."""
    return _NAMES.get(title_key(_IN_PARENTHESES.sub(" ", label)))


def is_label(label: str) -> bool:
    """Whether ``label`` is short enough to be a label, and has a letter."""
    return (
        len(label) <= _MAX_LABEL_CHARS and len(label.split()) <= _MAX_LABEL_WORDS
        and any(map(str.isalpha, label))
    )


def with_unit(value: str, label: str) -> str:
    """``value`` with what its label says of the unit.

    15 under "Cost (gp)" or "Cost in gp" is "15 gp", 5 gp under "Price per dose" "5 gp per dose".
    """
    label = fold(label)
    per = _PER.search(label)
    if per and any(map(str.isdigit, value)):
        return f"{value} {per[0].replace('/', ' per ').strip()}"
    if not _BARE_NUMBER.fullmatch(value):
        return value
    inside = _IN_PARENTHESES.search(label)
    named = _IN_UNIT.search(label)
    written = (inside[1] or inside[2] or "") if inside else named[1] if named else ""
    unit = _UNITS.get(title_key(written))
    return f"{value} {unit}" if unit else value
