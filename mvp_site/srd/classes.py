"""The records of classes: their tables, features and subclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .types import TextRecord
from .values import AbilityValue, Amount, Choice, EquipmentChoice, Kind, Paragraphs, Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureRecord(TextRecord):
    """A feature of a class or subclass, at the level that gives it.

    ``parent`` is the feature of which this is an option; ``choice`` what may be chosen here.
    ``required`` are features and spells one must have. Features that grow with level are several
    records (``bardic-inspiration-d6``, ``-d8``), often with the same text.
    """

    kind: ClassVar[Kind] = Kind.FEATURES

    class_: Ref
    subclass: Ref | None
    level: int
    parent: Ref | None
    choice: Choice | None
    required: tuple[Ref, ...]
    required_level: int | None


@dataclass(frozen=True, slots=True)
class ClassFigure:
    """A column of a class's table at one level, as it is printed: ``rages``, ``3``."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRecord:
    """One row of a class's level table.

    ``spell_slots`` has nine figures where the class casts spells, else none; a warlock's are those
    of pact magic. ``ability_score_improvements`` counts those had so far. ``features`` names the
    features gained here; a feature of the subclass's stands as the one by which it is chosen.
    """

    level: int
    proficiency_bonus: int
    ability_score_improvements: int
    features: tuple[Ref, ...]
    cantrips_known: int | None
    spells_known: int | None
    spell_slots: tuple[int, ...]
    figures: tuple[ClassFigure, ...]


@dataclass(frozen=True, slots=True)
class NamedText:
    """A passage under its own heading."""

    name: str
    text: Paragraphs


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRecord(TextRecord):
    """A class with its level table; ``text`` is empty, its features carry the text.

    ``multiclass_any`` says that one of the scores suffices. ``spellcasting_level`` is the level
    that brings spellcasting, None for a class without.
    """

    kind: ClassVar[Kind] = Kind.CLASSES

    hit_die: int
    saving_throws: tuple[Ref, ...]
    proficiencies: tuple[Ref, ...]
    proficiency_choices: tuple[Choice, ...]
    equipment: tuple[Amount, ...]
    equipment_choices: tuple[EquipmentChoice, ...]
    multiclass_scores: tuple[AbilityValue, ...]
    multiclass_any: bool
    multiclass_proficiencies: tuple[Ref, ...]
    multiclass_choices: tuple[Choice, ...]
    subclasses: tuple[Ref, ...]
    spellcasting_ability: Ref | None
    spellcasting_level: int | None
    spellcasting: tuple[NamedText, ...]
    levels: tuple[LevelRecord, ...]
    features: tuple[Ref, ...]
    spells: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class SubclassSpell:
    """A spell that a subclass gives at a class level; ``condition`` is a feature, or None."""

    spell: Ref
    level: int
    condition: Ref | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubclassRecord(TextRecord):
    """A subclass; ``name`` is short (Life), ``title`` as one says it (Life Domain)."""

    kind: ClassVar[Kind] = Kind.SUBCLASSES

    title: str
    class_: Ref
    flavor: str
    features: tuple[Ref, ...]
    spells: tuple[SubclassSpell, ...]
