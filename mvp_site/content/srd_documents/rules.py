"""Everything that explains how the game is played, as documents.

Chapters and sections of the rules, and the entries that a glossary would have: skills, abilities,
types of damage, schools of magic, properties of weapons, languages, alignments. ``category`` says
which an entity is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...srd import RuleRecord, RuleSectionRecord, Srd
from ..document import Document
from .sections import cut
from .values import document, names


def rules(srd: Srd) -> Iterator[Document]:
    """A document for each chapter, section and entry of the glossary."""
    yield from map(_chapter, srd.rules)
    yield from map(_section, srd.rule_sections)
    yield from _glossary(srd)


def _chapter(one: RuleRecord) -> Document:
    opening, sections = cut(one.text)
    return document(
        one, desc=tuple(opening), category="chapter", contents=names(one.sections),
        sections=sections,
    )


def _section(one: RuleSectionRecord) -> Document:
    opening, sections = cut(one.text)
    return document(
        one, desc=tuple(opening), category="section", chapter=one.rule.name, sections=sections,
    )


def _glossary(srd: Srd) -> Iterator[Document]:
    for skill in srd.skills:
        yield document(skill, category="skill", ability=skill.ability.name)
    for ability in srd.ability_scores:
        yield document(
            ability, category="ability score", abbreviation=ability.abbreviation,
            skills=names(ability.skills),
        )
    for language in srd.languages:
        yield document(
            language, category="language", rarity=language.rarity.lower(),
            speakers=list(language.speakers), script=language.script,
        )
    for alignment in srd.alignments:
        yield document(alignment, category="alignment", abbreviation=alignment.abbreviation)
    for category, records in (
        ("damage type", srd.damage_types), ("school of magic", srd.magic_schools),
        ("weapon property", srd.weapon_properties),
    ):
        yield from (document(one, category=category) for one in records)
