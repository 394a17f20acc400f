"""Whether a SQLite file can be read and written now; it takes milliseconds to know."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
"""What tells a file from another, or from itself before a change."""


@contextmanager
def _busy_is_sound() -> Iterator[None]:
    """Where another writer has the file, or reads its log anew, it can be read and written."""
    try:
        yield
    except OperationalError as error:
        if not getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise


class SoundFile:
    """A SQLite file, as it is at the first :meth:`stand` or :meth:`check` and at each later one."""

    def __init__(self, url: URL) -> None:
        self._file = Path(str(url.database))
        self._place = urls.place(url)
        self._engine = create_engine(
            url, poolclass=NullPool, hide_parameters=True, connect_args={"timeout": 0}
        )
        self._identity: Stamp = ()
        self._sound: Stamp = ()

    def stand(self) -> Stamp:
        """See that the file is where it was, and is a database; returns what tells a change of it.

        A connection of its own reads the file itself: those that are kept go on with what they
        have read, and with a file that was deleted.

        Raises:
            StoreError: the file is gone, or was replaced.
            SQLAlchemyError: SQLite says what is wrong with it.
        """
        try:
            status = self._file.stat()
        except OSError as error:
            raise StoreError(
                f"{self._place} is gone ({error.strerror}): put it back, then start again"
            ) from None
        identity = (status.st_dev, status.st_ino)
        self._identity = self._identity or identity
        if self._identity != identity:
            raise StoreError(f"{self._place} was replaced while it is in use: start again")
        with _busy_is_sound(), self._engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
        return status.st_mtime_ns, status.st_size

    def check(self) -> None:
        """Look at the file, its folder, and what stands in it; raises as :meth:`stand` does.

        Raises:
            StoreError: it is damaged, or nothing can be written.
        """
        stamp = self.stand()
        self._write()
        with _busy_is_sound():
            self._look(stamp)

    def _look(self, stamp: Stamp) -> None:
        _, size = stamp
        with self._engine.connect() as connection:
            if stamp != self._sound and size <= WHOLE:
                verdict = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
                if verdict != "ok":
                    raise StoreError(
                        f"{self._place} is damaged ({verdict}): restore it from a backup, or "
                        "import an export"
                    )
                self._sound = stamp
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # the lock of who writes
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
