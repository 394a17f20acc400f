"""Rows of races, traits and backgrounds to records."""

from __future__ import annotations

from collections.abc import Iterable

from ..raw import Row
from ..types import BackgroundRecord, RaceRecord, SubraceRecord, TraitRecord
from ..values import Amount, Choice, EquipmentChoice, EquipmentOption
from .fields import (
    References,
    ability_values,
    amounts,
    area,
    choice,
    cost,
    paragraphs,
    save,
)


def race(references: References, slug: str, row: Row) -> RaceRecord:
    """The record of a race."""
    return RaceRecord(
        slug=slug,
        name=row["name"],
        speed=int(row["speed"]),
        size=row["size"],
        ability_bonuses=ability_values(references, row["ability_bonuses"]),
        ability_bonus_choice=choice(references, row.get("ability_bonus_options")),
        age=row["age"],
        alignment=row["alignment"],
        size_text=row["size_description"],
        languages=references.all(row["languages"]),
        language_choice=choice(references, row.get("language_options")),
        language_text=row["language_desc"],
        proficiencies=references.all(row["starting_proficiencies"]),
        proficiency_choice=choice(references, row.get("starting_proficiency_options")),
        traits=references.all(row["traits"]),
        subraces=references.all(row["subraces"]),
    )


def subrace(references: References, slug: str, row: Row) -> SubraceRecord:
    """The record of a subrace."""
    return SubraceRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row["desc"]),
        race=references.of(row["race"]),
        ability_bonuses=ability_values(references, row["ability_bonuses"]),
        language_choice=choice(references, row.get("language_options")),
        proficiencies=references.all(row["starting_proficiencies"]),
        traits=references.all(row["racial_traits"]),
    )


def trait(references: References, slug: str, row: Row) -> TraitRecord:
    """The record of a racial trait."""
    specific = row.get("trait_specific", {})
    breath = specific.get("breath_weapon", {})
    return TraitRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row["desc"]),
        races=references.all(row["races"]),
        subraces=references.all(row["subraces"]),
        parent=references.maybe(row.get("parent")),
        proficiencies=references.all(row["proficiencies"]),
        choice=_first_choice(
            references,
            row.get("proficiency_choices"), row.get("language_options"),
            specific.get("subtrait_options"), specific.get("spell_options"),
        ),
        damage_type=references.maybe(specific.get("damage_type")),
        area=area(breath.get("area_of_effect")),
        save=save(references, breath.get("dc")),
    )


def background(references: References, slug: str, row: Row) -> BackgroundRecord:
    """The record of a background."""
    languages = choice(references, row["language_options"])
    if languages is None:
        raise ValueError("no choice of languages")
    return BackgroundRecord(
        slug=slug,
        name=row["name"],
        text=paragraphs(row["feature"]["desc"]),
        feature=row["feature"]["name"],
        proficiencies=references.all(row["starting_proficiencies"]),
        languages=languages,
        equipment=amounts(references, row["starting_equipment"]),
        equipment_choices=equipment_choices(references, row["starting_equipment_options"]),
        gold=cost(row.get("starting_gold")),
        personality_traits=tuple(row["personality_traits"]["from"]),
        ideals=tuple(ideal["desc"] for ideal in row["ideals"]["from"]),
        bonds=tuple(row["bonds"]["from"]),
        flaws=tuple(row["flaws"]["from"]),
    )


def equipment_choices(
    references: References, cells: Iterable[Row]
) -> tuple[EquipmentChoice, ...]:
    """Choices of starting equipment, in the data's order."""
    return tuple(
        EquipmentChoice(
            int(cell["choose"]), tuple(_option(references, option) for option in cell["from"])
        )
        for cell in cells
    )


def _option(references: References, cell: Row) -> EquipmentOption:
    # An option of several things holds them under "0", "1" and so on.
    parts = [cell[key] for key in sorted(cell) if key.isdigit()] or [cell]
    categories = []
    for part in parts:
        if "equipment_option" in part:
            chosen = part["equipment_option"]
            category = references.of(chosen["from"]["equipment_category"])
            categories.append(Amount(category, int(chosen["choose"])))
        elif "equipment_category" in part:
            categories.append(Amount(references.of(part["equipment_category"])))
    asked = [item["proficiency"] for item in cell.get("prerequisites", ())]
    return EquipmentOption(
        items=amounts(references, [part for part in parts if "equipment" in part]),
        categories=tuple(categories),
        proficiency=references.of(asked[0]) if asked else None,
    )


def _first_choice(references: References, *cells: Row | None) -> Choice | None:
    return next((choice(references, cell) for cell in cells if cell), None)
