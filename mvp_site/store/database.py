"""A database: one engine, its transactions, and what each engine needs said to it."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection as SQLiteConnection
from sqlite3 import OperationalError as SQLiteOperationalError
from typing import Final

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from ..errors import SettingsError, StoreError
from . import faults, postgres, urls
from .soundness import SoundFile

WAIT_SECONDS: Final = 15.0
"""How long a statement, a writer's wait for another and a thread's for a connection may take."""

_POOL: Final = {"pool_size": 8, "max_overflow": 8}
# Of a database in memory there is one connection: another would open another database.
_SINGLE: Final = {"pool_size": 1, "max_overflow": 0}
_WRITE: Final = "mvp_site_write"
_SNAPSHOT: Final = "mvp_site_snapshot"

_open: Final[weakref.WeakSet[Database]] = weakref.WeakSet()
_opening: Final = threading.Lock()


class Database:
    """A SQLite or PostgreSQL database. Safe to use from several threads at once.

    It opens a connection when it is first read. Every error of the engine comes out as a
    :class:`~mvp_site.errors.StoreError` that says what mends it.
    """

    def __init__(self, url: URL, engine: Engine) -> None:
        self.url: Final = url
        self._engine = engine
        self._file = (
            SoundFile(url) if urls.is_sqlite(url) and not urls.is_in_memory(url) else None
        )
        self._closed = False
        self._shared = threading.local()
        with _opening:
            _open.add(self)

    @classmethod
    def at(cls, url: URL, timeout: float | None = None) -> Database:
        """The database at ``url``, a URL of :func:`mvp_site.store.urls.parse`.

        ``timeout`` is in seconds, as :data:`WAIT_SECONDS`, which it is by default.

        Raises:
            SettingsError: PostgreSQL's driver is not installed, or an option cannot be used.
            StoreError: the folder of a SQLite file cannot be made.
        """
        if urls.is_sqlite(url):
            _make_private(url)
        pool = _SINGLE if urls.is_in_memory(url) else _POOL
        timeout = timeout or WAIT_SECONDS
        try:
            engine = create_engine(
                url, poolclass=QueuePool, pool_timeout=timeout, hide_parameters=True, **pool,
                connect_args={"timeout": timeout, "check_same_thread": False}
                if urls.is_sqlite(url) else postgres.connect_args(url, timeout),
            )
        except ImportError:
            raise SettingsError(
                f"{urls.VARIABLE} asks for PostgreSQL, whose driver is not installed: "
                "pip install 'PATH[postgres]' (PATH: a checkout of mvp-site)"
            ) from None
        except SettingsError:
            raise
        except (SQLAlchemyError, ValueError, TypeError):  # its text may show the URL
            raise SettingsError(
                f"{urls.VARIABLE} has an option after ? that cannot be used: leave it out"
            ) from None
        if urls.is_sqlite(url):
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        else:
            postgres.set_up(engine, timeout)
            event.listen(engine, "begin", _begin_postgres)
        return cls(url, engine)

    def read(self, doing: str, *, snapshot: bool = False) -> AbstractContextManager[Connection]:
        """A connection in a transaction that reads; ``doing`` begins the message of an error.

        With ``snapshot`` all its statements see the database at one moment. In a block of
        :meth:`shared` it is that block's.
        """
        connection = getattr(self._shared, "connection", None)
        if connection is not None:
            return self._joined(doing, connection)
        return self._begun(doing, **{_SNAPSHOT: snapshot})

    @contextmanager
    def shared(self, doing: str) -> Iterator[None]:
        """What this thread reads in the block comes over one connection, as of one moment."""
        with self.read(doing, snapshot=True) as connection:
            self._shared.connection = connection
            try:
                yield
            finally:
                self._shared.connection = None

    @contextmanager
    def write(self, doing: str, *, patience: float | None = None) -> Iterator[Connection]:
        """A connection in a transaction that is committed at the end, and undone by an error.

        It may do nothing for ``patience`` seconds, where something else is waited for.
        """
        with self._begun(doing, **{_WRITE: True}) as connection:
            if patience is not None and connection.dialect.name == "postgresql":
                postgres.be_patient(connection, patience)
            yield connection

    @contextmanager
    def _joined(self, doing: str, connection: Connection) -> Iterator[Connection]:
        with self._store_errors(doing):
            yield connection

    @contextmanager
    def _begun(self, doing: str, **options: bool) -> Iterator[Connection]:
        engine = self._open_engine()
        with self._store_errors(doing, writing=_WRITE in options):
            if self._file is not None:  # a connection that is kept would write to a deleted file
                self._file.stand()
            with engine.execution_options(**options).begin() as connection:
                yield connection

    def check(self) -> None:
        """See that SQLite's file is sound and that more can be written; other engines say so.

        Raises:
            StoreError: it is not, or nothing can.
        """
        if self._file is not None:
            with self._store_errors("looking at the campaigns"):
                self._file.check()

    def wipe(self) -> None:
        """Let go of what was deleted: SQLite's log of it is emptied when nobody reads it."""
        if urls.is_sqlite(self.url):
            with (self._store_errors("emptying the log"),
                  closing(self._open_engine().raw_connection()) as connection):
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the connections. The database is not used afterwards."""
        self._closed = True
        self._engine.dispose()

    def let_go(self) -> None:
        """Close the connections that nobody uses; new ones are made when they are needed."""
        if not urls.is_in_memory(self.url):
            self._engine.dispose()

    def _open_engine(self) -> Engine:
        if self._closed:
            raise StoreError(f"{urls.place(self.url)} was closed: open the store again")
        return self._engine

    @contextmanager
    def _store_errors(self, doing: str, *, writing: bool = False) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise faults.store_error(error, self.url, doing, writing=writing) from error


def _before_fork() -> None:
    """A child must not use its parent's connections, and SQLite would share their locks with it."""
    with _opening:
        databases = list(_open)
    for database in databases:
        database.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)


def _make_private(url: URL) -> None:
    """Make the file for its owner alone, with its folder; SQLite gives its log the same mode.

    What is there already stays as it is.
    """
    if urls.is_in_memory(url):
        return
    file = Path(str(url.database))
    folder = file.parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder {folder} for campaigns cannot be made ({error.strerror}): "
            f"set MVP_SITE_DATA_DIR or {urls.VARIABLE} to a place that can be written"
        ) from None
    # One at a time: to close a file gives up every lock that the process holds on it.
    with _opening, suppress(OSError):  # SQLite says better why a file cannot be made
        os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))


def _set_up_sqlite(connection: SQLiteConnection, _: object) -> None:
    """Settings of a new connection. Deleted text is overwritten; a commit outlives a power cut."""
    connection.isolation_level = None  # transactions begin below, not where sqlite3 thinks fit
    with ExitStack() as failed:
        failed.callback(connection.close)  # one that reaches no pool nobody else would close
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.execute("PRAGMA synchronous = FULL")
        # Readers then do not wait for a writer. Where another connection has the file open, or the
        # file system cannot have the log, the old journal serves, and the next connection asks.
        with suppress(SQLiteOperationalError):
            cursor.execute("PRAGMA journal_mode = WAL").fetchone()
        cursor.close()
        failed.pop_all()


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the lock at once: one that begins as a reader may find it gone."""
    write = connection.get_execution_options().get(_WRITE)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _begin_postgres(connection: Connection) -> None:
    if connection.get_execution_options().get(_SNAPSHOT):
        connection.exec_driver_sql(
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
        )
