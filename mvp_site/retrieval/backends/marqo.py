"""The Marqo engine, for those who run one already.

Upstream stopped maintaining the open-source engine in November 2025: it gets neither fixes nor
security updates. For anything new take Milvus (:mod:`~.milvus`), which does the same and more.

The index is a structured one that has no model, with a custom vector a document. One hybrid search
finds candidates, which are then read and scored exactly, as in the other engines. A part of a
text cannot be asked of Marqo: such a filter reads every document that fulfils the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from ...errors import BackendError, MissingIndexError
from ..encoder import Vectors
from ..filters import Condition, Contains
from .marqo_client import BUILD, Marqo
from .marqo_filters import asked_of, filter_string, fulfils
from .marqo_writer import MARKER, document_id, generations
from .plain import word
from .protocol import Candidates, Numbers, Wanted
from .rescoring import NONE, Windows, rescored
from .term_stats import TermStatistics, query_terms

MOST: Final = 1_000
"""How many hits Marqo gives for one search unless it is told otherwise."""
READ: Final = 256
_EVERYTHING: Final = "*"
_OWN: Final = frozenset({"number", "window", "windows", "group", "terms", "vector"})


class MarqoBackend:
    """One index of a collection, opened for reading."""

    name = "marqo"

    def __init__(self, marqo: Marqo, index: str, columns: Iterable[str], highest: int,
                 stats: TermStatistics) -> None:
        self._marqo = marqo
        self._columns = frozenset(columns)
        self._highest = highest
        self._stats = stats
        self.generation = index

    @classmethod
    def open(cls, url: str, collection: str, stats: TermStatistics,
             timeout: float = 10.0) -> MarqoBackend:
        """The newest published index of ``collection``, or the index of this very name.

        Raises:
            MissingIndexError: there is none.
            BackendError: the extra ``marqo`` is not installed, or Marqo is not reached.
        """
        marqo = Marqo.open(url, timeout)
        for _, index in generations(marqo, collection) or [(0, collection)]:
            if (found := _marked(marqo, index)) is not None:
                return cls(marqo, index, *found, stats)
        raise MissingIndexError(
            f"Marqo at {marqo.shown} has no published index {collection!r}; build it: {BUILD}"
        )

    def candidates(self, wanted: Wanted) -> Candidates:
        """The passages that both lanes find, and those of ``also``, scored exactly."""
        if any(isinstance(clause, Contains) for clause in wanted.where):
            found = self.matching(wanted.groups, wanted.where).tolist()
        else:
            found = self._found(wanted)
        if not found and not wanted.also:
            return NONE
        documents = self._passages(sorted({*found, *wanted.also}), wanted.groups, wanted.where)
        return rescored(wanted, self._stats, Windows(
            np.asarray([document["number"] for document in documents], np.int64),
            np.asarray([_vector(document) for document in documents], np.float32),
            [document.get("terms") or "" for document in documents],
        ))

    def matching(self, groups: Sequence[str], where: Condition) -> Numbers:
        """Every passage of the groups that fulfils ``where``, however many, by ascending number.

        Marqo gives so many hits and no more, so it is asked for the numbers span by span.
        """
        said = filter_string(groups, where, self._columns)
        found: list[int] = []
        for start in range(0, self._highest + 1, MOST) if said is not None else ():
            span = f"window:[0 TO 0] AND number:[{start} TO {start + MOST - 1}]"
            hits = self._search(
                q=_EVERYTHING, search_method="LEXICAL", filter_string=f"{span} AND {said}",
                attributes_to_retrieve=["number", *asked_of(where, self._columns)], limit=MOST,
            )
            found += [hit["number"] for hit in hits if fulfils(hit, groups, where)]
        self._marqo.ask("to list what matches", lambda client: client)  # not once it was closed
        return np.unique(np.asarray(found, np.int64))

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage, in their order.

        Raises:
            BackendError: the index has no such passage, or Marqo is not reached.
        """
        first = _read(self._marqo, self.generation, [document_id(number, 0)])
        documents = self._with_windows(first)
        if not documents:
            raise BackendError(f"{self.generation} in Marqo has no passage {number}")
        documents.sort(key=lambda document: document["window"])
        return np.asarray([_vector(document) for document in documents], np.float32)

    def close(self) -> None:
        """Let go of the connection."""
        self._marqo.close()

    def _found(self, wanted: Wanted) -> list[int]:
        """The passages with the nearest windows and with the best sums of Marqo's BM25."""
        said = filter_string(wanted.groups, wanted.where, self._columns)
        words = " ".join(word(term) for term in query_terms(wanted.terms))
        if said is None or (wanted.vector is None and not words):
            self._marqo.ask("to search", lambda client: client)  # not once it was closed
            return []
        limit = max(1, wanted.limit)
        windows = limit * max(1, self._stats.most_windows)
        asked: dict[str, Any] = {"q": words, "search_method": "LEXICAL", "limit": limit,
                                 "searchable_attributes": ["terms"]}
        if wanted.vector is not None:
            vector = {"vector": wanted.vector.tolist(), "content": words or None}
            asked = {"q": {"customVector": vector}, "search_method": "TENSOR", "limit": windows,
                     "searchable_attributes": ["vector"]}
        if wanted.vector is not None and words:
            # Fused by rank, the best of both lanes are among twice as many.
            asked |= {"search_method": "HYBRID", "limit": 2 * windows, "hybrid_parameters": {
                "retrievalMethod": "disjunction", "rankingMethod": "rrf",
                "searchableAttributesTensor": ["vector"], "searchableAttributesLexical": ["terms"],
            }}
            del asked["searchable_attributes"]
        asked["limit"] = min(MOST, asked["limit"])
        hits = self._search(filter_string=said, attributes_to_retrieve=["number"], **asked)
        return [hit["number"] for hit in hits]

    def _search(self, **asked: Any) -> list[dict[str, Any]]:
        def request(client: Any) -> list[dict[str, Any]]:
            said = client.index(self.generation).search(show_highlights=False, **asked)
            return [{**hit, "number": int(hit["number"])} for hit in said["hits"]]

        return self._marqo.ask("to search", request)

    def _passages(self, numbers: Iterable[int], groups: Sequence[str], where: Condition,
                  ) -> list[dict[str, Any]]:
        """All windows of those of ``numbers`` that are of the groups and fulfil the filter."""
        first = _read(self._marqo, self.generation, [document_id(n, 0) for n in numbers])
        return self._with_windows([one for one in first if fulfils(one, groups, where)])

    def _with_windows(self, first: list[dict[str, Any]]) -> list[dict[str, Any]]:
        others = [
            document_id(one["number"], window)
            for one in first for window in range(1, one["windows"])
        ]
        return first + _read(self._marqo, self.generation, others)


def _marked(marqo: Marqo, index: str) -> tuple[set[str], int] | None:
    """The columns of an index and its highest number, if it is there and was published."""
    there = marqo.ask("to list indexes", lambda client: client.get_indexes()["results"])
    if index not in {one["indexName"] for one in there}:
        return None
    marker = _read(marqo, index, [MARKER])
    if not marker:
        return None
    said = marqo.ask(f"to open {index}", lambda client: client.index(index).get_settings())
    columns = {str(field["name"]) for field in said["allFields"]} - _OWN
    return columns, marker[0]["number"]


def _read(marqo: Marqo, index: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The documents of these ids that there are, with their vectors."""
    def request(some: Sequence[str]) -> list[dict[str, Any]]:
        return marqo.ask(f"to read {index}", lambda client: [
            {**one, "number": int(one["number"]), "window": int(one.get("window") or 0),
             "windows": int(one.get("windows") or 1)}
            for one in client.index(index).get_documents(list(some), expose_facets=True)["results"]
            if one["_found"]
        ])

    parts = [request(ids[start : start + READ]) for start in range(0, len(ids), READ)]
    return [one for part in parts for one in part]


def _vector(document: dict[str, Any]) -> list[float]:
    """The vector that is stored with a document."""
    facets = document.get("_tensor_facets") or [{}]
    vector = facets[0].get("_embedding")
    if vector is None:
        raise BackendError(f"Marqo gives document {document.get('_id')!r} without its vector")
    return list(vector)
