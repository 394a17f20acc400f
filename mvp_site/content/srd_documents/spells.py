"""Spells as documents, and what a text deals, heals and protects from.

A type of damage counts where an amount stands before it ("4d6 fire damage", "acid, cold or fire
damage" after dice) or after it ("force damage equal to ..."). What the caster suffers, and what
destroys a wall or a door ("at least 25 cold damage"), does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ...srd import Scaling, SpellRecord, Srd
from ..document import Document
from .values import Filled, document, told

_AMOUNT: Final = r"\d+(?:\s*d\s*\d+)?(?:\s*\+\s*\d+|\s*\))*\s+(?:points of\s+)?(?:extra\s+)?"
_OF_THE_CASTER: Final = re.compile(
    r"at least\s\Z|more than\s\Z|\byou\b[^.,;]*(?<!or\s)\btake\s\Z", re.IGNORECASE
)
_TO_THE_CASTER: Final = re.compile(r"\s*to you\b", re.IGNORECASE)
_HEALS: Final = re.compile(
    r"(?<!can't )(?<!cannot )\bregains?\b(?! no\b)[^.]*?\bhit points?\b"
    r"|\brestores?\b[^.]*?\bhit points?\b|\brestored to life with all its hit points\b",
    re.IGNORECASE,
)
_WITHSTANDS: Final = re.compile(r"[^.]*\b(?:resistance|immun(?:e|ity))\b[^.]*", re.IGNORECASE)
_ANY_DAMAGE: Final = re.compile(r"\b(?:all damage|damage type (?:of your choice|you choose))\b")
_EXCEPT: Final = re.compile(r"\bexcept\b.*", re.DOTALL)
_TEMPORARY: Final = re.compile(r"temporary hit points", re.IGNORECASE)


def spell_document(spell: SpellRecord, srd: Srd) -> Document:
    """A spell; what it deals and whether it heals is read in its text too."""
    kinds = [kind.name for kind in srd.damage_types]
    titles = {record.slug: record.title for record in srd.subclasses}
    text = " ".join(spell.text)
    own = [spell.damage_type.name] if spell.damage_type else []
    # Higher slots repeat what the spell deals, and now and then say what it does besides.
    dealt = types_dealt(" ".join((text, *spell.higher_level)), kinds)
    only_temporary = bool(_TEMPORARY.search(text)) and not heals(_TEMPORARY.sub("", text))
    heals_at = "temporary_hit_points_at" if only_temporary else "healing_at"
    scaled: Filled = {"damage_at": _steps(spell.damage), heals_at: _steps(spell.healing)}
    return document(
        spell, "level school classes concentration ritual casting_time range components material "
               "attack",
        subclasses=[titles.get(ref.slug, ref.name) for ref in spell.subclasses],
        duration=printed_duration(spell),
        damage_type=list(dict.fromkeys([*own, *dealt])),
        resistances=types_withstood(text, kinds),
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


def types_dealt(text: str, kinds: Iterable[str]) -> list[str]:
    """Those of ``kinds`` that the text says are dealt, in the order of the text, each once."""
    listed, pattern = _patterns(tuple(kinds))
    damage_types: list[str] = []
    for match in listed.finditer(text):
        before, after = text[:match.start()], text[match.end():]
        if _OF_THE_CASTER.search(before[-120:]) or _TO_THE_CASTER.match(after):
            continue
        damage_types += [kind.group().capitalize() for kind in pattern.finditer(match.group())]
    return list(dict.fromkeys(damage_types))


def types_withstood(text: str, kinds: Iterable[str]) -> list[str]:
    """Those of ``kinds`` to which the text says that somebody is resistant or immune."""
    names = list(kinds)
    _, pattern = _patterns(tuple(names))
    withstood: set[str] = set()
    for sentence in _WITHSTANDS.findall(text):
        clause = _EXCEPT.sub("", sentence)
        named, every = ({kind.capitalize() for kind in pattern.findall(part)}
                        for part in (clause, sentence))
        if not named and _ANY_DAMAGE.search(clause):
            named = {*names} - every
        withstood |= named if "damage" in clause else set()
    return [kind for kind in names if kind in withstood]


def heals(text: str) -> bool:
    """Whether the text says that someone gets hit points back."""
    return _HEALS.search(text) is not None


@lru_cache(maxsize=4)
def _patterns(kinds: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    kind = rf"\b(?:{'|'.join(map(re.escape, kinds))})\b"
    several = rf"{kind}(?:,?\s+(?:and|or)\s+{kind}|,\s+{kind})*"
    behind_dice = rf"{_AMOUNT}{several}\s+damage(?:\s+or\s+{kind})?"
    reckoned = rf"{several}\s+damage\s+(?=equal to|determined by)"
    listed = re.compile(f"{behind_dice}|{reckoned}", re.IGNORECASE)
    return listed, re.compile(kind, re.IGNORECASE)
