"""Repairs of the SRD's data: what a rule of the SRD or the data itself proves wrong, put right.

A repair states facts and figures. Words of the SRD come from the package alone: where a text is
missing there, it is missing here, and ``doubts`` says so.
"""

from __future__ import annotations

from ..raw import Tables
from .cells import repair_cells
from .classes import repair_classes
from .items import repair_filing, repair_items
from .log import Log, Repair, What
from .monsters import repair_monsters
from .references import repair_abilities
from .spells import repair_spells
from .starting import repair_starting
from .texts import repair_texts

__all__ = ["Repair", "What", "repair"]

_STEPS = (
    repair_filing, repair_cells, repair_texts, repair_abilities, repair_items, repair_classes,
    repair_starting, repair_spells, repair_monsters,
)  # fmt: skip


def repair(tables: Tables) -> tuple[Repair, ...]:
    """Every repair made; ``tables`` is changed in place."""
    log = Log(tables)
    for step in _STEPS:
        step(log)
    return tuple(log.repairs)
