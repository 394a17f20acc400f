"""What commands print: JSON for programs, tables and colour for people."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import click
from pydantic_core import to_jsonable_python
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from ..archive.versions import default_version, list_known, newest, promotions
from ..errors import MvpSiteError
from ..formats.lore import FieldUse
from ..settings import Settings

console = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False)


def settings_for(version: str | None, *, authored: bool = False, quiet: bool = False) -> Settings:
    """The settings with the version named, PROMPT_VERSION, or the one that is served, told.

    Where versions are ``authored`` the newest is meant, and not what is served. ``quiet``: nothing
    is told.
    """
    settings = Settings(prompt_version=version) if version else Settings()
    resolve = newest if authored else default_version
    if settings.prompt_version is None and (name := resolve(settings)):
        versions = list_known(settings)
        if len(versions) > 1 and not quiet:
            why = "newest" if authored or name == newest(settings) else "newest with an index"
            if promotions(settings) and not authored:
                why = "promoted"
            tell((f"Using version {name} ({why}). Change it with --version", "dim"))
        settings = replace(settings, prompt_version=name)
    return settings


def complete_version(_: object, __: object, typed: str) -> list[str]:
    """The versions of the archive that begin as ``typed``, for a shell; none where it is broken."""
    with suppress(MvpSiteError):
        return [name for name in list_known(Settings()) if name.startswith(typed)]
    return []


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
version_option = click.option(
    "--version", "version", shell_complete=complete_version,
    help="Prompt version (default: PROMPT_VERSION; else builds take the newest, all else what is "
         "served).",
)

LONGEST_WORD: Final = 40
"""Characters of a word that a table does not break."""
_NUMBER: Final = re.compile(r"[+-]?[\d,]*(\.\d+)?%?|-")
_COMMANDS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What a terminal may obey, or turn a line around by; and halves of pairs, which have no UTF-8."""


def printable(text: str) -> str:
    """``text`` as a terminal may have it: what is no text but a command is U+FFFD."""
    return _COMMANDS.sub("\ufffd", text.replace("\r\n", "\n"))


def plain_text(*parts: str | tuple[str, str]) -> Text:
    """The parts as one text, none of it read as markup; a pair is a text and its style."""
    pairs = [(part, "") if isinstance(part, str) else part for part in parts]
    return Text.assemble(*((printable(text), style) for text, style in pairs))


def say(*parts: str | tuple[str, str], end: str = "\n") -> None:
    """The parts as :func:`plain_text` on standard output."""
    console.print(plain_text(*parts), end=end)


def say_wrapped(*parts: str | tuple[str, str], indent: str = "") -> None:
    """The parts as :func:`say` has them, in lines of at most 100 columns."""
    for line in plain_text(*parts).wrap(console, min(console.width, 100) - len(indent)):
        line.rstrip()
        console.print(indent, line, sep="")


def tell(*parts: str | tuple[str, str], whole: bool = False) -> None:
    """The parts as :func:`plain_text` on standard error; its lines fit, 80 columns in a pipe.

    With ``whole`` they stay on one line: a command can be copied.
    """
    errors.print(plain_text(*parts), soft_wrap=whole)


def table(columns: Iterable[str], rows: Iterable[Sequence[Any]], title: str = "") -> Table:
    """A table of plain text that wraps inside its cells; columns of numbers stand on the right.

    A cell is a text, a text and its style, a number, a time, None ("-"), or counts by name, which
    are told as "3 spell, 2 race", the most first.
    """
    grid = Table(title=plain_text(title) if title else None, title_justify="left", box=None,
                 header_style="bold", title_style="bold", pad_edge=False)
    texts = [[_cell(cell) for cell in row] for row in rows]
    for column, *cells in zip(columns, *texts, strict=True):
        numbers = all(_NUMBER.fullmatch(cell.plain) for cell in cells)
        words = [word for cell in (plain_text(column), *cells) for word in cell.plain.split()]
        # An id that is broken across lines cannot be copied.
        least = min(max(map(len, words), default=0), LONGEST_WORD)
        grid.add_column(plain_text(column), overflow="fold", min_width=least,
                        justify="right" if numbers else "left")
    for row in texts:
        grid.add_row(*row)
    return grid


def print_table(columns: Iterable[str], rows: Iterable[Sequence[Any]], title: str = "", *,
                order: str = "") -> None:
    """Print a :func:`table`; in a terminal its ``order`` is told above it.

    It is wider than the terminal where its words are: none is broken.
    """
    grid = table(columns, rows, title)
    if order and sys.stdout.isatty() and grid.row_count > 1:
        tell((order, "dim"))
    words = sum(column.min_width or 0 for column in grid.columns) + 2 * (len(grid.columns) - 1)
    console.print(grid, width=max(console.width, words))


_USES: Final = {"used": "green", "approximated": "yellow", "not used": "red"}


def use_rows(uses: Iterable[FieldUse]) -> Iterator[tuple[Any, ...]]:
    """A line for each field of an imported source: what is made of it, how often, and why."""
    for use in uses:
        yield (f"{use.use:>12}", _USES[use.use]), f" {use.count:>5}  {use.field}: {use.why}"


def _cell(value: Any) -> Text:
    if isinstance(value, Text):
        return value
    if isinstance(value, Mapping):
        pairs = sorted(value.items(), key=lambda pair: -pair[1])
        value = ", ".join(f"{count} {name}" for name, count in pairs)
    if isinstance(value, tuple):
        return plain_text(value)
    if isinstance(value, datetime):
        value = f"{value:%Y-%m-%d %H:%M}"
    return plain_text("-" if value is None else str(value))


def end_with(refused: Iterable[str]) -> None:
    """Say on standard error which files were left out, each with why; with any, end unwell."""
    refused = [*refused]
    for reason in refused:
        tell(("refused: ", "bold red"), reason)
    if refused:
        click.get_current_context().exit(1)


def print_json(value: Any, indent: int | None = 1) -> None:
    """``value`` as JSON on standard output, one document; a terminal finds no command in it.

    Dataclasses in it are objects. Without ``indent`` it is one line.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=to_jsonable_python)
    click.echo(_COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def print_either(as_json: bool, value: Any, *parts: str | tuple[str, str],
                 to: Callable[..., None] = say) -> None:
    """``value`` for programs, or the ``parts`` for people, on standard output or ``to`` error."""
    if as_json:
        print_json(value)
    else:
        to(*parts)


def warn_of(problem: str) -> None:
    """Say on standard error why turns have no passages; nothing, where there is no ``problem``."""
    if problem:
        tell(("warning:", "bold yellow"), f" {problem}. Until then turns use the core header alone")


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A callback that draws a bar on standard error; a line a stage where that is no terminal."""
    if quiet:
        yield lambda *_: None
        return
    if not sys.stderr.isatty():
        stages: set[str] = set()

        def line(stage: str, done: int, of: int) -> None:
            if stage not in stages and (of > 1 or done < of):
                stages.add(stage)
                tell(f"{stage}: {of}" if of > 1 else stage)

        yield line
        return
    stage_column = Column(no_wrap=True, max_width=36)  # beside it 80 columns have the figures
    columns = (
        TextColumn("{task.description}", markup=False, table_column=stage_column),
        BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as bar:
        tasks: dict[tuple[str, int], Any] = {}

        def report(stage: str, done: int, of: int) -> None:
            task = tasks.get((stage, of))
            if task is None:
                task = tasks[stage, of] = bar.add_task(stage, total=of)
            bar.update(task, completed=done)

        yield report
