"""A rulebook's response as a person reads it. What comes from a book is never read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from ..operations.rulebook import RetrievedSection, RulebookResponse
from ..rulebook.results import ScorePart
from ..rulebook.sections import SEPARATOR
from .output import console, errors, printable

_LEFT: Final = 5
"""How many of the sections that did not fit are named."""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> Table:
    """A table of plain text."""
    made = Table(title=Text(printable(title)) if title else None, title_justify="left", box=None,
                 header_style="bold", title_style="bold")
    for column in columns:
        made.add_column(Text(printable(column)))
    for row in rows:
        made.add_row(*(Text(printable(cell)) for cell in row))
    return made


def print_response(response: RulebookResponse, *, explain: bool) -> None:
    """The response: tables, then sections; or why it is empty.

    What was made of the question, and whose text it is, go to standard error.
    """
    if response.reason is not None:
        console.print(Text(printable(response.explanation), style="yellow"))
        return
    if response.explanation:
        errors.print(Text(printable(response.explanation), style="yellow"))
    for one in response.tables:
        console.print(table(one.columns, one.rows, one.title))
        console.print()
    for section in response.sections:
        _print_section(section, explain=explain)
    said = [f"{len(response.sections)} sections", f"{response.total_tokens} tokens"]
    errors.print(Text(
        "; ".join(part for part in (", ".join(said), printable(response.attribution)) if part),
        style="dim",
    ))


def _print_section(section: RetrievedSection, *, explain: bool) -> None:
    path = printable(SEPARATOR.join(section.path))
    console.print(Text.assemble((path, "bold"), f"  {section.relevance:.3f}"))
    console.print(Text(printable(section.citation), style="dim"))
    if explain:
        console.print(table(
            ("part", "value", "why"),
            [(part.name, f"{part.value:+.3f}", part.why) for part in _by_size(section.parts)],
        ))
    console.print()
    console.print(Text(printable(section.content)))
    console.print()
    if section.cut:
        console.print(Text("This section goes on.", style="yellow"))
    if section.children_left:
        named = ", ".join(section.children_left[:_LEFT])
        more = len(section.children_left) - _LEFT
        and_more = f" and {more} more" if more > 0 else ""
        console.print(Text(printable(f"Did not fit: {named}{and_more}"), style="yellow"))


def _by_size(parts: Sequence[ScorePart]) -> list[ScorePart]:
    return sorted(parts, key=lambda part: (-abs(part.value), part.name))
