"""The parts that are built beside the prompts: whether each is there and of what it is now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from ..content.own_files import extracted_folder
from ..entities import build as entities
from ..errors import MissingIndexError, MvpSiteError
from ..library import build as library
from ..releases.store import ReleaseStore
from ..retrieval.encoder import find_bundle
from ..retrieval.engine_releases import engine_of
from ..rulebook import build as rulebook
from ..settings import Settings
from .releases import Status

ENCODER: Final = "mvp-site encoder build"


@dataclass(frozen=True, slots=True)
class ServerPart:
    """A part: its state, what it holds in words, and what mends it or why it is not ready."""

    name: str
    status: Status
    holds: str = ""
    remedy: str = ""
    problem: str = ""


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
        _part(rulebook.store_of(settings), bundle, _rules_held, _rules_fresh),
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
    except MissingIndexError:
        return ServerPart(name, "missing", remedy=store.command)
    except (MvpSiteError, LookupError, TypeError) as error:
        return ServerPart(name, "corrupt", remedy=f"{store.command} --force", problem=str(error))
    try:
        problem = "" if fresh(manifest) else "what it is built of has changed"
    except MvpSiteError as error:
        problem = str(error)
    if bundle and encoder != bundle:
        problem = "it was built with another encoder than the one exported last"
    return ServerPart(name, "stale", text, store.command, problem) if problem else ServerPart(
        name, "fresh", text
    )


def _rules_held(manifest: Mapping[str, Any]) -> str:
    return f"{manifest['source']}, {manifest['sections']:,} sections"


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
