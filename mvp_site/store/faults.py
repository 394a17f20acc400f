"""Store errors from engine errors: what happened, where, and what mends it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ..errors import StoreError
from . import urls

_AGAIN: Final = "Nothing was written; try again"
_MAX_TEXT: Final = 300

# By the beginning of SQLite's name for the error, the first that fits.
_SQLITE: Final = {
    "SQLITE_BUSY": f"Another writer holds it. {_AGAIN} when that one has ended",
    "SQLITE_LOCKED": f"Another writer holds it. {_AGAIN} when that one has ended",
    "SQLITE_FULL": "The disk is full: make room, then try again. Nothing was written",
    "SQLITE_CANTOPEN": f"See that its folder is there and may be written, or set {urls.VARIABLE}",
    "SQLITE_READONLY": f"See that the file and its folder may be written, or set {urls.VARIABLE}",
    "SQLITE_PERM": f"See that the file and its folder may be written, or set {urls.VARIABLE}",
    "SQLITE_NOTADB": f"It is no SQLite database: set {urls.VARIABLE} to another file",
    "SQLITE_CORRUPT": "The file is damaged: restore it from a backup, or import an export",
    "SQLITE_IOERR": "The disk fails or is full: look at the system's log, then try again",
    "SQLITE_TOOBIG": "A text is larger than SQLite takes (1 GB). Nothing was written",
}
# By the beginning of the SQLSTATE, the first that fits.
_TIMEOUT: Final = "MVP_SITE_DATABASE_TIMEOUT"
_POSTGRES: Final = {
    "08": f"A pooler before it has no server to give. {_AGAIN} in a few seconds",
    "25P03": f"Its server ended a transaction that waited too long. {_AGAIN}, or raise {_TIMEOUT}",
    "25006": "It takes no writes: it is a replica, or set to read only. After a failover try "
             f"again; else set {urls.VARIABLE} to the primary",
    "26000": "A pooler gave the connection to another client: let it pool transactions or "
             f"sessions, not statements. {_AGAIN}",
    "28": f"The login is refused: see user and password in {urls.VARIABLE}",
    "3D000": f"Make it with createdb, or set {urls.VARIABLE} to one that is there",
    "42P01": "Tables of it are gone: restore it from a backup, then start again",
    "42501": "Its user may not do this: GRANT what is missing, or let its owner migrate it",
    "40": f"It was busy with the same rows. {_AGAIN}",
    "55P03": f"Another writer holds the campaign. {_AGAIN} when that one has ended",
    "57014": f"It took longer than it may, or was stopped from outside. {_AGAIN}, or raise "
             f"{_TIMEOUT}",
    "57P": f"The server is starting, stopping or failing over. {_AGAIN} in a few seconds",
    "53100": "Its disk is full: make room, then try again. Nothing was written",
    "53": "It is out of connections or memory: raise max_connections, put a pooler before it, or "
          "try again later",
    "54": "A text is larger than PostgreSQL takes (1 GB). Nothing was written",
}
_NOT_LOST: Final = frozenset({"25P0", "2500"})
"""Refusals that end a connection and its transaction for certain."""
_LOST: Final = (
    "The connection broke. Whether the last write took place, the campaign's version tells: load "
    "it before anything is tried again, or send a turn again with its idempotency key"
)
_UNREACHED: Final = f"See that the server runs, and host, port and login in {urls.VARIABLE}"
_UNKNOWN: Final = f"{_AGAIN}; if it happens again, look at the database's own log"


def store_error(error: SQLAlchemyError, url: URL, doing: str, *, writing: bool = True,
                ) -> StoreError:
    """A :class:`StoreError` that tells of ``error``, met while ``doing`` something at ``url``.

    ``writing`` says whether the transaction may have been committed all the same.
    """
    if isinstance(error, PoolTimeoutError):
        text, remedy = "every connection is in use", f"{_AGAIN}, or take fewer turns at once"
    elif isinstance(error, DBAPIError):
        text, remedy = _first_line(str(error.orig)), _remedy(error, writing=writing)
    else:
        text, remedy = _first_line(str(error)), _UNKNOWN
    for secret in urls.secrets(url):
        text = text.replace(secret, "***")
    return StoreError(f"{doing}: {urls.place(url)} failed: {text}. {remedy}")


def _remedy(error: DBAPIError, *, writing: bool) -> str:
    cause = error.orig
    named = getattr(cause, "sqlite_errorname", None)
    if isinstance(named, str):
        if "no such table" in str(cause):
            return _POSTGRES["42P01"]
        return _by_beginning(_SQLITE, named) or _UNKNOWN
    state = getattr(cause, "sqlstate", None)
    lost = error.connection_invalidated and str(state)[:4] not in _NOT_LOST
    if lost and writing:
        return _LOST
    if isinstance(state, str) and (remedy := _by_beginning(_POSTGRES, state)):
        return remedy
    if lost:
        return f"The connection broke. {_AGAIN}"
    # A connection that was never made has no SQLSTATE, and its error belongs to no statement.
    return _UNREACHED if state is None and error.statement is None else _UNKNOWN


def _by_beginning(remedies: dict[str, str], code: str) -> str | None:
    return next((text for start, text in remedies.items() if code.startswith(start)), None)


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].strip().rstrip(".")
    return line if len(line) <= _MAX_TEXT else f"{line[:_MAX_TEXT]}…"
