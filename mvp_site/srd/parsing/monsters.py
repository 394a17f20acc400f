"""Monster rows to records."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from ..monsters import Abilities, Action, Bonus, MonsterRecord, Senses, Speed
from ..raw import Row
from ..values import Damage, Kind, Ref
from .fields import References, damage, number, paragraphs, save

_ABILITIES: Final = (
    "strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma",
)  # fmt: skip
_SPEEDS: Final = ("walk", "burrow", "climb", "fly", "swim")
_SENSES: Final = ("darkvision", "blindsight", "tremorsense", "truesight")
_NOTE: Final = re.compile(r"^\d+ ft\. ?(.*)$")
_USAGE: Final = re.compile(r" \(((?:Recharge|Costs) [^)]*|\d+/\w+)\)$")


def monster(references: References, slug: str, row: Row) -> MonsterRecord:
    """The record of a monster."""
    return MonsterRecord(
        slug=slug,
        name=row["name"],
        size=row["size"],
        type=row["type"],
        subtype=row["subtype"],
        alignment=row["alignment"],
        armor_class=int(row["armor_class"]),
        hit_points=int(row["hit_points"]),
        hit_dice=row["hit_dice"],
        speed=_speed(row["speed"]),
        abilities=Abilities(*(int(row[ability]) for ability in _ABILITIES)),
        saves=_bonuses(references, row, "saving-throw-", Kind.ABILITY_SCORES),
        skills=_bonuses(references, row, "skill-", Kind.SKILLS),
        vulnerabilities=tuple(row["damage_vulnerabilities"]),
        resistances=tuple(row["damage_resistances"]),
        immunities=tuple(row["damage_immunities"]),
        condition_immunities=references.all(row["condition_immunities"]),
        senses=_senses(row["senses"]),
        languages=row["languages"],
        challenge_rating=float(row["challenge_rating"]),
        xp=int(row["xp"]),
        special_abilities=_actions(references, row.get("special_abilities")),
        actions=_actions(references, row.get("actions")),
        reactions=_actions(references, row.get("reactions")),
        legendary_actions=_actions(references, row.get("legendary_actions")),
        spells=_spells(references, row.get("special_abilities", ())),
        forms=references.all(row.get("forms", ())),
    )


def _bonuses(references: References, row: Row, prefix: str, kind: Kind) -> tuple[Bonus, ...]:
    found = [
        (cell["proficiency"]["index"].removeprefix(prefix), int(cell["value"]))
        for cell in row["proficiencies"] if cell["proficiency"]["index"].startswith(prefix)
    ]
    return tuple(Bonus(references.to(kind, slug), value) for slug, value in found)


def _speed(cell: Row) -> Speed:
    feet = {kind: number(cell.get(kind)) for kind in _SPEEDS}
    return Speed(**feet, hover=cell.get("hover") is True)


def _senses(cell: Row) -> Senses:
    notes = [_NOTE.sub(r"\1", cell[sense]) for sense in _SENSES if sense in cell]
    ranges = {sense: number(cell.get(sense)) for sense in _SENSES}
    return Senses(
        **ranges,
        passive_perception=int(cell["passive_perception"]),
        note="; ".join(note for note in notes if note),
    )


def _actions(references: References, cells: Iterable[Row] | None) -> tuple[Action, ...]:
    return tuple(_action(references, cell) for cell in cells or ())


def _action(references: References, cell: Row) -> Action:
    printed = _USAGE.search(cell["name"])
    options = [
        *cell.get("attack_options", {}).get("from", ()),
        *cell.get("attacks", ()),
    ]
    dc = cell.get("dc") or next((option["dc"] for option in options if "dc" in option), None)
    return Action(
        name=_USAGE.sub("", cell["name"]).strip(),
        text=paragraphs(cell["desc"]),
        usage=printed[1].replace("-", "–") if printed else _usage(cell.get("usage")),
        attack_bonus=cell.get("attack_bonus"),
        damage=tuple(_damages(references, [cell, *options])),
        save=save(references, dc),
    )


def _damages(references: References, cells: Iterable[Row]) -> Iterable[Damage]:
    for cell in cells:
        for part in cell.get("damage", ()):
            # Of alternatives (one hand or two) the first is what a single hit deals.
            found = damage(references, part["from"][0] if "from" in part else part)
            if found:
                yield found


def _usage(cell: dict[str, Any] | None) -> str:
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


def _spells(references: References, cells: Iterable[Row]) -> tuple[Ref, ...]:
    found = {
        references.at(known["url"])
        for cell in cells
        for known in cell.get("spellcasting", {}).get("spells", ())
    }
    return tuple(sorted(found, key=lambda ref: (ref.name, ref.slug)))
