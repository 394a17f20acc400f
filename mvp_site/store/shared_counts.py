"""Counts that the processes of a database share: requests of an address, and who is signed in."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from . import rows
from .database import Database
from .tables import shared_counts

if TYPE_CHECKING:
    from .campaigns import Clock

_DOING: Final = "counting requests"


class SharedCounts:
    """Counts by key, each until a time. Safe to use from several threads and processes at once.

    Of a key only a digest is kept. A count may be lost if the database dies.

    Raises from every method:
        StoreError: the database cannot be read or written.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    def add(self, key: str, limit: float, seconds: float, *, before: str = "",
            share: float = 0.0) -> bool:
        """Whether the count of ``key`` was under ``limit``; it is then one more for ``seconds``.

        A ``share`` of the count of another key, ``before``, counts too.
        """
        now, expires = self._moment(0), self._moment(seconds)
        with self._database.write(_DOING) as connection:
            is_sqlite = connection.dialect.name == "sqlite"
            of = sqlite_insert if is_sqlite else postgresql_insert
            if not is_sqlite:
                connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
            room = limit - share * (_counts(connection, [before], now)[0] if share else 0)
            if room <= 0:
                return False
            count = connection.execute(of(shared_counts).values(
                key=_digest(key), count=1, expires=expires,
            ).on_conflict_do_update(
                index_elements=[shared_counts.c.key],
                set_={"count": shared_counts.c.count + 1, "expires": expires},
                where=shared_counts.c.count < room,
            ).returning(shared_counts.c.count)).scalar()
            if count == 1:
                connection.execute(delete(shared_counts).where(shared_counts.c.expires < now))
            return count is not None

    def counts(self, *keys: str) -> tuple[int, ...]:
        """The count of each key; 0 where its time is over."""
        with self._database.read(_DOING) as connection:
            return _counts(connection, keys, self._moment(0))

    def remove(self, key: str) -> None:
        """Forget a key."""
        with self._database.write(_DOING) as connection:
            connection.execute(delete(shared_counts).where(shared_counts.c.key == _digest(key)))

    def _moment(self, seconds: float) -> int:
        time = self._clock() + datetime.timedelta(seconds=seconds)
        return rows.microseconds(time, "the clock's time")


def _counts(connection: Connection, keys: Sequence[str], now: int) -> tuple[int, ...]:
    digests = [_digest(key) for key in keys]
    query = select(shared_counts.c.key, shared_counts.c.count).where(
        shared_counts.c.key.in_(digests), shared_counts.c.expires >= now)
    by_digest = {key: int(count) for key, count in connection.execute(query)}
    return tuple(by_digest.get(digest, 0) for digest in digests)


def _digest(key: str) -> str:
    return hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
