"""The chapter of races: a race's figures in its own section, traits and subraces below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...srd import RaceRecord, Ref, Srd, SubraceRecord, TraitRecord
from .part import Part, part_of
from .words import (
    ability_values,
    choice_text,
    enumerated,
    labelled,
    names,
    number_word,
    table,
)


def races(srd: Srd) -> Part:
    """The chapter ``Races``."""
    return Part("Races", parts=tuple(_race(srd, race) for race in srd.races))


def _race(srd: Srd, race: RaceRecord) -> Part:
    bonuses = enumerated(ability_values(race.ability_bonuses, sign=True))
    if race.ability_bonus_choice is not None:
        chosen = race.ability_bonus_choice
        count = number_word(chosen.count)
        bonuses += f"; +1 to {count} of {enumerated(names(chosen.options), 'or')}"
    size = race.size_text if race.size in race.size_text else f"{race.size}. {race.size_text}"
    before = [
        labelled("Ability Score Increase", bonuses),
        labelled("Age", race.age),
        labelled("Alignment", race.alignment),
        labelled("Size", size),
        labelled("Speed", f"{race.speed} feet"),
        labelled("Languages", race.language_text or enumerated(names(race.languages))),
    ]
    subraces = [srd.get(SubraceRecord, ref.slug) for ref in race.subraces]
    return part_of(race.name, race.text, before).with_parts(
        [
            *_traits(srd, race.traits),
            *(_subrace(srd, subrace) for subrace in subraces if subrace is not None),
        ]
    )


def _subrace(srd: Srd, subrace: SubraceRecord) -> Part:
    bonuses = enumerated(ability_values(subrace.ability_bonuses, sign=True))
    before = [f"*{subrace.race.name} subrace*", labelled("Ability Score Increase", bonuses)]
    return part_of(subrace.name, subrace.text, before).with_parts(_traits(srd, subrace.traits))


def _traits(srd: Srd, refs: Iterable[Ref]) -> Iterator[Part]:
    for ref in refs:
        trait = srd.get(TraitRecord, ref.slug)
        if trait is None:
            continue
        part = part_of(trait.name, trait.text)
        options = [one for one in srd.traits if one.parent is not None and one.parent == ref]
        if options:
            part = Part(part.title, (*part.blocks, _ancestries(options)), part.parts)
        elif trait.choice is not None:
            chosen = choice_text(trait.choice)
            part = Part(part.title, (*part.blocks, labelled("Options", chosen)), part.parts)
        yield part


def _ancestries(options: Iterable[TraitRecord]) -> str:
    """The choices within a trait: each one's damage, area and saving throw."""
    rows = []
    for one in options:
        area = f"{one.area.size}-foot {one.area.shape}" if one.area else ""
        save = f"{one.save.ability.name} save" if one.save else ""
        rows.append(
            (
                one.name.partition("(")[2].rstrip(")") or one.name,
                one.damage_type.name if one.damage_type else "",
                ", ".join(part for part in (area, save) if part),
            )
        )
    return table(("Dragon", "Damage Type", "Breath Weapon"), rows)
