"""Rows in the form of their records: what has the same name and form in both is not told here.

A function gives the fields that it changes, of a row whose references are looked up; ``NAMES`` has
those that have only another name in the data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from .cells import (
    ability_values,
    amounts,
    area,
    blocks,
    choice,
    damage,
    equipment_choices,
    paragraphs,
    save,
)
from .items import Rarity
from .raw import Row
from .stat_blocks import monster
from .values import Kind, Ref

NAMES: Final[dict[Kind, dict[str, str]]] = {
    Kind.ABILITY_SCORES: {"name": "full_name", "abbreviation": "name"},
    Kind.ARMOR: {"category": "armor_category", "strength": "str_minimum"},
    Kind.BACKGROUNDS: {"proficiencies": "starting_proficiencies", "gold": "starting_gold"},
    Kind.EQUIPMENT: {"category": "equipment_category"},
    Kind.EQUIPMENT_CATEGORIES: {"members": "equipment"},
    Kind.FEATURES: {"class_": "class"},
    Kind.LANGUAGES: {"rarity": "type", "speakers": "typical_speakers"},
    Kind.MAGIC_ITEMS: {"category": "equipment_category"},
    Kind.MONSTERS: {
        "vulnerabilities": "damage_vulnerabilities",
        "resistances": "damage_resistances",
        "immunities": "damage_immunities",
    },
    Kind.PROFICIENCIES: {"category": "type", "target": "reference"},
    Kind.RACES: {
        "size_text": "size_description",
        "language_text": "language_desc",
        "proficiencies": "starting_proficiencies",
    },
    Kind.RULES: {"sections": "subsections"},
    Kind.SKILLS: {"ability": "ability_score"},
    Kind.SPELLS: {"attack": "attack_type"},
    Kind.SUBCLASSES: {"class_": "class", "flavor": "subclass_flavor"},
    Kind.SUBRACES: {"proficiencies": "starting_proficiencies", "traits": "racial_traits"},
    Kind.WEAPONS: {"category": "weapon_category", "style": "weapon_range", "thrown": "throw_range"},
}
"""For a type, its fields whose name in the data is another."""

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


def _feat(row: Row) -> Row:
    return {"prerequisites": ability_values(row["prerequisites"])}


def _rule(row: Row) -> Row:
    return {"text": blocks(row["desc"])}


def _race(row: Row) -> Row:
    return {
        "ability_bonuses": ability_values(row["ability_bonuses"]),
        "ability_bonus_choice": choice(row.get("ability_bonus_options")),
        "language_choice": choice(row.get("language_options")),
        "proficiency_choice": choice(row.get("starting_proficiency_options")),
    }


def _trait(row: Row) -> Row:
    specific = row.get("trait_specific", {})
    breath = specific.get("breath_weapon", {})
    choices = (
        row.get("proficiency_choices"), row.get("language_options"),
        specific.get("subtrait_options"), specific.get("spell_options"),
    )  # fmt: skip
    return {
        "choice": choice(next(filter(None, choices), None)),
        "damage_type": specific.get("damage_type"),
        "area": area(breath.get("area_of_effect")),
        "save": save(breath.get("dc")),
    }


def _background(row: Row) -> Row:
    return {
        "text": paragraphs(row["feature"]["desc"]),
        "feature": row["feature"]["name"],
        "languages": choice(row["language_options"]),
        "equipment": amounts(row["starting_equipment"]),
        "equipment_choices": equipment_choices(row["starting_equipment_options"]),
        "personality_traits": row["personality_traits"]["from"],
        "ideals": [ideal["desc"] for ideal in row["ideals"]["from"]],
        "bonds": row["bonds"]["from"],
        "flaws": row["flaws"]["from"],
    }


def _class(row: Row) -> Row:
    multi = row["multi_classing"]
    either = multi.get("prerequisite_options")
    casting = row.get("spellcasting", {})
    return {
        "proficiency_choices": [choice(cell) for cell in row["proficiency_choices"]],
        "equipment": amounts(row["starting_equipment"]),
        "equipment_choices": equipment_choices(row["starting_equipment_options"]),
        "multiclass_scores": ability_values(
            either["from"] if either else multi.get("prerequisites", ())
        ),
        "multiclass_any": bool(either),
        "multiclass_proficiencies": multi["proficiencies"],
        "multiclass_choices": [choice(cell) for cell in multi.get("proficiency_choices", ())],
        "spellcasting_ability": casting.get("spellcasting_ability"),
        "spellcasting_level": casting.get("level"),
        "spellcasting": [
            {"name": part["name"], "text": paragraphs(part["desc"])}
            for part in casting.get("info", ())
        ],
        "levels": [_level(level) for level in row["levels"]],
    }


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


def _subclass(row: Row) -> Row:
    return {"spells": [_subclass_spell(cell) for cell in row.get("spells", ())]}


def _subclass_spell(cell: Row) -> Row:
    asked = cell["prerequisites"]
    levels = [int(item["index"].rpartition("-")[2]) for item in asked if not isinstance(item, Ref)]
    conditions = [item for item in asked if isinstance(item, Ref)]
    return {
        "spell": cell["spell"],
        "level": max(levels),
        "condition": conditions[0] if conditions else None,
    }


def _feature(row: Row) -> Row:
    specific = row.get("feature_specific", {})
    asked = row["prerequisites"]
    kinds = ("feature", "spell")
    return {
        "choice": choice(specific.get("subfeature_options") or specific.get("expertise_options")),
        "required": [item[kind] for item in asked for kind in kinds if kind in item],
        "required_level": max((item["level"] for item in asked if "level" in item), default=None),
    }


def _spell(row: Row) -> Row:
    dealt, dc = row.get("damage", {}), row.get("dc", {})
    by_level = dealt.get("damage_at_character_level")
    return {
        "higher_level": paragraphs(row.get("higher_level")),
        "damage_type": dealt.get("damage_type"),
        "damage": _scaling(by_level or dealt.get("damage_at_slot_level", {})),
        "by_character_level": bool(by_level),
        "healing": _scaling(row.get("heal_at_slot_level", {})),
        "save": save(dc),
        "save_text": dc.get("desc", ""),
        "area": area(row.get("area_of_effect")),
    }


def _scaling(steps: Mapping[str, str]) -> list[Row]:
    return [{"level": int(level), "amount": steps[level]} for level in sorted(steps, key=int)]


def _weapon(row: Row) -> Row:
    return {
        "damage": damage(row.get("damage")),
        "two_handed_damage": damage(row.get("two_handed_damage")),
        "special": paragraphs(row.get("special")),
    }


def _armor(row: Row) -> Row:
    armor_class = row["armor_class"]
    return {
        "base": armor_class["base"],
        "adds_dexterity": armor_class["dex_bonus"],
        "max_dexterity": armor_class["max_bonus"],
    }


def _equipment(row: Row) -> Row:
    gear: Ref | None = row.get("gear_category")
    speed = row.get("speed")
    return {
        "group": gear.name if gear else row.get("tool_category", row.get("vehicle_category", "")),
        "quantity": row.get("quantity", 1),
        "contents": amounts(row.get("contents", ())),
        "speed": f"{speed['quantity']:g} {speed['unit']}" if speed else "",
        "capacity": row.get("capacity", ""),
    }


def _magic_item(row: Row) -> Row:
    """The first line says what the item is, how rare, and who attunes."""
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


SHAPES: Final[dict[Kind, Callable[[Row], Row]]] = {
    Kind.ARMOR: _armor,
    Kind.BACKGROUNDS: _background,
    Kind.CLASSES: _class,
    Kind.EQUIPMENT: _equipment,
    Kind.FEATS: _feat,
    Kind.FEATURES: _feature,
    Kind.MAGIC_ITEMS: _magic_item,
    Kind.MONSTERS: monster,
    Kind.RACES: _race,
    Kind.RULES: _rule,
    Kind.RULE_SECTIONS: _rule,
    Kind.SPELLS: _spell,
    Kind.SUBCLASSES: _subclass,
    Kind.SUBRACES: _race,
    Kind.TRAITS: _trait,
    Kind.WEAPONS: _weapon,
}
"""For a type, the function that gives the fields whose form in the data is another."""
