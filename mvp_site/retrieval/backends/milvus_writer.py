"""Fills a Milvus collection and makes it the one that is served.

An alias of the collection's name points at the generation that is served. Moving the alias is one
step for every reader. Several writers may fill one generation, on one machine or many, as long as
no passage is written twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Self

from ..filters import Field
from .generations import GenerationWriter, checked_name, next_name
from .milvus_client import Milvus
from .milvus_schema import columns_for, columns_in, indexes, rows, schema
from .protocol import Record

PATIENCE: Final = 600.0
DISCARDING: Final = 30.0
"""How long, in seconds, a failed build waits for an engine to drop what it has begun."""


class MilvusWriter(GenerationWriter[Milvus]):
    """A generation that is being filled; :meth:`create` makes it, :meth:`join` helps to fill it.

    Once it is published, ``before`` is the generation that was served until then, or "".
    """

    separator = "_"
    batch = 500
    before = ""

    @classmethod
    def create(cls, uri: str, name: str, dimension: int, fields: Sequence[Field], *,
               token: str | None = None, timeout: float = PATIENCE) -> Self:
        """A new generation of the collection ``name``; nobody is served it yet.

        ``fields`` are those that its passages may have; one name may stand under several kinds.

        Raises:
            SettingsError: ``name`` cannot be a collection's.
            BackendError: Milvus is not reached or refuses, or more of ``fields`` are numbers than
                a collection has columns for.
        """
        checked_name(name)
        columns = columns_for(fields)
        milvus = Milvus.open(uri, token, timeout)
        with milvus.asked(f"to create a generation of {name}", or_close=True) as client:
            held = client.list_collections(timeout=timeout)
            generation = next_name(name, cls.separator, held)
            client.create_collection(
                generation, schema=schema(client, dimension, columns), timeout=timeout
            )
        return cls(milvus, name, generation, columns)

    @classmethod
    def join(cls, uri: str, generation: str, *, token: str | None = None,
             timeout: float = PATIENCE) -> Self:
        """A further writer of a generation that :meth:`create` made, in this or another process."""
        milvus = Milvus.open(uri, token, timeout)
        with milvus.asked(f"to write to {generation}", or_close=True) as client:
            columns = columns_in(client.describe_collection(generation, timeout=timeout))
        return cls(milvus, generation.rsplit("_", 2)[0], generation, columns)

    def publish(self, rows: int | None = None) -> None:
        """Index and load the generation, see that it is whole, then move the alias to it.

        Whole it is with ``rows`` rows, one a window; unset, with those that this writer has
        written. Only one of several writers publishes, when all have written, and says how many
        rows these are.

        Raises:
            BackendError: it could not be published; what was served before still is.
        """
        patience = self._connection.timeout
        with self._connection.asked(f"to publish {self.generation}") as client:
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
            self._whole(int(found[0]["count(*)"]), rows)
            if self.name in client.list_aliases(timeout=patience)["aliases"]:
                said = client.describe_alias(self.name, timeout=patience)
                client.alter_alias(self.generation, self.name, timeout=patience)
                self.before = str(said["collection_name"])
            else:
                client.create_alias(self.generation, self.name, timeout=patience)

    def _rows_of(self, record: Record) -> Iterator[dict[str, Any]]:
        return rows(record, self._columns)

    def _insert(self, client: Any, rows: list[dict[str, Any]]) -> None:
        client.insert(self.generation, rows, timeout=self._connection.timeout)

    def _names(self, client: Any) -> list[str]:
        return list(client.list_collections(timeout=self._connection.timeout))

    def _drop(self, client: Any, generation: str) -> None:
        client.drop_collection(generation, timeout=min(self._connection.timeout, DISCARDING))
