"""What a character is made of as documents: classes and their features, races, backgrounds, feats.

A subclass goes by its full title. What grows with level is a feature for each level that changes
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import srd as records
from ..document import Document
from ..wording import enumerated
from .values import (
    choice,
    choice_line,
    document,
    equipment_lines,
    filled,
    names,
    passage,
    scores,
)


def class_(record: records.ClassRecord, srd: records.Srd) -> Document:
    """A class with the table of its levels."""
    return document(
        record, "hit_die saving_throws spellcasting_ability spellcasting_level proficiencies",
        spellcaster=record.spellcasting_ability is not None,
        proficiency_choices=[choice_line(each) for each in record.proficiency_choices],
        starting_equipment=equipment_lines(record.equipment, record.equipment_choices),
        multiclassing=_multiclassing(record),
        subclasses=[each.title for each in srd.subclasses if each.class_.slug == record.slug],
        features=_own(srd, record.features), levels=[_level(level) for level in record.levels],
        sections=[passage(each.name, each.text) for each in record.spellcasting],
    )


def _own(srd: records.Srd, refs: Iterable[records.Ref]) -> list[str]:
    """The names of features, without those that are options of another."""
    features = (srd.get(records.FeatureRecord, ref.slug) for ref in refs)
    return list(dict.fromkeys(
        record.name for record in features if record is not None and record.parent is None
    ))


def _multiclassing(record: records.ClassRecord) -> dict[str, Any]:
    needs = enumerated(scores(record.multiclass_scores), "or" if record.multiclass_any else "and")
    gained = [*names(record.multiclass_proficiencies), *map(choice_line, record.multiclass_choices)]
    return filled(prerequisite=needs, proficiencies=gained)


def _level(level: records.LevelRecord) -> dict[str, Any]:
    """A row of the level table; ``spell_slots`` by the level of the slot."""
    return filled(
        level=level.level, proficiency_bonus=level.proficiency_bonus,
        features=names(level.features),
        cantrips_known=level.cantrips_known, spells_known=level.spells_known,
        spell_slots={
            str(slot): count for slot, count in enumerate(level.spell_slots, 1) if count
        },
        **{figure.name: figure.value for figure in level.figures},
    )


def subclass(record: records.SubclassRecord, srd: records.Srd) -> Document:
    """A subclass with the spells that it gives."""
    base = srd.get(records.ClassRecord, record.class_.slug)
    by_level: dict[str, list[str]] = {}
    for spell in sorted(record.spells, key=lambda each: each.level):
        option = spell.condition.name.rpartition(": ")[2] if spell.condition else ""
        name = f"{spell.spell.name} ({option})" if option else spell.spell.name
        by_level.setdefault(str(spell.level), []).append(name)
    return document(
        record, "flavor", name=record.title, **_of_class(record.class_),
        short_name=record.name if record.name != record.title else None,
        spellcaster=base is not None and base.spellcasting_ability is not None,
        features=_own(srd, record.features), spells=by_level,
    )


def feature(record: records.FeatureRecord, srd: records.Srd) -> Document:
    """A feature of a class or subclass."""
    titled = srd.get(records.SubclassRecord, record.subclass.slug) if record.subclass else None
    required = [f"level {record.required_level}"] if record.required_level else []
    required += [f"{ref.name} ({'spell' if ref.kind == records.Kind.SPELLS else 'feature'})"
              for ref in record.required]
    return document(
        record, "level parent", **_of_class(record.class_),
        subclass=titled.title if titled else None, options=choice(record.choice),
        prerequisites=required,
    )


def _of_class(ref: records.Ref) -> dict[str, Any]:
    """The class under the word that Python keeps for itself."""
    return {"class": ref.name}


def race(row: records.RaceRecord | records.SubraceRecord, srd: records.Srd) -> Document:
    """A race, or a subrace, which has its race's size and speed."""
    if isinstance(row, records.SubraceRecord):
        return _subrace(row, srd.get(records.RaceRecord, row.race.slug))
    facts = (
        ("Age", row.age), ("Alignment", row.alignment), ("Size", row.size_text),
        ("Languages", row.language_text),
    )
    return document(
        row, "size speed languages language_choice ability_bonus_choice proficiencies "
             "proficiency_choice traits subraces",
        ability_bonuses=[value.ability.name for value in row.ability_bonuses],
        ability_increases=scores(row.ability_bonuses, sign=True),
        sections=[passage(name, [text]) for name, text in facts if text],
    )


def _subrace(record: records.SubraceRecord, base: records.RaceRecord | None) -> Document:
    own = record.ability_bonuses
    bonuses = (*base.ability_bonuses, *own) if base else own
    return document(
        record, "race language_choice proficiencies",
        size=base.size if base else None, speed=base.speed if base else None,
        languages=names(base.languages) if base else None,
        ability_bonuses=list(dict.fromkeys(value.ability.name for value in bonuses)),
        ability_increases=scores(bonuses, sign=True),
        traits=names((*(base.traits if base else ()), *record.traits)),
    )


def trait(row: records.TraitRecord, _srd: records.Srd) -> Document:
    """A racial trait."""
    return document(
        row, "damage_type parent proficiencies",
        races=names((*row.races, *row.subraces)), options=choice(row.choice),
        area_shape=row.area.shape if row.area else None,
        area_size=row.area.size if row.area else None,
        save=row.save.ability.name if row.save else None,
    )


def background(record: records.BackgroundRecord, _srd: records.Srd) -> Document:
    """A background; its feature and its tables are sections."""
    tables = (
        ("Personality Traits", record.personality_traits), ("Ideals", record.ideals),
        ("Bonds", record.bonds), ("Flaws", record.flaws),
    )
    equipment = equipment_lines(record.equipment, record.equipment_choices)
    if record.gold is not None:
        equipment.append(str(record.gold))
    return document(
        record, "proficiencies feature", desc=(),
        language_choices=record.languages.count, starting_equipment=equipment,
        sections=[
            passage(f"Feature: {record.feature}", record.text),
            *(passage(name, ["\n".join(f"- {line}" for line in lines)])
              for name, lines in tables if lines),
        ],
    )


def feat(record: records.FeatRecord, _srd: records.Srd) -> Document:
    """A feat and what it asks for."""
    return document(
        record, prerequisites=[value.ability.name for value in record.prerequisites],
        prerequisite_scores=scores(record.prerequisites),
    )
