"""Classes, subclasses and features as documents; a subclass goes by its full title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...srd import (
    ClassRecord,
    FeatureRecord,
    Kind,
    LevelRecord,
    Ref,
    Srd,
    SubclassRecord,
)
from ..document import Document
from ..verbalisation.words import enumerated
from .starting import choice_line, equipment_lines
from .values import Filled, choice, document, filled, name_of, names, passage, scores

_SPELL: Final = Kind.SPELLS


def classes(srd: Srd) -> Iterator[Document]:
    """A document for each class."""
    return (_class(srd, one) for one in srd.classes)


def subclasses(srd: Srd) -> Iterator[Document]:
    """A document for each subclass."""
    return (_subclass(srd, one) for one in srd.subclasses)


def features(srd: Srd) -> Iterator[Document]:
    """A document for each feature; what grows with level is one for each level that changes it."""
    titles = {one.slug: one.title for one in srd.subclasses}
    return (_feature(one, titles) for one in srd.features)


def _class(srd: Srd, one: ClassRecord) -> Document:
    return document(
        one, hit_die=one.hit_die, saving_throws=names(one.saving_throws),
        spellcaster=one.spellcasting_ability is not None,
        spellcasting_ability=name_of(one.spellcasting_ability),
        spellcasting_level=one.spellcasting_level,
        proficiencies=names(one.proficiencies),
        proficiency_choices=[choice_line(each) for each in one.proficiency_choices],
        starting_equipment=equipment_lines(one.equipment, one.equipment_choices),
        multiclassing=_multiclassing(one),
        subclasses=[each.title for each in srd.subclasses if each.class_.slug == one.slug],
        features=_own(srd, one.features), levels=[_level(level) for level in one.levels],
        sections=[passage(each.name, each.text) for each in one.spellcasting],
    )


def _own(srd: Srd, refs: Iterable[Ref]) -> list[str]:
    """The names of features, without those that are options of another."""
    records = (srd.get(FeatureRecord, ref.slug) for ref in refs)
    return list(dict.fromkeys(
        one.name for one in records if one is not None and one.parent is None
    ))


def _multiclassing(one: ClassRecord) -> dict[str, Any]:
    asked = enumerated(scores(one.multiclass_scores), "or" if one.multiclass_any else "and")
    gained = [*names(one.multiclass_proficiencies), *map(choice_line, one.multiclass_choices)]
    return filled(prerequisite=asked, proficiencies=gained)


def _level(level: LevelRecord) -> dict[str, Any]:
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


def _subclass(srd: Srd, one: SubclassRecord) -> Document:
    class_ = srd.get(ClassRecord, one.class_.slug)
    by_level: dict[str, list[str]] = {}
    for given in sorted(one.spells, key=lambda each: each.level):
        option = given.condition.name.rpartition(": ")[2] if given.condition else ""
        name = f"{given.spell.name} ({option})" if option else given.spell.name
        by_level.setdefault(str(given.level), []).append(name)
    return document(
        one, name=one.title, short_name=one.name if one.name != one.title else None,
        **_of_class(one.class_), flavor=one.flavor,
        spellcaster=class_ is not None and class_.spellcasting_ability is not None,
        features=_own(srd, one.features), spells=by_level,
    )


def _feature(one: FeatureRecord, titles: dict[str, str]) -> Document:
    subclass = one.subclass
    asked = [f"level {one.required_level}"] if one.required_level else []
    asked += [_required(ref) for ref in one.required]
    return document(
        one, **_of_class(one.class_),
        subclass=titles.get(subclass.slug, subclass.name) if subclass else None,
        level=one.level, parent=name_of(one.parent), options=choice(one.choice),
        prerequisites=asked,
    )


def _of_class(ref: Ref) -> Filled:
    """The class under the word that Python keeps for itself."""
    return {"class": ref.name}


def _required(ref: Ref) -> str:
    return f"{ref.name} ({'spell' if ref.kind == _SPELL else 'feature'})"
