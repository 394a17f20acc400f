"""The chapter of equipment: coins, armor, weapons, gear, tools, mounts and vehicles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...srd import EquipmentRecord, Srd
from .armory import armor, weapons
from .part import Part, part_of
from .rules import chapter
from .words import NOTHING, bullets, labelled, pounds, price, table

ELSEWHERE: Final = ("objects", "poisons", "sentient-magic-items")
"""Sections of the rules on equipment that this book has in other chapters."""

_PLURALS: Final = {"Musical Instrument": "Musical Instruments"}
_SHARED: Final = 3
"""A text that a third of a group's things have, and more than one, is the group's."""


def equipment(srd: Srd) -> Part:
    """The chapter ``Equipment``."""
    by_category: dict[str, list[EquipmentRecord]] = {}
    for one in srd.equipment:
        by_category.setdefault(one.category.name, []).append(one)
    gear = (_category(name, by_category[name]) for name in sorted(by_category))
    return chapter(srd, "equipment", armor(srd), weapons(srd), *gear, leave=ELSEWHERE)


def _category(name: str, things: Iterable[EquipmentRecord]) -> Part:
    groups: dict[str, list[EquipmentRecord]] = {}
    for one in things:
        groups.setdefault(one.group, []).append(one)
    return Part(name, parts=tuple(_group(group, groups[group]) for group in sorted(groups)))


def _group(name: str, things: Sequence[EquipmentRecord]) -> Part:
    """A group: the text that its things share, their prices, and each that has more to it."""
    counts = Counter(block for one in things for block in one.text)
    shared = [block for block, n in counts.items() if n > 1 and n * _SHARED >= len(things)]
    part = Part(_PLURALS.get(name, name), (*shared, _prices(things)))
    return part.with_parts(_things(things, frozenset(shared)))


def _things(things: Iterable[EquipmentRecord], shared: frozenset[str]) -> Iterator[Part]:
    for one in things:
        own = [block for block in one.text if block not in shared]
        if own or one.contents:
            yield _with_contents(part_of(one.name, own, _figures(one)), one)


def _with_contents(part: Part, one: EquipmentRecord) -> Part:
    if not one.contents:
        return part
    inside = bullets(
        f"{item.quantity} × {item.ref.name}" if item.quantity > 1 else item.ref.name
        for item in one.contents
    )
    return Part(part.title, (*part.blocks, "**Contents:**", inside), part.parts)


def _figures(one: EquipmentRecord) -> list[str]:
    figures = [labelled("Cost", _cost(one))]
    if one.weight:
        figures.append(labelled("Weight", pounds(one.weight)))
    if one.speed:
        figures.append(labelled("Speed", one.speed))
    if one.capacity:
        figures.append(labelled("Carrying Capacity", one.capacity))
    return figures


def _cost(one: EquipmentRecord) -> str:
    if one.cost is None:
        return "no price of its own"
    return f"{one.cost} for {one.quantity}" if one.quantity > 1 else str(one.cost)


def _prices(things: Sequence[EquipmentRecord]) -> str:
    head = ["Item", "Cost"]
    weight = any(one.weight for one in things)
    speed = any(one.speed for one in things)
    capacity = any(one.capacity for one in things)
    head += ["Weight"] * weight + ["Speed"] * speed + ["Carrying Capacity"] * capacity
    rows = []
    for one in things:
        name = f"{one.name} ({one.quantity})" if one.quantity > 1 else one.name
        row = [name, price(one.cost)]
        row += [pounds(one.weight)] * weight
        row += [one.speed or NOTHING] * speed
        row += [one.capacity or NOTHING] * capacity
        rows.append(row)
    return table(head, rows)
