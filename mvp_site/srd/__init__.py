"""The SRD 5.1: its records, read from the installed data package, repaired, typed, attributed."""

from __future__ import annotations

from .attribution import ATTRIBUTION, CHANGES, LICENCE, PACKAGE
from .classes import (
    ClassFigure,
    ClassRecord,
    FeatureRecord,
    LevelRecord,
    NamedText,
    SubclassRecord,
    SubclassSpell,
)
from .collection import Record, Srd, kind_of
from .items import (
    ArmorRecord,
    EquipmentCategoryRecord,
    EquipmentRecord,
    MagicItemRecord,
    Rarity,
    Reach,
    WeaponRecord,
)
from .monsters import Abilities, Action, Bonus, MonsterRecord, Senses, Speed
from .reader import load_srd, read_srd, srd_report
from .repairs import Doubt, Repair, srd_doubts
from .types import (
    AbilityScoreRecord,
    AlignmentRecord,
    BackgroundRecord,
    ConditionRecord,
    DamageTypeRecord,
    FeatRecord,
    LanguageRecord,
    MagicSchoolRecord,
    ProficiencyRecord,
    RaceRecord,
    RuleRecord,
    RuleSectionRecord,
    SkillRecord,
    SpellRecord,
    SubraceRecord,
    TextRecord,
    TraitRecord,
    WeaponPropertyRecord,
)
from .values import (
    AbilityValue,
    Amount,
    Area,
    Choice,
    Cost,
    Damage,
    EquipmentChoice,
    EquipmentOption,
    Kind,
    Paragraphs,
    Ref,
    Save,
    Scaling,
)

__all__ = [
    "ATTRIBUTION", "CHANGES", "LICENCE", "PACKAGE",
    "Abilities", "AbilityScoreRecord", "AbilityValue", "Action", "AlignmentRecord", "Amount",
    "Area", "ArmorRecord", "BackgroundRecord", "Bonus", "Choice", "ClassFigure", "ClassRecord",
    "ConditionRecord", "Cost", "Damage", "DamageTypeRecord", "Doubt", "EquipmentCategoryRecord",
    "EquipmentChoice", "EquipmentOption", "EquipmentRecord", "FeatRecord", "FeatureRecord",
    "Kind", "LanguageRecord", "LevelRecord", "MagicItemRecord", "MagicSchoolRecord",
    "MonsterRecord", "NamedText", "Paragraphs", "ProficiencyRecord", "RaceRecord", "Rarity",
    "Reach", "Record", "Ref", "Repair", "RuleRecord", "RuleSectionRecord", "Save", "Scaling",
    "Senses", "SkillRecord", "Speed", "SpellRecord", "Srd", "SubclassRecord", "SubclassSpell",
    "SubraceRecord", "TextRecord", "TraitRecord", "WeaponPropertyRecord", "WeaponRecord",
    "kind_of", "load_srd", "read_srd", "srd_doubts", "srd_report",
]  # fmt: skip
