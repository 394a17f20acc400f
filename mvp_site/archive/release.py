"""A release: a version's header, chunks, index and floors, loaded and moved as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from ..releases.bundles import Bundle, corrupt
from ..releases.store import ReleaseStore
from ..retrieval.index import HybridIndex
from ..retrieval.query_expansion import QueryExpansion
from ..text.languages import ENGLISH, language
from ..types import AUDIENCES
from .alternatives import Alternatives, alternatives
from .chunks import Chunk, Conditions, conditions, load_chunks
from .floors import Floors
from .header_files import FILES
from .own_modes import Declared, declared
from .tagging import SURE
from .turn_classifiers import TurnClassifiers
from .turn_ranking import TurnIndex, TurnWeights
from .versions import HEADER, store_of

META: Final = "meta.jsonl"
EXCLUSIVE_MODES: Final = ("", "dm", "god")
"""The modes that a chunk may be for alone; '' where it serves every one or a story."""


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
    weights: TurnWeights
    delimiter_tokens: tuple[int, int, int]
    """Tokens of the block's two lines, of a passage's closing line, of a cut mark."""
    floors_from: Literal["probes", "shipped"] = "probes"
    """Whether the floors were calibrated on this index, or it is too small for that."""
    languages: tuple[str, ...] = ENGLISH.codes
    """What the archive is written in, as :func:`mvp_site.text.languages.recognised` tells."""
    built: bool = False
    encoded: int = 0
    """How many texts this build encoded; ``built`` is False where there was nothing to do."""


@dataclass(frozen=True, slots=True, eq=False)
class ArchiveRelease:
    """A loaded release; nothing of it changes after loading.

    ``first_piece[c]`` is the first passage of chunk c, ``spans[c]`` the slice of all its passages,
    ``audience_rank[c]`` what a caller's rank must reach to see chunk c, ``only_for[c]`` which of
    :data:`EXCLUSIVE_MODES` it surely is for.
    """

    manifest: IndexManifest
    header: str
    beside: Mapping[str, bytes]
    declared: Declared
    chunks: tuple[Chunk, ...]
    turn_index: TurnIndex
    first_piece: npt.NDArray[np.int64]
    spans: tuple[slice, ...]
    audience_rank: npt.NDArray[np.int8]
    only_for: npt.NDArray[np.int8]
    alternatives: Alternatives
    conditions: Conditions


def only_for(chunk: Chunk) -> str:
    """The mode beside story that a chunk is surely for: ``dm`` or ``god``, else ''."""
    special = chunk.mode in EXCLUSIVE_MODES and chunk.mode_confidence >= SURE
    return chunk.mode or "" if special else ""


def load_release(index_dir: Path, version: str) -> ArchiveRelease:
    """The served release of ``version``, verified.

    Raises:
        MissingIndexError: there is none.
        CorruptIndexError: a file is missing, cut short or altered; the message names it.
    """
    store = store_of(index_dir, version)
    return read_release(store, version, store.load())


def read_release(store: ReleaseStore, version: str, bundle: Bundle) -> ArchiveRelease:
    """A release of ``version`` from its verified files.

    Raises:
        CorruptIndexError: it is of another version or format, or its files do not fit together.
    """
    if (built := bundle.manifest.get("version")) != version:
        raise corrupt(store.folder / bundle.name, f"is a release of version {built!r}", store.mend)
    return store.read(bundle, _release)


def _release(bundle: Bundle) -> ArchiveRelease:
    manifest = manifest_of(bundle.name, bundle.manifest)
    chunks = load_chunks(bundle.files[META])
    counts = [len(chunk.pieces) for chunk in chunks]
    ends = np.cumsum(counts, dtype=np.int64)
    if (len(chunks), sum(counts)) != (manifest.chunks, manifest.passages):
        raise ValueError("chunks or pieces are not as many as the manifest says")
    expansion = QueryExpansion.load(bundle.files)
    return ArchiveRelease(
        manifest=manifest,
        header=bundle.files[HEADER].decode("utf-8"),
        beside=(beside := {file: bundle.files[file] for file in FILES if file in bundle.files}),
        declared=declared(beside),
        chunks=chunks,
        turn_index=TurnIndex(
            HybridIndex.load(bundle.files, sum(counts)), expansion, manifest.weights,
            TurnClassifiers.load(bundle.files, expansion), language(manifest.languages),
        ),
        first_piece=ends - counts,
        spans=tuple(slice(int(e - n), int(e)) for e, n in zip(ends, counts, strict=True)),
        audience_rank=np.asarray([AUDIENCES.index(c.audience) for c in chunks], np.int8),
        only_for=np.asarray([EXCLUSIVE_MODES.index(only_for(c)) for c in chunks], np.int8),
        alternatives=alternatives(chunks),
        conditions=conditions(chunks),
    )


def read_manifest(index_dir: Path, version: str) -> IndexManifest | None:
    """The manifest of the release that is served, its files verified; None where there is none.

    Raises:
        CorruptIndexError: a file is missing, cut short or altered, or of another format.
    """
    store = store_of(index_dir, version)
    if store.current() is None:
        return None
    return store.read(store.load(), lambda bundle: manifest_of(bundle.name, bundle.manifest))


def manifest_of(name: str, values: Mapping[str, Any]) -> IndexManifest:
    """The manifest of the release ``name`` from its JSON."""
    return msgspec.convert({**values, "fingerprint": name}, IndexManifest)
