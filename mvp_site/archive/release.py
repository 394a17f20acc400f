"""A release: a version's header, chunks, index, hints and floors, loaded and moved as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import CorruptIndexError, MissingIndexError
from ..retrieval import release_store as disk
from ..retrieval.domain_classifier import DomainClassifier
from ..retrieval.fusion import Fusion
from ..retrieval.index import HybridIndex
from ..retrieval.intent_model import IntentModel
from ..types import AUDIENCES
from .chunks import Chunk, load_chunks
from .evidence import Sources
from .floors import Floors

FORMAT: Final = 1
META: Final = "meta.jsonl"
HEADER: Final = "core_header.txt"
_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """What a release is: design 1, storage and refresh; the file is ``manifest.json``."""

    version: str
    fingerprint: str
    encoder: str
    model: str
    archive_hash: str
    header_sha256: str
    header_tokens: int
    archive_tokens: int
    chunks: int
    passages: int
    floors: Floors
    fusion: Fusion
    chunking: Mapping[str, Any]
    delimiter_tokens: tuple[int, int, int]
    """Tokens of the block's two lines, of a passage's closing line, of a cut mark."""
    built: bool = False
    encoded: int = 0
    """How many texts this build encoded; ``built`` is False where there was nothing to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A loaded release; nothing of it changes after loading.

    ``first_piece[c]`` is the first passage of chunk c, ``spans[c]`` the slice of all its passages,
    ``audience_rank[c]`` what a caller's rank must reach to see chunk c.
    """

    manifest: IndexManifest
    header: str
    chunks: tuple[Chunk, ...]
    sources: Sources
    first_piece: npt.NDArray[np.int64]
    spans: tuple[slice, ...]
    audience_rank: npt.NDArray[np.int8]

    @property
    def fingerprint(self) -> str:
        """The name of the release, from its content."""
        return self.manifest.fingerprint

    @property
    def version(self) -> str:
        """The version it was built from."""
        return self.manifest.version


def shelf_of(index_dir: Path, version: str) -> Path:
    """The folder that holds a version's releases."""
    return index_dir / version


def load_release(index_dir: Path, version: str, fingerprint: str | None = None) -> Release:
    """The served release of ``version``, or the kept one of that ``fingerprint``, verified.

    Raises:
        MissingIndexError: there is none, or it is no longer kept.
        CorruptIndexError: a file is missing, cut short or altered; the message names it.
    """
    shelf = shelf_of(index_dir, version)
    if fingerprint is not None:
        if fingerprint not in disk.releases(shelf):
            raise MissingIndexError(
                f"release {fingerprint} of version {version!r} is no longer kept under "
                f"{index_dir}; PROMPT_RELEASES_KEPT says how many are"
            )
        return assemble_release(disk.load(shelf, fingerprint))
    for attempt in range(_ATTEMPTS):
        name = disk.current(shelf)
        if name is None:
            raise MissingIndexError(
                f"there is no index of version {version!r} under {index_dir}; "
                f"build it: mvp-site index build --version {version}"
            )
        try:
            return assemble_release(disk.load(shelf, name))
        except CorruptIndexError:
            # Two republishes while this load was under way remove the release it was reading.
            if disk.current(shelf) == name or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def assemble_release(bundle: disk.Bundle) -> Release:
    """A release from its verified files.

    Raises:
        CorruptIndexError: the files do not fit together, or are of another format.
    """
    manifest = read_manifest(bundle.name, bundle.manifest)
    try:
        chunks = load_chunks(bundle.files[META])
        counts = [len(chunk.pieces) for chunk in chunks]
        ends = np.cumsum(counts, dtype=np.int64)
        if (len(chunks), sum(counts)) != (manifest.chunks, manifest.passages):
            raise ValueError("chunks or pieces are not as many as the manifest says")
        return Release(
            manifest=manifest,
            header=bundle.files[HEADER].decode("utf-8"),
            chunks=chunks,
            sources=Sources(
                HybridIndex.load(bundle.files, sum(counts)), IntentModel.load(bundle.files),
                DomainClassifier.load(bundle.files), manifest.fusion,
            ),
            first_piece=ends - counts,
            spans=tuple(slice(int(e - n), int(e)) for e, n in zip(ends, counts, strict=True)),
            audience_rank=np.asarray([AUDIENCES.index(c.audience) for c in chunks], np.int8),
        )
    except (KeyError, ValueError, TypeError, RuntimeError, EOFError, IndexError) as error:
        raise CorruptIndexError(
            f"release {bundle.name}: its files do not fit together ({error}); "
            "build again: mvp-site index build --force"
        ) from error


def read_manifest(name: str, values: Mapping[str, Any]) -> IndexManifest:
    """The manifest of the release ``name`` from its JSON."""
    if values.get("format") != FORMAT:
        raise CorruptIndexError(
            f"release {name} has format {values.get('format')!r}, this program reads {FORMAT}; "
            "build again: mvp-site index build"
        )
    try:
        return IndexManifest(
            version=values["version"], fingerprint=name, encoder=values["encoder"],
            model=values["model"], archive_hash=values["archive_hash"],
            header_sha256=values["header_sha256"], header_tokens=values["header_tokens"],
            archive_tokens=values["archive_tokens"], chunks=values["chunks"],
            passages=values["passages"], floors=Floors(**values["floors"]),
            fusion=Fusion(**values["fusion"]), chunking=values["chunking"],
            delimiter_tokens=tuple(values["delimiter_tokens"]),
        )
    except (KeyError, TypeError) as error:
        raise CorruptIndexError(
            f"release {name}: the manifest lacks or misnames {error}; "
            "build again: mvp-site index build --force"
        ) from error
