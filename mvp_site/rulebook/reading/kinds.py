"""What kind of thing facts are of, by the fields that only such things have."""

from __future__ import annotations

from typing import Final

from .fact_types import Facts

SPELL: Final = "spell"
CREATURE: Final = "creature"
MAGIC_ITEM: Final = "magic item"
WEAPON: Final = "weapon"
ARMOR: Final = "armor"
ITEM: Final = "item"

KIND_WORDS: Final = {
    "spell": SPELL, "magic spell": SPELL,
    "monster": CREATURE, "creature": CREATURE, "enemy": CREATURE, "npc": CREATURE, "foe": CREATURE,
    "magic item": MAGIC_ITEM, "magical item": MAGIC_ITEM, "enchanted item": MAGIC_ITEM,
    "magic": MAGIC_ITEM, "magical": MAGIC_ITEM,
    "weapon": WEAPON, "armor": ARMOR, "armour": ARMOR,
    "item": ITEM, "gear": ITEM, "equipment": ITEM,
}
"""How questions name a kind, in the singular; "magic" only in front of another such word."""
KIND_NAMES: Final = frozenset({WEAPON, ARMOR})
"""Kinds that are told by a type or a caption as well as by fields: a magic weapon has no damage."""


def kinds_of(facts: Facts) -> tuple[str, ...]:
    """The kinds that ``facts`` have the fields of; none for what is neither of them."""
    names = {name for name, _ in facts.fields}
    if "school" in names or "casting time" in names:
        return (SPELL,)
    if "challenge rating" in names or {"armor class", "hit points"} <= names:
        return (CREATURE,)
    found = []
    if "rarity" in names or "attunement" in names:
        found += [MAGIC_ITEM, ITEM]
    priced = "cost" in names or "weight" in names
    if "damage" in names and (priced or "properties" in names):
        found.append(WEAPON)
    if "armor class" in names and (priced or "stealth" in names):
        found.append(ARMOR)
    if priced:
        found.append(ITEM)
    return tuple(dict.fromkeys(found))
