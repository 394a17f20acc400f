"""Spells: the lists of each class by level, and a description of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...content.srd_documents.spells import printed_duration
from ...content.srd_documents.values import names
from ...content.wording import ordinal
from ...srd import Paragraphs, Scaling, SpellRecord, Srd
from .part import NOTHING, BookPart, bullets, facts, grouped, part

_NAME: Final = re.compile(
    r"(?:\d\. )?[A-Z][\w'-]*(?: (?:[A-Z\d][\w'-]*|and|in|into|of|or|the|to)){0,3}\.?"
)
"""The name of one of a spell's effects: a few words with capitals, ``False Aura.``, ``2. Red.``"""


def spell_lists(srd: Srd) -> BookPart:
    """The chapter ``Spell Lists``: each class that casts, a section for each level of spell."""
    return part("Spell Lists", (
        part(f"{row.name} Spells", (
            part(level_title(level), bullets(spell.name for spell in records))
            for level, records in grouped(
                (spell for spell in srd.spells if row.slug in {ref.slug for ref in spell.classes}),
                lambda spell: spell.level,
            )
        ))
        for row in srd.classes
    ))


def spell_descriptions(srd: Srd) -> BookPart:
    """The chapter ``Spell Descriptions``, by name."""
    return part("Spell Descriptions", map(_spell, srd.spells))


def level_title(level: int) -> str:
    """``1st Level``, ``Cantrips (0 Level)``."""
    return f"{ordinal(level)} Level" if level else "Cantrips (0 Level)"


def _spell(spell: SpellRecord) -> BookPart:
    kind = f"{spell.school.name} cantrip"
    if spell.level:
        kind = f"{ordinal(spell.level)}-level {spell.school.name.lower()}"
    components = ", ".join(spell.components)
    if spell.material:
        components += f" ({spell.material[:1].lower()}{spell.material[1:].rstrip('.')})"
    return part(
        spell.name,
        f"*{kind} (ritual)*" if spell.ritual else f"*{kind}*",
        facts({
            "Casting Time": spell.casting_time, "Range": spell.range, "Components": components,
            "Duration": printed_duration(spell),
        }),
        _run_in(spell.text), _higher(spell),
        facts({"Classes": ", ".join(names(spell.classes)) or NOTHING}),
    )


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


def _higher(spell: SpellRecord) -> list[str]:
    """The text on higher slots; where it is missing, the figures are all there is to say."""
    if spell.higher_level:
        first, *rest = spell.higher_level
        return [*facts({"At Higher Levels": first}), *rest]
    if spell.by_character_level:
        return []
    return facts({"Damage by Slot Level": _scaled(spell.damage),
                  "Healing by Slot Level": _scaled(spell.healing)})


def _scaled(steps: tuple[Scaling, ...]) -> str:
    if len(steps) < 2:
        return ""
    return ", ".join(f"{step.amount} ({ordinal(step.level)})" for step in steps)
