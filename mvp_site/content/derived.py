"""Fields that follow from others, so that they need not be given.

- A spell's ``range_feet`` follows from ``range``, ``concentration`` from ``duration``;
- a monster's speeds and senses follow from ``speed`` and ``senses``, ``flying`` from ``fly``,
  ``legendary`` from its actions;
- a weapon's flags follow from ``properties``, ``damage_average`` from ``damage_dice``.

What they follow from is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ..retrieval.filters import FieldKind, fold
from .captions import flat
from .document import Document
from .types import SENSES, SPEEDS, EntityType, fields_of
from .wording import average, feet_of

_MEASURE: Final = re.compile(
    rf"(?:({'|'.join((*SPEEDS, *SENSES))})\s+)?([0-9]{{1,6}})\s*(?:ft|feet)\b", re.IGNORECASE
)
_NO_PROPERTY: Final = "magic"


def with_derived(type_: EntityType, document: Document) -> dict[str, Any]:
    """``document`` with the fields that follow from others, where it does not give them."""
    follows = _DERIVED[type_](document) if type_ in _DERIVED else ()
    return {**document, **{name: value for name, value in follows if name not in document}}


def _spell(document: Document) -> Iterator[tuple[str, Any]]:
    if (feet := feet_of(str(document.get("range", "")))) is not None:
        yield "range_feet", feet
    if "concentration" in str(document.get("duration", "")).lower():
        yield "concentration", True


def _monster(document: Document) -> Iterator[tuple[str, Any]]:
    fly = document.get("fly")
    for key, names in (("speed", SPEEDS), ("senses", SENSES)):
        measures = _MEASURE.findall(flat(key, document.get(key)))
        if measures or (key == "senses" and key in document):  # it may have passive ones alone
            feet = {(name or "walk").lower(): int(number) for name, number in measures}
            yield from ((name, feet.get(name, 0)) for name in names)
            fly = feet.get("fly", 0) if fly is None and key == "speed" else fly
    if isinstance(fly, int | float):
        yield "flying", fly > 0
    if document.get("legendary_actions"):
        yield "legendary", True


def _weapon(document: Document) -> Iterator[tuple[str, Any]]:
    if (mean := average(str(document.get("damage_dice", "")))) is not None:
        yield "damage_average", mean
    traits = {fold(name).split("(")[0].strip() for name in document.get("properties", ())}
    yield from (
        (field.name, fold(field.name) in traits) for field in fields_of(EntityType.WEAPONS)
        if field.kind is FieldKind.FLAG and field.name != _NO_PROPERTY
    )


_DERIVED: Final = {
    EntityType.SPELLS: _spell, EntityType.MONSTERS: _monster, EntityType.WEAPONS: _weapon,
}
