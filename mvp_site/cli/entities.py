"""``mvp-site entities``: build the index, search it, look things up, see what is like what."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from ..content.notation import read_filters
from ..content.types import entity_type, fields_of
from ..entities.build import build_entities
from ..operations.all import operation
from ..operations.entities import (
    EntityDocuments,
    EntityLookup,
    EntityResults,
    EntitySearch,
    EntityTypes,
)
from ..retrieval.filters import FieldKind
from ..settings import Settings
from .commands import Look, Values, add
from .entity_lookups import asked
from .entity_results import MAX_LIMIT, plain_table, print_entity, print_results, print_stated
from .output import console, errors, json_option, print_json, printable, progress

ONE: Final = {"entity_type": "TYPE", "slug": "SLUG"}
_WIDE: Final = {"limit": {"type": click.IntRange(1, MAX_LIMIT)}}
_FILTER: Final = {
    "name": "--filter", "multiple": True, "metavar": "KEY=VALUE", "type": str, "callback": None,
    "help": "Only what fits: level=3, school=evocation,illusion, cr=1/4..2, level_min=3, "
            "ritual=yes, name~bolt; again for several.",
}


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(entities)
    add(entities, operation("entities.search"), Look(
        arguments={"entity_type": "TYPE", "query": "[QUERY]"}, prepared=_with_filters,
        shown=_show_found, as_json=_results,
        options={**_WIDE, "filters": _FILTER, "offset": {"type": click.IntRange(0)}},
    ))
    add(entities, operation("entities.similar"), Look(
        arguments=ONE, options=_WIDE, as_json=_results,
        shown=lambda found, *_: print_results(found, scored=True),
    ))
    add(entities, operation("entities.lookup"), Look(
        arguments={"name": "NAME"}, shown=_show_looked_up, as_json=_results,
        prepared=_with_arguments, options={
            **_WIDE, "filters": _FILTER, "kind": {"name": "--as"},
        },
    ))
    add(entities, operation("entities.show"), Look(
        arguments=ONE, as_json=lambda found: found.entity,
        shown=lambda found, *_: print_entity(found.entity),
    ))
    add(entities, operation("entities.types"), Look(shown=_show_types, as_json=_types))
    add(entities, operation("entities.documents"), Look(
        shown=_show_documents, as_json=lambda found: asdict(found)["documents"],
    ))


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


def _with_filters(values: Values, _: Any) -> Values:
    type_ = entity_type(values["entity_type"])
    return {**values, "filters": read_filters(values.get("filters", ()), fields_of(type_))}


def _with_arguments(values: Values, _: Any) -> Values:
    return {**values, "filters": asked(values["kind"], values.get("filters", ()))}


def _show_found(found: EntityResults, search: EntitySearch, _: Values) -> None:
    print_results(found, scored=bool(search.query.strip()), offset=search.offset)
    print_stated(found)


def _show_looked_up(found: EntityResults, lookup: EntityLookup, _: Values) -> None:
    print_results(found, scored=bool(lookup.name.strip()))
    print_stated(found)


def _results(found: EntityResults) -> Values:
    said = asdict(found)
    del said["attribution"]
    return said


def _types(found: EntityTypes) -> list[Values]:
    types: list[Values] = asdict(found)["types"]
    for field in (field for type_ in types for field in type_["fields"]):
        field["kind"] = FieldKind[field["kind"].upper()].value
    return types


def _show_types(found: EntityTypes, _: Any, __: Values) -> None:
    console.print(plain_table(("type", "entities", "fields"), [
        (one.type, str(one.entities), ", ".join(field.name for field in one.fields))
        for one in found.types
    ]), soft_wrap=False)


def _show_documents(found: EntityDocuments, _: Any, __: Values) -> None:
    console.print(plain_table(("document", "entities", "types", "shadowed"), [
        (one.document, str(one.entities),
         ", ".join(f"{name} {count}" for name, count in one.types.items()), str(one.shadowed))
        for one in found.documents
    ]), soft_wrap=False)
    for one in found.documents:
        if one.attribution:
            errors.print(Text(printable(f"{one.document}: {one.attribution}"), style="dim"))
