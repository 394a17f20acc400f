"""The connection to a Marqo, through its own client, and the documents that it keeps."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final, Self
from urllib.parse import urlsplit

from ...errors import BackendError
from .connection import Connection, Kind, library, shown

READ: Final = 256


class Marqo(Connection):
    """One client, which keeps nothing between requests."""

    engine = "Marqo"

    @classmethod
    def open(cls, url: str, timeout: float = 10.0) -> Self:
        """The client of ``url``; nothing is asked yet. ``timeout`` is in seconds a request.

        Raises:
            BackendError: the extra ``marqo`` is not installed, or ``url`` is none.
        """
        marqo = library("marqo", "marqo")
        logging.getLogger("marqo").setLevel(logging.CRITICAL)  # its failures are logged here
        try:
            parts = urlsplit(url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError("it starts with http:// or https:// and names a host")
        except ValueError as error:
            raise BackendError(f"{shown(url)!r} is no URL of a Marqo: {error}") from None
        made = cls(url, timeout)
        # The client lowers the case of a URL, which a password would not survive.
        made._client = marqo.Client(
            made.shown.rstrip("/"), main_user=parts.username, main_password=parts.password
        )
        made._client.config.timeout = timeout
        return made

    @property
    def check(self) -> str:
        """What to check where nothing answers."""
        return f"its health: GET {self.shown.rstrip('/')}/health"

    def failures(self) -> tuple[type[Exception], ...]:
        """What its client raises; of a damaged answer it reads keys that are not there."""
        errors, requests = library("marqo.errors", "marqo"), library("requests", "marqo")
        return (errors.MarqoWebError, errors.MarqoError, requests.RequestException,
                LookupError, TypeError, ValueError, OSError)

    def kind(self, error: Exception) -> Kind:
        """What a failure says of the engine, by its code."""
        code = str(getattr(error, "code", ""))
        if code == "index_not_found":
            return "gone"
        unreached = {"backend_communication_error", "backend_timeout_error"}
        return "not reached" if code in unreached else "refused"


def names(client: Any) -> list[str]:
    """All indexes of a Marqo."""
    return [str(one["indexName"]) for one in client.get_indexes()["results"]]


def read(client: Any, index: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The documents of these ids that there are, with their vectors."""
    found: list[dict[str, Any]] = []
    for start in range(0, len(ids), READ):
        said = client.index(index).get_documents(ids[start : start + READ], expose_facets=True)
        found += [
            {**one, "number": int(one["number"]), "window": int(one.get("window") or 0),
             "windows": int(one.get("windows") or 1)}
            for one in said["results"] if one["_found"]
        ]
    return found
