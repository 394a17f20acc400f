"""The record of a monster: its stat block as typed figures and text."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .types import TextRecord
from .values import Damage, Kind, Paragraphs, Ref, Save


@dataclass(frozen=True, slots=True)
class Speed:
    """Speeds in feet; 0 where it has none of that kind."""

    walk: int = 0
    burrow: int = 0
    climb: int = 0
    fly: int = 0
    swim: int = 0
    hover: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Senses:
    """Ranges in feet, 0 where it lacks the sense; ``note`` is what the SRD adds to a range."""

    darkvision: int = 0
    blindsight: int = 0
    tremorsense: int = 0
    truesight: int = 0
    passive_perception: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The six scores."""

    strength: int
    dexterity: int
    constitution: int
    intelligence: int
    wisdom: int
    charisma: int

    def modifier(self, ability: str) -> int:
        """The modifier of ``strength``, ``dexterity`` and so on."""
        return (int(getattr(self, ability)) - 10) // 2


@dataclass(frozen=True, slots=True)
class Bonus:
    """A saving throw (an ability) or a skill and the bonus to it."""

    ref: Ref
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something it can do or always has: a trait, action, reaction or legendary action.

    ``usage`` is as the SRD prints it, ``Recharge 5–6``, ``3/Day``, or empty; ``name`` is without
    it. ``attack_bonus`` is None for what is no attack. Of damages that are alternatives (one hand
    or two) the first stands in ``damage``.
    """

    name: str
    text: Paragraphs
    usage: str = ""
    attack_bonus: int | None = None
    damage: tuple[Damage, ...] = ()
    save: Save | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonsterRecord(TextRecord):
    """A monster's stat block; ``text`` is empty, the SRD's data has no lore for monsters.

    ``type`` is without its subtype (``humanoid``; ``goblinoid``). ``hit_dice`` carries its modifier
    (``2d6``, ``6d10+6``). ``languages`` is empty for a creature that has none. ``spells`` are those
    that its text lets it cast. ``forms`` are records of the same creature in other shapes.
    """

    kind: ClassVar[Kind] = Kind.MONSTERS

    size: str
    type: str
    subtype: str | None
    alignment: str
    armor_class: int
    hit_points: int
    hit_dice: str
    speed: Speed
    abilities: Abilities
    saves: tuple[Bonus, ...]
    skills: tuple[Bonus, ...]
    vulnerabilities: tuple[str, ...]
    resistances: tuple[str, ...]
    immunities: tuple[str, ...]
    condition_immunities: tuple[Ref, ...]
    senses: Senses
    languages: str
    challenge_rating: float
    xp: int
    special_abilities: tuple[Action, ...]
    actions: tuple[Action, ...]
    reactions: tuple[Action, ...]
    legendary_actions: tuple[Action, ...]
    spells: tuple[Ref, ...]
    forms: tuple[Ref, ...]

    @property
    def challenge(self) -> str:
        """The challenge rating as the SRD prints it: ``1/4``, ``12``."""
        return str(Fraction(self.challenge_rating))

    @property
    def proficiency_bonus(self) -> int:
        """The bonus that follows from the challenge rating."""
        return 2 if self.challenge_rating < 5 else 2 + int((self.challenge_rating - 1) // 4)
