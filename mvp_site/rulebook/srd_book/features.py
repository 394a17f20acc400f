"""Features of classes and subclasses, and subclasses with theirs.

Features that grow are one section that shows every level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ...srd import FeatureRecord, Kind, Srd, SubclassRecord, SubclassSpell
from .part import Part, part_of
from .words import bullets, enumerated, labelled, ordinal, table

_STEP: Final = re.compile(r"\s*\(([^()]*)\)$")
_OF: Final = ": "
_BETWEEN: Final = " - "


@dataclass(slots=True)
class _Group:
    """The records of one feature, at each level at which it is gained or grows."""

    title: str
    records: list[FeatureRecord]
    options: list[_Group] = field(default_factory=list)

    @property
    def text(self) -> tuple[str, ...]:
        """The blocks of all its records, each once."""
        return tuple(dict.fromkeys(block for one in self.records for block in one.text))


def feature_parts(records: Iterable[FeatureRecord], owner: str) -> list[Part]:
    """A part for each feature of ``owner``, by level; an option stands under what it is one of."""
    return [_part(group, owner) for group in _groups(records)]


def base_name(name: str) -> str:
    """``Brutal Critical`` of ``Brutal Critical (1 die)``."""
    return _STEP.sub("", name)


def _groups(records: Iterable[FeatureRecord]) -> list[_Group]:
    ordered = sorted(records, key=lambda one: (one.level, one.name.casefold(), one.slug))
    groups: dict[tuple[str | None, str], _Group] = {}
    by_slug: dict[str, _Group] = {}
    for record in ordered:
        parent = record.parent.slug if record.parent else None
        key = (parent, base_name(record.name))
        group = groups.get(key)
        if group is None:
            title = key[1].partition(_OF)[2] if parent and _OF in key[1] else key[1]
            group = groups[key] = _Group(title, [])
        group.records.append(record)
        by_slug[record.slug] = group
    top: list[_Group] = []
    for (parent, _), group in groups.items():
        above = by_slug.get(parent) if parent else None
        (top if above is None else above.options).append(group)
    for group in groups.values():
        group.options.sort(key=lambda one: one.title.casefold())
    return top


def _part(group: _Group, owner: str) -> Part:
    plain = [one.title for one in group.options if set(one.text) <= set(group.text)]
    told = [one for one in group.options if one.title not in plain]
    before = [_gained(group.records, owner), *_steps(group.records), *_required(group.records[0])]
    names = {one.title for one in told}
    part = part_of(group.title, [block for block in group.text if block not in names], before)
    if plain:
        options = bullets(name.replace(_BETWEEN, _OF) for name in plain)
        part = Part(part.title, (*part.blocks, options), part.parts)
    return part.with_parts(_part(one, owner) for one in told)


def _gained(records: Sequence[FeatureRecord], owner: str) -> str:
    levels = enumerated(ordinal(level) for level in dict.fromkeys(one.level for one in records))
    return f"*{owner} feature, {levels} level*"


def _steps(records: Sequence[FeatureRecord]) -> Iterator[str]:
    steps = [(one.level, _STEP.search(one.name)) for one in records]
    if any(step for _, step in steps):
        shown = [ordinal(level) + (f" ({step[1]})" if step else "") for level, step in steps]
        yield labelled("By Level", ", ".join(shown))


def _required(record: FeatureRecord) -> Iterator[str]:
    asked = [f"{ordinal(record.required_level)} level"] if record.required_level else []
    asked += [
        f"{ref.name} {'spell' if ref.kind == Kind.SPELLS else 'feature'}" for ref in record.required
    ]
    if asked:
        yield labelled("Prerequisites", ", ".join(asked))


def subclass_part(srd: Srd, subclass: SubclassRecord) -> Part:
    """The part of a subclass under its class.

    A feature that is the subclass itself, by title and text, is not told again; nor are its
    options, which say what spells there are.
    """
    own = [
        record for record in srd.features
        if record.subclass is not None and record.subclass.slug == subclass.slug
    ]
    itself = {
        record.slug for record in own
        if record.name == subclass.title and set(record.text) <= set(subclass.text)
    }
    told = [
        record for record in own
        if record.slug not in itself and not (record.parent and record.parent.slug in itself)
    ]
    before = [f"*{subclass.class_.name} subclass ({subclass.flavor})*"]
    part = part_of(subclass.title, subclass.text, before)
    part = part.with_parts(feature_parts(told, f"{subclass.title} {subclass.class_.name.lower()}"))
    return part.with_parts([_spells(subclass)] if subclass.spells else [])


def _spells(subclass: SubclassRecord) -> Part:
    title = f"{subclass.title.removeprefix('The ')} Spells"
    by_option: dict[str, list[SubclassSpell]] = {}
    for spell in subclass.spells:
        option = spell.condition.name.rpartition(": ")[2] if spell.condition else ""
        by_option.setdefault(option, []).append(spell)
    always = by_option.pop("", [])
    blocks = (_by_level(subclass, always),) if always else ()
    below = tuple(
        Part(option, (_by_level(subclass, spells),)) for option, spells in sorted(by_option.items())
    )
    return Part(title, blocks, below)


def _by_level(subclass: SubclassRecord, spells: Iterable[SubclassSpell]) -> str:
    rows: dict[int, list[str]] = {}
    for spell in spells:
        rows.setdefault(spell.level, []).append(spell.spell.name)
    return table(
        (f"{subclass.class_.name} Level", "Spells"),
        ((ordinal(level), ", ".join(rows[level])) for level in sorted(rows)),
    )
