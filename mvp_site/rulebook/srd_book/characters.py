"""The small chapters of making a character: backgrounds, feats, alignment, languages."""

from __future__ import annotations

from collections.abc import Sequence

from ...srd import BackgroundRecord, LanguageRecord, Srd
from .part import Part, part_of
from .words import NOTHING, amount, enumerated, labelled, names, number_word, table


def backgrounds(srd: Srd) -> Part:
    """The chapter ``Backgrounds``."""
    return Part("Backgrounds", parts=tuple(map(_background, srd.backgrounds)))


def feats(srd: Srd) -> Part:
    """The chapter ``Feats``."""
    parts = []
    for feat in srd.feats:
        asked = [f"{one.ability.name} {one.value} or higher" for one in feat.prerequisites]
        before = [labelled("Prerequisite", enumerated(asked))] if asked else []
        parts.append(part_of(feat.name, feat.text, before))
    return Part("Feats", parts=tuple(parts))


def alignment(srd: Srd) -> Part:
    """The chapter ``Alignment``, from good to evil and from lawful to chaotic."""
    ordered = sorted(srd.alignments, key=lambda one: _placed(one.abbreviation))
    return Part("Alignment", parts=tuple(part_of(one.name, one.text) for one in ordered))


def _placed(abbreviation: str) -> tuple[int, int, str]:
    """The place of ``NG``: its goodness, its lawfulness; what stands for neither is neutral."""
    good = next((n for n, letter in enumerate("GNE") if abbreviation.endswith(letter)), 1)
    lawful = next((n for n, letter in enumerate("LNC") if abbreviation.startswith(letter)), 1)
    return good, lawful, abbreviation


def languages(srd: Srd) -> Part:
    """The chapter ``Languages``: a table for each rarity, the standard ones first."""
    rarities = sorted({one.rarity for one in srd.languages}, reverse=True)
    return Part(
        "Languages",
        parts=tuple(
            Part(
                f"{rarity} Languages",
                _spoken([one for one in srd.languages if one.rarity == rarity]),
            )
            for rarity in rarities
        ),
    )


def _spoken(spoken: Sequence[LanguageRecord]) -> tuple[str, ...]:
    """The table of the languages, and what there is to say about each."""
    rows = (
        (one.name, ", ".join(one.speakers) or NOTHING, one.script or NOTHING) for one in spoken
    )
    told = (block for one in spoken for block in one.text)
    return (table(("Language", "Typical Speakers", "Script"), rows), *told)


def _background(one: BackgroundRecord) -> Part:
    count = number_word(one.languages.count)
    equipment = [amount(item) for item in one.equipment]
    for choice in one.equipment_choices:
        equipment += [
            f"{number_word(choice.count)} of the {item.ref.name.lower()}"
            for option in choice.options for item in option.categories
        ]
        equipment += [amount(item) for option in choice.options for item in option.items]
    if one.gold is not None:
        equipment.append(str(one.gold))
    blocks = (
        labelled("Skill Proficiencies", enumerated(names(one.proficiencies))),
        labelled("Languages", f"{count} of your choice"),
        labelled("Equipment", enumerated(equipment)),
    )
    suggested = (
        ("Personality Traits", "Personality Trait", one.personality_traits),
        ("Ideals", "Ideal", one.ideals),
        ("Bonds", "Bond", one.bonds),
        ("Flaws", "Flaw", one.flaws),
    )
    characteristics = Part(
        "Suggested Characteristics",
        parts=tuple(
            Part(title, (_rolled(column, lines),)) for title, column, lines in suggested if lines
        ),
    )
    feature = part_of(f"Feature: {one.feature}", one.text)
    return Part(one.name, blocks, (feature, characteristics))


def _rolled(column: str, lines: Sequence[str]) -> str:
    rows = ((str(number), line) for number, line in enumerate(lines, 1))
    return table((f"d{len(lines)}", column), rows)
