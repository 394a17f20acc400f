"""Rows of rules and of the short reference types to records."""

from __future__ import annotations

from ..raw import Row, Tables
from ..types import (
    AbilityScoreRecord,
    AlignmentRecord,
    ConditionRecord,
    DamageTypeRecord,
    FeatRecord,
    LanguageRecord,
    MagicSchoolRecord,
    ProficiencyRecord,
    RuleRecord,
    RuleSectionRecord,
    SkillRecord,
    WeaponPropertyRecord,
)
from ..values import Kind
from .fields import References, ability_values, blocks, paragraphs


def ability_score(references: References, slug: str, row: Row) -> AbilityScoreRecord:
    """The record of an ability, under its full name."""
    skills = references.all(row["skills"])
    return AbilityScoreRecord(slug, row["full_name"], paragraphs(row["desc"]), row["name"], skills)


def alignment(_: References, slug: str, row: Row) -> AlignmentRecord:
    """The record of an alignment."""
    return AlignmentRecord(slug, row["name"], paragraphs(row["desc"]), row["abbreviation"])


def condition(_: References, slug: str, row: Row) -> ConditionRecord:
    """The record of a condition."""
    return ConditionRecord(slug, row["name"], paragraphs(row["desc"]))


def damage_type(_: References, slug: str, row: Row) -> DamageTypeRecord:
    """The record of a damage type."""
    return DamageTypeRecord(slug, row["name"], paragraphs(row["desc"]))


def magic_school(_: References, slug: str, row: Row) -> MagicSchoolRecord:
    """The record of a school of magic."""
    return MagicSchoolRecord(slug, row["name"], paragraphs(row["desc"]))


def weapon_property(_: References, slug: str, row: Row) -> WeaponPropertyRecord:
    """The record of a weapon property."""
    return WeaponPropertyRecord(slug, row["name"], paragraphs(row["desc"]))


def skill(references: References, slug: str, row: Row) -> SkillRecord:
    """The record of a skill."""
    ability = references.of(row["ability_score"])
    return SkillRecord(slug, row["name"], paragraphs(row["desc"]), ability=ability)


def language(_: References, slug: str, row: Row) -> LanguageRecord:
    """The record of a language."""
    return LanguageRecord(
        slug, row["name"], paragraphs(row.get("desc")), row["type"],
        tuple(row["typical_speakers"]), row["script"],
    )


def proficiency(references: References, slug: str, row: Row) -> ProficiencyRecord:
    """The record of a proficiency."""
    return ProficiencyRecord(
        slug=slug,
        name=row["name"],
        category=row["type"],
        target=references.of(row["reference"]),
        classes=references.all(row["classes"]),
        races=references.all(row["races"]),
    )


def feat(references: References, slug: str, row: Row) -> FeatRecord:
    """The record of a feat."""
    asked = ability_values(references, row["prerequisites"])
    return FeatRecord(slug, row["name"], paragraphs(row["desc"]), asked)


def rule(references: References, slug: str, row: Row) -> RuleRecord:
    """The record of a chapter of rules."""
    sections = references.all(row["subsections"])
    return RuleRecord(slug=slug, name=row["name"], text=blocks(row["desc"]), sections=sections)


def rule_sections(references: References, tables: Tables) -> list[RuleSectionRecord]:
    """The records of all sections, each with its chapter and its place there."""
    found = []
    for slug, row in tables[Kind.RULES].items():
        for position, cell in enumerate(row["subsections"]):
            section = references.of(cell)
            found.append(
                RuleSectionRecord(
                    slug=section.slug,
                    name=section.name,
                    text=blocks(tables[Kind.RULE_SECTIONS][section.slug]["desc"]),
                    rule=references.to(Kind.RULES, slug),
                    position=position,
                )
            )
    return found
