"""Whether a SQLite file can be read and written now; it takes milliseconds to know."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from sqlalchemy import URL, NullPool, create_engine
from sqlalchemy.exc import OperationalError

from ..errors import StoreError
from . import urls

ROOM: Final = 2**20
"""Bytes that must find room beside the file."""
WHOLE: Final = 256 * 2**20
"""Bytes up to which a file is read whole, in .2 s, each time that it has changed."""

Stamp = tuple[int, ...]


class SoundFile:
    """A SQLite file, as it is when this is made and at each :meth:`check`."""

    def __init__(self, url: URL) -> None:
        self._file = Path(str(url.database))
        self._place = urls.place(url)
        self._engine = create_engine(
            url, poolclass=NullPool, hide_parameters=True, connect_args={"timeout": 0}
        )
        self._name: Stamp = ()
        self._read: Stamp = ()

    def check(self) -> None:
        """Look at the file, its folder, and what stands in it.

        A connection of its own reads the file itself: those that are kept go on with what they
        have read, and with a file that was deleted.

        Raises:
            StoreError: the file is gone, was replaced or is damaged, or nothing can be written.
            SQLAlchemyError: SQLite says so of it.
        """
        try:
            found = self._file.stat()
        except OSError as error:
            raise StoreError(
                f"{self._place} is gone ({error.strerror}): put it back, then start again"
            ) from None
        self._name = self._name or (found.st_dev, found.st_ino)
        if self._name != (found.st_dev, found.st_ino):
            raise StoreError(f"{self._place} was replaced while it is in use: start again")
        self._write()
        changed = (found.st_mtime_ns, found.st_size)
        with self._engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
            if changed != self._read and found.st_size <= WHOLE:
                said = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
                if said != "ok":
                    raise StoreError(
                        f"{self._place} is damaged ({said}): restore it from a backup, or import "
                        "an export"
                    )
                self._read = changed
            try:  # who wants to write takes this lock; another writer may have it now
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            except OperationalError as error:
                if getattr(error.orig, "sqlite_errorname", "") != "SQLITE_BUSY":
                    raise
            connection.rollback()

    def _write(self) -> None:
        try:
            with tempfile.TemporaryFile(dir=self._file.parent) as file:
                file.write(bytes(ROOM))
        except OSError as error:
            raise StoreError(
                f"nothing can be written beside {self._place} ({error.strerror}): make room, or "
                f"set {urls.VARIABLE} to a file elsewhere"
            ) from None
