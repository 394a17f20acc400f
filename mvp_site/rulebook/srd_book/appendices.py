"""The reference tables at the end: monsters by challenge, items by rarity, spells by school."""

from __future__ import annotations

from fractions import Fraction

from ...srd import Rarity, SpellRecord, Srd
from .part import Part
from .words import bullets, ordinal, table


def reference_tables(srd: Srd) -> Part:
    """The chapter ``Appendix: Reference Tables``."""
    return Part(
        "Appendix: Reference Tables",
        parts=(
            _experience(srd), _monsters_by_challenge(srd), _spells_by_school(srd),
            _items_by_rarity(srd),
        ),
    )


def _experience(srd: Srd) -> Part:
    by_challenge: dict[float, set[int]] = {}
    for monster in srd.monsters:
        by_challenge.setdefault(monster.challenge_rating, set()).add(monster.xp)
    rows = (
        (str(Fraction(rating)), " or ".join(f"{xp:,}" for xp in sorted(by_challenge[rating])))
        for rating in sorted(by_challenge)
    )
    return Part("Experience Points by Challenge Rating", (table(("Challenge Rating", "XP"), rows),))


def _monsters_by_challenge(srd: Srd) -> Part:
    held: dict[float, list[str]] = {}
    for monster in srd.monsters:
        held.setdefault(monster.challenge_rating, []).append(f"{monster.name} ({monster.type})")
    return Part(
        "Monsters by Challenge Rating",
        parts=tuple(
            Part(f"Challenge {Fraction(rating)}", (bullets(held[rating]),))
            for rating in sorted(held)
        ),
    )


def _spells_by_school(srd: Srd) -> Part:
    held: dict[str, list[tuple[int, str, str]]] = {}
    for spell in srd.spells:
        entry = (spell.level, spell.name, f"{spell.name} ({_level(spell)})")
        held.setdefault(spell.school.name, []).append(entry)
    return Part(
        "Spells by School",
        parts=tuple(
            Part(f"{school} Spells", (bullets(shown for _, _, shown in sorted(held[school])),))
            for school in sorted(held)
        ),
    )


def _level(spell: SpellRecord) -> str:
    level = f"{ordinal(spell.level)} level" if spell.level else "cantrip"
    return f"{level}, ritual" if spell.ritual else level


def _items_by_rarity(srd: Srd) -> Part:
    parts = []
    for rarity in Rarity:
        names = [item.name for item in srd.magic_items if item.rarity == rarity]
        if names:
            title = "Rarity Varies" if rarity == Rarity.VARIES else f"{rarity.value.title()} Items"
            parts.append(Part(title, (bullets(names),)))
    return Part("Magic Items by Rarity", parts=tuple(parts))
