"""Vectors of shipped texts, made once for an encoder and kept for whatever is built with it.

Prompts, rulebooks and entities are built with thousands of shipped sentences. A build encodes
those that none before it has, and keeps them as one more part of ``<folder>/<fingerprint>/``. Parts
are checksummed and belong to no release: a damaged one is removed, and its texts encoded again.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..errors import BuildError, CorruptIndexError
from ..releases.bundles import building, name_of, read_bundle, write_bundle
from . import arrays
from .index import VectorCache

FOLDER: Final = "texts"
"""The folder beside the bundles, of all encoders."""
FILES: Final = ("texts.npy", "texts_keys.npy")
_PART: Final = "[0-9a-f]" * 16
_WAIT_SECONDS: Final = 5.0
_log = logging.getLogger("mvp_site.encoder")


def recall(folder: Path, encoder: str, cache: VectorCache) -> None:
    """Put what is kept of ``encoder`` into ``cache``."""
    for part in sorted((folder / encoder).glob(_PART)):
        try:
            bundle = read_bundle(part.parent, part.name, "its texts are encoded again")
            if bundle.manifest["encoder"] != encoder:
                raise ValueError(f"{part} is of another encoder than {encoder}")
            vectors, keys = (arrays.from_bytes(bundle.files[file]) for file in FILES)
            cache.add(keys, vectors)
        except (CorruptIndexError, KeyError, ValueError) as error:
            _log.warning("kept vectors cannot be used: %s", error)
            shutil.rmtree(part, ignore_errors=True)


def keep(folder: Path, encoder: str, cache: VectorCache, since: int = 0) -> None:
    """Keep what ``cache`` has encoded for the next build, where the folder can be written.

    Of what it has encoded the first ``since`` texts are kept already.
    """
    vectors, keys = cache.fresh(since)
    if not len(keys):
        return
    files = {FILES[0]: arrays.to_bytes(vectors), FILES[1]: arrays.to_bytes(keys)}
    place, manifest = folder / encoder, {"encoder": encoder}
    with suppress(BuildError), building(place, _WAIT_SECONDS):
        write_bundle(place, name_of(manifest, files), manifest, files)
