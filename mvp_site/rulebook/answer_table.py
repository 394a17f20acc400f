"""A table that answers a question, and what an intention promises beside the sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

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

    def markdown(self) -> str:
        """The table in Markdown under its title; a pipe in a cell is escaped, a line end a space.

        '' where there is neither a title nor a column.
        """
        lines = [f"**{_plain(self.title)}**", ""] if self.title.strip() else []
        if self.columns:
            lines += [_line(self.columns), _line(["---"] * len(self.columns))]
            lines += [_line(row) for row in self.rows]
        return "\n".join(lines)

    def first(self, rows: int) -> AnswerTable:
        """The table with its first ``rows`` rows; its title says how many there are in all."""
        if rows >= len(self.rows):
            return self
        title = f"{self.title} (first {rows} of {len(self.rows)})"
        return AnswerTable(title, self.columns, self.rows[:rows], self.section_ids)

    def as_dict(self) -> dict[str, Any]:
        """The table as plain JSON values."""
        return {
            "title": self.title, "columns": list(self.columns),
            "rows": [list(row) for row in self.rows], "section_ids": list(self.section_ids),
        }


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
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    """``text`` so that it stays in its cell: a backslash in front of a pipe is escaped too."""
    return _plain(text).replace("\\", "\\\\").replace("|", "\\|")


def _plain(text: str) -> str:
    return " ".join(text.split())
