"""The connection to an engine outside of this process, with one kind of error for all that fails.

Whatever goes wrong is logged and raised as an error that names the address, without what is secret
in it, and what to check.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final, Literal
from urllib.parse import urlsplit

from ...errors import BackendError, MvpSiteError

BUILD: Final = "mvp-site entities build"
Kind = Literal["gone", "not reached", "refused"]


class Connection(ABC):
    """One client of an engine; thread-safe. ``timeout`` is in seconds and holds for a request."""

    engine: ClassVar[str]

    def __init__(self, uri: str, timeout: float) -> None:
        self._client: Any = None
        self._uri = uri
        self.log = logging.getLogger(f"mvp_site.{self.engine.lower()}")
        self.shown = shown(uri)
        self.timeout = timeout

    @contextmanager
    def asked(self, what: str, *, or_close: bool = False) -> Iterator[Any]:
        """The client, whose failures inside become errors of this package.

        ``what`` is what is asked for, as in "to search". ``or_close`` closes after a failure.

        Raises:
            BackendError: it was closed, is not reached, has not what is asked for, or refuses.
        """
        if self._client is None:
            raise BackendError(f"the connection to {self.engine} at {self.shown} was closed")
        try:
            with self.told(what):
                yield self._client
        except MvpSiteError:
            if or_close:
                self.close()
            raise

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        """Within it a failure of the engine's is logged and raised with what to check."""
        failures = self.failures()
        try:
            yield
        except MvpSiteError:
            raise
        except failures as error:
            said = str(getattr(error, "message", "") or error).replace(self._uri, self.shown)
            said = " ".join(said.split())[:300]
            self.log.error(  # noqa: TRY400 (a traceback would show the address)
                "%s at %s: %s failed: %s", self.engine.lower(), self.shown, what, said
            )
            meant = {
                "gone": f"has not got it any more ({what}): {said}; open the one that is served "
                        f"now, or build it: {BUILD}",
                "not reached": f"is not reached ({what}): check {self.check}; it said: {said}",
                "refused": f"refuses {what}: {said}; check {self.check}",
            }[self.kind(error)]
            raise BackendError(f"{self.engine} at {self.shown} {meant}") from None

    def close(self) -> None:
        """Let go of the connection."""
        self._client = None

    @property
    @abstractmethod
    def check(self) -> str:
        """What to check where nothing answers."""

    @abstractmethod
    def failures(self) -> tuple[type[Exception], ...]:
        """What the client raises."""

    @abstractmethod
    def kind(self, error: Exception) -> Kind:
        """What a failure says of the engine."""


def library(module: str, extra: str) -> Any:
    """A module of an extra, imported when it is first needed.

    Raises:
        BackendError: the extra is not installed.
    """
    with warnings.catch_warnings():
        # Marqo's client declares its models as pydantic did before version 2.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return importlib.import_module(module)
        except ImportError as error:
            raise BackendError(
                f"{extra.title()} needs the package {error.name}: pip install 'mvp-site[{extra}]'"
            ) from None


def shown(uri: str) -> str:
    """``uri`` without user, password and query, for logs and errors."""
    if "://" not in uri:
        return uri
    try:
        parts = urlsplit(uri)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        return uri.partition("://")[0] + "://…"
