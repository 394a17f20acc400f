"""Spells: the lists of each class by level, and a description of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...srd import ClassRecord, Paragraphs, Scaling, SpellRecord, Srd
from .part import Part, part_of
from .words import bullets, labelled, listed, names, ordinal

_NAME: Final = re.compile(
    r"(?:\d\. )?[A-Z][\w'-]*(?: (?:[A-Z\d][\w'-]*|and|in|into|of|or|the|to)){0,3}\.?"
)
"""The name of one of a spell's effects: a few words with capitals, ``False Aura.``, ``2. Red.``"""


def spell_lists(srd: Srd) -> Part:
    """The chapter ``Spell Lists``: each class that casts, a section for each level of spell."""
    casters = [one for one in srd.classes if one.spells]
    return Part("Spell Lists", parts=tuple(_of_class(srd, one) for one in casters))


def spell_descriptions(srd: Srd) -> Part:
    """The chapter ``Spell Descriptions``, by name."""
    return Part("Spell Descriptions", parts=tuple(map(_spell, srd.spells)))


def level_title(level: int) -> str:
    """``Cantrips (0 Level)``, ``1st Level``."""
    return f"{ordinal(level)} Level" if level else "Cantrips (0 Level)"


def kind_line(spell: SpellRecord) -> str:
    """``3rd-level evocation (ritual)``, ``Evocation cantrip``."""
    if not spell.level:
        kind = f"{spell.school.name} cantrip"
    else:
        kind = f"{ordinal(spell.level)}-level {spell.school.name.lower()}"
    return f"{kind} (ritual)" if spell.ritual else kind


def _of_class(srd: Srd, one: ClassRecord) -> Part:
    by_level: dict[int, list[str]] = {}
    for ref in one.spells:
        spell = srd.get(SpellRecord, ref.slug)
        if spell is not None:
            by_level.setdefault(spell.level, []).append(spell.name)
    return Part(
        f"{one.name} Spells",
        parts=tuple(
            Part(level_title(level), (bullets(sorted(by_level[level], key=str.casefold)),))
            for level in sorted(by_level)
        ),
    )


def _spell(spell: SpellRecord) -> Part:
    before = (
        f"*{kind_line(spell)}*",
        labelled("Casting Time", spell.casting_time),
        labelled("Range", spell.range),
        labelled("Components", _components(spell)),
        labelled("Duration", _duration(spell)),
    )
    part = part_of(spell.name, _run_in(spell.text), before)
    return Part(part.title, (*part.blocks, *_after(spell)), part.parts)


def _run_in(text: Paragraphs) -> Iterator[str]:
    """The blocks of ``text``; a name that stands alone opens the paragraph after it, in bold."""
    name = ""
    for block in text:
        if name:
            yield f"***{name.removesuffix('.')}.*** {block}"
            name = ""
        elif _NAME.fullmatch(block):
            name = block
        else:
            yield block
    if name:
        yield name


def _after(spell: SpellRecord) -> Iterator[str]:
    first, *rest = spell.higher_level or ("",)
    if first:
        yield labelled("At Higher Levels", first)
        yield from rest
    elif not spell.by_character_level:
        # Where the text of it is missing, the figures are all there is to say.
        if len(spell.damage) > 1:
            yield labelled("Damage by Slot Level", _scaled(spell.damage))
        if len(spell.healing) > 1:
            yield labelled("Healing by Slot Level", _scaled(spell.healing))
    yield labelled("Classes", listed(names(spell.classes)))


def _scaled(steps: tuple[Scaling, ...]) -> str:
    return ", ".join(f"{step.amount} ({ordinal(step.level)})" for step in steps)


def _components(spell: SpellRecord) -> str:
    shown = ", ".join(spell.components)
    if not spell.material:
        return shown
    material = spell.material.rstrip(".")
    return f"{shown} ({material[:1].lower()}{material[1:]})"


def _duration(spell: SpellRecord) -> str:
    if not spell.concentration:
        return spell.duration
    return f"Concentration, {spell.duration[:1].lower()}{spell.duration[1:]}"
