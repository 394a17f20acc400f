"""The database's schema, brought up to date when a store is opened."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from ..errors import StoreError
from . import urls
from .database import Database
from .tables import metadata

HEAD: Final = "0001"
"""The newest migration; a test holds it to the files."""

VERSION_TABLE: Final = "campaign_store_version"

_DOING: Final = "opening the campaigns"
_LOCK: Final = int.from_bytes(b"mvpstore", "big")
_ALEMBIC: Final = threading.Lock()  # its context is one for the whole process


def bring_up_to_date(database: Database) -> None:
    """Run the migrations that the database lacks, one opener at a time.

    An opener that had to wait finds the work done. All migrations are one transaction: where one
    fails, the database is as it was.

    Raises:
        StoreError: the database is newer than this package, or cannot be used.
    """
    with database.read(_DOING) as connection:
        encoding = "UTF8"
        if connection.dialect.name == "postgresql":
            encoding = connection.scalar(text("SHOW server_encoding"))
        if encoding != "UTF8":
            raise StoreError(
                f"{urls.place(database.url)} has the encoding {encoding}, which cannot hold every "
                "text: make one with createdb --encoding=UTF8 --template=template0"
            )
        if revision(connection) == HEAD:
            return
    with database.write(_DOING) as connection:
        if connection.dialect.name == "postgresql":
            # SQLite's lock came with the transaction.
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        current = revision(connection)
        if current == HEAD:
            return
        if current is not None and current > HEAD:
            raise StoreError(
                f"{urls.place(database.url)} was written by a newer mvp-site: its schema is "
                f"{current}, and this one knows {HEAD} at most. Upgrade mvp-site, or set "
                f"{urls.VARIABLE} to another database"
            )
        migrate(connection)


def check_tables(database: Database) -> None:
    """See that all tables are there.

    Raises:
        StoreError: names those that are gone, or says why it cannot be known.
    """
    with database.read("looking at the campaigns") as connection:
        missing = metadata.tables.keys() - set(inspect(connection).get_table_names())
    if missing:
        raise StoreError(
            f"{urls.place(database.url)} has lost {', '.join(sorted(missing))}: restore it from a "
            "backup, then start again"
        )


def revision(connection: Connection) -> str | None:
    """The newest migration that the database has seen, or None."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version = connection.scalar(text(f"SELECT max(version_num) FROM {VERSION_TABLE}"))  # noqa: S608 (a constant)
    return None if version is None else str(version)


def migrate(connection: Connection, target: str = HEAD) -> None:
    """Bring the schema from where it is to ``target``, in the connection's transaction."""
    # Not at the top: they take longer than the rest of opening, and only a first opener needs them.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config(attributes={
        "connection": connection, "target_metadata": metadata, "version_table": VERSION_TABLE,
    })
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    try:
        with _ALEMBIC:
            command.upgrade(config, target)
    except CommandError as error:
        raise StoreError(
            f"the schema of the campaigns cannot be brought to {target} ({error}): restore the "
            "database from a backup, or install mvp-site again"
        ) from error
