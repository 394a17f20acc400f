"""Races, subraces and their traits as documents."""

from __future__ import annotations

from collections.abc import Iterator

from ...srd import RaceRecord, Srd, SubraceRecord, TraitRecord
from ..document import Document
from .values import choice, document, name_of, names, passage, scores


def races(srd: Srd) -> Iterator[Document]:
    """A document for each race and each subrace; a subrace has its race's size and speed."""
    for race in srd.races:
        yield _race(race)
    for subrace in srd.subraces:
        yield _subrace(subrace, srd.get(RaceRecord, subrace.race.slug))


def traits(srd: Srd) -> Iterator[Document]:
    """A document for each racial trait."""
    return map(_trait, srd.traits)


def _race(one: RaceRecord) -> Document:
    told = (
        ("Age", one.age), ("Alignment", one.alignment), ("Size", one.size_text),
        ("Languages", one.language_text),
    )
    return document(
        one, size=one.size, speed=one.speed,
        languages=names(one.languages), language_choice=choice(one.language_choice),
        ability_bonuses=[value.ability.name for value in one.ability_bonuses],
        ability_increases=scores(one.ability_bonuses, sign=True),
        ability_bonus_choice=choice(one.ability_bonus_choice),
        proficiencies=names(one.proficiencies), proficiency_choice=choice(one.proficiency_choice),
        traits=names(one.traits), subraces=names(one.subraces),
        sections=[passage(name, [text]) for name, text in told if text],
    )


def _subrace(one: SubraceRecord, race: RaceRecord | None) -> Document:
    own = one.ability_bonuses
    bonuses = (*race.ability_bonuses, *own) if race else own
    return document(
        one, race=one.race.name,
        size=race.size if race else None, speed=race.speed if race else None,
        languages=names(race.languages) if race else None,
        language_choice=choice(one.language_choice),
        ability_bonuses=list(dict.fromkeys(value.ability.name for value in bonuses)),
        ability_increases=scores(bonuses, sign=True),
        proficiencies=names(one.proficiencies),
        traits=names((*(race.traits if race else ()), *one.traits)),
    )


def _trait(one: TraitRecord) -> Document:
    return document(
        one, races=names((*one.races, *one.subraces)), damage_type=name_of(one.damage_type),
        parent=name_of(one.parent), proficiencies=names(one.proficiencies),
        options=choice(one.choice),
        area_shape=one.area.shape if one.area else None,
        area_size=one.area.size if one.area else None,
        save=one.save.ability.name if one.save else None,
    )
