"""``mvp-site index``, ``release`` and ``eval``: what is built, what is served, how good it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Final, NoReturn

import click

from ..archive.build import build_prompt_index
from ..archive.lint import unread
from ..archive.release import IndexManifest, load_release
from ..archive.versions import list_versions, read_version, resolve_version
from ..assembly.assembler import PromptAssembler
from ..errors import InvalidRequestError, MvpSiteError
from ..operations.own_evaluation import NeedleReport
from ..operations.releases import Releases, servable
from ..operations.services import Services
from ..settings import Settings
from ..text.strict_json import JsonError, parse
from .commands import Values, add, command_of
from .output import (
    complete_version,
    json_option,
    print_either,
    print_json,
    print_table,
    progress,
    say,
    settings_for,
    tell,
    version_option,
)

_SHIPPED: Final = " (shipped)"
WATCHING: Final = 0.5
"""Seconds between two looks at the files of an archive."""


@click.group()
def index() -> None:
    """Build the indexes that turns are served from. Inspect and verify them."""


@index.command()
@version_option
@click.option("--all", "every", is_flag=True, help="Build every version of the archive.")
@click.option("--force", is_flag=True, help="Build anew even where nothing changed.")
@click.option("--watch", metavar="TURN", help="Then build again after each change of a file, and "
              "tell what changed for the turn of this text, until Ctrl+C.")
@json_option
def build(version: str | None, every: bool, force: bool, watch: str | None, as_json: bool) -> None:
    """Build what changed and publish it; with nothing changed there is nothing to do."""
    if watch is not None and (every or as_json):
        raise click.UsageError("--watch goes with one version, and with people: leave out --all "
                               "and --json")
    settings = Settings() if every else settings_for(version, authored=True)
    names = list_versions(settings) if every else [resolve_version(settings)]
    if watch is not None:
        _watch(replace(settings, prompt_version=names[0]), watch)
    built = [_build(settings, name, force=force, as_json=as_json) for name in names]
    if as_json:
        print_json(built)


def _build(settings: Settings, name: str, *, force: bool = False, as_json: bool = False,
           ) -> IndexManifest:
    """Build a version, and say for people what came of it."""
    with progress(as_json) as report:
        manifest = build_prompt_index(settings, name, force=force, progress=report)
    if not as_json:
        done = [("built", "green"), f", {manifest.encoded} texts encoded"]
        shipped = f"{_SHIPPED}: only {manifest.passages} passages"
        say((name, "bold"), f" {manifest.fingerprint}: ",
            *(done if manifest.built else ["up to date"]),
            f"; {manifest.chunks} chunks of {manifest.archive_tokens} tokens, header "
            f"{manifest.header_tokens}, floor {manifest.floors.both}",
            shipped * (manifest.floors_from == "shipped"))
        if manifest.built:
            chunks = load_release(settings.prompt_index_dir, name).chunks
            for lost in unread(read_version(settings, name), chunks):
                say((lost.severity, "yellow"), f" {lost.file}: {lost.message}")
    return manifest


def _watch(settings: Settings, text: str) -> NoReturn:
    """Build whenever a file of the archive has changed, and say what the turn prints otherwise."""
    stamps_before: object = None
    before: dict[str, str] = {}
    while True:
        files = [path for path in settings.prompt_archive_dir.rglob("*") if path.is_file()]
        stamps = sorted((str(path), path.stat().st_mtime_ns) for path in files)
        if stamps != stamps_before:
            try:
                _build(settings, str(settings.prompt_version))
                turn = PromptAssembler.open(settings).assemble(text, audience="god")
            except MvpSiteError as error:
                tell(("error:", "bold red"), f" {error}")
            else:
                texts = {chunk.id: chunk.text for chunk in turn.chunks}
                for name in dict.fromkeys((*texts, *before)):
                    if stamps_before is None or texts.get(name) != before.get(name):
                        mark, colour = (("-", "red") if name not in texts else
                                        ("~", "yellow") if name in before else ("+", "green"))
                        say((f"{mark} {name}", colour))
                say(f"{len(texts)} passages, {turn.telemetry['tokens']['retrieved']} tokens",
                    f" (sparse: {turn.sparse_reason})" if turn.retrieval_sparse else "")
                before = texts
            stamps_before = stamps
        Event().wait(WATCHING)


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
@click.argument("name", required=False, shell_complete=complete_version)
@version_option
@json_option
def check(name: str | None, version: str | None, as_json: bool) -> None:
    """Check that NAME can be served: its index is there, fresh and whole; else exits 1."""
    settings = settings_for(name or version)
    checked = servable(settings, resolve_version(settings))
    print_either(as_json, checked, (checked.status, "green"),
                 f": {checked.version} {checked.release}")


add(index, "releases", "status", as_json=lambda answer: answer.releases, help=(
    "Each version: whether it is built, and whether the index is of the archive as it is now."),
    shown=lambda answer, *_: print_table(
        ("version", "state", "release", "chunks", "tokens", "floor", "from"),
        [(row.version, row.status, row.release, row.chunks, row.archive_tokens, row.floor,
          row.floors_from) for row in answer.releases]))
add(release, "releases.promote", arguments={"version": "VERSION"}, shown=_say_served)
add(release, "releases.roll_back", "rollback", shown=_say_served)


def _needles(values: Values, _: Services) -> Values:
    """The needles of a file, a JSON object a line."""
    file = Path(values["needles"])
    try:
        lines = enumerate(file.read_bytes().split(b"\n"), 1)
        needles = [parse(line, f"{file}, line {number}") for number, line in lines if line.strip()]
    except OSError as error:
        raise InvalidRequestError(f"{file} cannot be read: {error.strerror}") from None
    except JsonError as error:
        raise InvalidRequestError(str(error)) from None
    return {**values, "needles": needles}


def _show_needles(report: NeedleReport, _: Any, __: Values) -> None:
    failed = [outcome for outcome in report.outcomes if not outcome.passed]
    if failed:
        print_table(("turn", "missing", "printed instead"), [
            (outcome.text, "\n".join(outcome.missing) or "(off topic)",
             "\n".join(outcome.printed) or f"nothing: {outcome.sparse_reason}")
            for outcome in failed
        ])
    for label, share in (("found", report.recall), ("off topic refused", report.refused)):
        if share is not None:
            say(f"{label}: {share:.3f}")
    say(f"{len(report.outcomes) - len(failed)} of {len(report.outcomes)} turns passed")


def _end_needles(report: NeedleReport) -> None:
    if not all(outcome.passed for outcome in report.outcomes):
        raise click.exceptions.Exit(1)


evaluate: Final = command_of(
    "eval", arguments={"needles": "FILE"}, options={"version": None}, more=(version_option,),
    opened=lambda own, _: Services(settings_for(own["version"])), prepared=_needles,
    shown=_show_needles, ended=_end_needles, help=(
        "Check turns of your own: what must be printed for each, and which are off topic.\n\n"
        'FILE has a JSON object a line: {"text": "I climb the wall", "expects": ["DC 15"]}. The '
        "passages printed for `text` must contain all of `expects`; where it is [], nothing may be "
        "printed. `mode`, `history` and `state` are as in a turn. Exits 1 if a turn fails."))
