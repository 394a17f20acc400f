"""The records of the SRD, one frozen type for each of its types; no field is a dict or a list.

Every record has ``slug``, ``name`` and ``kind``; ``text`` is Markdown, in blocks (``Paragraphs``).
What the SRD does not say is None, an empty tuple or an empty text, never a word such as "None".
A reference (``Ref``) always leads to a record of the same ``Srd``. Lengths are feet, weights
pounds. Monsters are in ``monsters``, things in ``items``, classes in ``classes``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .values import (
    AbilityValue,
    Amount,
    Area,
    Choice,
    Cost,
    EquipmentChoice,
    Kind,
    Paragraphs,
    Ref,
    Save,
    Scaling,
)


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A record that is a name and its text."""

    kind: ClassVar[Kind]

    slug: str
    name: str
    text: Paragraphs = ()


@dataclass(frozen=True, slots=True)
class AlignmentRecord(TextRecord):
    """An alignment; ``abbreviation`` is LG, N, CE and so on."""

    kind: ClassVar[Kind] = Kind.ALIGNMENTS

    abbreviation: str = ""


@dataclass(frozen=True, slots=True)
class ConditionRecord(TextRecord):
    """A condition, such as grappled."""

    kind: ClassVar[Kind] = Kind.CONDITIONS


@dataclass(frozen=True, slots=True)
class DamageTypeRecord(TextRecord):
    """A damage type, such as necrotic."""

    kind: ClassVar[Kind] = Kind.DAMAGE_TYPES


@dataclass(frozen=True, slots=True)
class MagicSchoolRecord(TextRecord):
    """A school of magic."""

    kind: ClassVar[Kind] = Kind.MAGIC_SCHOOLS


@dataclass(frozen=True, slots=True)
class WeaponPropertyRecord(TextRecord):
    """A property of weapons, such as finesse."""

    kind: ClassVar[Kind] = Kind.WEAPON_PROPERTIES


@dataclass(frozen=True, slots=True)
class AbilityScoreRecord(TextRecord):
    """One of the six abilities: ``name`` is Strength, ``abbreviation`` STR."""

    kind: ClassVar[Kind] = Kind.ABILITY_SCORES

    abbreviation: str = ""
    skills: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRecord(TextRecord):
    """A skill and the ability that it goes with."""

    kind: ClassVar[Kind] = Kind.SKILLS

    ability: Ref


@dataclass(frozen=True, slots=True)
class LanguageRecord(TextRecord):
    """A language: ``rarity`` is Standard or Exotic, ``script`` None where it has none."""

    kind: ClassVar[Kind] = Kind.LANGUAGES

    rarity: str = ""
    speakers: tuple[str, ...] = ()
    script: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProficiencyRecord(TextRecord):
    """Something one can be proficient in; ``target`` is the skill, item or category meant."""

    kind: ClassVar[Kind] = Kind.PROFICIENCIES

    category: str
    target: Ref
    classes: tuple[Ref, ...] = ()
    races: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class FeatRecord(TextRecord):
    """A feat and the scores that it asks for."""

    kind: ClassVar[Kind] = Kind.FEATS

    prerequisites: tuple[AbilityValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundRecord(TextRecord):
    """A background; ``text`` is that of its feature."""

    kind: ClassVar[Kind] = Kind.BACKGROUNDS

    feature: str
    proficiencies: tuple[Ref, ...]
    languages: Choice
    equipment: tuple[Amount, ...]
    equipment_choices: tuple[EquipmentChoice, ...]
    gold: Cost | None
    personality_traits: tuple[str, ...]
    ideals: tuple[str, ...]
    bonds: tuple[str, ...]
    flaws: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRecord(TextRecord):
    """A race; ``text`` is empty, what there is to read stands in the named fields.

    Each score of ``ability_bonus_choice`` rises by 1.
    """

    kind: ClassVar[Kind] = Kind.RACES

    speed: int
    size: str
    ability_bonuses: tuple[AbilityValue, ...]
    ability_bonus_choice: Choice | None
    age: str
    alignment: str
    size_text: str
    languages: tuple[Ref, ...]
    language_choice: Choice | None
    language_text: str
    proficiencies: tuple[Ref, ...]
    proficiency_choice: Choice | None
    traits: tuple[Ref, ...]
    subraces: tuple[Ref, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubraceRecord(TextRecord):
    """A subrace: what it adds to its race."""

    kind: ClassVar[Kind] = Kind.SUBRACES

    race: Ref
    ability_bonuses: tuple[AbilityValue, ...]
    language_choice: Choice | None
    proficiencies: tuple[Ref, ...]
    traits: tuple[Ref, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitRecord(TextRecord):
    """A racial trait; a choice within another trait has that one as ``parent``."""

    kind: ClassVar[Kind] = Kind.TRAITS

    races: tuple[Ref, ...]
    subraces: tuple[Ref, ...]
    parent: Ref | None
    proficiencies: tuple[Ref, ...]
    choice: Choice | None
    damage_type: Ref | None
    area: Area | None
    save: Save | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord(TextRecord):
    """A chapter of rules: ``text`` begins with a level 1 heading, ``sections`` are in order."""

    kind: ClassVar[Kind] = Kind.RULES

    sections: tuple[Ref, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSectionRecord(TextRecord):
    """A section of a chapter: ``text`` begins with its level 2 heading and skips no level."""

    kind: ClassVar[Kind] = Kind.RULE_SECTIONS

    rule: Ref
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpellRecord(TextRecord):
    """A spell; a cantrip has level 0.

    ``damage`` and ``healing`` are its dice at the level of the slot, or, ``by_character_level``,
    of the caster. ``MOD`` in an amount is the caster's spellcasting ability modifier. ``attack``
    is melee, ranged or None.
    """

    kind: ClassVar[Kind] = Kind.SPELLS

    level: int
    school: Ref
    casting_time: str
    range: str
    components: tuple[str, ...]
    material: str | None
    ritual: bool
    concentration: bool
    duration: str
    higher_level: Paragraphs
    classes: tuple[Ref, ...]
    subclasses: tuple[Ref, ...]
    damage_type: Ref | None
    damage: tuple[Scaling, ...]
    by_character_level: bool
    healing: tuple[Scaling, ...]
    save: Save | None
    save_text: str
    attack: str | None
    area: Area | None
