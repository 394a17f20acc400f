"""The Milvus engine: the same code for a cluster by URI and for Milvus Lite in a file.

One hybrid search finds candidates in both lanes, nearest windows and Milvus's own BM25, each
under the filter; the candidates' windows and words are then fetched and scored exactly, so that
scores are those of the local engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...errors import BackendError, MissingIndexError
from ..encoder import Vectors
from ..filters import Condition
from .connection import BUILD
from .milvus_client import Milvus, library
from .milvus_filters import among, check, expression
from .milvus_schema import columns_in
from .plain import word
from .protocol import Candidates, Numbers, Wanted
from .rescoring import NONE, Windows, rescored
from .term_stats import TermStatistics, query_terms

MOST: Final = 16_384
"""How many rows Milvus gives for one request at most."""
FETCHED: Final = 512
_PAGE: Final = 8_192
_CHECKED: Final = 1_024
"""How many rows are read at a time to be checked: they come with their texts."""
_READ: Final = {"consistency_level": "Bounded"}
"""A generation never changes once it is served, so a search need not wait for anything."""


class MilvusBackend:
    """One generation of a collection, opened for reading."""

    name = "milvus"

    def __init__(self, milvus: Milvus, generation: str, columns: Sequence[str], graph: bool,
                 stats: TermStatistics) -> None:
        self._milvus = milvus
        self._columns = frozenset(columns)
        self._graph = graph
        self._stats = stats
        self.generation = generation

    @classmethod
    def open(cls, uri: str, collection: str, stats: TermStatistics, token: str | None = None,
             timeout: float = 10.0) -> MilvusBackend:
        """The generation that the alias ``collection`` points at, or that has this very name.

        It stays that generation when the alias moves on, as ``stats`` are its own: open again to
        be served the next. ``timeout`` is in seconds and holds for each request.

        Raises:
            MissingIndexError: there is no such collection, or another version has made it.
            BackendError: the extra ``milvus`` is not installed, or Milvus is not reached.
        """
        milvus = Milvus.open(uri, token, timeout)
        with milvus.asked(f"to open {collection}", or_close=True) as client:
            generation = collection
            if collection in client.list_aliases(timeout=timeout)["aliases"]:
                said = client.describe_alias(collection, timeout=timeout)
                generation = str(said["collection_name"])
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
        return cls(milvus, generation, columns, index["index_type"] == "HNSW", stats)

    def candidates(self, wanted: Wanted) -> Candidates:
        """The passages that both lanes find, and those of ``also``, scored exactly."""
        with self._milvus.asked("to search") as client:
            where = self._exactly(client, wanted.groups, wanted.where)
            if where is None:
                return NONE
            numbers = sorted({*self._found(client, wanted, where), *wanted.also})
            windows = self._windows(client, wanted, where, numbers)
        return rescored(wanted, self._stats, windows)

    def matching(self, groups: Sequence[str], where: Condition) -> Numbers:
        """Every passage of the groups that fulfils ``where``, however many, by ascending number."""
        with self._milvus.asked("to list what matches") as client:
            return self._listed(client, groups, where)

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage, in their order.

        Raises:
            BackendError: the collection has no such passage, or Milvus is not reached.
        """
        with self._milvus.asked("to read vectors") as client:
            held = self._query(client, among([number]), ["window", "vector"])
        if not held:
            raise BackendError(f"{self.generation} in Milvus has no passage {number}")
        held.sort(key=lambda row: row["window"])
        return np.asarray([row["vector"] for row in held], np.float32)

    def close(self) -> None:
        """Let go of the connection, and of Lite's file."""
        self._milvus.close()

    def _exactly(self, client: Any, groups: Sequence[str], where: Condition) -> str | None:
        """The expression that just the rows to be found fulfil; None: there are none."""
        said = expression(groups, where, self._columns)
        if said is None or check(where, self._columns) is None:
            return said
        numbers = self._listed(client, groups, where).tolist()
        return among(numbers) if numbers else None

    def _listed(self, client: Any, groups: Sequence[str], where: Condition) -> Numbers:
        said = expression(groups, where, self._columns)
        if said is None:
            return np.empty(0, np.int64)
        held, read = check(where, self._columns) or (None, [])
        pages = client.query_iterator(
            self.generation, batch_size=_CHECKED if held else _PAGE,
            filter=f"window == 0 and {said}", output_fields=["number", *read],
            timeout=self._milvus.timeout, **_READ,
        )
        found: list[int] = []
        while page := pages.next():
            found += [row["number"] for row in page if held is None or held(row)]
        pages.close()
        return np.unique(np.asarray(found, np.int64))

    def _found(self, client: Any, wanted: Wanted, where: str) -> list[int]:
        """The passages with the nearest windows and with the best sums of Milvus's BM25."""
        pymilvus = library()
        limit = max(1, wanted.limit)
        requests, total = [], 0
        if wanted.vector is not None:
            # A passage may take as many of the nearest windows as it has.
            windows = min(MOST, limit * max(1, self._stats.most_windows))
            asked = {"ef": windows} if self._graph else {}
            requests.append(pymilvus.AnnSearchRequest(
                [wanted.vector.tolist()], "vector", {"metric_type": "COSINE", "params": asked},
                limit=windows, expr=where,
            ))
            total += windows
        words = [word(term) for term in query_terms(wanted.terms)]
        if words:
            limit = min(MOST, limit)
            requests.append(pymilvus.AnnSearchRequest(
                [" ".join(words)], "sparse", {"metric_type": "BM25", "params": {}},
                limit=limit, expr=where,
            ))
            total += limit
        if not requests:
            return []
        hits = client.hybrid_search(
            self.generation, requests,
            pymilvus.WeightedRanker(*[1.0 / len(requests)] * len(requests)),
            limit=min(MOST, total), output_fields=["number"], timeout=self._milvus.timeout, **_READ,
        )
        return [int(hit["entity"]["number"]) for hit in hits[0]]

    def _windows(self, client: Any, wanted: Wanted, where: str, numbers: Sequence[int]) -> Windows:
        """What is stored of those of ``numbers`` that are of the groups and fulfil the filter."""
        asked = ["number"]
        asked += ["vector"] if wanted.vector is not None else []
        asked += ["terms"] if wanted.terms else []
        held: list[dict[str, Any]] = []
        for start in range(0, len(numbers), FETCHED):
            some = among(numbers[start : start + FETCHED])
            held += self._query(client, f"{some} and {where}", asked)
        vectors = [row["vector"] for row in held] if "vector" in asked else []
        words = [row["terms"] for row in held] if "terms" in asked else []
        return Windows(
            np.asarray([row["number"] for row in held], np.int64),
            np.asarray(vectors, np.float32), words,
        )

    def _query(self, client: Any, where: str, fields: list[str]) -> list[dict[str, Any]]:
        found = client.query(
            self.generation, filter=where, output_fields=fields, timeout=self._milvus.timeout,
            **_READ,
        )
        return list(found)
