"""Cells that hold a word where a value belongs: "None", "True" and "False"."""

from __future__ import annotations

from typing import Final

from .log import Log, What, places

_VALUES: Final = {"None": None, "True": True, "False": False}


def repair_cells(log: Log) -> None:
    """Turns the words into null, true and false, wherever they are a whole cell."""
    for kind, rows in log.tables.items():
        for slug, row in rows.items():
            for field, value in list(places(row)):
                if isinstance(value, str) and value in _VALUES:
                    log.put(
                        kind, slug, field, _VALUES[value], What.NULL_AS_TEXT,
                        "the cell holds a word for a value",
                    )
