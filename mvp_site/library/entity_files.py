"""Extracted entities in a folder of users' own: read by the index, edited by the user.

An entity is a YAML file ``<folder>/<type>/<source>--<slug>.yaml`` in the form of
:mod:`..content.own_files`, with a key ``extracted`` that says where it is from and has a digest of
what was written. A file that says something else by now was edited, and is left alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..content.own_files import EXTRACTED as KEY
from ..content.own_files import FOR_PLAYERS, WITHHELD, checked, is_withheld
from ..content.slugs import MAX_SLUG, slug_of
from ..content.types import EntityType
from ..errors import LibraryError
from ..releases.durable_write import replace_file, sync_folder
from ..text.yaml_values import YamlError, read_yaml, write_yaml
from .extraction import Extracted

State: TypeAlias = Literal["new", "updated", "unchanged", "edited"]


@dataclass(frozen=True, slots=True)
class ExtractedFile:
    """A file, and what became of it; ``edited`` is one that was left as the user has it."""

    path: Path
    state: State


def keep(folder: Path, source_id: str, extracted: Extracted, *, replace: bool = False,
         for_players: bool = False) -> ExtractedFile:
    """Write ``extracted`` into ``folder``, for the entry of that title and page of the source.

    Its slug is its name with the source's id, so that it never stands in the place of another
    book's entity, and a number where that is taken. With ``replace`` a file that was edited is
    overwritten.

    Raises:
        LibraryError: the source's id has no letter or digit, the entity is too large, or the
            folder cannot be written.
    """
    if not slug_of(source_id):
        raise LibraryError(f"the source id {source_id[:60]!r} has no letter or digit: name the "
                           "source by another")
    origin = {"source": source_id, "entry": extracted.title, "page": extracted.page,
              "confidence": extracted.confidence,
              **({FOR_PLAYERS: True} if for_players else {})}
    with _writing(folder, "give it another folder, or the right"):
        for feature in extracted.features:
            _keep(folder, EntityType.FEATURES,
                  {**origin, "entry": f"{extracted.title}: {feature['name']}"}, feature, replace)
        return _keep(folder, extracted.type, origin, extracted.document, replace)


@contextmanager
def _writing(folder: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LibraryError(f"{folder} cannot be written: {error.strerror}; {remedy} to write "
                           "there") from None


def kept(folder: Path) -> set[tuple[str, str]]:
    """Source and entry, by id and title, of what ``folder`` has; files of others left out."""
    origins = [_origin(_read(path)) for path in _files(folder)]
    return {(str(origin["source"]), str(origin["entry"])) for origin in origins if origin}


def withhold(folder: Path, closed: frozenset[str]) -> tuple[str, ...]:
    """Keep from players what ``folder`` has of the books ``closed``; the files, below ``folder``.

    Raises:
        LibraryError: the folder cannot be written.
    """
    if not folder.is_dir():
        return ()
    with _writing(folder, "give it the right"):
        replace_file(folder / WITHHELD, "\n".join(sorted(closed)).encode(), 0o600)
    return tuple(path.relative_to(folder).as_posix() for path in _files(folder)
                 if is_withheld(_read(path), closed))


def _files(folder: Path) -> list[Path]:
    return [path for type_ in EntityType for path in sorted((folder / type_).glob("*.yaml"))]


def _keep(folder: Path, type_: EntityType, origin: dict[str, Any], document: Mapping[str, Any],
          replace: bool) -> ExtractedFile:
    path = _place(folder / type_, origin, document)
    if wrong := checked(type_, {KEY: origin, **document}, folder)[1]:
        raise LibraryError(f"{origin['entry'][:80]!r} is no entity that can be kept: {wrong[0]}; "
                           "extract an entry below it")
    # As it is read again, so that the same document has the same digest.
    (document,) = read_yaml(write_yaml({**document, "slug": path.stem}))
    before = _read(path)
    state: State = "new" if before is None else "updated"
    if before is not None and not replace:
        digest_before = _origin(before).get("digest")
        if digest_before != _digest(before):
            return ExtractedFile(path, "edited")
        if before == {KEY: {**origin, "digest": digest_before}, **document}:
            return ExtractedFile(path, "unchanged")
    for place in (folder, path.parent):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The key comes first: the head of a file says nothing that a book wrote.
    content = {KEY: {**origin, "digest": _digest(document)}, **document}
    replace_file(path, write_yaml(content).encode(), 0o600)
    if state == "new":
        sync_folder(folder)
    return ExtractedFile(path, state)


def _place(folder: Path, origin: Mapping[str, Any], document: Mapping[str, Any]) -> Path:
    """The file of an entry, named by its slug: the one it has, or a free one."""
    source = slug_of(str(origin["source"]))
    name = str(document.get("slug") or slug_of(str(origin["entry"])) or "entry")

    def numbered(number: int) -> Path:
        ending = f"-{source}" + (f"-{number}" if number > 1 else "")
        short = name[: MAX_SLUG - min(len(ending), MAX_SLUG // 2)].strip("-")
        return folder / f"{f'{short}{ending}'[:MAX_SLUG]}.yaml"

    return next(
        path for path in map(numbered, count(1)) if not path.exists()
        or all(_origin(_read(path)).get(key) == origin[key] for key in ("source", "entry", "page"))
    )


def _read(path: Path) -> dict[str, Any] | None:
    """The document of a file: None where there is no file, empty where it holds no one document."""
    try:
        values = read_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (YamlError, UnicodeDecodeError):
        return {}
    return values[0] if len(values) == 1 and isinstance(values[0], dict) else {}


def _origin(document: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Where a file was extracted from; empty where it does not say so whole."""
    origin = document.get(KEY) if document else None
    if not isinstance(origin, Mapping) or not {"source", "entry", "page"} <= origin.keys():
        return {}
    return origin if isinstance(origin.get("confidence"), int | float) else {}


def _digest(document: Mapping[str, Any]) -> str:
    own = {key: value for key, value in document.items() if key != KEY}
    written = json.dumps(own, ensure_ascii=False, sort_keys=True, default=str)
    return f"sha256:{hashlib.sha256(written.encode()).hexdigest()[:16]}"
