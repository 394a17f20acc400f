"""A release store: a folder of releases side by side, and a pointer to the one that is served.

::

    <folder>/CURRENT   the name of the served release, replaced atomically
    <folder>/<name>/   a release: a bundle that is named by its content

A release is placed whole before ``CURRENT`` names it. Whatever point a build dies at, ``CURRENT``
names a whole release or none.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from ..errors import BuildError, CorruptIndexError, MissingIndexError, MvpSiteError
from .bundles import MANIFEST, Bundle, corrupt, name_of, named_by_content, read_bundle, write_bundle
from .durable_write import replace_file

POINTER: Final = "CURRENT"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
_ATTEMPTS: Final = 5
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseManifest:
    """What a release of encoded texts says of itself; the file is ``manifest.json``."""

    fingerprint: str
    windows: int
    encoder: str
    model: str
    built: bool = False
    encoded: int = 0
    """How many texts this build encoded; ``built`` is False where there was nothing to do."""


@dataclass(frozen=True, slots=True)
class ReleaseStore:
    """Where the releases of one thing are kept.

    ``what`` is what errors call it ("the rulebook"), ``command`` builds it, ``setting`` names its
    folder. ``format`` is that of the releases that this program reads.
    """

    folder: Path
    what: str
    command: str
    format: int
    setting: str = "MVP_SITE_DATA_DIR"

    @property
    def mend(self) -> str:
        """What an error tells to do about a damaged release."""
        return f"build again: {self.command} --force"

    def missing(self) -> MissingIndexError:
        """The error that says how to build what nothing was built of."""
        return MissingIndexError(
            f"there is no release of {self.what} under {self.folder.absolute()}; build it: "
            f"{self.command} (or set {self.setting} to the folder that holds one)"
        )

    def current(self) -> str | None:
        """The name of the release that is served, or None where nothing was published.

        Raises:
            CorruptIndexError: the pointer is there and names no release.
        """
        path = self.folder / POINTER
        try:
            name = path.read_bytes()[:256].decode("ascii", "replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise corrupt(path, f"cannot be read ({error.strerror})", self.mend) from error
        if not _NAME.match(name):
            raise corrupt(path, "names no release: it was cut short or altered", self.mend)
        return name

    def pointed(self) -> tuple[int, int]:
        """What changes whenever a release is published; (0, 0) where none was.

        The pointer is replaced, never written again, so its file and its time tell. This costs
        less than reading it, and it is asked before every turn.
        """
        try:
            status = os.stat(f"{self.folder}/{POINTER}")  # noqa: PTH116 - asked before every turn
        except OSError:
            return 0, 0
        return status.st_ino, status.st_mtime_ns

    def names(self) -> list[str]:
        """The names of the releases that are kept, the one served last first."""
        served: list[tuple[float, str]] = []
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if _NAME.match(path.name):
                with suppress(OSError):
                    served.append((-(path / MANIFEST).stat().st_mtime, path.name))
        return [name for _, name in sorted(served)]

    def load(self, name: str | None = None) -> Bundle:
        """The release ``name``, by default the one that is served, verified.

        Raises:
            MissingIndexError: nothing was published, or the release is no longer kept.
            CorruptIndexError: a file is missing, cut short or altered, or the content is not that
                of the name.
        """
        if name is not None:
            if name not in self.names():
                raise MissingIndexError(
                    f"release {name} of {self.what} is no longer kept under {self.folder}"
                )
            return self._load(name)
        for attempt in range(_ATTEMPTS):
            if (served := self.current()) is None:
                raise self.missing()
            try:
                return self._load(served)
            except CorruptIndexError:
                # Two republishes while this load was under way remove the release it was reading.
                if self.current() == served or attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    def _load(self, name: str) -> Bundle:
        bundle = read_bundle(self.folder, name, self.mend)
        if (actual := named_by_content(bundle)) != name:
            raise corrupt(self.folder / name, f"holds the release {actual}, not its own", self.mend)
        return bundle

    def read(self, bundle: Bundle, read: Callable[[Bundle], T]) -> T:
        """What ``read`` makes of a verified release.

        Raises:
            CorruptIndexError: the release is of another format, or its files do not fit together.
        """
        release = f"release {bundle.name} of {self.what}"
        if (actual := bundle.manifest.get("format")) != self.format:
            raise CorruptIndexError(
                f"{release} has format {actual!r}, this program reads {self.format}; {self.mend}"
            )
        try:
            return read(bundle)
        except MvpSiteError:
            raise
        except (KeyError, ValueError, TypeError, RuntimeError, EOFError, IndexError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise CorruptIndexError(
                f"{release}: its files do not fit together ({reason}); {self.mend}"
            ) from error

    def loadable(self) -> Iterator[Bundle]:
        """Every kept release that verifies, the one served last first, each read when it is due."""
        for name in self.names():
            with suppress(CorruptIndexError):
                yield self._load(name)

    def publish(self, manifest: Mapping[str, Any], files: Mapping[str, bytes], kept: int = 2,
                ) -> str:
        """Write a release, serve it, and return its name. Call under :func:`.bundles.building`.

        The ``kept`` releases stay that were served last, the one before in any case: a reader may
        be about to open it.

        Raises:
            BuildError: it cannot be written; what was served before still is.
        """
        name = name_of(manifest, files)
        write_bundle(self.folder, name, manifest, files)
        try:
            before = self.current()
        except CorruptIndexError:
            before = None
        path = self.folder / POINTER
        try:
            os.utime(self.folder / name / MANIFEST)  # when it was served last
            if path.is_dir():
                shutil.rmtree(path)
            # Also where the name is the same: who refused a damaged copy looks again.
            replace_file(path, f"{name}\n".encode())
        except OSError as error:
            raise BuildError(f"{path} cannot be written: {error}") from error
        lately = sorted(self.names(), key=lambda other: (other != name, other != before))
        self._prune({name, *([before] if before else []), *lately[:kept]})
        return name

    def _prune(self, keep: Collection[str]) -> None:
        for path in sorted(self.folder.iterdir()):
            if path.is_dir() and not path.name.startswith(".") and path.name not in keep:
                shutil.rmtree(path, ignore_errors=True)
