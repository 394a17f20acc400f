"""Features of classes and subclasses, and subclasses with theirs.

Features that grow are one section that shows every level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from ...content.wording import enumerated, ordinal
from ...srd import FeatureRecord, Kind, Srd, SubclassRecord, SubclassSpell
from .part import BookPart, part
from .words import bullets, facts, grouped, table

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
    for record in sorted(records, key=lambda one: (one.level, one.name.casefold(), one.slug)):
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
    asked = [f"{ordinal(record.required_level)} level"] if record.required_level else []
    asked += [
        f"{ref.name} {'spell' if ref.kind == Kind.SPELLS else 'feature'}" for ref in record.required
    ]
    return ", ".join(asked)


def subclass_part(srd: Srd, one: SubclassRecord) -> BookPart:
    """The part of a subclass under its class.

    A feature that is the subclass itself, by title and text, is not told again; nor are its
    options, which say what spells there are.
    """
    own = [record for record in srd.features
           if record.subclass and record.subclass.slug == one.slug]
    itself = {
        record.slug for record in own
        if record.name == one.title and set(record.text) <= set(one.text)
    }
    records = [
        record for record in own
        if not {record.slug, record.parent and record.parent.slug} & itself
    ]
    return part(
        one.title, f"*{one.class_.name} subclass ({one.flavor})*", one.text,
        feature_parts(records, f"{one.title} {one.class_.name.lower()}"), _spells(one),
    )


def _spells(subclass: SubclassRecord) -> BookPart:
    """The spells by level; those that are for one option only in a part of their own."""
    def by_level(spells: Iterable[SubclassSpell]) -> str:
        return table((f"{subclass.class_.name} Level", "Spells"), (
            (ordinal(level), ", ".join(spell.spell.name for spell in held))
            for level, held in grouped(spells, lambda spell: spell.level)
        ))

    return part(f"{subclass.title.removeprefix('The ')} Spells", (
        part(option, by_level(spells)) if option else by_level(spells)
        for option, spells in grouped(
            subclass.spells,
            lambda spell: spell.condition.name.rpartition(": ")[2] if spell.condition else "",
        )
    ))
