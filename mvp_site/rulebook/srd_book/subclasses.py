"""A subclass: its introduction, its features by level and the spells that it gives."""

from __future__ import annotations

from collections.abc import Iterable

from ...srd import Srd, SubclassRecord, SubclassSpell
from .features import feature_parts
from .part import Part, part_of
from .words import ordinal, table


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
