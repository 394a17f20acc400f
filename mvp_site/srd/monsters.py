"""The record of a monster: its stat block as typed figures and text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from ..text.vocabulary import SENSES
from .cells import At, Paragraphs, filled, number, paragraphs
from .types import TextRecord, record
from .values import Damage, Kind, Ref, Row

_USAGE: Final = re.compile(r" \(((?:Recharge|Costs) [^)]*|\d+/\w+)\)$")
Feet: TypeAlias = Annotated[int, At(form=number)]


@dataclass(frozen=True, slots=True)
class Speed:
    """Speeds in feet; 0 where it has none of that kind."""

    walk: Feet = 0
    burrow: Feet = 0
    climb: Feet = 0
    fly: Feet = 0
    swim: Feet = 0
    hover: bool = False


def _note(row: Row) -> str:
    notes = (re.sub(r"^\d+ ft\. ?(.*)$", r"\1", row[sense]) for sense in SENSES if sense in row)
    return "; ".join(filter(None, notes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Senses:
    """Ranges in feet, 0 where it lacks the sense; ``note`` is what the SRD adds to a range."""

    darkvision: Feet = 0
    blindsight: Feet = 0
    tremorsense: Feet = 0
    truesight: Feet = 0
    passive_perception: int
    note: Annotated[str, At("", _note)] = ""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The six scores."""

    strength: int
    dexterity: int
    constitution: int
    intelligence: int
    wisdom: int
    charisma: int


@dataclass(frozen=True, slots=True)
class AbilityBonus:
    """A saving throw (an ability) or a skill and the bonus to it."""

    ref: Ref
    value: int


def _damages(row: Row) -> list[Row]:
    # The action, and what else it does by choice; of alternatives (one hand or two) the first is
    # what a single hit deals.
    options = (row, *row.get("attack_options", {}).get("from", ()), *row.get("attacks", ()))
    parts = (part for option in options for part in option.get("damage", ()))
    damages = [part["from"][0] if "from" in part else part for part in parts]
    return [part for part in damages if "damage_dice" in part]


def _without_usage(name: str) -> str:
    return _USAGE.sub("", name).strip()


def _usage(row: Row) -> str:
    if printed := _USAGE.search(row["name"]):
        return printed[1].replace("-", "–")
    match row.get("usage"):
        case {"type": "per day", "times": times}:
            return f"{times}/Day"
        case {"type": "recharge on roll", "min_value": lowest}:
            return f"Recharge {lowest}–6"
        case {"type": "recharge after rest"}:
            return "Recharges after a Short or Long Rest"
        case _:
            return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something it can do or always has: a trait, action, reaction or legendary action.

    ``usage`` is as the SRD prints it, ``Recharge 5–6``, ``3/Day``, or empty; ``name`` is without
    it. ``attack_bonus`` is None for what is no attack. Of damages that are alternatives (one hand
    or two) the first stands in ``damage``.
    """

    name: Annotated[str, At(form=_without_usage)]
    text: Annotated[Paragraphs, At("desc", paragraphs)]
    usage: Annotated[str, At("", _usage)] = ""
    attack_bonus: int | None = None
    damage: Annotated[tuple[Damage, ...], At("", _damages)] = ()


def _spells(cells: Iterable[Row] | None) -> list[Ref]:
    castings = [cell["spellcasting"] for cell in cells or () if "spellcasting" in cell]
    urls = {spell["url"] for casting in castings for spell in casting["spells"]}
    return sorted(urls, key=lambda ref: (ref.name, ref.slug))


@record(Kind.MONSTERS)
class MonsterRecord(TextRecord):
    """A monster's stat block; ``text`` is empty, the SRD's data has no lore for monsters.

    ``type`` is without its subtype (``humanoid``; ``goblinoid``). ``hit_dice`` carries its modifier
    (``2d6``, ``6d10+6``). ``languages`` is empty for a creature that has none. ``spells`` are those
    that its text lets it cast. ``forms`` are records of the same creature in other shapes.
    """

    size: str
    type: str
    subtype: str | None
    alignment: str
    armor_class: int
    hit_points: int
    hit_dice: str
    speed: Speed
    abilities: Annotated[Abilities, At("")]
    saves: tuple[AbilityBonus, ...]
    skills: tuple[AbilityBonus, ...]
    vulnerabilities: Annotated[tuple[str, ...], At("damage_vulnerabilities")]
    resistances: Annotated[tuple[str, ...], At("damage_resistances")]
    immunities: Annotated[tuple[str, ...], At("damage_immunities")]
    condition_immunities: tuple[Ref, ...]
    senses: Senses
    languages: str
    challenge_rating: float
    xp: int
    special_abilities: tuple[Action, ...]
    actions: tuple[Action, ...]
    reactions: tuple[Action, ...]
    legendary_actions: tuple[Action, ...]
    spells: Annotated[tuple[Ref, ...], At("special_abilities", _spells)]
    forms: Annotated[tuple[Ref, ...], At(form=filled(()))]

    @property
    def challenge(self) -> str:
        """The challenge rating as the SRD prints it: ``1/4``, ``12``."""
        return str(Fraction(self.challenge_rating))

    @property
    def proficiency_bonus(self) -> int:
        """The bonus that follows from the challenge rating."""
        return 2 if self.challenge_rating < 5 else 2 + int((self.challenge_rating - 1) // 4)
