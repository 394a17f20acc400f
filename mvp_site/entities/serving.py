"""What is served: the release that was built last, taken up by whoever asks next.

The shelf's pointer is looked at before every search, which costs a system call. One caller loads
what is new; the others are answered from what was served before until it is there. What does not
load is logged and tried again after :data:`RETRY_SECONDS`.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from pathlib import Path
from typing import Final, Protocol

from ..errors import CorruptIndexError, MissingIndexError
from ..retrieval import release_store as disk
from ..retrieval.backends.protocol import Backend
from ..retrieval.encoder import Encoder
from ..retrieval.incremental_build import encoder_of
from ..settings import Settings
from .build import shelf_of
from .engines import opened
from .release import MEND, assemble, read_manifest
from .search import Searcher

RETRY_SECONDS: Final = 30.0
_log = logging.getLogger(__name__)


class Source(Protocol):
    """Where a searcher comes from."""

    def now(self) -> Searcher:
        """The searcher of what is served now."""
        ...

    def close(self) -> None:
        """Let go of its engine."""
        ...


class Fixed:
    """One searcher for good."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    def now(self) -> Searcher:
        """The searcher."""
        return self._searcher

    def close(self) -> None:
        """Let go of its engine."""
        self._searcher.release.backend.close()


class Served:
    """The searcher of the release that a shelf serves. Thread-safe."""

    def __init__(self, settings: Settings, encoder: Encoder | None) -> None:
        self._settings, self._encoder = settings, encoder
        self._shelf = shelf_of(settings)
        self._seen, self._again = disk.pointed(self._shelf), math.inf  # a build may be quick
        self._lock = threading.Lock()
        self._retired: Backend | None = None
        self._closed = False
        name = current(self._shelf)
        if name is None:
            raise MissingIndexError(
                f"there are no entities under {self._shelf.absolute()}; build them: mvp-site "
                "entities build (or set MVP_SITE_DATA_DIR to the folder that holds some)"
            )
        self._searcher = load(settings, self._shelf, name, encoder)

    def now(self) -> Searcher:
        """The searcher of what is served now."""
        pointed = disk.pointed(self._shelf)
        if pointed == self._seen and time.monotonic() < self._again:
            return self._searcher
        if not self._lock.acquire(blocking=False):
            return self._searcher  # somebody is loading it
        try:
            if not self._closed:
                self._seen, self._again = pointed, math.inf
                self._renew()
        finally:
            self._lock.release()
        return self._searcher

    def close(self) -> None:
        """Let go of the engine; what is built from now on is not taken up any more."""
        with self._lock:
            self._closed = True
            for backend in (self._retired, self._searcher.release.backend):
                if backend is not None:
                    backend.close()
            self._retired = None

    def _renew(self) -> None:
        name: str | None = None
        try:
            name = current(self._shelf)
            if name in {None, self._searcher.release.manifest.fingerprint}:
                return
            renewed = load(self._settings, self._shelf, str(name), self._encoder)
        except Exception as error:  # noqa: BLE001 - whatever it is, what was served stays
            # What is mended may have the same name again, and an engine may come back.
            self._again = time.monotonic() + RETRY_SECONDS
            _log.warning("entities %s do not load, those before are served: %s", name or "", error)
            return
        # Somebody may be searching what was served until now: that is closed the next time.
        if self._retired is not None:
            self._retired.close()
        self._retired, self._searcher = self._searcher.release.backend, renewed


def current(shelf: Path) -> str | None:
    """The name of the release that is served, or None.

    Raises:
        CorruptIndexError: the shelf's pointer names none.
    """
    try:
        return disk.current(shelf)
    except CorruptIndexError as error:
        # The pointer is of every shelf; the command that mends it is this one's.
        raise CorruptIndexError(str(error).replace(disk.MEND_INDEX, MEND)) from error


def load(settings: Settings, shelf: Path, name: str, encoder: Encoder | None) -> Searcher:
    """A release of the shelf, verified.

    Raises:
        CorruptIndexError, MissingIndexError: the message has the command that mends it.
        EncoderError: its encoder is not on this machine, or not the one that is given.
        BackendError: its engine is not reached.
    """
    bundle = disk.load(shelf, name, MEND)
    manifest = read_manifest(name, bundle.manifest)
    own = encoder_of(settings, manifest.encoder, manifest.model, encoder,
                     f"the entities {manifest.fingerprint}", "mvp-site entities build")
    lanes = opened(settings, manifest.engine, manifest.generation, bundle.files)
    try:
        return Searcher(assemble(manifest, bundle.files, lanes), own, settings.prompt_cache_size)
    except BaseException:
        if lanes is not None:
            lanes.close()
        raise
