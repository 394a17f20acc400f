"""The chapters of making a character: races, backgrounds, feats, alignment, languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...content.srd_documents.values import names, scores
from ...content.wording import commas, enumerated
from ...srd import BackgroundRecord, RaceRecord, Ref, Srd, SubraceRecord, TraitRecord
from .part import (
    NOTHING,
    BookPart,
    amount,
    choice_text,
    facts,
    grouped,
    number_word,
    part,
    table,
)


def races(srd: Srd) -> BookPart:
    """The chapter ``Races``: figures, traits and subraces of each."""
    return part("Races", (_race(srd, race) for race in srd.races))


def _race(srd: Srd, race: RaceRecord) -> BookPart:
    increase = enumerated(scores(race.ability_bonuses, sign=True))
    if chosen := race.ability_bonus_choice:
        options = enumerated(names(chosen.options), "or")
        increase += f"; +1 to {number_word(chosen.count)} of {options}"
    figures = facts({
        "Ability Score Increase": increase,
        "Age": race.age,
        "Alignment": race.alignment,
        "Size": race.size_text if race.size in race.size_text else f"{race.size}. {race.size_text}",
        "Speed": f"{race.speed} feet",
        "Languages": race.language_text or enumerated(names(race.languages)),
    })
    subraces = (_subrace(srd, record) for record in srd.subraces if record.race.slug == race.slug)
    return part(race.name, figures, race.text, _traits(srd, race.traits), subraces)


def _subrace(srd: Srd, race: SubraceRecord) -> BookPart:
    figures = facts({"Ability Score Increase": enumerated(scores(race.ability_bonuses, sign=True))})
    kind = f"*{race.race.name} subrace*"
    return part(race.name, kind, figures, race.text, _traits(srd, race.traits))


def _traits(srd: Srd, refs: Iterable[Ref]) -> Iterator[BookPart]:
    for ref in refs:
        (trait,) = (record for record in srd.traits if record.slug == ref.slug)
        ancestries = table(
            ("Dragon", "Damage Type", "Breath Weapon"),
            (_ancestry(trait_record) for trait_record in srd.traits if trait_record.parent == ref),
        )
        chosen = choice_text(trait.choice) if trait.choice and not ancestries else ""
        yield part(trait.name, trait.text, ancestries, facts({"Options": chosen}))


def _ancestry(trait: TraitRecord) -> tuple[str, str, str]:
    """A choice within a trait: its damage, area and saving throw."""
    area = f"{trait.area.size}-foot {trait.area.shape}" if trait.area else ""
    save = f"{trait.save.ability.name} save" if trait.save else ""
    return (
        trait.name.partition("(")[2].rstrip(")") or trait.name,
        trait.damage_type.name if trait.damage_type else "",
        commas(area, save),
    )


def backgrounds(srd: Srd) -> BookPart:
    """The chapter ``Backgrounds``."""
    return part("Backgrounds", map(_background, srd.backgrounds))


def _background(background: BackgroundRecord) -> BookPart:
    equipment = [amount(item) for item in background.equipment]
    for choice in background.equipment_choices:
        for option in choice.options:
            equipment += [f"{number_word(choice.count)} of the {item.ref.name.lower()}"
                          for item in option.categories]
            equipment += [amount(item) for item in option.items]
    equipment += [str(background.gold)] if background.gold else []
    figures = facts({
        "Skill Proficiencies": enumerated(names(background.proficiencies)),
        "Languages": f"{number_word(background.languages.count)} of your choice",
        "Equipment": enumerated(equipment),
    })
    suggested = (
        ("Personality Traits", "Personality Trait", background.personality_traits),
        ("Ideals", "Ideal", background.ideals), ("Bonds", "Bond", background.bonds),
        ("Flaws", "Flaw", background.flaws),
    )
    tables = (
        part(title, table((f"d{len(lines)}", column),
                          ((str(number), line) for number, line in enumerate(lines, 1))))
        for title, column, lines in suggested
    )
    return part(background.name, figures, part(f"Feature: {background.feature}", background.text),
                part("Suggested Characteristics", tables))


def feats(srd: Srd) -> BookPart:
    """The chapter ``Feats``."""
    return part("Feats", (
        part(record.name, facts({"Prerequisite": enumerated(
            f"{asked.ability.name} {asked.value} or higher" for asked in record.prerequisites
        )}), record.text)
        for record in srd.feats
    ))


def alignment(srd: Srd) -> BookPart:
    """The chapter ``Alignment``, from good to evil and from lawful to chaotic."""
    ordered = sorted(srd.alignments, key=lambda record: _placed(record.abbreviation))
    return part("Alignment", (part(record.name, record.text) for record in ordered))


def _placed(abbreviation: str) -> tuple[int, int, str]:
    """The place of ``NG``: its goodness, its lawfulness; what stands for neither is neutral."""
    good = next((n for n, letter in enumerate("GNE") if abbreviation.endswith(letter)), 1)
    lawful = next((n for n, letter in enumerate("LNC") if abbreviation.startswith(letter)), 1)
    return good, lawful, abbreviation


def languages(srd: Srd) -> BookPart:
    """The chapter ``Languages``: a table for each rarity, the standard ones first."""
    return part("Languages", (
        part(
            f"{rarity} Languages",
            table(("Language", "Typical Speakers", "Script"), (
                (language.name, ", ".join(language.speakers) or NOTHING, language.script or NOTHING)
                for language in spoken
            )),
            (language.text for language in spoken),
        )
        for rarity, spoken in reversed(grouped(srd.languages, lambda record: record.rarity))
    ))
