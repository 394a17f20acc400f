"""The chapter of classes: figures, table, features by level, subclasses, multiclassing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ...srd import (
    Choice,
    ClassRecord,
    EquipmentOption,
    FeatureRecord,
    NamedText,
    ProficiencyRecord,
    Ref,
    Srd,
)
from .features import feature_parts, subclass_part
from .part import Part, part_of
from .progression import feature_title, level_table
from .words import (
    ability_values,
    amount,
    bullets,
    enumerated,
    in_prose,
    labelled,
    names,
    number_word,
    ordinal,
    table,
)

_FOCI: Final = "foci"
_PACT_MAGIC: Final = "Pact Magic"
_SKILL: Final = "skill-"


def classes(srd: Srd) -> Part:
    """The chapter ``Classes``."""
    below = [_class(srd, one) for one in srd.classes]
    return Part("Classes", parts=(*below, _multiclassing(srd)))


def _class(srd: Srd, one: ClassRecord) -> Part:
    before = [
        labelled("Hit Die", f"d{one.hit_die}"),
        labelled("Saving Throws", enumerated(names(one.saving_throws))),
    ]
    if one.spellcasting_ability is not None and one.spellcasting_level is not None:
        before.append(
            labelled(
                "Spellcasting",
                f"from {ordinal(one.spellcasting_level)} level, with "
                f"{one.spellcasting_ability.name}",
            )
        )
    before.append(labelled("Subclass", enumerated(_titles(srd, one), "or")))
    own = [
        record for record in srd.features
        if record.class_.slug == one.slug and record.subclass is None
    ]
    return part_of(one.name, one.text, before).with_parts(
        [
            Part("Hit Points", tuple(_hit_points(one))),
            Part("Proficiencies", tuple(_proficiencies(srd, one))),
            Part("Starting Equipment", (_equipment(one),)),
            Part(f"The {one.name} Table", (level_table(srd, one),)),
            Part("Multiclassing", tuple(_multiclass(one))),
            Part("Class Features", parts=tuple(_features(one, own))),
            *(
                subclass_part(srd, subclass) for subclass in srd.subclasses
                if subclass.class_.slug == one.slug
            ),
        ]
    )


def _titles(srd: Srd, one: ClassRecord) -> list[str]:
    return [record.title for record in srd.subclasses if record.class_.slug == one.slug]


def _features(one: ClassRecord, records: Iterable[FeatureRecord]) -> Iterator[Part]:
    """The features; what is told about spellcasting stands under the one that brings it."""
    for part in feature_parts(records, one.name):
        title = feature_title(part.title)
        below = one.spellcasting if title != part.title or title == _PACT_MAGIC else ()
        yield Part(title, part.blocks, part.parts).with_parts(map(_named, below))


def _named(passage: NamedText) -> Part:
    return part_of(passage.name, passage.text)


def _hit_points(one: ClassRecord) -> Iterator[str]:
    name = one.name.lower()
    average = one.hit_die // 2 + 1
    yield labelled("Hit Dice", f"1d{one.hit_die} per {name} level")
    yield labelled("Hit Points at 1st Level", f"{one.hit_die} + your Constitution modifier")
    yield labelled(
        "Hit Points at Higher Levels",
        f"1d{one.hit_die} (or {average}) + your Constitution modifier per {name} level after 1st",
    )


def _proficiencies(srd: Srd, one: ClassRecord) -> Iterator[str]:
    sorts = _by_sort(srd, one.proficiencies)
    yield labelled("Armor", _listed(sorts["Armor"]))
    yield labelled("Weapons", _listed(sorts["Weapons"]))
    tools = list(sorts["Tools"])
    skills: list[str] = []
    for choice in one.proficiency_choices:
        skill = all(ref.slug.startswith(_SKILL) for ref in choice.options)
        (skills if skill else tools).append(_choice(choice))
    yield labelled("Tools", _listed(tools))
    yield labelled("Saving Throws", ", ".join(names(one.saving_throws)))
    yield labelled("Skills", _listed(skills))


def _by_sort(srd: Srd, refs: Iterable[Ref]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"Armor": [], "Weapons": [], "Tools": []}
    for ref in refs:
        record = srd.get(ProficiencyRecord, ref.slug)
        if record is None or record.category in {"Saving Throws", "Skills"}:
            continue
        sort = record.category if record.category in found else "Tools"
        found[sort].append(in_prose(record.name))
    return found


def _choice(choice: Choice) -> str:
    """``choose two from ...``; skills keep their capitals, things read as in a sentence."""
    if all(ref.slug.startswith(_SKILL) for ref in choice.options):
        options = names(choice.options)
    else:
        options = [in_prose(ref.name) for ref in choice.options]
    return f"choose {number_word(choice.count)} from {enumerated(options)}"


def _listed(items: Iterable[str]) -> str:
    """The items with a capital in front, or that there are none."""
    shown = ", ".join(items) or "none"
    return f"{shown[:1].upper()}{shown[1:]}" if shown != "none" else shown


def _equipment(one: ClassRecord) -> str:
    lines = []
    for choice in one.equipment_choices:
        options = [_option(option) for option in choice.options]
        if len(options) > 1:
            options = [f"({chr(ord('a') + n)}) {option}" for n, option in enumerate(options)]
        count = "" if choice.count == 1 else f"{number_word(choice.count)} of "
        lines.append(count + enumerated(options, "or"))
    if one.equipment:
        lines.append(enumerated(map(amount, one.equipment)))
    return bullets(lines)


def _option(option: EquipmentOption) -> str:
    parts = [amount(item) for item in option.items]
    parts += [_any(item.ref.name, item.quantity) for item in option.categories]
    asked = " (if proficient)" if option.proficiency else ""
    return enumerated(parts) + asked


def _any(category: str, count: int) -> str:
    """``any simple weapon``, ``any two martial weapons``."""
    name = category.lower()
    if count > 1:
        return f"any {number_word(count)} {name}"
    if name.endswith(_FOCI):
        return f"any {name.removesuffix(_FOCI)}focus"
    return f"any {name.removesuffix('s')}"


def _multiclass(one: ClassRecord) -> Iterator[str]:
    yield labelled("Prerequisite", _scores(one))
    yield labelled("Proficiencies Gained", _gained(one))


def _scores(one: ClassRecord) -> str:
    return enumerated(ability_values(one.multiclass_scores), "or" if one.multiclass_any else "and")


def _gained(one: ClassRecord) -> str:
    gained = [in_prose(name) for name in names(one.multiclass_proficiencies)]
    chosen = [_choice(choice) for choice in one.multiclass_choices]
    shown = "; ".join(part for part in (", ".join(gained), *chosen) if part)
    return f"{shown[:1].upper()}{shown[1:]}" if shown else "none"


def _multiclassing(srd: Srd) -> Part:
    scores = table(
        ("Class", "Ability Score Minimum"), ((one.name, _scores(one)) for one in srd.classes)
    )
    gained = table(
        ("Class", "Proficiencies Gained"), ((one.name, _gained(one)) for one in srd.classes)
    )
    return Part(
        "Multiclassing",
        parts=(
            Part("Multiclassing Prerequisites", (scores,)),
            Part("Multiclassing Proficiencies", (gained,)),
        ),
    )
