"""Fills a Milvus collection and makes it the one that is served.

Each build fills a generation of its own, ``<name>_<count>_<token>``; an alias of the collection's
name points at the one that is served. Moving the alias is one step for every reader, and the
generations before it stay until they are pruned, so that whoever has one open can go on. Several
writers may fill one generation, on one machine or many, as long as no passage is written twice.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from ...errors import BackendError, SettingsError
from ..filters import Field
from .milvus_client import Milvus
from .milvus_schema import columns_for, columns_in, indexes, rows, schema
from .protocol import Record

BATCH: Final = 500
PATIENCE: Final = 600.0
DISCARDING: Final = 30.0
"""How long, in seconds, a failed build waits for an engine to drop what it has begun."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}\Z")
_log = logging.getLogger("mvp_site.milvus")


class MilvusWriter:
    """A generation that is being filled; :meth:`create` makes it, :meth:`join` helps to fill it.

    Once it is published, ``before`` is the generation that was served until then, or "".
    """

    def __init__(self, milvus: Milvus, name: str, generation: str, columns: Sequence[str]) -> None:
        self._milvus = milvus
        self._columns = tuple(columns)
        self._rows = 0
        self.name = name
        self.generation = generation
        self.before = ""

    @classmethod
    def create(cls, uri: str, name: str, dimension: int, fields: Sequence[Field], *,
               token: str | None = None, timeout: float = PATIENCE) -> MilvusWriter:
        """A new generation of the collection ``name``; nobody is served it yet.

        ``fields`` are those that its passages may have; one name may stand under several kinds.

        Raises:
            SettingsError: ``name`` cannot be a collection's.
            BackendError: Milvus is not reached or refuses, or more of ``fields`` are numbers than
                a collection has columns for.
        """
        if not _NAME.match(name):
            raise SettingsError(
                f"{name[:60]!r} cannot name a collection: letters, digits and underscores, not "
                "a digit first"
            )
        columns = columns_for(fields)
        milvus = Milvus.open(uri, token, timeout)
        with milvus.or_closed(f"to create a generation of {name}") as client:
            known = [_count(name, other) for other in client.list_collections(timeout=timeout)]
            count = max([*known, 0]) + 1
            generation = f"{name}_{count:06d}_{secrets.token_hex(4)}"
            client.create_collection(
                generation, schema=schema(client, dimension, columns), timeout=timeout
            )
        return cls(milvus, name, generation, columns)

    @classmethod
    def join(cls, uri: str, generation: str, *, token: str | None = None,
             timeout: float = PATIENCE) -> MilvusWriter:
        """A further writer of a generation that :meth:`create` made, in this or another process."""
        milvus = Milvus.open(uri, token, timeout)
        with milvus.or_closed(f"to write to {generation}") as client:
            columns = columns_in(client.describe_collection(generation, timeout=timeout))
        return cls(milvus, generation.rsplit("_", 2)[0], generation, columns)

    def write(self, records: Iterable[Record]) -> int:
        """Add the records in batches of rows; how many were added.

        Raises:
            BackendError: Milvus is not reached or refuses, or a record does not fit its columns.
        """
        count = 0

        def each() -> Iterator[dict[str, Any]]:
            nonlocal count
            for record in records:
                yield from rows(record, self._columns)
                count += 1

        pending = each()
        while batch := list(islice(pending, BATCH)):
            with self._milvus.asked(f"to write to {self.generation}") as client:
                client.insert(self.generation, batch, timeout=self._milvus.timeout)
            self._rows += len(batch)
        return count

    def publish(self, rows: int | None = None) -> None:
        """Index and load the generation, see that it is whole, then move the alias to it.

        Whole it is with ``rows`` rows, one a window; unset, with those that this writer has
        written. Only one of several writers publishes, when all have written, and says how many
        rows these are.

        Raises:
            BackendError: it could not be published; what was served before still is.
        """
        patience, wanted = self._milvus.timeout, self._rows if rows is None else rows
        with self._milvus.asked(f"to publish {self.generation}") as client:
            client.flush(self.generation, timeout=patience)
            held = int(client.get_collection_stats(self.generation, timeout=patience)["row_count"])
            client.create_index(self.generation, indexes(client, held), timeout=patience)
            client.load_collection(self.generation, timeout=patience)
            # A strong read waits until everything that was written can be read; from then on
            # the cheaper reads of a search see it all.
            found = client.query(
                self.generation, output_fields=["count(*)"], consistency_level="Strong",
                timeout=patience,
            )
            seen = int(found[0]["count(*)"])
            if seen < wanted:
                raise BackendError(
                    f"Milvus at {self._milvus.shown} shows {seen} of {wanted} rows of "
                    f"{self.generation}; it is not published"
                )
            self.before = self._point(client)

    def prune(self, keep: Collection[str]) -> None:
        """Drop older generations but those of ``keep``; that this fails is logged, not raised.

        Newer ones stay in any case: another writer may be filling them.
        """
        own = _count(self.name, self.generation)
        try:
            with self._milvus.asked("to drop old generations") as client:
                for other in client.list_collections(timeout=self._milvus.timeout):
                    if 0 < _count(self.name, other) < own and other not in keep:
                        client.drop_collection(other, timeout=self._milvus.timeout)
                        _log.info("milvus at %s: dropped %s", self._milvus.shown, other)
        except BackendError:
            _log.warning("milvus at %s: old generations of %s remain", self._milvus.shown,
                         self.name)

    def discard(self) -> None:
        """Drop the generation, which was not published, and close.

        Raises:
            BackendError: it could not be dropped; the connection is closed all the same.
        """
        patience = min(self._milvus.timeout, DISCARDING)
        try:
            with self._milvus.asked(f"to drop {self.generation}") as client:
                client.drop_collection(self.generation, timeout=patience)
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._milvus.close()

    def _point(self, client: Any) -> str:
        """Move the alias here; the generation that it pointed at, or ""."""
        patience = self._milvus.timeout
        if self.name not in client.list_aliases(timeout=patience)["aliases"]:
            client.create_alias(self.generation, self.name, timeout=patience)
            return ""
        before = str(client.describe_alias(self.name, timeout=patience)["collection_name"])
        client.alter_alias(self.generation, self.name, timeout=patience)
        return before


def _count(name: str, collection: str) -> int:
    """Which generation of ``name`` the collection is, from 1; 0 if it is none."""
    found = re.fullmatch(rf"{re.escape(name)}_(\d{{6,}})_[0-9a-f]{{8}}", collection)
    return int(found[1]) if found else 0
