"""What an assembler serves: a release with its encoder, replaced as one between two turns."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..archive.release import Release, load_release, shelf_of
from ..errors import MvpSiteError
from ..retrieval import release_store as disk
from ..retrieval.encoder import Encoder
from .budget import Costs

_log = logging.getLogger("mvp_site.assembly")
OpenEncoder = Callable[[Release], Encoder]


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """A release, the encoder it was built with, and the cost of its delimiters."""

    release: Release
    encoder: Encoder
    around: Costs


class Serving:
    """The release in service; a newer one is taken up between two turns.

    One that fails to load leaves the old in service, is logged, and is not tried again until
    another is published.
    """

    def __init__(self, index_dir: Path, version: str, open_encoder: OpenEncoder,
                 served: Served | None) -> None:
        self._index_dir = index_dir
        self._shelf = shelf_of(index_dir, version)
        self._version = version
        self._open_encoder = open_encoder
        self._served = served
        self._refused: str | None = None
        self._seen = (0, 0)
        self._pinned = False
        self._swapping = threading.Lock()

    @classmethod
    def open(cls, index_dir: Path, version: str, open_encoder: OpenEncoder) -> Serving:
        """Load the release that is served now.

        Raises:
            IndexLoadError: there is none, or it does not verify.
            EncoderError: its encoder is not there.
        """
        release = load_release(index_dir, version)
        served = Served(release, open_encoder(release), _costs(release))
        return cls(index_dir, version, open_encoder, served)

    @classmethod
    def none(cls, index_dir: Path, version: str, open_encoder: OpenEncoder) -> Serving:
        """Nothing in service until a build publishes another release than the one there now."""
        serving = cls(index_dir, version, open_encoder, None)
        with contextlib.suppress(MvpSiteError, OSError):
            serving._refused = disk.current(serving._shelf)
        return serving

    @classmethod
    def pinned(cls, index_dir: Path, version: str, open_encoder: OpenEncoder, fingerprint: str,
               ) -> Serving:
        """Load the kept release of this fingerprint, and serve it whatever is published.

        Raises:
            IndexLoadError: it is no longer kept, or it does not verify.
            EncoderError: its encoder is not there.
        """
        release = load_release(index_dir, version, fingerprint)
        served = Served(release, open_encoder(release), _costs(release))
        serving = cls(index_dir, version, open_encoder, served)
        serving._pinned = True
        return serving

    def peek(self) -> Served | None:
        """What is in service, without a look at the shelf."""
        return self._served

    def get(self) -> Served | None:
        """What is in service now. Never waits for a swap that another thread has under way."""
        served = self._served
        if self._pinned or (pointed := disk.pointed(self._shelf)) == self._seen:
            return served
        try:
            name = disk.current(self._shelf)
        except (MvpSiteError, OSError):
            return served
        if name is None or name == self._refused or (
            served is not None and name == served.release.fingerprint
        ):
            self._seen = pointed
            return served
        if self._swapping.acquire(blocking=served is None):
            try:
                self._swap(name)
            finally:
                self._swapping.release()
        return self._served

    def _swap(self, name: str) -> None:
        old = self._served
        if old is not None and old.release.fingerprint == disk.current(self._shelf):
            return
        try:
            release = load_release(self._index_dir, self._version)
            same = old is not None and old.release.manifest.encoder == release.manifest.encoder
            encoder = old.encoder if same and old is not None else self._open_encoder(release)
            self._served = Served(release, encoder, _costs(release))
            self._refused = None
        except (MvpSiteError, OSError) as error:
            self._refused = name
            _log.error("release %s was not taken up, the one before stays: %s", name, error)


def _costs(release: Release) -> Costs:
    return Costs(*release.manifest.delimiter_tokens)
