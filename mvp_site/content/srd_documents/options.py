"""Backgrounds and feats as documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...srd import BackgroundRecord, FeatRecord, Srd
from ..document import Document
from .starting import equipment_lines
from .values import document, names, passage, scores


def backgrounds(srd: Srd) -> Iterator[Document]:
    """A document for each background; its feature and its tables are sections."""
    return map(_background, srd.backgrounds)


def feats(srd: Srd) -> Iterator[Document]:
    """A document for each feat."""
    return map(_feat, srd.feats)


def _background(one: BackgroundRecord) -> Document:
    tables = (
        ("Personality Traits", one.personality_traits), ("Ideals", one.ideals),
        ("Bonds", one.bonds), ("Flaws", one.flaws),
    )
    equipment = equipment_lines(one.equipment, one.equipment_choices)
    if one.gold is not None:
        equipment.append(str(one.gold))
    return document(
        one, desc=(), proficiencies=names(one.proficiencies), feature=one.feature,
        language_choices=one.languages.count, starting_equipment=equipment,
        sections=[
            passage(f"Feature: {one.feature}", one.text),
            *(passage(name, [_listed(lines)]) for name, lines in tables if lines),
        ],
    )


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _feat(one: FeatRecord) -> Document:
    return document(
        one, prerequisites=[value.ability.name for value in one.prerequisites],
        prerequisite_scores=scores(one.prerequisites),
    )
