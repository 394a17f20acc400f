"""The connection to a Marqo, through its own client, with one kind of error for all that fails."""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from ...errors import BackendError
from .addresses import shown

BUILD: Final = "mvp-site entities build"
T = TypeVar("T")
_log = logging.getLogger("mvp_site.marqo")


class Marqo:
    """One client; thread-safe, as it keeps nothing between requests."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._failures = _failures()
        self.shown = shown(url)

    @classmethod
    def open(cls, url: str, timeout: float = 10.0) -> Marqo:
        """The client of ``url``; nothing is asked yet. ``timeout`` is in seconds a request.

        Raises:
            BackendError: the extra ``marqo`` is not installed, or ``url`` is none.
        """
        library = _library("marqo")
        logging.getLogger("marqo").setLevel(logging.CRITICAL)  # its failures are logged here
        try:
            parts = urlsplit(url)
            host = parts.netloc.rpartition("@")[2]
            plain = f"{parts.scheme}://{host}{parts.path}".rstrip("/")
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError("it starts with http:// or https:// and names a host")
        except ValueError as error:
            raise BackendError(f"{shown(url)!r} is no URL of a Marqo: {error}") from None
        # The client lowers the case of a URL, which a password would not survive.
        client = library.Client(
            plain, main_user=parts.username, main_password=parts.password
        )
        client.config.timeout = timeout
        return cls(client, url)

    def ask(self, what: str, request: Callable[[Any], T]) -> T:
        """What ``request`` gets from the client.

        Raises:
            BackendError: it was closed, Marqo is not reached, or it refuses ``what``.
        """
        client = self._client
        if client is None:
            raise BackendError(f"the connection to Marqo at {self.shown} was closed")
        try:
            return request(client)
        except self._failures as error:
            said = " ".join(str(getattr(error, "message", "") or error).split())[:300]
            _log.error("marqo at %s: %s failed: %s", self.shown, what, said)
            code = str(getattr(error, "code", ""))
            if code == "index_not_found":
                advice = f"open the index that is served now, or build it: {BUILD}"
            else:
                advice = f"check its health: GET {self.shown.rstrip('/')}/health"
            fails = "is not reached" if code in {
                "backend_communication_error", "backend_timeout_error"
            } else "fails"
            raise BackendError(
                f"Marqo at {self.shown} {fails} ({what}): {said}; {advice}"
            ) from None

    def close(self) -> None:
        """Ask nothing more."""
        self._client = None


def _library(module: str) -> Any:
    with warnings.catch_warnings():
        # It declares its models as pydantic did before version 2.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return importlib.import_module(module)
        except ImportError as error:
            raise BackendError(
                f"Marqo needs the package {error.name}: pip install 'mvp-site[marqo]'"
            ) from None


def _failures() -> tuple[type[Exception], ...]:
    """What its client raises; of a damaged answer it reads keys that are not there."""
    errors = _library("marqo.errors")
    requests = _library("requests")
    return (errors.MarqoWebError, errors.MarqoError, requests.RequestException,
            LookupError, TypeError, ValueError, OSError)
