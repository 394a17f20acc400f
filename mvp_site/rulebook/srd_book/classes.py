"""The chapter of classes: figures, table, features by level, subclasses, multiclassing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from ...content.srd_documents.values import names, scores
from ...content.wording import enumerated, ordinal
from ...srd import (
    ClassRecord,
    EquipmentOption,
    FeatureRecord,
    Kind,
    LevelRecord,
    OptionChoice,
    ProficiencyRecord,
    Srd,
    SubclassRecord,
    SubclassSpell,
)
from .part import (
    NOTHING,
    BookPart,
    amount,
    bullets,
    choice_text,
    facts,
    grouped,
    in_prose,
    number_word,
    part,
    table,
)

_FOCI: Final = "foci"


def classes(srd: Srd) -> BookPart:
    """The chapter ``Classes``."""
    return part("Classes", (_class(srd, record) for record in srd.classes), part(
        "Multiclassing",
        part("Multiclassing Prerequisites", table(
            ("Class", "Ability Score Minimum"), ((own.name, _scores(own)) for own in srd.classes)
        )),
        part("Multiclassing Proficiencies", table(
            ("Class", "Proficiencies Gained"), ((own.name, _gained(own)) for own in srd.classes)
        )),
    ))


def _class(srd: Srd, own: ClassRecord) -> BookPart:
    subclasses = [record for record in srd.subclasses if record.class_.slug == own.slug]
    casting = ""
    if own.spellcasting_ability and own.spellcasting_level:
        level = ordinal(own.spellcasting_level)
        casting = f"from {level} level, with {own.spellcasting_ability.name}"
    name, die = own.name.lower(), f"1d{own.hit_die}"
    return part(
        own.name,
        facts({
            "Hit Die": f"d{own.hit_die}",
            "Saving Throws": enumerated(names(own.saving_throws)),
            "Spellcasting": casting,
            "Subclass": enumerated((record.title for record in subclasses), "or"),
        }),
        part("Hit Points", facts({
            "Hit Dice": f"{die} per {name} level",
            "Hit Points at 1st Level": f"{own.hit_die} + your Constitution modifier",
            "Hit Points at Higher Levels": f"{die} (or {own.hit_die // 2 + 1}) + your Constitution "
                                           f"modifier per {name} level after 1st",
        })),
        part("Proficiencies", facts(_proficiencies(srd, own))),
        part("Starting Equipment", _equipment(own)),
        part(f"The {own.name} Table", table(*level_rows(srd, own))),
        part("Multiclassing", facts({
            "Prerequisite": _scores(own), "Proficiencies Gained": _gained(own),
        })),
        part("Class Features", _features(srd, own)),
        (subclass_part(srd, record) for record in subclasses),
    )


def _features(srd: Srd, owner: ClassRecord) -> Iterator[BookPart]:
    """The features; what is told about spellcasting stands under the one that brings it."""
    own = (record for record in srd.features
           if record.class_.slug == owner.slug and not record.subclass)
    for feature in feature_parts(own, owner.name):
        title = feature_title(feature.title)
        below = owner.spellcasting if title != feature.title or title == "Pact Magic" else ()
        yield part(title, feature.blocks, feature.parts,
                   (part(passage.name, passage.text) for passage in below))


def _proficiencies(srd: Srd, owner: ClassRecord) -> dict[str, str]:
    sorts: dict[str, list[str]] = {
        "Armor": [], "Weapons": [], "Tools": [], "Saving Throws": names(owner.saving_throws),
        "Skills": [],
    }
    for ref in owner.proficiencies:
        record = srd.get(ProficiencyRecord, ref.slug)
        if record and record.category not in {"Saving Throws", "Skills"}:
            sorts.get(record.category, sorts["Tools"]).append(in_prose(record.name))
    for choice in owner.proficiency_choices:
        sorts["Skills" if _of_skills(choice) else "Tools"].append(_choice(choice))
    return {sort: _opened(", ".join(names)) for sort, names in sorts.items()}


def _of_skills(choice: OptionChoice) -> bool:
    return all(ref.slug.startswith("skill-") for ref in choice.options)


def _choice(choice: OptionChoice) -> str:
    """The choice; skills keep their capitals, things read as in a sentence."""
    return choice_text(choice, str if _of_skills(choice) else in_prose)


def _opened(text: str) -> str:
    """The text with a capital in front, or that there is nothing."""
    return text[:1].upper() + text[1:] or "none"


def _equipment(owner: ClassRecord) -> str:
    lines = []
    for choice in owner.equipment_choices:
        options = [_option(option) for option in choice.options]
        if len(options) > 1:
            options = [f"({chr(ord('a') + n)}) {option}" for n, option in enumerate(options)]
        count = "" if choice.count == 1 else f"{number_word(choice.count)} of "
        lines.append(count + enumerated(options, "or"))
    if owner.equipment:
        lines.append(enumerated(map(amount, owner.equipment)))
    return bullets(lines)


def _option(option: EquipmentOption) -> str:
    parts = [amount(item) for item in option.items]
    parts += [_any(item.ref.name.lower(), item.quantity) for item in option.categories]
    return enumerated(parts) + (" (if proficient)" if option.proficiency else "")


def _any(category: str, count: int) -> str:
    """``any simple weapon``, ``any two martial weapons``."""
    if count > 1:
        return f"any {number_word(count)} {category}"
    if category.endswith(_FOCI):
        return f"any {category.removesuffix(_FOCI)}focus"
    return f"any {category.removesuffix('s')}"


def _scores(owner: ClassRecord) -> str:
    return enumerated(scores(owner.multiclass_scores), "or" if owner.multiclass_any else "and")


def _gained(owner: ClassRecord) -> str:
    gained = ", ".join(in_prose(name) for name in names(owner.multiclass_proficiencies))
    return _opened("; ".join(filter(None, (gained, *map(_choice, owner.multiclass_choices)))))


def level_rows(srd: Srd, owner: ClassRecord) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a class's table; columns that it has nothing in are left out."""
    columns: dict[str, list[str]] = {}
    earlier = {record.slug: record.level for record in srd.features}
    for level in owner.levels:
        for label, cell in _cells(level, earlier):
            columns.setdefault(label, []).append(cell)
    filled = {label: cells for label, cells in columns.items() if set(cells) != {NOTHING}}
    return list(filled), [list(row) for row in zip(*filled.values(), strict=True)]


def _cells(level: LevelRecord, gained: dict[str, int]) -> Iterator[tuple[str, str]]:
    yield "Level", ordinal(level.level)
    yield "Proficiency Bonus", f"{level.proficiency_bonus:+d}"
    # The name of an earlier feature stands for what a subclass gives.
    features = (
        f"{ref.name} feature" if gained[ref.slug] < level.level else feature_title(ref.name)
        for ref in level.features
    )
    yield "Features", ", ".join(dict.fromkeys(features)) or NOTHING
    for figure in level.figures:
        yield figure.name, figure.value
    for label, count in (("Cantrips Known", level.cantrips_known),
                         ("Spells Known", level.spells_known)):
        yield label, NOTHING if count is None else str(count)
    for slot, count in enumerate(level.spell_slots, 1):
        yield f"{ordinal(slot)}-Level Slots", str(count or NOTHING)


_STEP: Final = re.compile(r"\s*\(([^()]*)\)$")


@dataclass(slots=True)
class _FeatureGroup:
    """The records of one feature, at each level at which it is gained or grows."""

    title: str
    records: list[FeatureRecord] = field(default_factory=list)
    options: list[_FeatureGroup] = field(default_factory=list)

    @property
    def text(self) -> tuple[str, ...]:
        """The blocks of all its records, each once."""
        return tuple(dict.fromkeys(block for record in self.records for block in record.text))


def feature_parts(records: Iterable[FeatureRecord], owner: str) -> list[BookPart]:
    """A part for each feature of ``owner``, by level; an option stands under what it is one of."""
    return [_part(group, owner) for group in _groups(records)]


def feature_title(name: str) -> str:
    """The name of a class's feature without the name of the class."""
    return "Spellcasting" if name.startswith("Spellcasting: ") else name


def _groups(records: Iterable[FeatureRecord]) -> list[_FeatureGroup]:
    groups: dict[tuple[str | None, str], _FeatureGroup] = {}
    by_slug: dict[str, _FeatureGroup] = {}
    for record in sorted(records, key=lambda each: (each.level, each.name.casefold(), each.slug)):
        parent = record.parent.slug if record.parent else None
        name = _STEP.sub("", record.name)  # Brutal Critical of Brutal Critical (1 die)
        title = name.partition(": ")[2] or name if parent else name
        group = by_slug[record.slug] = groups.setdefault((parent, name), _FeatureGroup(title))
        group.records.append(record)
    top: list[_FeatureGroup] = []
    for (parent, _), group in groups.items():
        (by_slug[parent].options if parent in by_slug else top).append(group)
    return top


def _part(group: _FeatureGroup, owner: str) -> BookPart:
    options = sorted(group.options, key=lambda option: option.title.casefold())
    groups = [option for option in options if not set(option.text) <= set(group.text)]
    names = {feature_group.title for feature_group in groups}
    levels = enumerated(dict.fromkeys(ordinal(record.level) for record in group.records))
    return part(
        group.title, f"*{owner} feature, {levels} level*",
        facts({"By Level": _steps(group), "Prerequisites": _required(group.records[0])}),
        (block for block in group.text if block not in names),
        bullets(group.title.replace(" - ", ": ") for group in options if group not in groups),
        (_part(group, owner) for group in groups),
    )


def _steps(group: _FeatureGroup) -> str:
    steps = [(record.level, _STEP.search(record.name)) for record in group.records]
    if not any(step for _, step in steps):
        return ""
    return ", ".join(ordinal(level) + (f" ({step[1]})" if step else "") for level, step in steps)


def _required(record: FeatureRecord) -> str:
    needs = [f"{ordinal(record.required_level)} level"] if record.required_level else []
    needs += [
        f"{ref.name} {'spell' if ref.kind == Kind.SPELLS else 'feature'}" for ref in record.required
    ]
    return ", ".join(needs)


def subclass_part(srd: Srd, row: SubclassRecord) -> BookPart:
    """The part of a subclass under its class.

    A feature that is the subclass itself, by title and text, is not told again; nor are its
    options, which say what spells there are.
    """
    own = [record for record in srd.features
           if record.subclass and record.subclass.slug == row.slug]
    itself = {
        record.slug for record in own
        if record.name == row.title and set(record.text) <= set(row.text)
    }
    records = [
        record for record in own
        if not {record.slug, record.parent and record.parent.slug} & itself
    ]
    return part(row.title, f"*{row.class_.name} subclass ({row.flavor})*", row.text,
                feature_parts(records, f"{row.title} {row.class_.name.lower()}"), _spells(row))


def _spells(subclass: SubclassRecord) -> BookPart:
    """The spells by level; those that are for one option only in a part of their own."""
    def by_level(spells: Iterable[SubclassSpell]) -> str:
        return table((f"{subclass.class_.name} Level", "Spells"), (
            (ordinal(level), ", ".join(spell.spell.name for spell in group))
            for level, group in grouped(spells, lambda spell: spell.level)
        ))

    return part(f"{subclass.title.removeprefix('The ')} Spells", (
        part(option, by_level(spells)) if option else by_level(spells)
        for option, spells in grouped(
            subclass.spells,
            lambda spell: spell.condition.name.rpartition(": ")[2] if spell.condition else "",
        )
    ))
