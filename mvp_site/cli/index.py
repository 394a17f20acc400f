"""``mvp-site index`` and ``mvp-site archive``."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

import click

from ..archive.build import build_prompt_index
from ..archive.chunks import Chunk
from ..archive.diff import diff
from ..archive.lint import lint
from ..archive.release import IndexManifest, load_release
from ..archive.versions import list_versions, read_version, resolve_version
from ..errors import InvalidTurnError, PromotionError
from ..operations.all import operation
from ..operations.releases import SERVABLE, Releases, VersionIndex, release_statuses
from ..settings import Settings
from ..turns.prompting import room as room_of
from . import importing
from .commands import CommandForm, add
from .output import (
    complete_version,
    json_option,
    print_either,
    print_json,
    print_table,
    progress,
    say,
    settings_for,
    version_option,
)
from .suggest import suggest

_SHIPPED: Final = " (shipped)"
_LISTED: Final = (
    "id", "section", "lines", "tokens", "audience", "domain", "domain_confidence", "mode",
    "mode_confidence", "inferred",
)


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
    settings = Settings() if every else settings_for(version, authored=True)
    names = list_versions(settings) if every else [resolve_version(settings)]
    built: list[IndexManifest] = []
    for name in names:
        with progress(as_json) as report:
            manifest = build_prompt_index(settings, name, force=force, progress=report)
        built.append(manifest)
        if as_json:
            continue
        done = [("built", "green"), f", {manifest.encoded} texts encoded"]
        shipped = f"{_SHIPPED}: only {manifest.passages} passages"
        say((name, "bold"), f" {manifest.fingerprint}: ",
            *(done if manifest.built else ["up to date"]),
            f"; {manifest.chunks} chunks of {manifest.archive_tokens} tokens, header "
            f"{manifest.header_tokens}, floor {manifest.floors.both}",
            shipped * (manifest.floors_from == "shipped"))
    if as_json:
        print_json(built)


@index.command()
@json_option
def status(as_json: bool) -> None:
    """Each version: whether it is built, and whether the index is of the archive as it is now."""
    rows = [_row(version_index) for version_index in release_statuses(Settings())]
    if as_json:
        print_json(rows)
        return
    colours = {"fresh": "green", "stale": "yellow"}
    print_table(("version", "state", "release", "chunks", "tokens", "floor"), (
        (row["version"], (row["state"], colours.get(row["state"], "red")), *(
            str(row.get(name, "-")) for name in ("release", "chunks", "archive_tokens")
        ), f"{row.get('floor', '-')}{_SHIPPED * (row.get('floors_from') == 'shipped')}")
        for row in rows
    ))


def _row(index: VersionIndex) -> dict[str, Any]:
    head = {"version": index.version, "state": index.status.replace("_", " ")}
    if index.release is None:
        return {**head, **({"error": index.problem} if index.problem else {})}
    names = ("release", "chunks", "archive_tokens", "floor", "floors_from", "encoder")
    return {**head, **{name: getattr(index, name) for name in names}}


@index.command()
@version_option
@json_option
def verify(version: str | None, as_json: bool) -> None:
    """Check every artifact of an index against its manifest; exits 1 and names what is wrong."""
    settings = settings_for(version)
    manifest = load_release(settings.prompt_index_dir, resolve_version(settings)).manifest
    print_either(as_json, manifest, ("whole", "green"),
                 f": {manifest.version} {manifest.fingerprint}")


def _say_served(releases: Releases, *_: Any) -> None:
    say(("served", "green"), " where none is named: ", (releases.default, "bold"))


@click.group()
def release() -> None:
    """Say which version is served: promote one, roll back, check that it can be."""


@release.command()
@version_option
@json_option
def check(version: str | None, as_json: bool) -> None:
    """Check that a version can be served: its index is there, fresh and whole; else exits 1."""
    settings = settings_for(version)
    name = resolve_version(settings)
    status = next(one for one in release_statuses(settings) if one.version == name)
    if status.status not in SERVABLE:
        raise PromotionError(
            f"version {name!r} cannot be served, its index is {status.status}: {status.remedy}"
        )
    print_either(as_json, status, (status.status, "green"), f": {name} {status.release}")


add(release, operation("releases.promote"),
    CommandForm(arguments={"version": "VERSION"}, shown=_say_served))
add(release, operation("releases.roll_back"), CommandForm(shown=_say_served), "rollback")


@click.group()
def archive() -> None:
    """Import prompts, and look at them."""


archive.add_command(suggest)
importing.register(archive)


@archive.command("lint")
@version_option
@click.option("--chunks", "show_chunks", is_flag=True, help="List every chunk with its tags.")
@json_option
def lint_command(version: str | None, show_chunks: bool, as_json: bool) -> None:
    """Show what was inferred of a version, how surely, and what stands out; exits 1 on errors."""
    settings = settings_for(version, authored=True)
    room = 0
    with suppress(InvalidTurnError):
        room = room_of(settings, "", "", {}, settings.prompt_max_tokens_retrieved)
    report = lint(
        read_version(settings, resolve_version(settings)), settings.prompt_archive_dir, room
    )
    if as_json:
        print_json({
            "findings": report.findings,
            "chunks": [{name: getattr(c, name) for name in _LISTED} for c in report.chunks],
        })
    else:
        if show_chunks:
            print_table(
                ("chunk", "section", "lines", "tokens", "domain", "mode", "audience"),
                ((c.id, " > ".join(c.section), f"{c.lines[0]}-{c.lines[1]}", str(c.tokens),
                  _tag(c, "domain"), _tag(c, "mode"), c.audience) for c in report.chunks),
            )
        for finding in report.findings:
            colour = {"error": "red", "warning": "yellow"}.get(finding.severity, "dim")
            place = f"{finding.file}:{finding.line}" if finding.line else finding.file
            message = f" {place} {finding.rule}: {finding.message}"
            say((finding.severity, colour), message)
        counts = Counter(finding.severity for finding in report.findings)
        inferred = sum(bool(chunk.inferred) for chunk in report.chunks)
        say(
            f"{len(report.chunks)} chunks, {inferred} with inferred tags; "
            + ", ".join(f"{counts[s]} {s}s" for s in ("error", "warning", "note"))
        )
    if report.errors:
        raise click.exceptions.Exit(1)


def _tag(chunk: Chunk, name: str) -> str:
    """A tag of a chunk; one that was inferred says how surely."""
    if name in chunk.inferred:
        return f"{getattr(chunk, name)} ({getattr(chunk, f'{name}_confidence'):.2f})"
    return getattr(chunk, name) or "-"


@archive.command("diff")
@click.argument("before", shell_complete=complete_version)
@click.argument("after", shell_complete=complete_version)
@json_option
def diff_command(before: str, after: str, as_json: bool) -> None:
    """Compare two versions section by section."""
    settings = Settings()
    changes = diff(*(read_version(settings, resolve_version(settings, v)) for v in (before, after)))
    if as_json:
        print_json({**asdict(changes), "changed_share": round(changes.changed_share, 4)})
        return
    colours = {"added": "green", "removed": "red", "changed": "yellow"}
    for section in changes.sections:
        if section.change != "same":
            note = f" ({section.similarity:.0%} alike)" if section.change == "changed" else ""
            place = f" {section.file}: {' > '.join(section.section)}{note}"
            say((section.change, colours[section.change]), place)
    if changes.header_changed:
        say(("changed", "yellow"), " core_header.txt")
    say(
        f"{changes.count('same')} sections the same, {changes.count('changed')} changed "
        f"({changes.changed_share:.0%} of the shared), {changes.count('added')} added, "
        f"{changes.count('removed')} removed"
    )
