"""Rows of monsters in the form of their records."""

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


def monster(row: Row) -> Row:
    """The fields of a monster that have another form in the data."""
    speed, senses = row["speed"], row["senses"]
    notes = [_SENSE.sub(r"\1", senses[sense]) for sense in _SENSES if sense in senses]
    blocks_of_actions = ("special_abilities", "actions", "reactions", "legendary_actions")
    return {
        "speed": {kind: number(speed.get(kind)) for kind in _SPEEDS}
        | {"hover": speed.get("hover", False)},
        "abilities": row,
        "senses": {sense: number(senses.get(sense)) for sense in _SENSES}
        | {
            "passive_perception": senses["passive_perception"],
            "note": "; ".join(filter(None, notes)),
        },
        **{block: [_action(cell) for cell in row.get(block, ())] for block in blocks_of_actions},
        "spells": _spells(row.get("special_abilities", ())),
        "forms": row.get("forms", ()),
    }


def _action(cell: Row) -> Row:
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


def _spells(cells: Iterable[Row]) -> list[Ref]:
    known = [spell for cell in cells for spell in cell.get("spellcasting", {}).get("spells", ())]
    return sorted({spell["url"] for spell in known}, key=lambda ref: (ref.name, ref.slug))
