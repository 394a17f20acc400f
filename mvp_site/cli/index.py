"""``mvp-site index`` and ``mvp-site encoder``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
from rich.table import Table

from ..archive.build import build_prompt_index
from ..archive.release import IndexManifest, load_release
from ..archive.versions import list_versions, resolve_version
from ..entities.query_expansion import texts
from ..operations.releases import Release, release_statuses
from ..retrieval import utterances
from ..retrieval.encoder import OnnxEncoder
from ..retrieval.index import VectorCache
from ..retrieval.releases.build import encode_texts
from ..retrieval.releases.bundles import read_bundle
from ..settings import Settings
from .output import (
    console,
    json_option,
    plain_text,
    print_json,
    progress,
    settings_for,
    version_option,
)


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(index)
    root.add_command(encoder)


@click.group()
def index() -> None:
    """Build, inspect and verify the indexes of prompt versions."""


@index.command()
@version_option
@click.option("--all", "every", is_flag=True, help="Build every version of the archive.")
@click.option("--force", is_flag=True, help="Build anew even where nothing changed.")
@json_option
def build(version: str | None, every: bool, force: bool, as_json: bool) -> None:
    """Build what changed and publish it; with nothing changed there is nothing to do."""
    settings = Settings() if every else settings_for(version)
    names = list_versions(settings) if every else [resolve_version(settings)]
    built: list[IndexManifest] = []
    for name in names:
        with progress(as_json) as report:
            manifest = build_prompt_index(settings, name, force=force, progress=report)
        built.append(manifest)
        if not as_json:
            _say(manifest)
    if as_json:
        print_json([asdict(manifest) for manifest in built])


def _say(manifest: IndexManifest) -> None:
    done = f"[green]built[/], {manifest.encoded} texts encoded" if manifest.built else "up to date"
    console.print(
        f"[bold]{manifest.version}[/] {manifest.fingerprint}: {done}; {manifest.chunks} chunks of "
        f"{manifest.archive_tokens} tokens, header {manifest.header_tokens}, "
        f"floor {manifest.floors.both}"
    )


@index.command()
@json_option
def status(as_json: bool) -> None:
    """Each version: whether it is built, and whether the index is of the archive as it is now."""
    rows = [_row(found) for found in release_statuses(Settings())]
    if as_json:
        print_json(rows)
        return
    table = Table("version", "state", "release", "chunks", "tokens", "floor", box=None)
    for row in rows:
        colour = {"fresh": "green", "stale": "yellow"}.get(row["state"], "red")
        table.add_row(
            row["version"], f"[{colour}]{row['state']}[/]", row.get("release") or "-",
            str(row.get("chunks", "-")), str(row.get("archive_tokens", "-")),
            str(row.get("floor", "-")),
        )
    console.print(table)


def _row(found: Release) -> dict[str, Any]:
    head = {"version": found.version, "state": found.status.replace("_", " ")}
    if found.release is None:
        return {**head, **({"error": found.problem} if found.problem else {})}
    names = ("release", "chunks", "archive_tokens", "floor", "encoder")
    return {**head, **{name: getattr(found, name) for name in names}}


@index.command()
@version_option
@json_option
def verify(version: str | None, as_json: bool) -> None:
    """Check every artifact of an index against its manifest; exits 1 and names what is wrong."""
    settings = settings_for(version)
    release = load_release(settings.prompt_index_dir, resolve_version(settings))
    if as_json:
        print_json(asdict(release.manifest))
    else:
        console.print(f"[green]whole[/]: {release.version} {release.fingerprint}")


@click.group()
def encoder() -> None:
    """The exported encoder, shared by every part."""


@encoder.command("build")
@click.option("--precision", type=click.Choice(["fp32", "int8"]), default="fp32", show_default=True,
              help="int8 is faster and moves the vectors; see docs/evaluation.md.")
@json_option
def encoder_build(precision: str, as_json: bool) -> None:
    """Export PROMPT_EMBED_MODEL to ONNX under data/encoder (needs the extra `build`).

    The shipped texts are read with it at once, for all that is built later.
    """
    from ..retrieval.export import export_bundle

    settings = Settings()
    name = export_bundle(
        settings.encoder_dir, settings.prompt_embed_model,
        "int8" if precision == "int8" else "fp32", settings.prompt_encoder_threads,
    )
    manifest = read_bundle(settings.encoder_dir, name, "").manifest
    made = OnnxEncoder.open(settings.encoder_dir, name, settings.prompt_encoder_threads)
    with progress(as_json) as report:  # those of the entities are all there are
        every = texts(utterances.entity_topics())
        encode_texts(settings, every, made, VectorCache(made), report)
    if as_json:
        print_json({"bundle": name, **manifest})
    else:
        what = f" {manifest['model']} ({precision}) as {settings.encoder_dir / name}"
        console.print(plain_text(("exported", "green"), what))
