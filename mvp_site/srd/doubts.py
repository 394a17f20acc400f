"""What is doubtful or missing in the data: reported, and left as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .collection import Srd
from .monsters import MonsterRecord
from .reader import load_srd
from .values import Kind


@dataclass(frozen=True, slots=True)
class Doubt:
    """A place that may be wrong or lacks something; ``slug`` is empty for a whole type."""

    type: Kind
    slug: str
    field: str
    found: str
    why: str


_ABILITIES: Final = (
    "strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma",
)  # fmt: skip
_TRANSLATED: Final = "its wording is not the SRD's: it reads as if translated and back"
_CONDITION: Final = "the condition of the reaction is missing"
_TABLE: Final = "the table that the text refers to is missing"
_CHAPTERS: Final = (
    "missing are: characters beyond 1st level and multiclassing, the rules on armor, weapons, "
    "tools, mounts and expenses, magic items in general, monsters' statistics in general"
)
_FOREIGN: Final = "it names what the SRD has no text on"
# What each row of this table says: see Doubt.
_KNOWN: Final = (
    (Kind.SPELLS, "confusion", "text", "", _TRANSLATED),
    (Kind.SPELLS, "confusion", "text", "d10", _TABLE),
    (Kind.SPELLS, "divine-word", "text", "", _TRANSLATED),
    (Kind.SPELLS, "hold-monster", "text", "", _TRANSLATED),
    (Kind.SPELLS, "magic-mouth", "text", "", _TRANSLATED),
    (Kind.SPELLS, "shatter", "text", "", _TRANSLATED),
    (Kind.SPELLS, "animate-objects", "text", "statistics by size", _TABLE),
    (Kind.SPELLS, "control-weather", "text", "stages of the weather", _TABLE),
    (Kind.SPELLS, "teleport", "text", "familiarity", _TABLE),
    (Kind.SPELLS, "hellish-rebuke", "higher_level", "",
     "the text is missing; its figures are in damage"),
    (Kind.SPELLS, "counterspell", "casting_time", "1 reaction", _CONDITION),
    (Kind.SPELLS, "feather-fall", "casting_time", "1 reaction", _CONDITION),
    (Kind.SPELLS, "hellish-rebuke", "casting_time", "1 reaction", _CONDITION),
    (Kind.SPELLS, "shield", "casting_time", "1 reaction", _CONDITION),
    (Kind.SPELLS, "magic-missile", "damage", "1d4 + 1", "the damage of one dart, not of the spell"),
    (Kind.BACKGROUNDS, "acolyte", "equipment", "clothes and a pouch",
     "the SRD adds a book or wheel of prayer, incense and vestments"),
    (Kind.RULE_SECTIONS, "damage-and-healing", "text", "mind flayer", _FOREIGN),
    (Kind.RULE_SECTIONS, "time", "text", "Baldur's Gate, Waterdeep", _FOREIGN),
    (Kind.RULE_SECTIONS, "what-is-a-spell", "text", "Way of the Four Elements", _FOREIGN),
    (Kind.MAGIC_ITEMS, "spell-scroll", "text", "",
     "two editions of the SRD word it differently; this is the earlier one"),
    (Kind.MONSTERS, "", "armor_class", "a figure", "the kind of armor is missing throughout"),
    (Kind.MONSTERS, "", "text", "none", "the SRD's notes on some creatures are missing throughout"),
    (Kind.EQUIPMENT, "", "", "no potion of healing, trade goods, services or living expenses",
     "the SRD's tables of these are missing"),
    (Kind.RULES, "", "", "six chapters",
     _CHAPTERS),
)  # fmt: skip
_MUST_SAVE: Final = re.compile(
    r"must (?:\w+ )?(?:make|succeed on) an? \w+ saving throw", re.IGNORECASE
)
_TEXTLESS: Final = frozenset(
    {
        # What there is to read stands in other fields of these, or in other records.
        Kind.CLASSES, Kind.EQUIPMENT_CATEGORIES, Kind.MONSTERS, Kind.PROFICIENCIES, Kind.RACES,
        Kind.ARMOR, Kind.WEAPONS,
    }
)  # fmt: skip


def srd_doubts(srd: Srd | None = None) -> tuple[Doubt, ...]:
    """Every doubt about the records, of ``load_srd()`` unless others are given.

    Raises:
        SettingsError: as ``load_srd``.
    """
    srd = srd or load_srd()
    return (
        *(Doubt(*known) for known in _KNOWN),
        *_without_text(srd),
        *_unstated_saves(srd),
        *(doubt for monster in srd.monsters for doubt in _figures(monster)),
    )


def _without_text(srd: Srd) -> Iterator[Doubt]:
    for kind in Kind:
        records = srd.all(kind)
        lacking = [record.slug for record in records if not record.text]
        if lacking and kind not in _TEXTLESS:
            names = ", ".join(lacking[:5]) + (", …" if len(lacking) > 5 else "")
            yield Doubt(
                kind, "", "text", f"{len(lacking)} of {len(records)} have none: {names}",
                "the data has no text for them",
            )


def _unstated_saves(srd: Srd) -> Iterator[Doubt]:
    for spell in srd.spells:
        if spell.save is None and _MUST_SAVE.search(" ".join(spell.text)):
            yield Doubt(
                Kind.SPELLS, spell.slug, "save", "None",
                "the text asks for saving throws of more than one ability",
            )


def _figures(monster: MonsterRecord) -> Iterator[Doubt]:
    bonus = monster.proficiency_bonus
    modifiers = {ability: monster.abilities.modifier(ability) for ability in _ABILITIES}
    possible = {bonus + modifier for modifier in modifiers.values()}
    for action in _attacks(monster):
        if action[1] not in possible:
            yield Doubt(
                Kind.MONSTERS, monster.slug, action[0], f"{action[1]:+} to hit",
                f"no ability and a proficiency bonus of {bonus:+} make it; the SRD may print it so",
            )
    for save in monster.saves:
        expected = {bonus + modifiers[save.ref.name.lower()]}
        yield from _unexpected(monster, save.ref.name, save.value, expected)
    for skill in monster.skills:
        # Which ability a skill goes with is not looked up: any that fits will do.
        expected = possible | {value + bonus for value in possible}
        yield from _unexpected(monster, skill.ref.name, skill.value, expected)


def _attacks(monster: MonsterRecord) -> Iterator[tuple[str, int]]:
    blocks = (monster.special_abilities, monster.actions, monster.legendary_actions)
    for block in blocks:
        for action in block:
            if action.attack_bonus is not None:
                yield action.name, action.attack_bonus


def _unexpected(
    monster: MonsterRecord, name: str, value: int, expected: Iterable[int]
) -> Iterator[Doubt]:
    if value not in expected:
        yield Doubt(
            Kind.MONSTERS, monster.slug, name, f"{value:+}",
            f"no ability and a proficiency bonus of {monster.proficiency_bonus:+} make it",
        )
