"""``mvp-site entities``: build the index, search it, look things up, see what is like what."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from ..content.notation import read_filters
from ..content.types import EntityType, entity_type, fields_of
from ..entities.build import build_entities
from ..entities.index import EntityIndex
from ..retrieval.text import clean
from ..settings import Settings
from .entity_lookups import LOOKUPS, asked, look_up
from .entity_results import MAX_LIMIT, plain_table, print_entity, print_results, print_stated
from .entity_results import as_json as results_as_json
from .output import console, errors, json_option, print_json, printable, progress

LIMIT: Final = 20

filter_option = click.option(
    "--filter", "filters", multiple=True, metavar="KEY=VALUE",
    help="Only what fits: level=3, school=evocation,illusion, cr=1/4..2, level_min=3, ritual=yes, "
         "name~bolt; again for several.",
)
limit_option = click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=LIMIT,
                            show_default=True, metavar="N", help="At most N results.")


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(entities)


@click.group()
def entities() -> None:
    """Find spells, monsters, gear and more, by meaning, by filters, or both."""


@entities.command()
@click.option("--folder", "folders", multiple=True, metavar="DIR",
              type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Entities of your own: DIR/<type>/*.json or *.yaml; again for several. "
                   "Without it, own_entities of the data folder is read.")
@click.option("--force", is_flag=True, help="Build anew even where nothing changed.")
@json_option
def build(folders: tuple[Path, ...], force: bool, as_json: bool) -> None:
    """Build the index of entities and publish it; with nothing changed there is nothing to do."""
    with progress(as_json) as told:
        manifest = build_entities(Settings(), folders or None, force=force, progress=told)
    if as_json:
        print_json(manifest.as_dict())
        return
    done = f"built, {manifest.encoded} texts encoded" if manifest.built else "up to date"
    console.print(
        f"{manifest.fingerprint}: {done}; {manifest.entities} entities, {manifest.windows} windows"
    )
    console.print(plain_table(
        ("type", "entities"), [(name, str(count)) for name, count in manifest.types.items()]
    ), soft_wrap=False)
    for shadowed in manifest.shadowed:
        console.print(Text(printable(f"{shadowed}: your own stands in place of the SRD's"),
                           style="yellow"))


@entities.command()
@click.argument("type_name", metavar="TYPE")
@click.argument("query", default="")
@filter_option
@limit_option
@click.option("--offset", type=click.IntRange(0), default=0, metavar="N",
              help="Leave out the first N results.")
@click.option("--bind-stated", is_flag=True,
              help="Hold to what the words state, as level 3 or ritual.")
@json_option
def search(type_name: str, query: str, filters: tuple[str, ...], limit: int, offset: int,
           bind_stated: bool, as_json: bool) -> None:
    """Search the entities of TYPE by meaning; without QUERY, list them by name."""
    type_, query = entity_type(type_name), clean(query)
    results = _opened().search_entities(
        type_, query, read_filters(map(clean, filters), fields_of(type_)), limit, offset,
        bind_stated,
    )
    if as_json:
        print_json(results_as_json(results))
        return
    print_results(results, scored=bool(query.strip()), offset=offset)
    print_stated(results)


@entities.command()
@click.argument("type_name", metavar="TYPE")
@click.argument("slug")
@limit_option
@json_option
def similar(type_name: str, slug: str, limit: int, as_json: bool) -> None:
    """Find the entities of TYPE that are like the one with the slug SLUG."""
    results = _opened().find_similar_entities(entity_type(type_name), clean(slug), limit)
    if as_json:
        print_json(results_as_json(results))
        return
    print_results(results, scored=True)


@entities.command()
@click.argument("name")
@click.option("--as", "kind", type=click.Choice(list(LOOKUPS)), default="all", show_default=True,
              help="What it is.")
@filter_option
@limit_option
@json_option
def lookup(name: str, kind: str, filters: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Look NAME up, in the words of a player; what the words state is held to."""
    arguments = asked(kind, map(clean, filters))
    results = look_up(_opened(), kind, clean(name), limit, arguments)
    if as_json:
        print_json(results_as_json(results))
        return
    print_results(results, scored=bool(name.strip()))
    print_stated(results)


@entities.command()
@click.argument("type_name", metavar="TYPE")
@click.argument("slug")
@json_option
def show(type_name: str, slug: str, as_json: bool) -> None:
    """Print the entity of TYPE with the slug SLUG, whole."""
    found = _opened().entity(entity_type(type_name), clean(slug))
    if as_json:
        print_json(found)
        return
    print_entity(found)


@entities.command()
@json_option
def types(as_json: bool) -> None:
    """List the types, how many entities each has, and the fields that filters may name."""
    counts = counted(_opened().list_documents())
    if as_json:
        print_json([
            {"type": type_.value, "entities": counts.get(type_, 0), "fields": [
                {"name": field.name, "kind": field.kind.value, "about": field.about,
                 "also": list(field.also)} for field in fields_of(type_)
            ]} for type_ in EntityType
        ])
        return
    console.print(plain_table(("type", "entities", "fields"), [
        (type_, str(counts.get(type_, 0)), ", ".join(field.name for field in fields_of(type_)))
        for type_ in EntityType
    ]), soft_wrap=False)


@entities.command()
@json_option
def documents(as_json: bool) -> None:
    """List where the entities come from, and whose text that is."""
    found = _opened().list_documents()
    if as_json:
        print_json(found)
        return
    console.print(plain_table(("document", "entities", "types", "shadowed"), [
        (str(one["document"]), str(one["entities"]),
         ", ".join(f"{name} {count}" for name, count in one["types"].items()),
         str(one.get("shadowed", 0)))
        for one in found
    ]), soft_wrap=False)
    for one in found:
        if one.get("attribution"):
            errors.print(Text(printable(f"{one['document']}: {one['attribution']}"), style="dim"))


def counted(documents: list[dict[str, Any]]) -> dict[str, int]:
    """How many entities each type has in all documents together."""
    found: dict[str, int] = {}
    for one in documents:
        for name, count in one["types"].items():
            found[name] = found.get(name, 0) + count
    return found


def _opened() -> EntityIndex:
    return EntityIndex.open(Settings())
