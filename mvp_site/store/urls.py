"""Database URLs: what MVP_SITE_DATABASE_URL may say, in messages that never show a password."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from ..errors import SettingsError
from ..settings import Settings

VARIABLE: Final = "MVP_SITE_DATABASE_URL"
FILE: Final = "campaigns.sqlite3"
_FORMS: Final = (
    "write sqlite:///folder/campaigns.sqlite3 or postgresql://user:password@host/name, with "
    "special characters of the password percent-encoded (@ is %40)"
)
_DRIVERS: Final = {
    "sqlite": "sqlite+pysqlite", "sqlite+pysqlite": "sqlite+pysqlite",
    "postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


def database_url(settings: Settings) -> URL:
    """Where the settings keep campaigns: the URL that is set, else a file in the data folder."""
    if settings.mvp_site_database_url is None:
        path = settings.mvp_site_data_dir / FILE
        return URL.create(_DRIVERS["sqlite"], database=str(path))
    return parse(settings.mvp_site_database_url)


def is_there(settings: Settings) -> bool:
    """Whether campaigns may be kept already: opening a store where no file is makes one."""
    url = database_url(settings)
    return not is_sqlite(url) or Path(url.database or "").exists()


def parse(text: str | URL) -> URL:
    """The URL with its driver named: ``postgresql://`` means psycopg 3.

    Raises:
        SettingsError: it is no URL, or of a database that the store does not speak.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the ValueError shows what stands where a port should
        raise SettingsError(f"{VARIABLE} is no database URL: {_FORMS}") from None
    driver = _DRIVERS.get(url.drivername)
    if driver is None:
        raise SettingsError(f"{VARIABLE} asks for {url.drivername!r}: {_FORMS}")
    url = url.set(drivername=driver)
    if is_sqlite(url):
        if url.host or url.username or url.port:
            raise SettingsError(
                f"{VARIABLE} has too few slashes: sqlite:///folder/campaigns.sqlite3 is a path "
                "from here, sqlite:////folder/campaigns.sqlite3 one from the root"
            )
        if url.query:
            raise SettingsError(
                f"{VARIABLE} has options after ?, and SQLite takes none: leave them out"
            )
        return url
    # A bare @ in the password moves the border between it and the host, and the rest of it would
    # stand in every message about that host.
    if "@" in f"{url.host}{url.database}":
        raise SettingsError(f"{VARIABLE} has an @ too many: {_FORMS}")
    if not url.database:
        raise SettingsError(f"{VARIABLE} names no database: {_FORMS}")
    return url


def is_sqlite(url: URL) -> bool:
    """Whether the database is a SQLite file, or in memory."""
    return url.get_backend_name() == "sqlite"


def is_in_memory(url: URL) -> bool:
    """Whether the database is one of SQLite that is gone when it is closed."""
    return is_sqlite(url) and url.database in {None, "", ":memory:"}


def place(url: URL) -> str:
    """What messages call the database; it holds neither user nor password."""
    if is_in_memory(url):
        return "the SQLite database in memory"
    if is_sqlite(url):
        return f"the SQLite file {url.database}"
    host = url.host or url.query.get("host") or "the local socket"
    if not isinstance(host, str):
        host = ", ".join(host)
    port = f":{url.port}" if url.port else ""
    return f"the PostgreSQL database {url.database!r} at {host}{port}"


def secrets(url: URL) -> tuple[str, ...]:
    """The passwords of the URL, to be struck out of what a driver says."""
    values = [str(url.password)] if url.password else []
    for key, value in url.query.items():
        if "password" in key.lower():
            values += [value] if isinstance(value, str) else value
    return tuple(secret for secret in values if secret)
