"""The Milvus engine: the same code for a cluster by URI and for Milvus Lite in a file (``.db``).

A search in each lane finds candidates, nearest windows and Milvus's own BM25, under the filter; the
candidates' windows and words are then fetched and scored exactly, so that scores are those of the
local engine.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from ...errors import BackendError, MissingIndexError
from ..collection import SearchRequest
from .engine import BUILD, CollectionReader, Connection, Kind
from .engine import library as _library
from .milvus_filters import TAGS, among, check, expression
from .plain import word
from .term_stats import Row, TermStatistics, query_terms

MOST: Final = 16_384
"""How many rows Milvus gives for one request at most."""
_PAGE: Final = 8_192
_CHECKED: Final = 1_024
"""How many rows are read at a time to be checked: they come with their texts."""
BOUNDED: Final = "Bounded"
"""A generation of a release never changes, so a search of it need not wait for anything."""
STRONG: Final = "Strong"
"""What was written before a search is found, whoever wrote it."""
OWN: Final = ("row", "number", "window", "group", "vector", "terms", "sparse", TAGS)
"""The columns of every collection, ``group`` with the type; each number has one more."""
WINDOW_BITS: Final = 12
"""A passage has at most two to this power windows."""
library: Final = partial(_library, extra="milvus")
_CONNECTING: Final = 10.0
_WORKING: Final = 120.0
"""The least timeout for Lite in this process: it cannot vanish, and a busy machine slows it."""
_NO_COLLECTION: Final = 100
_NOT_REACHED: Final = frozenset({2, "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"})
_RELEASED: Final = frozenset({101, 106})
_RECONNECTING: Final = 2.0
"""Seconds for a new connection after one was lost, and from one attempt to the next."""
_clients: Final[dict[tuple[str, str], _Shared]] = {}
_opening: Final = threading.RLock()
"""A backend may be closed by the garbage collector, at any line of the thread that holds this."""


@dataclass(slots=True)
class _Shared:
    """The client of an address in this process, how many use it, when to connect anew at last."""

    client: Any
    users: int = 0
    again: float = 0.0


class Milvus(Connection):
    """One connection, as :class:`pymilvus.MilvusClient` gives it."""

    engine = "Milvus"
    _key: tuple[str, str]
    _connect: Callable[[float], Any]

    @classmethod
    def open(cls, uri: str, token: str | None = None, timeout: float = 10.0) -> Self:
        """The connection to ``uri``; ``timeout`` is in seconds and holds for each request.

        For Milvus Lite in a file it is at least :data:`_WORKING`.
        All of one process share a client of each address.

        Raises:
            BackendError: the extra ``milvus`` is not installed, or nothing answers at ``uri``.
        """
        milvus, pymilvus = cls(uri, timeout), library("pymilvus")
        # It prints a traceback for each failure, all of which are raised and logged here.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        if milvus.file is not None:
            library("milvus_lite")
            milvus.timeout = max(timeout, _WORKING)
            # Lite serves from this process and has no timestamps, which it says with a traceback
            # each time that something is listed.
            logging.getLogger("grpc._server").setLevel(logging.CRITICAL)
        milvus._key = milvus.file or uri, token or ""

        def connect(patience: float) -> Any:
            with milvus.told("to connect"):
                return pymilvus.MilvusClient(uri, token=token or "", dedicated=True,
                                             timeout=patience)

        milvus._connect = connect
        with _opening:
            shared = _clients.get(milvus._key)
            if shared is None:
                shared = _clients[milvus._key] = _Shared(connect(min(timeout, _CONNECTING)))
            shared.users += 1
        milvus._client = shared.client
        return milvus

    @property
    def check(self) -> str:
        """What to check where nothing answers."""
        if self.file:
            return "the folder, and that no other process has the file open"
        return "that it runs (GET /healthz on its port 9091), the host, the port, and the token"

    def failures(self) -> tuple[type[Exception], ...]:
        """What pymilvus and gRPC raise."""
        refusal, broken = library("pymilvus.exceptions"), library("grpc")
        return refusal.MilvusException, broken.RpcError, OSError, ValueError

    def kind(self, error: Exception) -> Kind:
        """What a failure says of the engine, by its code."""
        code = getattr(error, "code", None)
        code = code() if callable(code) else code
        if code == _NO_COLLECTION:
            return "gone"
        if code in _RELEASED:
            return "released"
        unreached = getattr(code, "name", code) in _NOT_REACHED or "imeout" in str(error)
        return "not reached" if unreached or self._client is None else "refused"

    def reconnected(self) -> bool:
        """Whether there is another client than the one that did not reach the server.

        A channel to a server that died waits long before it tries again; a new one does so now.
        The old client is not closed: others may be waiting for answers by it.
        """
        if self.file is not None or self._client is None:
            return False
        shared, lost = _clients[self._key], self._client
        with _opening:
            if shared.client is lost and time.monotonic() < shared.again:
                return False
            shared.again = time.monotonic() + _RECONNECTING
        if shared.client is lost:
            try:
                shared.client = self._connect(_RECONNECTING)
            except BackendError:
                return False
        self._client = shared.client
        return True

    def close(self) -> None:
        """Let go of the connection; the last of an address closes its client, and Lite's file."""
        with _opening:
            client, self._client = self._client, None
            if client is None:
                return
            shared = _clients[self._key]
            shared.users -= 1
            if shared.users:
                return
            del _clients[self._key]
            shared.client.close()
            if self.file:
                manager = library("milvus_lite.server_manager").server_manager_instance
                manager.release_server(self._uri)

    @property
    def file(self) -> str | None:
        """The file of Milvus Lite, None where a server is asked."""
        is_file = self._uri.endswith(".db") and "://" not in self._uri
        return str(Path(self._uri).absolute()) if is_file else None


class MilvusBackend(CollectionReader[Milvus]):
    """One generation of a collection, opened for reading."""

    def __init__(self, milvus: Milvus, generation: str, columns: Sequence[str], graph: bool,
                 stats: TermStatistics, consistency: str = BOUNDED) -> None:
        super().__init__(milvus, generation, stats)
        self._consistency = consistency
        self._columns = frozenset(columns)
        self._graph = graph
        self._refill: Callable[[], None] | None = None
        self._rows_written = 0
        self._refilling = threading.Lock()

    @classmethod
    def open(cls, uri: str, collection: str, stats: TermStatistics, token: str | None = None,
             timeout: float = 10.0, consistency: str = BOUNDED) -> Self:
        """The generation that the alias ``collection`` points at, or that has this very name.

        It stays that generation when the alias moves on, as ``stats`` are its own: open again to
        be served the next. ``timeout`` is in seconds and holds for each request.

        Raises:
            MissingIndexError: there is no such collection, or another version has made it.
            BackendError: the extra ``milvus`` is not installed, or Milvus is not reached.
        """
        milvus = Milvus.open(uri, token, timeout)
        timeout = milvus.timeout
        with milvus.asked(f"to open {collection}", or_close=True) as client:
            generation = collection
            if collection in client.list_aliases(timeout=timeout)["aliases"]:
                alias = client.describe_alias(collection, timeout=timeout)
                generation = str(alias["collection_name"])
            if not client.has_collection(generation, timeout=timeout):
                raise MissingIndexError(
                    f"Milvus at {milvus.shown} has no collection {collection!r}; build it: {BUILD}"
                )
            index = client.describe_index(generation, "vector", timeout=timeout)
            if not index:
                raise MissingIndexError(
                    f"Milvus at {milvus.shown}: {generation!r} was never published; "
                    f"build it: {BUILD}"
                )
            client.load_collection(generation, timeout=timeout)  # at once if it is loaded
            columns = columns_in(client.describe_collection(generation, timeout=timeout))
        return cls(milvus, generation, columns, index["index_type"] == "HNSW", stats, consistency)

    def refilled_by(self, refill: Callable[[], None], rows: int) -> Self:
        """This, which has ``refill`` write the generation again where Milvus has fewer ``rows``."""
        self._refill, self._rows_written = refill, rows
        self._make_whole()
        return self

    def _mended(self, kind: Kind) -> bool:
        if kind == "released":
            with self._connection.asked(f"to load {self.generation}") as client:
                client.load_collection(self.generation, timeout=self._connection.timeout)
            self._make_whole()
            return True
        if kind == "gone" and self._refill is not None:
            self._make_whole()
            return True
        return kind == "not reached" and self._connection.reconnected()

    def _make_whole(self) -> None:
        """Write what is lacking again: all, or what a process that died has left half written."""
        if self._refill is None:
            return
        connection = self._connection
        with self._refilling, connection.asked(f"to count {self.generation}") as client:
            rows = 0  # who waited finds them there
            if client.has_collection(self.generation, timeout=connection.timeout):
                rows = int(client.query(
                    self.generation, output_fields=["count(*)"], consistency_level=STRONG,
                    timeout=connection.timeout)[0]["count(*)"])
            if rows < self._rows_written:
                self._refill()

    def _candidates(self, client: Any, query: SearchRequest) -> list[Row]:
        where = expression(query.types, query.condition, self._columns)
        if where is not None and check(query.condition, self._columns):
            allowed = self._matching(client, query)
            where = among(allowed) if allowed else None
        if where is None:
            return []
        numbers = self._nearest(client, query, where)
        if named := {*query.also} - numbers:
            rows = client.query(
                self.generation, filter=f"window == 0 and {among(sorted(named))} and {where}",
                output_fields=["number"], timeout=self._connection.timeout,
                consistency_level=self._consistency,
            )
            numbers |= {row["number"] for row in rows}
        columns = ["number", *(["vector"] if query.vector is not None else ()),
                   *(["terms"] if query.terms else ())]
        return self._rows(client, sorted(numbers), columns)

    def _nearest(self, client: Any, query: SearchRequest, where: str) -> set[int]:
        """The passages with the nearest windows and with the best sums of Milvus's BM25."""
        limit, numbers = min(MOST, max(1, query.limit)), set[int]()
        # A passage may take as many of the nearest windows as it has, and most have few.
        most = self._stats.most_windows
        for each in dict.fromkeys((min(2 * self._stats.mean_windows, most), most)):
            if query.vector is None or len(numbers) >= limit:
                break
            windows = min(MOST, limit * max(1, each))
            parameters = {"params": {"ef": windows}} if self._graph else {}
            nearest = self._passages_near(client, "vector", query.vector.tolist(), windows, where,
                                          {"metric_type": "COSINE", **parameters})
            numbers = {*list(dict.fromkeys(nearest))[:limit]}
            if len(nearest) < windows:
                break
        if words := " ".join(word(term) for term in query_terms(query.terms)):
            numbers |= {*self._passages_near(client, "sparse", words, limit, where,
                                             {"metric_type": "BM25"})}
        return numbers

    def _passages_near(self, client: Any, column: str, sought: Any, limit: int, where: str,
                       parameters: Mapping[str, Any]) -> list[int]:
        """The passages of the rows that are nearest by a column, in their order."""
        hits = client.search(
            self.generation, [sought], where, limit, ["number"], parameters,
            anns_field=column, timeout=self._connection.timeout,
            consistency_level=self._consistency,
        )
        return [int(hit["entity"]["number"]) for hit in hits[0]]

    def _matching(self, client: Any, query: SearchRequest) -> list[int]:
        clause = expression(query.types, query.condition, self._columns)
        if clause is None:
            return []
        holds, read = check(query.condition, self._columns) or (None, [])
        pages = client.query_iterator(
            self.generation, batch_size=_CHECKED if holds else _PAGE,
            filter=f"window == 0 and {clause}", output_fields=["number", *read],
            timeout=self._connection.timeout, consistency_level=self._consistency,
        )
        numbers: list[int] = []
        while page := pages.next():
            numbers += [row["number"] for row in page if holds is None or holds(row)]
        pages.close()
        return numbers

    def _windows(self, client: Any, number: int) -> list[Row]:
        return self._rows(client, [number], ["window", "vector"])

    def _rows(self, client: Any, numbers: Sequence[int], columns: list[str]) -> list[Row]:
        """All rows of these passages, by their keys, so that Milvus Lite reads no others.

        How many windows a passage has is known once its last one is asked for in vain.
        """
        rows, sought, first = list[Row](), numbers, 0
        end = self._stats.mean_windows
        while sought and first < self._stats.most_windows:
            keys = [row_key(number, place) for number in sought for place in range(first, end)]
            for start in range(0, len(keys), MOST):
                rows += client.get(
                    self.generation, keys[start : start + MOST], columns,
                    timeout=self._connection.timeout, consistency_level=self._consistency,
                )
            last = {row["row"] for row in rows}
            sought = [number for number in sought if row_key(number, end - 1) in last]
            first, end = end, 2 * end
        return rows


def row_key(number: int, window: int) -> int:
    """The primary key of a passage's window."""
    return number << WINDOW_BITS | window


def columns_in(description: dict[str, Any]) -> tuple[str, ...]:
    """The columns of numbers in what Milvus says of a collection.

    Raises:
        MissingIndexError: another version has made the collection.
    """
    names = [str(field["name"]) for field in description["fields"]]
    if TAGS not in names:
        raise MissingIndexError(
            f"another version has made {description['collection_name']} in Milvus; "
            f"build it: {BUILD}"
        )
    return tuple(name for name in names if name not in OWN)
