"""Where each field of a record stands in the data, and in what form.

What has the same name and form in both is not told here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from .cells import (
    ability_values,
    amounts,
    area,
    blocks,
    choice,
    damage,
    equipment_choices,
    paragraphs,
    passage,
    save,
)
from .items import Rarity
from .raw import Row
from .stat_blocks import action, senses, speed, spells
from .values import Kind, Ref

Source: TypeAlias = str | tuple[str, Callable[[Any], Any]]
"""A place in a row (``armor_class.base``, empty for the row) and what gives the cell its form."""

_LABELS: Final = {
    "rage_count": "Rages", "aura_range": "Aura Range (feet)", "destroy_undead_cr":
    "Destroy Undead (CR)", "unarmored_movement": "Unarmored Movement (feet)",
    "wild_shape_max_cr": "Wild Shape (CR)", "bardic_inspiration_die": "Bardic Inspiration",
    "song_of_rest_die": "Song of Rest",
}  # fmt: skip

_HEAD: Final = re.compile(
    r"(?P<type>[A-Z][a-z]+(?: [Ii]tem)?)(?: \((?P<subtype>[^)]*)\))?, (?P<rarity>.+?)"
    r"(?: \(requires attunement(?P<attunement>[^)]*)\))?"
)
_RANKS: Final[list[str]] = [rarity.value for rarity in Rarity if rarity != Rarity.VARIES]
_RARITIES: Final = "very rare|uncommon|common|rare|legendary|artifact"  # the longer name first
# In the text of an item that stands for several: a cell of a table, or brackets.
_ONE_RARITY: Final = re.compile(rf"[|(]\s*({_RARITIES})\s*(?=[|)])", re.IGNORECASE)


def fields_of(kind: Kind, row: Row) -> Row:
    """The fields of a record that have another name or form in the data.

    References of ``row`` are looked up already. A cell that is not there is None.
    """
    found = _head(row) if kind is Kind.MAGIC_ITEMS else {}
    for field, source in _FIELDS.get(kind, {}).items():
        place, form = (source, None) if isinstance(source, str) else source
        cell: Any = row
        for key in place.split(".") if place else ():
            cell = None if cell is None else cell.get(key)
        found[field] = cell if form is None else form(cell)
    return found


def _head(row: Row) -> Row:
    """What the first line of a magic item says: what it is, how rare, and who attunes."""
    first, *rest = row["desc"]
    head = _HEAD.fullmatch(first.strip())
    if head is None:
        raise ValueError(f"the first line is no type and rarity: {first!r}")
    found = re.findall(_RARITIES, head["rarity"].lower()) or _ONE_RARITY.findall(" ".join(rest))
    rarities = sorted({name.lower() for name in found}, key=_RANKS.index)
    attunement = head["attunement"]
    return {
        "text": paragraphs(rest),
        "item_type": head["type"].capitalize(),
        "subtype": head["subtype"] or "",
        "rarity": rarities[0] if len(rarities) == 1 else Rarity.VARIES.value,
        "rarities": rarities,
        "rarity_text": head["rarity"],
        "attunement": None if attunement is None else attunement.strip(),
    }


def _trait_choice(row: Row) -> Row | None:
    specific = row.get("trait_specific", {})
    cells = (
        row.get("proficiency_choices"), row.get("language_options"),
        specific.get("subtrait_options"), specific.get("spell_options"),
    )  # fmt: skip
    return choice(next(filter(None, cells), None))


def _multiclass_scores(cell: Row) -> list[Row]:
    either = cell.get("prerequisite_options")
    return ability_values(either["from"] if either else cell["prerequisites"])


def _level(row: Row) -> Row:
    casting = row.get("spellcasting") or {}
    slots = [casting.get(f"spell_slots_level_{level}", 0) for level in range(1, 10)]
    return {
        "level": row["level"],
        "proficiency_bonus": row["prof_bonus"],
        "ability_score_improvements": row["ability_score_bonuses"],
        "features": row["features"],
        "cantrips_known": casting.get("cantrips_known"),
        "spells_known": casting.get("spells_known"),
        "spell_slots": slots if casting else (),
        "figures": [
            {"name": _LABELS.get(key, key.replace("_", " ").title()), "value": _printed(key, cell)}
            for key, cell in row["class_specific"].items()
            if not isinstance(cell, list)  # the price of slots in sorcery points is no column
        ],
    }


def _printed(key: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{value['dice_count']}d{value['dice_value']}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if not value:
        return "—"
    return f"d{value}" if key.endswith("_die") else str(Fraction(value))


def _subclass_spell(cell: Row) -> Row:
    asked = cell["prerequisites"]
    levels = [int(item["index"].rpartition("-")[2]) for item in asked if not isinstance(item, Ref)]
    conditions = [item for item in asked if isinstance(item, Ref)]
    return {
        "spell": cell["spell"],
        "level": max(levels),
        "condition": conditions[0] if conditions else None,
    }


def _required(cells: list[Row]) -> list[Ref]:
    return [cell[kind] for cell in cells for kind in ("feature", "spell") if kind in cell]


def _required_level(cells: list[Row]) -> int | None:
    return max((cell["level"] for cell in cells if "level" in cell), default=None)


def _options(cell: Row | None) -> Row | None:
    cell = cell or {}
    return choice(cell.get("subfeature_options") or cell.get("expertise_options"))


def _dealt(cell: Row | None) -> list[Row]:
    cell = cell or {}
    return _scaling(cell.get("damage_at_character_level") or cell.get("damage_at_slot_level"))


def _scaling(steps: Mapping[str, str] | None) -> list[Row]:
    steps = steps or {}
    return [{"level": int(level), "amount": steps[level]} for level in sorted(steps, key=int)]


def _group(row: Row) -> str:
    if "gear_category" in row:
        return str(row["gear_category"].name)
    return str(row.get("tool_category", row.get("vehicle_category", "")))


def _printed_speed(cell: Row | None) -> str:
    return f"{cell['quantity']:g} {cell['unit']}" if cell else ""


def _or(default: Any) -> Callable[[Any], Any]:
    return lambda cell: default if cell is None else cell


def _each(form: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda cells: [form(cell) for cell in cells or ()]


_FIELDS: Final[dict[Kind, dict[str, Source]]] = {
    Kind.ABILITY_SCORES: {"name": "full_name", "abbreviation": "name"},
    Kind.ARMOR: {
        "category": "armor_category",
        "base": "armor_class.base",
        "adds_dexterity": "armor_class.dex_bonus",
        "max_dexterity": "armor_class.max_bonus",
        "strength": "str_minimum",
    },
    Kind.BACKGROUNDS: {
        "text": ("feature.desc", paragraphs),
        "feature": "feature.name",
        "proficiencies": "starting_proficiencies",
        "languages": ("language_options", choice),
        "equipment": ("starting_equipment", amounts),
        "equipment_choices": ("starting_equipment_options", equipment_choices),
        "gold": "starting_gold",
        "personality_traits": "personality_traits.from",
        "ideals": ("ideals.from", _each(lambda ideal: ideal["desc"])),
        "bonds": "bonds.from",
        "flaws": "flaws.from",
    },
    Kind.CLASSES: {
        "proficiency_choices": ("proficiency_choices", _each(choice)),
        "equipment": ("starting_equipment", amounts),
        "equipment_choices": ("starting_equipment_options", equipment_choices),
        "multiclass_scores": ("multi_classing", _multiclass_scores),
        "multiclass_any": ("multi_classing.prerequisite_options", bool),
        "multiclass_proficiencies": "multi_classing.proficiencies",
        "multiclass_choices": ("multi_classing.proficiency_choices", _each(choice)),
        "spellcasting_ability": "spellcasting.spellcasting_ability",
        "spellcasting_level": "spellcasting.level",
        "spellcasting": ("spellcasting.info", _each(passage)),
        "levels": ("levels", _each(_level)),
    },
    Kind.EQUIPMENT: {
        "category": "equipment_category",
        "group": ("", _group),
        "quantity": ("quantity", _or(1)),
        "contents": ("contents", amounts),
        "speed": ("speed", _printed_speed),
        "capacity": ("capacity", _or("")),
    },
    Kind.EQUIPMENT_CATEGORIES: {"members": "equipment"},
    Kind.FEATS: {"prerequisites": ("prerequisites", ability_values)},
    Kind.FEATURES: {
        "class_": "class",
        "choice": ("feature_specific", _options),
        "required": ("prerequisites", _required),
        "required_level": ("prerequisites", _required_level),
    },
    Kind.LANGUAGES: {"rarity": "type", "speakers": "typical_speakers"},
    Kind.MAGIC_ITEMS: {"category": "equipment_category"},
    Kind.MONSTERS: {
        "speed": ("speed", speed),
        "abilities": "",  # the six scores stand in the row itself
        "vulnerabilities": "damage_vulnerabilities",
        "resistances": "damage_resistances",
        "immunities": "damage_immunities",
        "senses": ("senses", senses),
        "special_abilities": ("special_abilities", _each(action)),
        "actions": ("actions", _each(action)),
        "reactions": ("reactions", _each(action)),
        "legendary_actions": ("legendary_actions", _each(action)),
        "spells": ("special_abilities", spells),
        "forms": ("forms", _or(())),
    },
    Kind.PROFICIENCIES: {"category": "type", "target": "reference"},
    Kind.RACES: {
        "ability_bonuses": ("ability_bonuses", ability_values),
        "ability_bonus_choice": ("ability_bonus_options", choice),
        "size_text": "size_description",
        "language_choice": ("language_options", choice),
        "language_text": "language_desc",
        "proficiencies": "starting_proficiencies",
        "proficiency_choice": ("starting_proficiency_options", choice),
    },
    Kind.RULES: {"text": ("desc", blocks), "sections": "subsections"},
    Kind.RULE_SECTIONS: {"text": ("desc", blocks)},
    Kind.SKILLS: {"ability": "ability_score"},
    Kind.SPELLS: {
        "higher_level": ("higher_level", paragraphs),
        "damage_type": "damage.damage_type",
        "damage": ("damage", _dealt),
        "by_character_level": ("damage.damage_at_character_level", bool),
        "healing": ("heal_at_slot_level", _scaling),
        "save": ("dc", save),
        "save_text": ("dc.desc", _or("")),
        "attack": "attack_type",
        "area": ("area_of_effect", area),
    },
    Kind.SUBCLASSES: {
        "class_": "class",
        "flavor": "subclass_flavor",
        "spells": ("spells", _each(_subclass_spell)),
    },
    Kind.SUBRACES: {
        "ability_bonuses": ("ability_bonuses", ability_values),
        "language_choice": ("language_options", choice),
        "proficiencies": "starting_proficiencies",
        "traits": "racial_traits",
    },
    Kind.TRAITS: {
        "choice": ("", _trait_choice),
        "damage_type": "trait_specific.damage_type",
        "area": ("trait_specific.breath_weapon.area_of_effect", area),
        "save": ("trait_specific.breath_weapon.dc", save),
    },
    Kind.WEAPONS: {
        "category": "weapon_category",
        "style": "weapon_range",
        "damage": ("damage", damage),
        "two_handed_damage": ("two_handed_damage", damage),
        "thrown": "throw_range",
        "special": ("special", paragraphs),
    },
}
