"""The records of classes: their tables, features and subclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final

from .cells import At, Paragraphs, paragraphs
from .types import TextRecord, record
from .values import AbilityValue, Amount, EquipmentChoice, Kind, OptionChoice, Ref, Row

_LABELS: Final = {
    "rage_count": "Rages", "aura_range": "Aura Range (feet)", "destroy_undead_cr":
    "Destroy Undead (CR)", "unarmored_movement": "Unarmored Movement (feet)",
    "wild_shape_max_cr": "Wild Shape (CR)", "bardic_inspiration_die": "Bardic Inspiration",
    "song_of_rest_die": "Song of Rest",
}  # fmt: skip


def _options(cell: Row | None) -> Row | None:
    cell = cell or {}
    return cell.get("subfeature_options") or cell.get("expertise_options")


def _required(cells: list[Row]) -> list[Ref]:
    return [cell[kind] for cell in cells for kind in ("feature", "spell") if kind in cell]


def _required_level(cells: list[Row]) -> int | None:
    return max((cell["level"] for cell in cells if "level" in cell), default=None)


@record(Kind.FEATURES)
class FeatureRecord(TextRecord):
    """A feature of a class or subclass, at the level that gives it.

    ``parent`` is the feature of which this is an option; ``choice`` what may be chosen here.
    ``required`` are features and spells one must have. Features that grow with level are several
    records (``bardic-inspiration-d6``, ``-d8``), often with the same text.
    """

    class_: Annotated[Ref, At("class")]
    subclass: Ref | None
    level: int
    parent: Ref | None
    choice: Annotated[OptionChoice | None, At("feature_specific", _options)]
    required: Annotated[tuple[Ref, ...], At("prerequisites", _required)]
    required_level: Annotated[int | None, At("prerequisites", _required_level)]


@dataclass(frozen=True, slots=True)
class ClassFigure:
    """A column of a class's table at one level, as it is printed: ``rages``, ``3``."""

    name: str
    value: str


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


def _figures(cell: Row) -> list[Row]:
    return [
        {"name": _LABELS.get(key, key.replace("_", " ").title()), "value": _printed(key, value)}
        for key, value in cell.items()
        if not isinstance(value, list)  # the price of slots in sorcery points is no column
    ]


def _slots(cell: Row | None) -> list[int]:
    return [cell.get(f"spell_slots_level_{level}", 0) for level in range(1, 10)] if cell else []


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRecord:
    """One row of a class's level table.

    ``spell_slots`` has nine figures where the class casts spells, else none; a warlock's are those
    of pact magic. ``ability_score_improvements`` counts those had so far. ``features`` names the
    features gained here; a feature of the subclass's stands as the one by which it is chosen.
    """

    level: int
    proficiency_bonus: Annotated[int, At("prof_bonus")]
    ability_score_improvements: Annotated[int, At("ability_score_bonuses")]
    features: tuple[Ref, ...]
    cantrips_known: Annotated[int | None, At("spellcasting.cantrips_known")]
    spells_known: Annotated[int | None, At("spellcasting.spells_known")]
    spell_slots: Annotated[tuple[int, ...], At("spellcasting", _slots)]
    figures: Annotated[tuple[ClassFigure, ...], At("class_specific", _figures)]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A passage under its own heading."""

    name: str
    text: Annotated[Paragraphs, At("desc", paragraphs)]


def _multiclass_scores(cell: Row) -> Any:
    either = cell.get("prerequisite_options")
    return either["from"] if either else cell["prerequisites"]


@record(Kind.CLASSES)
class ClassRecord(TextRecord):
    """A class with its level table; ``text`` is empty, its features carry the text.

    ``multiclass_any`` says that one of the scores suffices. ``spellcasting_level`` is the level
    that brings spellcasting, None for a class without.
    """

    hit_die: int
    saving_throws: tuple[Ref, ...]
    proficiencies: tuple[Ref, ...]
    proficiency_choices: tuple[OptionChoice, ...]
    equipment: Annotated[tuple[Amount, ...], At("starting_equipment")]
    equipment_choices: Annotated[tuple[EquipmentChoice, ...], At("starting_equipment_options")]
    multiclass_scores: Annotated[tuple[AbilityValue, ...], At("multi_classing", _multiclass_scores)]
    multiclass_any: Annotated[bool, At("multi_classing.prerequisite_options", bool)]
    multiclass_proficiencies: Annotated[tuple[Ref, ...], At("multi_classing.proficiencies")]
    multiclass_choices: Annotated[
        tuple[OptionChoice, ...], At("multi_classing.proficiency_choices")
    ]
    spellcasting_ability: Annotated[Ref | None, At("spellcasting.spellcasting_ability")]
    spellcasting_level: Annotated[int | None, At("spellcasting.level")]
    spellcasting: Annotated[tuple[FoldedText, ...], At("spellcasting.info")]
    levels: tuple[LevelRecord, ...]
    features: tuple[Ref, ...]


def _given_at(needs: list[Any]) -> int:
    return max(int(need["index"].rpartition("-")[2]) for need in needs if not isinstance(need, Ref))


def _condition(prerequisites: list[Any]) -> Ref | None:
    return next((need for need in prerequisites if isinstance(need, Ref)), None)


@dataclass(frozen=True, slots=True)
class SubclassSpell:
    """A spell that a subclass gives at a class level; ``condition`` is a feature, or None."""

    spell: Ref
    level: Annotated[int, At("prerequisites", _given_at)]
    condition: Annotated[Ref | None, At("prerequisites", _condition)] = None


@record(Kind.SUBCLASSES)
class SubclassRecord(TextRecord):
    """A subclass; ``name`` is short (Life), ``title`` as one says it (Life Domain)."""

    title: str
    class_: Annotated[Ref, At("class")]
    flavor: Annotated[str, At("subclass_flavor")]
    features: tuple[Ref, ...]
    spells: tuple[SubclassSpell, ...]
