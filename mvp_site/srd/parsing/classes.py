"""Rows of classes, subclasses and features to records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from ..classes import (
    ClassFigure,
    ClassRecord,
    FeatureRecord,
    LevelRecord,
    NamedText,
    SubclassRecord,
    SubclassSpell,
)
from ..raw import Row, Tables
from ..values import Choice, Kind, Ref
from .characters import equipment_choices
from .fields import References, ability_values, amounts, choice, paragraphs

_SLOT_LEVELS: Final = range(1, 10)
_LABELS: Final = {
    "rage_count": "Rages", "aura_range": "Aura Range (feet)", "destroy_undead_cr":
    "Destroy Undead (CR)", "unarmored_movement": "Unarmored Movement (feet)",
    "wild_shape_max_cr": "Wild Shape (CR)", "bardic_inspiration_die": "Bardic Inspiration",
    "song_of_rest_die": "Song of Rest",
}  # fmt: skip
_LEVEL: Final = re.compile(r"-(\d+)$")


def class_(references: References, tables: Tables, slug: str, row: Row) -> ClassRecord:
    """The record of a class, with its table, its features and its spell list."""
    multi = row["multi_classing"]
    either = multi.get("prerequisite_options")
    scores = either["from"] if either else multi.get("prerequisites", ())
    casting = row.get("spellcasting", {})
    return ClassRecord(
        slug=slug,
        name=row["name"],
        hit_die=int(row["hit_die"]),
        saving_throws=references.all(row["saving_throws"]),
        proficiencies=references.all(row["proficiencies"]),
        proficiency_choices=_choices(references, row["proficiency_choices"]),
        equipment=amounts(references, row["starting_equipment"]),
        equipment_choices=equipment_choices(references, row["starting_equipment_options"]),
        multiclass_scores=ability_values(references, scores),
        multiclass_any=bool(either),
        multiclass_proficiencies=references.all(multi["proficiencies"]),
        multiclass_choices=_choices(references, multi.get("proficiency_choices", ())),
        subclasses=references.all(row["subclasses"]),
        spellcasting_ability=references.maybe(casting.get("spellcasting_ability")),
        spellcasting_level=casting.get("level"),
        spellcasting=tuple(
            NamedText(part["name"], paragraphs(part["desc"])) for part in casting.get("info", ())
        ),
        levels=tuple(_level(references, level) for level in row["levels"]),
        features=_features(references, tables, class_=slug),
        spells=_spell_list(references, tables, slug),
    )


def subclass(references: References, tables: Tables, slug: str, row: Row) -> SubclassRecord:
    """The record of a subclass, with its features and the spells it gives."""
    return SubclassRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row["desc"]),
        title=row["title"],
        class_=references.of(row["class"]),
        flavor=row["subclass_flavor"],
        features=_features(references, tables, subclass=slug),
        spells=tuple(_subclass_spell(references, cell) for cell in row.get("spells", ())),
    )


def feature(references: References, slug: str, row: Row) -> FeatureRecord:
    """The record of a feature."""
    specific = row.get("feature_specific", {})
    asked = row["prerequisites"]
    levels = [int(item["level"]) for item in asked if "level" in item]
    return FeatureRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row["desc"]),
        class_=references.of(row["class"]),
        subclass=references.maybe(row.get("subclass")),
        level=int(row["level"]),
        parent=references.maybe(row.get("parent")),
        choice=choice(
            references, specific.get("subfeature_options") or specific.get("expertise_options")
        ),
        required=tuple(
            references.at(item[kind])
            for item in asked for kind in ("feature", "spell") if kind in item
        ),
        required_level=max(levels) if levels else None,
    )


def _choices(references: References, cells: Iterable[Row]) -> tuple[Choice, ...]:
    found = (choice(references, cell) for cell in cells)
    return tuple(one for one in found if one is not None)


def _features(references: References, tables: Tables, **owner: str) -> tuple[Ref, ...]:
    """The features of a class without its subclasses', or of a subclass, by level and name."""
    rows = tables[Kind.FEATURES]
    if "subclass" in owner:
        mine = [
            slug for slug, row in rows.items()
            if row.get("subclass", {}).get("index") == owner["subclass"]
        ]
    else:
        mine = [
            slug for slug, row in rows.items()
            if row["class"]["index"] == owner["class_"] and "subclass" not in row
        ]
    mine.sort(key=lambda slug: (rows[slug]["level"], rows[slug]["name"], slug))
    return tuple(references.to(Kind.FEATURES, slug) for slug in mine)


def _spell_list(references: References, tables: Tables, slug: str) -> tuple[Ref, ...]:
    rows = tables[Kind.SPELLS]
    mine = [
        spell for spell, row in rows.items() if any(c["index"] == slug for c in row["classes"])
    ]
    mine.sort(key=lambda spell: (rows[spell]["level"], rows[spell]["name"], spell))
    return tuple(references.to(Kind.SPELLS, spell) for spell in mine)


def _subclass_spell(references: References, cell: Row) -> SubclassSpell:
    asked = cell["prerequisites"]
    levels = [int(match[1]) for item in asked if (match := _LEVEL.search(item["index"]))]
    conditions = [references.of(item) for item in asked if item["type"] == "feature"]
    return SubclassSpell(
        references.of(cell["spell"]), max(levels), conditions[0] if conditions else None
    )


def _level(references: References, row: Row) -> LevelRecord:
    casting = row.get("spellcasting")
    slots = (
        tuple(int(casting.get(f"spell_slots_level_{level}", 0)) for level in _SLOT_LEVELS)
        if casting else ()
    )  # fmt: skip
    return LevelRecord(
        level=int(row["level"]),
        proficiency_bonus=int(row["prof_bonus"]),
        ability_score_improvements=int(row["ability_score_bonuses"]),
        features=references.all(row["features"]),
        cantrips_known=(casting or {}).get("cantrips_known"),
        spells_known=(casting or {}).get("spells_known"),
        spell_slots=slots,
        figures=tuple(_figures(row["class_specific"])),
    )


def _figures(cells: Mapping[str, Any]) -> Iterable[ClassFigure]:
    for key, value in cells.items():
        if not isinstance(value, list):  # the price of slots in sorcery points is no column
            label = _LABELS.get(key, key.replace("_", " ").title())
            yield ClassFigure(label, _printed(key, value))


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
