"""The record of a monster: its stat block as typed figures and text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final

from .cells import damage, each, filled, number, paragraphs, save
from .raw import Row
from .records import At, TextRecord, record
from .values import Damage, Kind, Paragraphs, Ref, Save

_SPEEDS: Final = ("walk", "burrow", "climb", "fly", "swim")
_SENSES: Final = ("darkvision", "blindsight", "tremorsense", "truesight")
_SENSE: Final = re.compile(r"^\d+ ft\. ?(.*)$")
_USAGE: Final = re.compile(r" \(((?:Recharge|Costs) [^)]*|\d+/\w+)\)$")


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


def _speed(cell: Row) -> Row:
    """The speeds in feet."""
    feet = {kind: number(cell.get(kind)) for kind in _SPEEDS}
    return {**feet, "hover": cell.get("hover", False)}


def _senses(cell: Row) -> Row:
    """The ranges in feet, and what is printed behind them."""
    notes = [_SENSE.sub(r"\1", cell[sense]) for sense in _SENSES if sense in cell]
    return {
        **{sense: number(cell.get(sense)) for sense in _SENSES},
        "passive_perception": cell["passive_perception"],
        "note": "; ".join(filter(None, notes)),
    }


def _action(cell: Row) -> Row:
    """A trait, action, reaction or legendary action."""
    printed = _USAGE.search(cell["name"])
    options = [*cell.get("attack_options", {}).get("from", ()), *cell.get("attacks", ())]
    dc = cell.get("dc") or next((option["dc"] for option in options if "dc" in option), None)
    return {
        "name": _USAGE.sub("", cell["name"]).strip(),
        "text": paragraphs(cell["desc"]),
        "usage": printed[1].replace("-", "–") if printed else _usage(cell.get("usage")),
        "attack_bonus": cell.get("attack_bonus"),
        "damage": list(_damages([cell, *options])),
        "save": save(dc),
    }


def _damages(cells: Iterable[Row]) -> Iterable[Row]:
    for cell in cells:
        for part in cell.get("damage", ()):
            # Of alternatives (one hand or two) the first is what a single hit deals.
            found = damage(part["from"][0] if "from" in part else part)
            if found:
                yield found


def _usage(cell: Row | None) -> str:
    match cell:
        case {"type": "per day", "times": times}:
            return f"{times}/Day"
        case {"type": "recharge on roll", "min_value": 6}:
            return "Recharge 6"
        case {"type": "recharge on roll", "min_value": lowest}:
            return f"Recharge {lowest}–6"
        case {"type": "recharge after rest"}:
            return "Recharges after a Short or Long Rest"
        case _:
            return ""


def _spells(cells: Iterable[Row] | None) -> list[Ref]:
    """The spells that its traits let it cast, by name."""
    held = [cell["spellcasting"] for cell in cells or () if "spellcasting" in cell]
    known = {spell["url"] for casting in held for spell in casting["spells"]}
    return sorted(known, key=lambda ref: (ref.name, ref.slug))


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
    speed: Annotated[Speed, At("speed", _speed)]
    abilities: Annotated[Abilities, At("")]
    saves: tuple[Bonus, ...]
    skills: tuple[Bonus, ...]
    vulnerabilities: Annotated[tuple[str, ...], At("damage_vulnerabilities")]
    resistances: Annotated[tuple[str, ...], At("damage_resistances")]
    immunities: Annotated[tuple[str, ...], At("damage_immunities")]
    condition_immunities: tuple[Ref, ...]
    senses: Annotated[Senses, At("senses", _senses)]
    languages: str
    challenge_rating: float
    xp: int
    special_abilities: Annotated[tuple[Action, ...], At("special_abilities", each(_action))]
    actions: Annotated[tuple[Action, ...], At("actions", each(_action))]
    reactions: Annotated[tuple[Action, ...], At("reactions", each(_action))]
    legendary_actions: Annotated[tuple[Action, ...], At("legendary_actions", each(_action))]
    spells: Annotated[tuple[Ref, ...], At("special_abilities", _spells)]
    forms: Annotated[tuple[Ref, ...], At("forms", filled(()))]

    @property
    def challenge(self) -> str:
        """The challenge rating as the SRD prints it: ``1/4``, ``12``."""
        return str(Fraction(self.challenge_rating))

    @property
    def proficiency_bonus(self) -> int:
        """The bonus that follows from the challenge rating."""
        return 2 if self.challenge_rating < 5 else 2 + int((self.challenge_rating - 1) // 4)
