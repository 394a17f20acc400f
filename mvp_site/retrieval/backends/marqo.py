"""The Marqo engine, for those who run one already.

Upstream stopped maintaining the open-source engine in November 2025: it gets neither fixes nor
security updates. For anything new take Milvus (:mod:`~.milvus`), which does the same and more.

The index is a structured one that has no model, with a custom vector a document. One hybrid search
finds candidates, which are then read and scored exactly, as in the other engines. A part of a
text cannot be asked of Marqo: such a filter reads every document that fulfils the others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np

from ...errors import BackendError, MissingIndexError
from ..encoder import Vectors
from ..filters import Condition, Contains
from .connection import BUILD
from .generations import count_of
from .marqo_client import Marqo, names, read
from .marqo_filters import columns_read, filter_string, fulfils
from .marqo_writer import MARKER, MarqoWriter
from .plain import word
from .protocol import Candidates, Numbers, Wanted
from .rescoring import NONE, Windows, rescored
from .term_stats import TermStatistics, query_terms

MOST: Final = 1_000
"""How many hits Marqo gives for one search unless it is told otherwise."""


class MarqoBackend:
    """One index of a collection, opened for reading."""

    name = "marqo"

    def __init__(self, marqo: Marqo, index: str, columns: Collection[str], highest: int,
                 stats: TermStatistics) -> None:
        self._marqo = marqo
        self._columns = columns
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
        with marqo.asked(f"to open {collection}") as client:
            counts = {
                index: count_of(collection, MarqoWriter.separator, index)
                for index in names(client)
            }
            found = [index for index in counts if counts[index] or index == collection]
            for index in sorted(found, key=counts.__getitem__, reverse=True):
                if marker := read(client, index, [MARKER]):
                    fields = client.index(index).get_settings()["allFields"]
                    columns = {str(field["name"]) for field in fields}
                    return cls(marqo, index, columns, marker[0]["number"], stats)
        raise MissingIndexError(
            f"Marqo at {marqo.shown} has no published index {collection!r}; build it: {BUILD}"
        )

    def candidates(self, wanted: Wanted) -> Candidates:
        """The passages that both lanes find, and those of ``also``, scored exactly."""
        with self._marqo.asked("to search") as client:
            if any(isinstance(clause, Contains) for clause in wanted.where):
                found = self._matching(client, wanted.groups, wanted.where)
            else:
                found = self._found(client, wanted)
            first = [f"{number}-0" for number in sorted({*found, *wanted.also})]
            documents = self._windows(client, [
                one for one in read(client, self.generation, first)
                if fulfils(one, wanted.groups, wanted.where)
            ])
        if not documents:
            return NONE
        return rescored(wanted, self._stats, Windows(
            np.asarray([document["number"] for document in documents], np.int64),
            np.asarray([_vector(document) for document in documents], np.float32),
            [document.get("terms") or "" for document in documents],
        ))

    def matching(self, groups: Sequence[str], where: Condition) -> Numbers:
        """Every passage of the groups that fulfils ``where``, however many, by ascending number."""
        with self._marqo.asked("to list what matches") as client:
            return np.unique(np.asarray(self._matching(client, groups, where), np.int64))

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage, in their order.

        Raises:
            BackendError: the index has no such passage, or Marqo is not reached.
        """
        with self._marqo.asked("to read vectors") as client:
            held = self._windows(client, read(client, self.generation, [f"{number}-0"]))
        if not held:
            raise BackendError(f"{self.generation} in Marqo has no passage {number}")
        held.sort(key=lambda document: document["window"])
        return np.asarray([_vector(document) for document in held], np.float32)

    def close(self) -> None:
        """Let go of the connection."""
        self._marqo.close()

    def _matching(self, client: Any, groups: Sequence[str], where: Condition) -> list[int]:
        # Marqo gives so many hits and no more, so it is asked for the numbers span by span.
        said = filter_string(groups, where, self._columns)
        found: list[int] = []
        for start in range(0, self._highest + 1, MOST) if said is not None else ():
            span = f"window:[0 TO 0] AND number:[{start} TO {start + MOST - 1}]"
            hits = self._search(
                client, columns_read(where, self._columns), q="*", search_method="LEXICAL",
                filter_string=f"{span} AND {said}", limit=MOST,
            )
            found += [hit["number"] for hit in hits if fulfils(hit, groups, where)]
        return found

    def _found(self, client: Any, wanted: Wanted) -> list[int]:
        """The passages with the nearest windows and with the best sums of Marqo's BM25."""
        said = filter_string(wanted.groups, wanted.where, self._columns)
        words = " ".join(word(term) for term in query_terms(wanted.terms))
        if said is None or (wanted.vector is None and not words):
            return []
        limit = max(1, wanted.limit)
        asked: dict[str, Any] = {"q": words, "search_method": "LEXICAL",
                                 "searchable_attributes": ["terms"]}
        if wanted.vector is not None:
            limit *= max(1, self._stats.most_windows)
            vector = {"vector": wanted.vector.tolist(), "content": words or None}
            asked = {"q": {"customVector": vector}, "search_method": "TENSOR",
                     "searchable_attributes": ["vector"]}
        if wanted.vector is not None and words:
            limit *= 2  # fused by rank, the best of both lanes are among twice as many
            asked = {"q": asked["q"], "search_method": "HYBRID", "hybrid_parameters": {
                "retrievalMethod": "disjunction", "rankingMethod": "rrf",
                "searchableAttributesTensor": ["vector"], "searchableAttributesLexical": ["terms"],
            }}
        hits = self._search(client, [], **asked, filter_string=said, limit=min(MOST, limit))
        return [hit["number"] for hit in hits]

    def _search(self, client: Any, columns: list[str], **asked: Any) -> list[dict[str, Any]]:
        said = client.index(self.generation).search(
            **asked, attributes_to_retrieve=["number", *columns], show_highlights=False
        )
        return [{**hit, "number": int(hit["number"])} for hit in said["hits"]]

    def _windows(self, client: Any, first: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """All windows of the passages whose first ones these are."""
        others = [
            f"{one['number']}-{window}" for one in first for window in range(1, one["windows"])
        ]
        return first + read(client, self.generation, others)


def _vector(document: dict[str, Any]) -> list[float]:
    """The vector that is stored with a document."""
    facets = document.get("_tensor_facets") or [{}]
    vector = facets[0].get("_embedding")
    if vector is None:
        raise BackendError(f"Marqo gives document {document.get('_id')!r} without its vector")
    return list(vector)
