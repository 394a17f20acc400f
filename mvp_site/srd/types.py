"""The records of the SRD, one frozen type for each of its types; no field is a dict or a list.

Every record has ``slug``, ``name`` and ``kind``; ``text`` is Markdown, in blocks (``Paragraphs``).
What the SRD does not say is None, an empty tuple or an empty text, never a word such as "None".
A reference (``Ref``) always leads to a record of the same ``Srd``. Lengths are feet, weights
pounds. Monsters are in ``monsters``, things in ``items``, classes in ``classes``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, TypeVar, dataclass_transform

from .cells import At, Paragraphs, Text, blocks, paragraphs
from .values import (
    AbilityValue,
    Amount,
    Area,
    Cost,
    EquipmentChoice,
    Kind,
    OptionChoice,
    Ref,
    Row,
    Save,
    Scaling,
)

T = TypeVar("T")
RECORDS: Final[dict[Kind, type[TextRecord]]] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(kind: Kind) -> Callable[[type[T]], type[T]]:
    """Makes a class the frozen type of the records of a ``kind``."""

    def frozen(cls: type[T]) -> type[T]:
        cls.kind = kind  # type: ignore[attr-defined]
        record = dataclass(frozen=True, slots=True, kw_only=True)(cls)
        RECORDS[kind] = record  # type: ignore[assignment]
        return record

    return frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRecord:
    """A record that is a name and its text."""

    kind: ClassVar[Kind]

    slug: str
    name: str
    text: Annotated[Paragraphs, At("desc", paragraphs)] = ()


@record(Kind.ALIGNMENTS)
class AlignmentRecord(TextRecord):
    """An alignment; ``abbreviation`` is LG, N, CE and so on."""

    abbreviation: str = ""


@record(Kind.CONDITIONS)
class ConditionRecord(TextRecord):
    """A condition, such as grappled."""


@record(Kind.DAMAGE_TYPES)
class DamageTypeRecord(TextRecord):
    """A damage type, such as necrotic."""


@record(Kind.MAGIC_SCHOOLS)
class MagicSchoolRecord(TextRecord):
    """A school of magic."""


@record(Kind.WEAPON_PROPERTIES)
class WeaponPropertyRecord(TextRecord):
    """A property of weapons, such as finesse."""


@record(Kind.ABILITY_SCORES)
class AbilityScoreRecord(TextRecord):
    """One of the six abilities: ``name`` is Strength, ``abbreviation`` STR."""

    name: Annotated[str, At("full_name")]
    abbreviation: Annotated[str, At("name")]
    skills: tuple[Ref, ...] = ()


@record(Kind.SKILLS)
class SkillRecord(TextRecord):
    """A skill and the ability that it goes with."""

    ability: Annotated[Ref, At("ability_score")]


@record(Kind.LANGUAGES)
class LanguageRecord(TextRecord):
    """A language: ``rarity`` is Standard or Exotic, ``script`` None where it has none."""

    rarity: Annotated[str, At("type")]
    speakers: Annotated[tuple[str, ...], At("typical_speakers")]
    script: str | None = None


@record(Kind.PROFICIENCIES)
class ProficiencyRecord(TextRecord):
    """Something one can be proficient in."""

    category: Annotated[str, At("type")]


@record(Kind.FEATS)
class FeatRecord(TextRecord):
    """A feat and the scores that it asks for."""

    prerequisites: tuple[AbilityValue, ...]


@record(Kind.BACKGROUNDS)
class BackgroundRecord(TextRecord):
    """A background; ``text`` is that of its feature."""

    text: Annotated[Paragraphs, At("feature.desc", paragraphs)]
    feature: Annotated[str, At("feature.name")]
    proficiencies: Annotated[tuple[Ref, ...], At("starting_proficiencies")]
    languages: Annotated[OptionChoice, At("language_options")]
    equipment: Annotated[tuple[Amount, ...], At("starting_equipment")]
    equipment_choices: Annotated[tuple[EquipmentChoice, ...], At("starting_equipment_options")]
    gold: Annotated[Cost | None, At("starting_gold")]
    personality_traits: Annotated[tuple[str, ...], At("personality_traits.from")]
    ideals: Annotated[
        tuple[str, ...], At("ideals.from", lambda cells: [cell["desc"] for cell in cells])
    ]
    bonds: Annotated[tuple[str, ...], At("bonds.from")]
    flaws: Annotated[tuple[str, ...], At("flaws.from")]


@record(Kind.RACES)
class RaceRecord(TextRecord):
    """A race; ``text`` is empty, what there is to read stands in the named fields.

    Each score of ``ability_bonus_choice`` rises by 1.
    """

    speed: int
    size: str
    ability_bonuses: tuple[AbilityValue, ...]
    ability_bonus_choice: Annotated[OptionChoice | None, At("ability_bonus_options")]
    age: str
    alignment: str
    size_text: Annotated[str, At("size_description")]
    languages: tuple[Ref, ...]
    language_choice: Annotated[OptionChoice | None, At("language_options")]
    language_text: Annotated[str, At("language_desc")]
    proficiencies: Annotated[tuple[Ref, ...], At("starting_proficiencies")]
    proficiency_choice: Annotated[OptionChoice | None, At("starting_proficiency_options")]
    traits: tuple[Ref, ...]
    subraces: tuple[Ref, ...]


@record(Kind.SUBRACES)
class SubraceRecord(TextRecord):
    """A subrace: what it adds to its race."""

    race: Ref
    ability_bonuses: tuple[AbilityValue, ...]
    language_choice: Annotated[OptionChoice | None, At("language_options")]
    proficiencies: Annotated[tuple[Ref, ...], At("starting_proficiencies")]
    traits: Annotated[tuple[Ref, ...], At("racial_traits")]


def _trait_choice(row: Row) -> Row | None:
    specific = row.get("trait_specific", {})
    cells = (
        row.get("proficiency_choices"), row.get("language_options"),
        specific.get("subtrait_options"), specific.get("spell_options"),
    )  # fmt: skip
    return next(filter(None, cells), None)


@record(Kind.TRAITS)
class TraitRecord(TextRecord):
    """A racial trait; a choice within another trait has that one as ``parent``."""

    races: tuple[Ref, ...]
    subraces: tuple[Ref, ...]
    parent: Ref | None
    proficiencies: tuple[Ref, ...]
    choice: Annotated[OptionChoice | None, At("", _trait_choice)]
    damage_type: Annotated[Ref | None, At("trait_specific.damage_type")]
    area: Annotated[Area | None, At("trait_specific.breath_weapon.area_of_effect")]
    save: Annotated[Save | None, At("trait_specific.breath_weapon.dc")]


@record(Kind.RULES)
class RuleRecord(TextRecord):
    """A chapter of rules: ``text`` begins with a level 1 heading, ``sections`` are in order."""

    text: Annotated[Paragraphs, At("desc", blocks)]
    sections: Annotated[tuple[Ref, ...], At("subsections")]


@record(Kind.RULE_SECTIONS)
class RuleSectionRecord(TextRecord):
    """A section of a chapter: ``text`` begins with its level 2 heading and skips no level."""

    text: Annotated[Paragraphs, At("desc", blocks)]
    rule: Ref


def _dealt(cell: Row | None) -> list[Row]:
    cell = cell or {}
    return _scaling(cell.get("damage_at_character_level") or cell.get("damage_at_slot_level"))


def _scaling(steps: Mapping[str, str] | None) -> list[Row]:
    steps = steps or {}
    return [{"level": int(level), "amount": steps[level]} for level in sorted(steps, key=int)]


@record(Kind.SPELLS)
class SpellRecord(TextRecord):
    """A spell; a cantrip has level 0.

    ``damage`` and ``healing`` are its dice at the level of the slot, or, ``by_character_level``,
    of the caster. ``MOD`` in an amount is the caster's spellcasting ability modifier. ``attack``
    is melee, ranged or None.
    """

    level: int
    school: Ref
    casting_time: str
    range: str
    components: tuple[str, ...]
    material: str | None
    ritual: bool
    concentration: bool
    duration: str
    higher_level: Text
    classes: tuple[Ref, ...]
    subclasses: tuple[Ref, ...]
    damage_type: Annotated[Ref | None, At("damage.damage_type")]
    damage: Annotated[tuple[Scaling, ...], At(form=_dealt)]
    by_character_level: Annotated[bool, At("damage.damage_at_character_level", bool)]
    healing: Annotated[tuple[Scaling, ...], At("heal_at_slot_level", _scaling)]
    save: Annotated[Save | None, At("dc")]
    attack: Annotated[str | None, At("attack_type")]
    area: Annotated[Area | None, At("area_of_effect")]
