"""The parts of a monster's stat block in the form of its record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from .cells import damage, number, paragraphs, save
from .raw import Row
from .values import Ref

_SPEEDS: Final = ("walk", "burrow", "climb", "fly", "swim")
_SENSES: Final = ("darkvision", "blindsight", "tremorsense", "truesight")
_SENSE: Final = re.compile(r"^\d+ ft\. ?(.*)$")
_USAGE: Final = re.compile(r" \(((?:Recharge|Costs) [^)]*|\d+/\w+)\)$")


def speed(cell: Row) -> Row:
    """The speeds in feet."""
    feet = {kind: number(cell.get(kind)) for kind in _SPEEDS}
    return {**feet, "hover": cell.get("hover", False)}


def senses(cell: Row) -> Row:
    """The ranges in feet, and what is printed behind them."""
    notes = [_SENSE.sub(r"\1", cell[sense]) for sense in _SENSES if sense in cell]
    return {
        **{sense: number(cell.get(sense)) for sense in _SENSES},
        "passive_perception": cell["passive_perception"],
        "note": "; ".join(filter(None, notes)),
    }


def action(cell: Row) -> Row:
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


def spells(cells: Iterable[Row] | None) -> list[Ref]:
    """The spells that its traits let it cast, by name."""
    held = [cell["spellcasting"] for cell in cells or () if "spellcasting" in cell]
    known = {spell["url"] for casting in held for spell in casting["spells"]}
    return sorted(known, key=lambda ref: (ref.name, ref.slug))
