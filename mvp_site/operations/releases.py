"""What can be asked of what is served: each version's index, and what is ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from ..archive.release import read_manifest
from ..archive.versions import list_built, list_versions, read_version
from ..errors import ArchiveError, IndexLoadError, MvpSiteError
from ..settings import Settings
from .operation import Operation
from .requests import Nothing
from .services import Services

Status = Literal["fresh", "stale", "missing", "corrupt", "archive_gone"]
BUILD: Final = "mvp-site index build --version {}"


@dataclass(frozen=True, slots=True)
class Release:
    """A version's index. ``remedy`` is the command that mends it, ``problem`` why it needs to be.

    Players get neither.
    """

    version: str
    status: Status
    remedy: str | None = None
    release: str | None = None
    floor: float | None = None
    chunks: int | None = None
    passages: int | None = None
    header_tokens: int | None = None
    archive_tokens: int | None = None
    model: str | None = None
    encoder: str | None = None
    header_sha256: str | None = None
    problem: str | None = None
    floors_from: str | None = None


@dataclass(frozen=True, slots=True)
class Releases:
    """All versions, and which is served where none is named."""

    default: str
    releases: tuple[Release, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A part, and whether it is ready."""

    name: str
    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class Health:
    """``degraded``: prompts are assembled, turns are not played."""

    status: Literal["ok", "degraded", "failing"]
    checks: tuple[Check, ...]


def release_statuses(settings: Settings) -> list[Release]:
    """The state of every version that is authored or built, by name."""
    authored = list_versions(settings)
    return [
        _status(settings, version, authored=version in authored)
        for version in sorted({*authored, *list_built(settings)})
    ]


def _status(settings: Settings, version: str, *, authored: bool) -> Release:
    build = BUILD.format(version)
    try:
        manifest = read_manifest(settings.prompt_index_dir, version)
        if manifest is None:
            return Release(version, "missing", build)
    except IndexLoadError as error:
        return Release(version, "corrupt", f"{build} --force", problem=str(error))
    found = Release(
        version, "fresh", None, manifest.fingerprint, manifest.floors.both, manifest.chunks,
        manifest.passages, manifest.header_tokens, manifest.archive_tokens, manifest.model,
        manifest.encoder, manifest.header_sha256, floors_from=manifest.floors_from,
    )
    if not authored:
        return replace(found, status="archive_gone")
    try:
        fresh = read_version(settings, version).archive_hash == manifest.archive_hash
    except ArchiveError as error:
        return replace(found, status="stale", remedy=str(error))
    return found if fresh else replace(found, status="stale", remedy=build)


def _releases(services: Services, _: Nothing, entitled: bool) -> Releases:
    found = release_statuses(services.settings)
    return Releases(services.default_version, tuple(
        one if entitled else replace(one, remedy=None, problem=None) for one in found
    ))


def _health(services: Services, _: Nothing, entitled: bool) -> Health:
    """What is there and what is missing, each with what mends it. Opens what is not open yet."""
    named = f"index {services.default_version or 'of no version'}"
    index = _check(named, lambda: services.assembler() and "prompts are assembled", entitled)
    how = "turns are played" if index.ok else "turns are played, on the core header alone"
    turns = _check("turns", lambda: services.handler() and how, entitled)
    return Health(
        "failing" if not index.ok else "ok" if turns.ok else "degraded", (index, turns)
    )


def _check(name: str, opens: Callable[[], object], entitled: bool) -> Check:
    try:
        message, ok = str(opens()), True
    except MvpSiteError as error:
        message, ok = str(error), False
    return Check(name, ok, message if entitled else "ready" if ok else "not ready")


OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    Operation(
        name="releases", run=_releases, request=Nothing, response=Releases,
        about="The versions and their indexes.", surfaces=frozenset({"api"}),
    ),
    Operation(
        name="health", run=_health, request=Nothing, response=Health,
        about="What is ready, and what mends the rest.", surfaces=frozenset({"api"}),
    ),
)
