"""What tells an entity at a glance: a line under its name, and its fields as people write them.

Pure, for tables and pages. A user's document may lack any field, or hold one of another kind; it
is then shown as it is, or left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..retrieval.filters import Field, FieldKind
from .document import NAMED_TEXTS, TEXT, Document
from .notation import number
from .types import EntityType, fields_of

_APART: Final = frozenset({*TEXT, *NAMED_TEXTS, "entity_type", "_score", "shadows"})
_TWICE: Final[Mapping[EntityType, frozenset[str]]] = {
    EntityType.MONSTERS: frozenset(
        {"challenge", "speed", "languages_printed", "passive_perception"}
    ),
}
"""Keys of the SRD's that say in print what fields say, or other keys."""
_LONGEST: Final = 600
_LEVELS: Final = "levels"
_FRACTIONS: Final = {0.125: "1/8", 0.25: "1/4", 0.5: "1/2"}
_FEET: Final = frozenset({
    "range_feet", "area_size", "walk", "fly", "swim", "burrow", "climb", "darkvision", "blindsight",
    "tremorsense", "truesight", "range_normal", "range_long", "speed",
})
_ACRONYMS: Final = {"xp": "XP", "challenge_rating": "Challenge", "hit_die": "Hit die"}

TITLES: Final[Mapping[EntityType, tuple[str, str]]] = {
    EntityType.SPELLS: ("Spell", "Spells"),
    EntityType.MONSTERS: ("Monster", "Monsters"),
    EntityType.WEAPONS: ("Weapon", "Weapons"),
    EntityType.ARMOR: ("Armor", "Armor"),
    EntityType.EQUIPMENT: ("Equipment", "Equipment"),
    EntityType.MAGIC_ITEMS: ("Magic item", "Magic items"),
    EntityType.CLASSES: ("Class", "Classes"),
    EntityType.SUBCLASSES: ("Subclass", "Subclasses"),
    EntityType.RACES: ("Race", "Races"),
    EntityType.FEATURES: ("Feature", "Features"),
    EntityType.TRAITS: ("Trait", "Traits"),
    EntityType.CONDITIONS: ("Condition", "Conditions"),
    EntityType.RULES: ("Rule", "Rules"),
    EntityType.BACKGROUNDS: ("Background", "Backgrounds"),
    EntityType.FEATS: ("Feat", "Feats"),
}
"""What one and what several of a type are called."""


def label(name: str) -> str:
    """A field's name as people write it."""
    return _ACRONYMS.get(name) or name.replace("_", " ").capitalize()


def shown(name: str, value: Any) -> str:
    """A field's value as people write it, with its unit; '' for nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _quantity(name, float(value))
    if isinstance(value, list | tuple):
        return ", ".join(text for text in (shown(name, one) for one in value) if text)
    return str(value) if isinstance(value, str) else ""


def condition(field: Field | None, name: str, wanted: Any) -> str:
    """What a filter asks for, in words: "level 1 or 2", "challenge 5 to 6", "not ritual"."""
    said = label(name)
    said = said if said.isupper() else said[:1].lower() + said[1:]
    if isinstance(wanted, Mapping):
        if "contains" in wanted:
            return f"{said} has “{wanted['contains']}”"
        ends = {end: shown(name, wanted[end]) for end in ("min", "max") if end in wanted}
        if len(ends) == 2:
            return f"{said} {ends['min']} to {ends['max']}"
        return f"{said} {ends['min']} or more" if "min" in ends else f"{said} up to {ends['max']}"
    several = wanted if isinstance(wanted, list | tuple) else [wanted]
    if field is not None and field.kind is FieldKind.FLAG and len(several) == 1:
        return said if several[0] is True else f"not {said}"
    return f"{said} {' or '.join(shown(name, one) or str(one) for one in several)}"


def caption(type_: EntityType, document: Document) -> str:
    """The line under an entity's name: what it is, from its fields alone."""
    make = _CAPTIONS.get(type_)
    parts = make(_Reader(document)) if make else []
    return " · ".join(part for part in parts if part)


def _quantity(name: str, value: float) -> str:
    if name == "cost":
        return coins(value)
    if name == "challenge_rating":
        return _FRACTIONS.get(value, number(value))
    unit = " lb" if name == "weight" else " ft" if name in _FEET else ""
    if name == "xp":
        return f"{value:,.0f}"
    return f"d{value:.0f}" if name == "hit_die" else number(value) + unit


def coins(gold: float) -> str:
    """A price in the largest coin that makes it a whole number, of gold, silver and copper."""
    for coin, worth in (("gp", 1), ("sp", 10), ("cp", 100)):
        amount = round(gold * worth, 6)
        if amount == int(amount):
            return f"{int(amount):,} {coin}"
    return f"{number(gold)} gp"


class _Reader:
    """Fields of a document as texts; '' for what is not there."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def __call__(self, name: str, pattern: str = "{}") -> str:
        """The field's text within ``pattern``, or ''."""
        text = shown(name, self._document.get(name))
        return pattern.format(text) if text else ""

    def has(self, name: str) -> bool:
        """Whether the field is true."""
        return self._document.get(name) is True

    def number(self, name: str) -> float | None:
        """The field's number, if it has one."""
        value = self._document.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if is_number and value is not None else None


def _spell(of: _Reader) -> list[str]:
    level, school = of.number("level"), of("school").lower()
    if level is None:
        kind = of("school")
    elif level == 0:
        kind = f"{school.capitalize()} cantrip".strip() if school else "Cantrip"
    else:
        ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(int(level), f"{level:.0f}th")
        kind = f"{ordinal}-level {school or 'spell'}"
    flags = [name for name in ("concentration", "ritual") if of.has(name)]
    return [kind, of("casting_time"), of("range"), ", ".join(flags)]


def _monster(of: _Reader) -> list[str]:
    kind = " ".join(part for part in (of("size"), of("type"), of("subtype", "({})")) if part)
    return [kind[:1].upper() + kind[1:], of("challenge_rating", "Challenge {}"),
            of("armor_class", "AC {}"), of("hit_points", "{} HP"),
            "flies" if of.has("flying") else ""]


def _weapon(of: _Reader) -> list[str]:
    kind = " ".join(part for part in (of("category"), of("style").lower()) if part)
    damage = " ".join(part for part in (of("damage_dice"), of("damage_type").lower()) if part)
    return [kind, damage, of("properties").lower(), of("cost")]


def _armor(of: _Reader) -> list[str]:
    return [of("category"), of("armor_class", "AC {}"), of("cost"), of("weight"),
            "disadvantage on Stealth" if of.has("stealth_disadvantage") else ""]


def _item(of: _Reader) -> list[str]:
    needs = of("attunement_by", "attunement by {}") or "attunement"
    return [of("item_type"), of("rarity").lower(), needs if of.has("attunement") else ""]


def _race(of: _Reader) -> list[str]:
    return [of("race", "of {}"), of("size"), of("speed"), of("ability_bonuses")]


_CAPTIONS: Final[Mapping[EntityType, Callable[[_Reader], list[str]]]] = {
    EntityType.SPELLS: _spell,
    EntityType.MONSTERS: _monster,
    EntityType.WEAPONS: _weapon,
    EntityType.ARMOR: _armor,
    EntityType.EQUIPMENT: lambda of: [of("category"), of("group"), of("cost"), of("weight")],
    EntityType.MAGIC_ITEMS: _item,
    EntityType.CLASSES: lambda of: [
        of("hit_die", "Hit die {}"), of("saving_throws", "saves {}"),
        of("spellcasting_ability", "casts by {}"),
    ],
    EntityType.SUBCLASSES: lambda of: [of("class")],
    EntityType.RACES: _race,
    EntityType.FEATURES: lambda of: [of("class"), of("subclass"), of("level", "level {}")],
    EntityType.TRAITS: lambda of: [of("races"), of("damage_type")],
    EntityType.RULES: lambda of: [of("category").capitalize(), of("chapter")],
    EntityType.BACKGROUNDS: lambda of: [of("proficiencies")],
    EntityType.FEATS: lambda of: [of("prerequisites", "needs {}")],
}


def others(type_: EntityType, document: Document) -> list[tuple[str, str]]:
    """The keys of a document beside its type's fields and its texts, with what they hold.

    What a document has more than its type asks for is shown as well: a spell's material, a
    creature's hit dice, or whatever keys a user has added.
    """
    known = {field.name for field in fields_of(type_)} | _APART | _TWICE.get(type_, frozenset())
    known |= {_LEVELS} if _rows(document) else set()
    found = [
        (label(key), _flat(key, value)) for key, value in document.items() if key not in known
    ]
    return [
        (name, textwrap.shorten(text, _LONGEST, placeholder=" …")) for name, text in found if text
    ]


def titled(one: Document) -> str:
    """The name of an ability or action with its usage: "Fire Breath (Recharge 5–6)"."""
    name, usage = str(one.get("name", "")), one.get("usage")
    if not isinstance(usage, str) or not usage or usage in name:
        return name
    return f"{name} ({usage})".strip()


def level_table(document: Document) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a class's levels; none without them.

    What a level has several of, such as spell slots, is one column: "4/3/2" under "1/2/3".
    """
    rows = _rows(document)
    parts: dict[str, dict[str, None]] = {}
    for row in rows:
        for key, value in row.items():
            parts.setdefault(key, {}).update(dict.fromkeys(value if _is_map(value) else ()))
    columns = [f"{label(key)} {'/'.join(several)}".strip() for key, several in parts.items()]
    return columns, [[_cell(key, row.get(key), parts[key]) for key in parts] for row in rows]


def _rows(document: Document) -> list[Mapping[str, Any]]:
    found = document.get(_LEVELS)
    return found if isinstance(found, list) and all(map(_is_map, found)) and any(found) else []


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _cell(key: str, value: Any, parts: Mapping[str, None]) -> str:
    if not isinstance(value, Mapping):
        return _flat(key, value)
    return "/".join(_flat(key, value.get(part)) or "–" for part in parts).rstrip("/–")


def _flat(name: str, value: Any) -> str:
    """A value of any depth in one line."""
    if isinstance(value, dict):
        pairs = ((str(key), _flat(str(key), one)) for key, one in value.items())
        return ", ".join(f"{key} {text}" for key, text in pairs if text)
    if isinstance(value, list | tuple):
        several = (_flat(name, one) for one in value)
        return (("; " if any(isinstance(one, dict) for one in value) else ", ").join(
            text for text in several if text
        ))
    return shown(name, value)
