"""Filling a generation of a collection: made under its own name, filled, and only then served.

A generation's name is the collection's, a count and a token. Older ones stay until they are
pruned, so that whoever has one open can go on; newer ones stay in any case, as another writer may
be filling them.
"""

from __future__ import annotations

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Final, Generic, TypeVar

from ...errors import BackendError, SettingsError
from .connection import Connection
from .protocol import Record

C = TypeVar("C", bound=Connection)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}\Z")


class GenerationWriter(ABC, Generic[C]):
    """What the writers of all engines do alike (:class:`~.protocol.Writer`)."""

    separator: ClassVar[str]
    batch: ClassVar[int]

    def __init__(self, connection: C, name: str, generation: str, columns: Sequence[str]) -> None:
        self._connection = connection
        self._columns = tuple(columns)
        self._rows = 0
        self.name = name
        self.generation = generation

    def write(self, records: Iterable[Record]) -> int:
        """Add the records in batches of rows; how many were added.

        Raises:
            BackendError: the engine is not reached or refuses, or a record does not fit.
        """
        count = 0

        def rows() -> Iterator[dict[str, Any]]:
            nonlocal count
            for record in records:
                yield from self._rows_of(record)
                count += 1

        pending = rows()
        while batch := list(islice(pending, self.batch)):
            with self._connection.asked(f"to write to {self.generation}") as client:
                self._insert(client, batch)
            self._rows += len(batch)
        return count

    def prune(self, keep: Collection[str]) -> None:
        """Drop older generations but those of ``keep``; that this fails is logged, not raised."""
        log, shown = self._connection.log, self._connection.shown
        try:
            with self._connection.asked("to drop old generations") as client:
                own = count_of(self.name, self.separator, self.generation)
                for other in self._names(client):
                    if 0 < count_of(self.name, self.separator, other) < own and other not in keep:
                        self._drop(client, other)
                        log.info("%s at %s: dropped %s", self._connection.engine, shown, other)
        except BackendError:
            log.warning("%s at %s: old generations of %s remain", self._connection.engine, shown,
                        self.name)

    def discard(self) -> None:
        """Drop the generation, which was not published, and close.

        Raises:
            BackendError: it could not be dropped; the connection is closed all the same.
        """
        with self._connection.asked(f"to drop {self.generation}", or_close=True) as client:
            self._drop(client, self.generation)
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _whole(self, held: int, rows: int | None) -> None:
        """Raise where the generation holds fewer than ``rows``; unset, than were written here."""
        wanted = self._rows if rows is None else rows
        if held < wanted:
            raise BackendError(
                f"{self._connection.engine} at {self._connection.shown} shows {held} of {wanted} "
                f"rows of {self.generation}; it is not published"
            )

    @abstractmethod
    def _rows_of(self, record: Record) -> Iterator[dict[str, Any]]:
        """The rows of a passage, one a window."""

    @abstractmethod
    def _insert(self, client: Any, rows: list[dict[str, Any]]) -> None:
        """Add rows to the generation."""

    @abstractmethod
    def _names(self, client: Any) -> list[str]:
        """All that the engine holds, of any collection."""

    @abstractmethod
    def _drop(self, client: Any, generation: str) -> None:
        """Drop a generation."""


def checked_name(name: str) -> str:
    """``name``, which can be a collection's.

    Raises:
        SettingsError: it cannot.
    """
    if not _NAME.match(name):
        raise SettingsError(
            f"{name[:60]!r} cannot name a collection: letters, digits and underscores, not a "
            "digit first"
        )
    return name


def next_name(name: str, separator: str, held: Iterable[str]) -> str:
    """The name of the generation that comes after those that the engine holds."""
    count = max((count_of(name, separator, other) for other in held), default=0) + 1
    return f"{name}{separator}{count:06d}{separator}{secrets.token_hex(4)}"


def count_of(name: str, separator: str, generation: str) -> int:
    """Which generation of ``name`` it is, from 1; 0 if it is none."""
    parts = rf"{re.escape(name)}{separator}(\d{{6,}}){separator}[0-9a-f]{{8}}"
    found = re.fullmatch(parts, generation)
    return int(found[1]) if found else 0
