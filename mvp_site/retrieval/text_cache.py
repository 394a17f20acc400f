"""Vectors of the shipped texts (situations, probes), kept once for all versions.

They are the same for every version, so a build takes them from ``<index>/.texts/`` instead of
encoding thousands of sentences again. The cache is no part of any release: one that is damaged
or of another encoder is as good as none.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ..errors import BuildError, CorruptIndexError
from . import arrays, disk
from .encoder import Vectors
from .index import VectorCache

SHELF: Final = ".texts"
FILES: Final = ("texts.npy", "texts_keys.npy")
_WAIT_SECONDS: Final = 5.0


def recall(index_dir: Path, encoder: str, cache: VectorCache) -> None:
    """Put what the cache holds for ``encoder`` into ``cache``."""
    shelf = index_dir / SHELF
    try:
        name = disk.current(shelf)
        if name is None:
            return
        bundle = disk.load(shelf, name)
        if bundle.manifest["encoder"] == encoder:
            vectors, keys = (arrays.from_bytes(bundle.files[file]) for file in FILES)
            cache.add(keys, vectors)
    except (CorruptIndexError, KeyError, ValueError, OSError):
        return


def keep(index_dir: Path, encoder: str, vectors: Vectors, keys: npt.NDArray[np.uint8]) -> None:
    """Keep the vectors for the next build, unless another build is keeping its own."""
    shelf = index_dir / SHELF
    files = {FILES[0]: arrays.to_bytes(vectors), FILES[1]: arrays.to_bytes(keys)}
    name = hashlib.sha256(encoder.encode() + files[FILES[1]]).hexdigest()[:16]
    try:
        with disk.building(shelf, _WAIT_SECONDS):
            if not _kept(shelf, name):
                disk.publish(shelf, name, {"encoder": encoder}, files)
    except BuildError:
        return


def _kept(shelf: Path, name: str) -> bool:
    try:
        return disk.current(shelf) == name and disk.is_whole(shelf, name)
    except CorruptIndexError:
        return False
