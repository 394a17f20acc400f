"""The table of a class's levels. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .captions import flat, label
from .document import Document
from .wording import ordinal

KEY: Final = "levels"


@dataclass(frozen=True, slots=True)
class LevelTable:
    """The columns of a class's levels, and their rows.

    What a level has several of, such as spell slots, is one group with a part for each. A cell
    has a text for each part of its column, or one.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rows: tuple[tuple[tuple[str, ...], ...], ...] = ()

    @property
    def narrow(self) -> tuple[list[str], list[list[str]]]:
        """Columns and rows with each group as one column: "4/3/2" under "1/2/3"."""
        return [" ".join(filter(None, (title, "/".join(parts)))) for title, parts in self.groups], [
            ["/".join(part or "–" for part in cell).rstrip("/–") if parts else cell[0]
             for (_, parts), cell in zip(self.groups, row, strict=True)] for row in self.rows
        ]

    @property
    def wide(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The groups, numbered parts as ordinals: "1st", "2nd"."""
        return tuple(
            (title, tuple(ordinal(int(part)) if part.isdecimal() else part for part in parts))
            for title, parts in self.groups
        )


def level_table(document: Document) -> LevelTable:
    """The levels of a class; an empty table where it has another value there."""
    levels = document.get(KEY)
    rows = levels if isinstance(levels, list) else []
    if not any(rows) or not all(isinstance(row, Mapping) for row in rows):
        return LevelTable()
    parts: dict[str, dict[str, None]] = {}
    for row in rows:
        for key, value in row.items():
            named = value if isinstance(value, Mapping) else ()
            parts.setdefault(key, {}).update(dict.fromkeys(named))
    return LevelTable(
        tuple((label(key), tuple(several)) for key, several in parts.items()),
        tuple(tuple(_cell(key, row.get(key), tuple(parts[key])) for key in parts) for row in rows),
    )


def _cell(key: str, value: Any, parts: Sequence[str]) -> tuple[str, ...]:
    if key == "proficiency_bonus" and type(value) is int:
        return (f"{value:+d}",)
    if not isinstance(value, Mapping):
        return flat(key, value), *[""] * (len(parts) - 1)
    return tuple(flat(key, value.get(part)) for part in parts) or ("",)
