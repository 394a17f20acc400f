"""The SRD 5.1: its records, read from the installed data package, repaired, typed, attributed."""

from __future__ import annotations

from .attribution import ATTRIBUTION, CHANGES, LICENCE, PACKAGE
from .cells import Paragraphs
from .classes import ClassRecord, FeatureRecord, LevelRecord, SubclassRecord, SubclassSpell
from .items import ArmorRecord, EquipmentRecord, MagicItemRecord, Rarity, WeaponRecord
from .monsters import AbilityBonus, Action, MonsterRecord, Senses, Speed
from .reader import Srd, load_srd, read_srd, srd_report
from .repairs import Doubt, Repair, srd_doubts
from .types import (
    BackgroundRecord,
    FeatRecord,
    ProficiencyRecord,
    RaceRecord,
    RuleRecord,
    RuleSectionRecord,
    SpellRecord,
    SubraceRecord,
    TextRecord,
    TraitRecord,
)
from .values import (
    AbilityValue,
    Amount,
    Cost,
    EquipmentChoice,
    EquipmentOption,
    Kind,
    OptionChoice,
    Ref,
    Scaling,
)

__all__ = [
    "ATTRIBUTION", "CHANGES", "LICENCE", "PACKAGE", "AbilityBonus", "AbilityValue", "Action",
    "Amount", "ArmorRecord", "BackgroundRecord", "ClassRecord", "Cost", "Doubt",
    "EquipmentChoice", "EquipmentOption", "EquipmentRecord", "FeatRecord", "FeatureRecord",
    "Kind", "LevelRecord", "MagicItemRecord", "MonsterRecord", "OptionChoice", "Paragraphs",
    "ProficiencyRecord", "RaceRecord", "Rarity", "Ref", "Repair", "RuleRecord",
    "RuleSectionRecord", "Scaling", "Senses", "Speed", "SpellRecord", "Srd", "SubclassRecord",
    "SubclassSpell", "SubraceRecord", "TextRecord", "TraitRecord", "WeaponRecord", "load_srd",
    "read_srd", "srd_doubts", "srd_report",
]  # fmt: skip
