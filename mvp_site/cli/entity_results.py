"""Entities as a person reads them in a terminal. What comes from a document is never markup."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from ..content.notation import write_filters
from ..content.stat_block import Line, caption, stat_block
from ..content.types import entity_type
from ..entities.results import Result
from ..operations.entities import EntityResults
from .output import console, errors, printable

MAX_LIMIT: Final = 1_000
"""The most results of one command."""

_BAR: Final = 8


def print_results(found: EntityResults, *, scored: bool, offset: int | None = None) -> None:
    """A table of the results; what page of how many it is goes to standard error.

    ``offset`` is None where the command has no pages.
    """
    before, results = offset or 0, found.results
    several = len({result["entity_type"] for result in results}) > 1
    if not results:
        console.print(Text("nothing was found" if not before else "no more results"))
    else:
        columns = ["score"] * scored + ["name"] + ["type"] * several + ["about", "slug", "from"]
        made = Table(box=None, header_style="bold", pad_edge=False)
        for column in columns:
            made.add_column(column, overflow="fold", no_wrap=column in {"score", "slug"})
        for result in results:
            made.add_row(*_row(result, scored=scored, several=several))
        console.print(made, soft_wrap=False)
    first, last = before + 1 if results else 0, before + len(results)
    errors.print(Text(f"{first} to {last} of {found.total}", style="dim"))
    if results and found.total > last:
        more = f"--limit {min(found.total, MAX_LIMIT)}" if offset is None else f"--offset {last}"
        errors.print(Text(f"More: {more}", style="dim"))


def print_stated(results: EntityResults) -> None:
    """What lanes failed; the constraints that the words state, as arguments that hold to them."""
    if results.lanes_failed:
        failed = " and ".join(results.lanes_failed)
        errors.print(Text(f"Found without the {failed} lane, which failed", style="yellow"))
    if not results.stated:
        return
    words = [word for text in write_filters(results.stated) for word in ("--filter", text)]
    said = "Held to what the words state" if results.bound else "To hold to what the words state"
    errors.print(Text(printable(f"{said}: {shlex.join(words)}"), style="yellow"))


def print_entity(entity: Result) -> None:
    """One entity whole: its stat block, then its texts."""
    type_ = entity_type(entity["entity_type"])
    block = stat_block(type_, entity)
    console.print(Text(printable(str(entity["name"])), style="bold"))
    for line in filter(None, (caption(type_, entity), block.kind)):
        console.print(Text(printable(line), style="dim"))
    _print_lines(block.head)
    if block.abilities:
        names = [one.name[:3].upper() for one in block.abilities]
        scores = [f"{one.score} ({one.modifier})" for one in block.abilities]
        _print_table(names, [scores])
    _print_lines((*block.lines, *block.facts))
    columns, rows = block.levels
    if rows:
        _heading("Levels")
        _print_table(columns, rows)
    for section in block.sections:
        _heading(section.title)
        for one in section.entries:
            name = f"{printable(one.name)}. " if one.name else ""
            console.print(Text.assemble((name, "bold"), printable(one.text)))
    console.print(Text(f"\n{printable(source(entity))}", style="dim"))


def _print_lines(lines: Iterable[Line]) -> None:
    for line in lines:
        text = printable(line.text)
        console.print(Text.assemble((f"{printable(line.label)}: ", "cyan"), text))


def _print_table(columns: list[str], rows: list[list[str]]) -> None:
    made = plain_table(columns, rows)
    for column, *cells in zip(made.columns, columns, *rows, strict=True):
        # No word is cut, however narrow the terminal is.
        column.min_width = max(map(len, " ".join(cells).split()), default=0)
    console.print(made, soft_wrap=False, crop=False)


def source(entity: Mapping[str, Any]) -> str:
    """Where an entity comes from, and what it stands in for."""
    shadows = f", in place of {entity['shadows']}" if entity.get("shadows") else ""
    return f"{entity.get('document', '')}{shadows}"


def score_bar(score: float) -> Text:
    """A score from 0 to 1 as a bar and its figures."""
    filled = round(max(0.0, min(score, 1.0)) * _BAR)
    return Text.assemble(
        ("█" * filled, "green"), ("░" * (_BAR - filled), "bright_black"), f" {score:.2f}"
    )


def plain_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of plain text that wraps inside its cells."""
    made = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        justify: JustifyMethod = "right" if column in {"entities", "shadowed"} else "left"
        made.add_column(Text(printable(column)), overflow="fold", justify=justify)
    for row in rows:
        made.add_row(*(Text(printable(cell)) for cell in row))
    return made


def _row(result: Result, *, scored: bool, several: bool) -> list[Text]:
    type_ = entity_type(result["entity_type"])
    cells = [score_bar(float(result["_score"]))] if scored else []
    cells.append(Text(printable(str(result["name"])), style="bold"))
    if several:
        cells.append(Text(type_))
    return [
        *cells, Text(printable(caption(type_, result))),
        Text(printable(str(result["slug"])), style="cyan"),
        Text(printable(source(result)), style="dim"),
    ]


def _heading(text: str) -> None:
    console.print(Text(f"\n{text}".rstrip(" "), style="bold cyan"), end="\n" if text else "")
