"""Entities as a person reads them in a terminal. What comes from a document is never markup."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from ..content.captions import caption, label, level_table, others, shown, titled
from ..content.document import NAMED_TEXTS
from ..content.notation import write_filters
from ..content.types import entity_type, fields_of
from ..entities.results import Result
from ..operations.entities import EntityResults
from .output import console, errors, printable

MAX_LIMIT: Final = 1_000
"""The most results of one command."""

_BAR: Final = 8
_HIDDEN: Final = frozenset({"slug", "name", "document", "range_feet"})


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
    """The constraints that the words state, as arguments that hold a search to them."""
    if not results.stated:
        return
    words = [word for text in write_filters(results.stated) for word in ("--filter", text)]
    said = "Held to what the words state" if results.bound else "To hold to what the words state"
    errors.print(Text(printable(f"{said}: {shlex.join(words)}"), style="yellow"))


def print_entity(entity: Result) -> None:
    """One entity whole: its fields, then its texts."""
    type_ = entity_type(entity["entity_type"])
    console.print(Text(printable(str(entity["name"])), style="bold"))
    if line := caption(type_, entity):
        console.print(Text(printable(line), style="dim"))
    for field in fields_of(type_):
        value = entity.get(field.name)
        if value == 0 and "0 for none" in field.about:
            continue
        if field.name not in _HIDDEN and value is not False and (text := shown(field.name, value)):
            console.print(Text.assemble((f"{label(field.name)}: ", "cyan"), printable(text)))
    for name, text in others(type_, entity):
        console.print(Text.assemble((f"{printable(name)}: ", "cyan"), printable(text)))
    _levels(*level_table(entity))
    if entity.get("desc"):
        _paragraphs(entity["desc"])
    if entity.get("higher_level"):
        _heading("At higher levels")
        _paragraphs(entity["higher_level"])
    for key in NAMED_TEXTS:
        named = entity.get(key) or ()
        if named:
            _heading(label(key))
        for one in named:
            text = printable(str(one.get("desc", "")))
            console.print(Text.assemble((f"{printable(titled(one))}. ", "bold"), text))
    console.print(Text(f"\n{printable(source(entity))}", style="dim"))


def _levels(columns: list[str], rows: list[list[str]]) -> None:
    if not rows:
        return
    _heading("Levels")
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
        right = column in {"entities", "shadowed"}
        made.add_column(column, overflow="fold", justify="right" if right else "left")
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
    console.print(Text(f"\n{text}", style="bold cyan"))


def _paragraphs(text: object) -> None:
    several = text if isinstance(text, list) else [text]
    console.print()
    console.print(Text(printable("\n\n".join(str(one) for one in several))))
