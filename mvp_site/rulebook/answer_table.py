"""A table that answers a question, and what an intention promises beside the sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

MISSING: Final = "—"
"""What stands in a cell where the book says nothing."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Rows of plain text under named columns, each as long as ``columns``.

    ``section_ids`` are the sections that the rows were read from, each once.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    section_ids: tuple[str, ...]

    @classmethod
    def of(cls, title: str, columns: Iterable[str], rows: Iterable[Iterable[str]],
           section_ids: Iterable[str]) -> AnswerTable:
        """The table of those rows; a section may be named more than once."""
        return cls(title, tuple(columns), tuple(map(tuple, rows)),
                   tuple(dict.fromkeys(section_ids)))

    def markdown(self) -> str:
        """The table in Markdown under its title; a pipe in a cell is escaped, a line end a space.

        '' where there is neither a title nor a column.
        """
        lines = [f"**{_plain(self.title)}**", ""] if self.title.strip() else []
        if self.columns:
            lines += map(_line, (self.columns, ["---"] * len(self.columns), *self.rows))
        return "\n".join(lines)

    def first(self, rows: int) -> AnswerTable:
        """The table with its first ``rows`` rows; its title says how many there are in all."""
        title = f"{self.title} (first {rows} of {len(self.rows)})"
        return replace(self, title=title, rows=self.rows[:rows])

    def as_dict(self) -> dict[str, Any]:
        """The table as plain JSON values."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


@dataclass(frozen=True, slots=True)
class Promise:
    """The tables that a question was promised, and the numbers of the sections they cite.

    ``note`` says in words what was read of the question, and what could not be.
    """

    tables: tuple[AnswerTable, ...] = ()
    numbers: tuple[int, ...] = ()
    note: str = ""

    def within(self, allowed: npt.NDArray[np.bool_]) -> Promise:
        """The promise as far as a caller's filter allows the sections that it cites."""
        kept = tuple(number for number in self.numbers if allowed[number])
        return replace(self, tables=self.tables if kept else (), numbers=kept)


NOTHING: Final = Promise()


def _line(cells: Sequence[str]) -> str:
    # A backslash in front of a pipe would undo its escape.
    shown = (_plain(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(shown)} |"


def _plain(text: str) -> str:
    return " ".join(text.split())
