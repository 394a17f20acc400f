"""Spells as documents; what a text deals, heals and protects from is read in it, too."""

from __future__ import annotations

import re
from typing import Final

from ...srd import Scaling, SpellRecord, Srd
from ..document import Document
from ..effects import heals, types_dealt, types_withstood
from .values import Filled, document, told

_TEMPORARY: Final = re.compile(r"temporary hit points", re.IGNORECASE)


def spell_document(spell: SpellRecord, srd: Srd) -> Document:
    """A spell; what it deals and whether it heals is read in its text too."""
    titles = {record.slug: record.title for record in srd.subclasses}
    text = " ".join(spell.text)
    own = [spell.damage_type.name] if spell.damage_type else []
    # Higher slots repeat what the spell deals, and now and then say what it does besides.
    dealt = types_dealt(" ".join((text, *spell.higher_level)))
    only_temporary = bool(_TEMPORARY.search(text)) and not heals(_TEMPORARY.sub("", text))
    heals_at = "temporary_hit_points_at" if only_temporary else "healing_at"
    scaled: Filled = {"damage_at": _steps(spell.damage), heals_at: _steps(spell.healing)}
    return document(
        spell, "level school classes concentration ritual casting_time range components material "
               "attack",
        subclasses=[titles.get(ref.slug, ref.name) for ref in spell.subclasses],
        duration=printed_duration(spell),
        damage_type=list(dict.fromkeys([*own, *dealt])),
        resistances=types_withstood(text),
        save=spell.save.ability.name if spell.save else None,
        save_halves=spell.save.half if spell.save else None,
        healing=heals(text) or (bool(spell.healing) and not only_temporary),
        area_shape=spell.area.shape if spell.area else None,
        area_size=spell.area.size if spell.area else None,
        **scaled, grows_with=_growth(spell),
        higher_level=told(spell.higher_level),
    )


def printed_duration(spell: SpellRecord) -> str:
    """The duration, with the concentration that it asks for."""
    if not spell.concentration:
        return spell.duration
    return f"Concentration, {spell.duration[:1].lower()}{spell.duration[1:]}"


def _steps(steps: tuple[Scaling, ...]) -> dict[str, str]:
    return {
        str(step.level): step.amount.replace("MOD", "spellcasting modifier") for step in steps
    }


def _growth(spell: SpellRecord) -> str | None:
    if max(len(spell.damage), len(spell.healing)) < 2:
        return None
    return "character level" if spell.by_character_level else "slot level"
