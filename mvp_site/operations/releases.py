"""What can be asked of what is served: each version's index, promotion, and the other parts.

Promoted versions stand in a file beside the indexes, the one served last. Every process takes up
another before its next turn; what it has opened stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from .. import errors
from ..archive.release import IndexManifest, read_manifest
from ..archive.versions import (
    PROMOTED,
    list_built,
    list_versions,
    promotions,
    read_version,
    resolve_version,
)
from ..content.own_files import extracted_folder
from ..entities import build as entities
from ..library import build as library
from ..releases.bundles import building
from ..releases.durable_write import replace_file
from ..releases.store import ReleaseStore
from ..retrieval.encoder import find_bundle
from ..retrieval.engine_releases import engine_of
from ..rulebook import build as rulebook
from ..settings import Settings
from .operation import API_AND_CLI, declared
from .prompts import AskedVersion
from .requests import Nothing, OperationRequest, view
from .services import Services

Status = Literal["fresh", "stale", "missing", "corrupt", "archive_gone"]
BUILD: Final = "mvp-site index build --version {}"
SERVABLE: Final = frozenset({"fresh", "archive_gone"})
ENCODER: Final = "mvp-site encoder build"
KEPT: Final = 20
"""How many promotions can be rolled back."""
PROMOTING: Final = 10.0
"""Seconds that a promotion waits for another."""


@dataclass(frozen=True, slots=True)
class VersionIndex:
    """A version's index. ``remedy`` is the command that mends it, ``problem`` why it needs to be.

    Players get neither. ``built`` is when, in UTC.
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
    built: str | None = None


@dataclass(frozen=True, slots=True)
class Releases:
    """All versions, and which is served where none is named.

    ``promoted`` is the one that was promoted last, and ``before`` the one that a roll-back leads
    to; None where there is none. ``pinned``: the settings name the default, whatever is promoted.
    """

    default: str
    releases: tuple[VersionIndex, ...]
    promoted: str | None = None
    before: str | None = None
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class ServerPart:
    """A part: its state, what it holds in words, and what mends it or why it is not ready."""

    name: str
    status: Status
    holds: str = ""
    remedy: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Promotion(OperationRequest):
    """A version to serve where none is named."""

    version: Annotated[AskedVersion, Field(description="A prompt version.")]


def release_statuses(settings: Settings) -> list[VersionIndex]:
    """The state of every version that is authored or built, by name."""
    authored = list_versions(settings)
    return [
        _status(settings, version, authored=version in authored)
        for version in sorted({*authored, *list_built(settings)})
    ]


def servable(settings: Settings, version: str) -> VersionIndex:
    """The state of a version that can be served.

    Raises:
        PromotionError: it cannot; the message says why and what mends it.
    """
    index = _status(settings, version, authored=version in list_versions(settings))
    if index.status not in SERVABLE:
        raise errors.PromotionError(
            f"version {version!r} cannot be served, its index is {index.status}: {index.remedy}"
        )
    return index


def _status(settings: Settings, version: str, *, authored: bool) -> VersionIndex:
    build = BUILD.format(version)
    try:
        manifest = read_manifest(settings.prompt_index_dir, version)
        if manifest is None:
            return VersionIndex(version, "missing", build)
    except errors.IndexLoadError as error:
        return VersionIndex(version, "corrupt", f"{build} --force", problem=str(error))
    index = view(
        VersionIndex, manifest, version=version, status="fresh", remedy=None, problem=None,
        release=manifest.fingerprint, floor=manifest.floors.both, built=_built(settings, manifest),
    )
    if not authored:
        return replace(index, status="archive_gone")
    try:
        fresh = read_version(settings, version).archive_hash == manifest.archive_hash
    except errors.ArchiveError as error:
        return replace(index, status="stale", remedy=str(error))
    return index if fresh else replace(index, status="stale", remedy=build)


def _built(settings: Settings, manifest: IndexManifest) -> str:
    """When a release was put in its place: nothing changes in its folder from then on."""
    folder = settings.prompt_index_dir / manifest.version / manifest.fingerprint
    return datetime.fromtimestamp(folder.stat().st_mtime, UTC).isoformat(timespec="seconds")


def parts(settings: Settings) -> tuple[ServerPart, ...]:
    """Rulebook, entities, library and encoder as they stand on the disk; nothing is opened.

    Rulebook and entities are compared with the data that they are built of. The first time in a
    process that takes some seconds.
    """
    bundle = find_bundle(settings.encoder_dir, settings.prompt_embed_model)
    holds = f"{settings.prompt_embed_model}, {bundle}"
    encoder = ServerPart("encoder", "fresh", holds) if bundle else ServerPart(
        "encoder", "missing", remedy=ENCODER
    )
    return (
        _part(rulebook.store_of(settings), bundle,
              lambda info: f"{info['source']}, {info['sections']:,} sections", _rules_fresh),
        _part(entities.store_of(settings), bundle, lambda info: f"{info['entities']:,} entities",
              lambda manifest: manifest["recipe"] == _entities_recipe(settings, manifest)),
        _part(library.store_of(settings), bundle, lambda info: f"{len(info['sources']):,} books",
              lambda _: True),
        encoder,
    )


def _part(store: ReleaseStore, bundle: str | None, holds: Callable[[Mapping[str, Any]], str],
          fresh: Callable[[Mapping[str, Any]], bool]) -> ServerPart:
    name = store.what.removeprefix("the ")
    try:
        manifest = store.load().manifest
        text, encoder = f"{holds(manifest)}, release {store.current()}", manifest["encoder"]
    except errors.MissingIndexError:
        return ServerPart(name, "missing", remedy=store.command)
    except (errors.MvpSiteError, LookupError, TypeError) as error:
        return ServerPart(name, "corrupt", remedy=f"{store.command} --force", problem=str(error))
    try:
        problem = "" if fresh(manifest) else "what it is built of has changed"
    except errors.MvpSiteError as error:
        problem = str(error)
    if bundle and encoder != bundle:
        problem = "it was built with another encoder than the one exported last"
    return ServerPart(name, "stale", text, store.command, problem) if problem else ServerPart(
        name, "fresh", text
    )


def _rules_fresh(manifest: Mapping[str, Any]) -> bool:
    """A book of one's own is not compared: its file is known to who built it alone."""
    return not manifest["default"] or manifest["recipe"] == _rules_recipe()


@cache
def _rules_recipe() -> str:
    return rulebook.recipe_of(rulebook.default_rulebook())


def _entities_recipe(settings: Settings, manifest: Mapping[str, Any]) -> str:
    named = [Path(folder) for folder in manifest.get("folders", ())]
    folders = (*(named or [entities.own_folder(settings)]), extracted_folder(settings))
    stamps = tuple(
        (str(path), path.stat().st_mtime_ns) for folder in folders
        for path in sorted(folder.rglob("*"))
    )
    paths = tuple(folder for folder in folders if folder.is_dir())
    return _recipe_of(paths, stamps, engine_of(settings).mark)


@lru_cache(maxsize=1)
def _recipe_of(folders: tuple[Path, ...], _: tuple[tuple[str, int], ...], engine: str) -> str:
    return entities.recipe_of(entities.stock_of(folders), engine)


@declared("releases", surfaces=API_AND_CLI)
def _releases(services: Services, _: Nothing, entitled: bool) -> Releases:
    """List the prompt versions, the state of their indexes, and which one is served."""
    return _released(services, entitled)


def _released(services: Services, entitled: bool) -> Releases:
    settings = services.settings
    history, states = promotions(settings), release_statuses(settings)
    return Releases(
        services.default_version,
        tuple(index if entitled else replace(index, remedy=None, problem=None) for index in states),
        history[-1] if history else None, history[-2] if len(history) > 1 else None,
        pinned=settings.prompt_version is not None,
    )


@declared("releases.promote", needs="a promotion", surfaces=API_AND_CLI)
def _promote(services: Services, request: Promotion, entitled: bool) -> Releases:
    """Serve a version from the next turn on, where none is named."""
    settings = services.settings
    version = resolve_version(settings, request.version)
    with building(settings.prompt_index_dir, PROMOTING):
        history = promotions(settings) or [services.default_version]
        _keep(settings, version, [*[name for name in history if name != version], version])
    return _released(services, entitled)


@declared("releases.roll_back", needs="a roll-back", surfaces=API_AND_CLI)
def _roll_back(services: Services, _: Nothing, entitled: bool) -> Releases:
    """Serve again what was served before the last promotion."""
    settings = services.settings
    with building(settings.prompt_index_dir, PROMOTING):
        if len(history := promotions(settings)) < 2:
            raise errors.PromotionError(
                "there is no other version that was served before: promote the one that you want "
                "(mvp-site release promote VERSION)"
            )
        _keep(settings, history[-2], history[:-1])
    return _released(services, entitled)


def _keep(settings: Settings, served: str, history: list[str]) -> None:
    """Write what was promoted, where what is then ``served`` can be.

    Raises:
        PromotionError: it cannot, or the settings pin a version.
        BuildError: the folder of the indexes cannot be written.
    """
    if settings.prompt_version is not None:
        raise errors.PromotionError(
            f"PROMPT_VERSION pins {settings.prompt_version}, whatever is promoted: unset it and "
            "start again"
        )
    servable(settings, served)
    text = "".join(f"{name}\n" for name in history[-KEPT:])
    try:
        replace_file(settings.prompt_index_dir / PROMOTED, text.encode())
    except OSError as error:
        raise errors.BuildError(
            f"{settings.prompt_index_dir / PROMOTED} cannot be written: {error}"
        ) from error
