"""``mvp-site entities``: build the index, search it, look things up, see what is like what."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from ..content.notation import read_filters, write_filters
from ..content.stat_block import caption, stat_block
from ..content.types import entity_type, fields_of
from ..entities.build import build_entities
from ..entities.release import EntityManifest
from ..entities.results import Result
from ..operations.entities import MAX_LIMIT, EntityResults, EntityTypes
from ..operations.lookups import KINDS
from ..settings import Settings
from .commands import Values, add
from .output import (
    console,
    end_with,
    json_option,
    print_json,
    print_table,
    progress,
    say,
    table,
    tell,
)

_BAR: Final = 8
_FILTER: Final = {
    "name": "--filter", "multiple": True, "metavar": "KEY=VALUE", "type": str, "callback": None,
    "help": "Only what fits: level=3, school=evocation,illusion, cr=1/4..2, level_min=3, "
            "ritual=yes, name~bolt; again for several.",
}


@click.group()
def entities() -> None:
    """Find spells, monsters, gear and more. By meaning, by filters, or both."""


@entities.group()
def lookup() -> None:
    """Look up what a player means; what the words state is held to."""


@entities.command()
@click.option("--folder", "folders", multiple=True, metavar="DIR",
              type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Entities of your own: DIR/<type>/*.json or *.yaml; again for several. "
                   "Without it, own_entities of the data folder is read.")
@click.option("--force", is_flag=True, help="Build anew even where nothing changed.")
@json_option
def build(folders: tuple[Path, ...], force: bool, as_json: bool) -> None:
    """Build the index of entities and publish it; with nothing changed there is nothing to do.

    Exits 1 where some of your own were refused; the others are built.
    """
    with progress(as_json) as report:
        manifest = build_entities(Settings(), folders or None, force=force, progress=report)
    if as_json:
        print_json(manifest)
    else:
        _show_built(manifest)
    end_with(file.reason for file in manifest.refused)


def _show_built(manifest: EntityManifest) -> None:
    done = f"built, {manifest.encoded} texts encoded" if manifest.built else "up to date"
    say(f"{manifest.fingerprint}: {done}; {manifest.entities} entities, {manifest.windows} windows")
    print_table(("type", "entities"), [*manifest.types.items()])
    for shadowed in manifest.shadowed:
        say((f"{shadowed}: your own stands in place of the SRD's", "yellow"))


def _show_types(answer: EntityTypes, _: Any, __: Values) -> None:
    print_table(("type", "entities", "fields"), [
        (info.type, info.entities, ", ".join(field.name for field in info.fields))
        for info in answer.types
    ])


def _show_documents(answer: EntityTypes, _: Any, __: Values) -> None:
    print_table(("document", "entities", "types", "shadowed"), [
        (row.document, row.entities, row.types, row.shadowed) for row in answer.documents
    ])
    for document in answer.documents:
        if document.attribution:
            tell((f"{document.document}: {document.attribution}", "dim"))


def print_results(hits: EntityResults, *, scored: bool, offset: int | None = None) -> None:
    """A table of the results; what page of how many it is goes to standard error.

    ``offset`` is None where the command has no pages.
    """
    before, results = offset or 0, hits.results
    last = before + len(results)
    if not results:
        say("no more results" if before else "nothing was found")
    else:
        several = len({result["entity_type"] for result in results}) > 1
        columns = ["score"] * scored + ["name"] + ["type"] * several + ["about", "slug", "from"]
        grid = table(columns, [(
            *[score_bar(float(result["_score"]))] * scored, (str(result["name"]), "bold"),
            *[result["entity_type"]] * several, caption(entity_type(result["entity_type"]), result),
            (str(result["slug"]), "cyan"), (source(result), "dim"),
        ) for result in results])
        for column in grid.columns:
            column.no_wrap = str(column.header) in {"score", "slug"}
        console.print(grid, soft_wrap=False)
    tell((f"{before + 1 if results else 0} to {last} of {hits.total}", "dim"))
    if results and hits.total > last and (offset is not None or last < MAX_LIMIT):
        more = f"--limit {min(hits.total, MAX_LIMIT)}" if offset is None else f"--offset {last}"
        tell((f"More: {more}", "dim"))
    print_stated(hits)


def print_stated(results: EntityResults) -> None:
    """What lanes failed; the constraints that the words state, as arguments that hold to them."""
    if results.lanes_failed:
        failed = " and ".join(results.lanes_failed)
        tell((f"Found without the {failed} lane, which failed", "yellow"))
    if results.stated:
        words = [word for text in write_filters(results.stated) for word in ("--filter", text)]
        label = "Held" if results.bound else "To hold"
        tell((f"{label} to what the words state: {shlex.join(words)}", "yellow"), whole=True)


def print_entity(entity: Result) -> None:
    """One entity whole: its stat block, then its texts."""
    type_ = entity_type(entity["entity_type"])
    block = stat_block(type_, entity)
    say((str(entity["name"]), "bold"))
    say((block.kind or caption(type_, entity), "dim"))
    scores = [f"{ability.name[:3].upper()} {ability.score} ({ability.modifier})"
              for ability in block.abilities]
    for line in block.head:
        say((f"{line.label}: ", "cyan"), line.text)
    if scores:
        say((", ".join(scores), "bold"))
    for line in (*block.lines, *block.facts):
        say((f"{line.label}: ", "cyan"), line.text)
    columns, rows = block.levels.narrow
    if rows:
        say(("\nLevels", "bold cyan"))
        grid = table(columns, rows)
        for column, *cells in zip(grid.columns, columns, *rows, strict=True):
            # No word is cut, however narrow the terminal is.
            column.min_width = max(map(len, " ".join(cells).split()), default=0)
        console.print(grid, soft_wrap=False, crop=False)
    for section in block.sections:
        say((f"\n{section.title}", "bold cyan"), end="\n" if section.title else "")
        for entry in section.entries:
            say((f"{entry.name}. " if entry.name else "", "bold"), entry.text)
    say((f"\n{source(entity)}", "dim"))


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


add(entities, "entities.search", arguments={"entity_type": "TYPE", "query": "[QUERY]"},
    prepared=lambda values, _: {**values, "filters": read_filters(
        values.get("filters", ()), fields_of(entity_type(values["entity_type"])))},
    options={"filters": _FILTER}, shown=lambda answer, search, _: print_results(
        answer, scored=bool(search.query.strip()), offset=search.offset))
add(entities, "entities.similar", arguments={"entity_type": "TYPE", "reference_slug": "SLUG"},
    shown=lambda answer, *_: print_results(answer, scored=True))
for _kind in KINDS:
    add(lookup, f"entities.lookup.{_kind}", arguments={"name": "[NAME]"},
        shown=lambda answer, look_up, _: print_results(answer, scored=bool(look_up.name.strip())))
add(entities, "entities.show", arguments={"entity_type": "TYPE", "slug": "SLUG"},
    as_json=lambda answer: answer.entity, shown=lambda answer, *_: print_entity(answer.entity))
add(entities, "entities.types", shown=_show_types, as_json=lambda answer: answer.types)
add(entities, "entities.types", "documents",
    help="List where the entities come from, and whose text that is.",
    shown=_show_documents, as_json=lambda answer: answer.documents)
