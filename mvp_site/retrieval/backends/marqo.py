"""The Marqo engine, for those who run one already.

Upstream stopped maintaining the open-source engine in November 2025: it gets neither fixes nor
security updates. For anything new take Milvus (:mod:`~.milvus`), which does the same and more.

The index is a structured one that has no model, with a custom vector a document. One hybrid search
finds candidates, which are then read and scored exactly, as in the other engines. Marqo is asked
for groups alone: a filter reads every document of them and is checked here, so that no text of a
caller's can mean anything to Marqo but itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, Final, Self
from urllib.parse import urlsplit

from ...errors import BackendError, MissingIndexError
from ..collection import IndexedPassage, SearchRequest, Value
from ..columns import Columns
from ..filters import AnyOf, Clause, Contains, FieldKind, FilterField
from .engine import BUILD, CollectionReader, Connection, Kind, Writer, count_of, library
from .plain import SEPARATOR, SPACE, column, columns_of, plain, word
from .term_stats import Row, TermStatistics, query_terms

MOST: Final = 1_000
"""How many hits Marqo gives for one search unless it is told otherwise."""
READ: Final = 256
MARKER: Final = "published"
"""The document that makes an index one that may be served, written last: Marqo has no aliases."""
_TYPES: Final = {"number": "double", "flag": "bool", "text": "text", "texts": "array<text>"}


class Marqo(Connection):
    """One client, which keeps nothing between requests."""

    engine = "Marqo"

    @classmethod
    def open(cls, url: str, timeout: float = 10.0) -> Self:
        """The client of ``url``; nothing is asked yet. ``timeout`` is in seconds a request.

        Raises:
            BackendError: the extra ``marqo`` is not installed, or ``url`` is none.
        """
        marqo = library("marqo", "marqo")
        logging.getLogger("marqo").setLevel(logging.CRITICAL)  # its failures are logged here
        instance = cls(url, timeout)
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise BackendError(
                f"{instance.shown!r} is no URL of a Marqo: it starts with http:// or https:// and "
                "names a host"
            )
        # The client lowers the case of a URL, which a password would not survive.
        instance._client = marqo.Client(
            instance.shown.rstrip("/"), main_user=parts.username, main_password=parts.password
        )
        instance._client.config.timeout = timeout
        return instance

    @property
    def check(self) -> str:
        """What to check where nothing answers."""
        return f"its health: GET {self.shown.rstrip('/')}/health"

    def failures(self) -> tuple[type[Exception], ...]:
        """What its client raises; of a damaged answer it reads keys that are not there."""
        errors, requests = library("marqo.errors", "marqo"), library("requests", "marqo")
        return (errors.MarqoWebError, errors.MarqoError, requests.RequestException,
                LookupError, TypeError, ValueError, OSError)

    def kind(self, error: Exception) -> Kind:
        """What a failure says of the engine, by its code."""
        code = str(getattr(error, "code", ""))
        if code == "index_not_found":
            return "gone"
        unreached = {"backend_communication_error", "backend_timeout_error"}
        return "not reached" if code in unreached else "refused"


class MarqoBackend(CollectionReader[Marqo]):
    """One index of a collection, opened for reading."""

    def __init__(self, marqo: Marqo, index: str, columns: set[str], highest: int,
                 stats: TermStatistics) -> None:
        super().__init__(marqo, index, stats)
        self._columns = columns
        self._highest = highest

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
            counts = {index: count_of(collection, "-", index) for index in names(client)}
            live = [index for index in counts if counts[index] or index == collection]
            for index in sorted(live, key=counts.__getitem__, reverse=True):
                if marker := _read(client, index, [MARKER]):
                    fields = client.index(index).get_settings()["allFields"]
                    columns = {str(field["name"]) for field in fields}
                    return cls(marqo, index, columns, marker[0]["number"], stats)
        raise MissingIndexError(
            f"Marqo at {marqo.shown} has no published index {collection!r}; build it: {BUILD}"
        )

    def _candidates(self, client: Any, query: SearchRequest) -> list[Row]:
        hits = (self._matching if query.condition else self._nearest)(client, query)
        first = _read(client, self.generation, [f"{n}-0" for n in sorted({*hits, *query.also})])
        return self._whole(client, _fulfilling(first, query))

    def _matching(self, client: Any, query: SearchRequest) -> list[int]:
        # Marqo gives so many hits and no more, so it is asked for the numbers span by span.
        named = {column(clause.field, kind) for clause in query.condition for kind in FieldKind}
        numbers: list[int] = []
        for start in range(0, self._highest + 1, MOST) if query.types != () else ():
            span = f"window:[0 TO 0] AND number:[{start} TO {start + MOST - 1}]"
            hits = self._search(
                client, ["group", *sorted(named & self._columns)], q="*", search_method="LEXICAL",
                filter_string=f"{span} AND {_of(query.types)}", limit=MOST,
            )
            numbers += [hit["number"] for hit in _fulfilling(hits, query)]
        return numbers

    def _windows(self, client: Any, number: int) -> list[Row]:
        return self._whole(client, _read(client, self.generation, [f"{number}-0"]))

    def _nearest(self, client: Any, query: SearchRequest) -> list[int]:
        """The passages with the nearest windows and with the best sums of Marqo's BM25."""
        words = " ".join(word(term) for term in query_terms(query.terms))
        if query.types == () or (query.vector is None and not words):
            return []
        limit = max(1, query.limit)
        lexical = {"search_method": "LEXICAL", "searchable_attributes": ["terms"]}
        body: dict[str, Any] = {"q": words, **lexical}
        if query.vector is not None:
            limit *= max(1, self._stats.most_windows)
            vector = {"vector": query.vector.tolist(), "content": words or None}
            body = {"q": {"customVector": vector}, "search_method": "TENSOR",
                     "searchable_attributes": ["vector"]}
        if query.vector is not None and words:
            limit *= 2  # fused by rank, the best of both lanes are among twice as many
            body = {"q": body["q"], "search_method": "HYBRID", "hybrid_parameters": {
                "retrievalMethod": "disjunction", "rankingMethod": "rrf",
                "searchableAttributesTensor": ["vector"], "searchableAttributesLexical": ["terms"],
            }}
        limit = min(MOST, limit)
        hits = self._search(client, [], **body, filter_string=_of(query.types), limit=limit)
        return [hit["number"] for hit in hits]

    def _search(self, client: Any, columns: list[str], **body: Any) -> list[Row]:
        hits = client.index(self.generation).search(
            **body, attributes_to_retrieve=["number", *columns], show_highlights=False)["hits"]
        return [{**hit, "number": int(hit["number"])} for hit in hits]

    def _whole(self, client: Any, first: list[Row]) -> list[Row]:
        """All windows of the passages whose first ones these are."""
        rows = first + _read(client, self.generation, [
            f"{row['number']}-{window}" for row in first for window in range(1, row["windows"])
        ])
        for row in rows:
            if row["vector"] is None:
                raise BackendError(f"Marqo gives document {row['_id']!r} without its vector")
        return rows


class MarqoWriter(Writer[Marqo]):
    """An index that is being filled."""

    separator = "-"
    batch = 64
    """Marqo takes 128 documents in one request unless it is told otherwise."""
    _highest = -1

    @classmethod
    def create(cls, url: str, name: str, dimension: int, fields: Sequence[FilterField]) -> Self:
        """A new index of the collection ``name``; nobody is served it yet.

        Raises:
            BackendError: Marqo is not reached or refuses.
        """
        columns = columns_of(fields)
        marqo = Marqo.open(url, timeout=120.0)
        with marqo.asked(f"to create an index of {name}") as client:
            index = cls.next_name(name, names(client))
            client.create_index(index, settings_dict=_settings(dimension, columns))
        return cls(marqo, name, index, columns)

    def publish(self) -> None:
        """Mark the index as whole, so that it is the one that is served.

        Raises:
            BackendError: it could not be marked; what was served before still is.
        """
        with self._connection.asked(f"to publish {self.generation}") as client:
            self._insert(client, [{"_id": MARKER, "number": self._highest}])

    def _rows_of(self, record: IndexedPassage) -> Iterator[Row]:
        cells: dict[str, Any] = {}
        for name, value in record.fields.items():
            kind, cell = _cell(value)
            if (at := column(name, kind)) not in self._columns:
                raise BackendError(f"the index was made without the field {name!r} ({kind})")
            if cell != []:
                cells[at] = cell
        self._highest = max(self._highest, record.number)
        words = " ".join(map(word, record.terms))
        for place, vector in enumerate(record.vectors):
            yield {
                "_id": f"{record.number}-{place}", "number": record.number, "window": place,
                "windows": len(record.vectors), "group": coded(record.type),
                "terms": "" if place else words,
                "vector": {"content": "", "vector": vector.tolist()}, **cells,
            }

    def _insert(self, client: Any, rows: list[Row]) -> None:
        reply = client.index(self.generation).add_documents(rows)
        if reply["errors"]:
            refused = [item for item in reply["items"] if item["status"] >= 300]
            raise BackendError(
                f"Marqo at {self._connection.shown} refuses {len(refused)} of {len(rows)} "
                f"documents of {self.generation}; the first: {str(refused[:1])[:300]}"
            )

    def _names(self, client: Any) -> list[str]:
        return names(client)

    def _drop(self, client: Any, generation: str) -> None:
        client.delete_index(generation)


def names(client: Any) -> list[str]:
    """All indexes of a Marqo."""
    return [str(entry["indexName"]) for entry in client.get_indexes()["results"]]


def _read(client: Any, index: str, ids: Sequence[str]) -> list[Row]:
    """The documents of these ids that there are, with their vectors."""
    rows: list[Row] = []
    for start in range(0, len(ids), READ):
        reply = client.index(index).get_documents(ids[start : start + READ], expose_facets=True)
        for document in (result for result in reply["results"] if result["_found"]):
            vector = (document.get("_tensor_facets") or [{}])[0].get("_embedding")
            counts = {name: int(document.get(name) or 0) for name in ("window", "windows")}
            rows.append({"terms": "", **document, "number": int(document["number"]),
                         **counts, "vector": vector})
    return rows


def coded(text: str) -> str:
    """``text`` as Marqo stores it and is asked for it: never empty, without a space.

    It is in the code of :mod:`~.plain`, spaces coded too, so that neither a bracket nor the word
    AND of a text is ever read as Marqo's.
    """
    return SEPARATOR + plain(text).replace(" ", SPACE)


def _of(types: Sequence[str] | None) -> str:
    if types is None:
        return f"window:[0 TO {2**31 - 1}]"
    return f"({' OR '.join(f'group:({coded(name)})' for name in dict.fromkeys(types))})"


def _fulfilling(documents: Sequence[Row], query: SearchRequest) -> list[Row]:
    """The stored documents that are of the types and fulfil every clause."""
    names = {clause.field for clause in query.condition}
    fields: list[dict[str, Value]] = [
        {name: tuple(cell) if isinstance(cell, list) else cell
         for name in names for kind in FieldKind
         if (cell := document.get(column(name, kind))) is not None}
        for document in documents
    ]
    allowed = Columns(fields).mask(tuple(map(_coded, query.condition)))
    groups = None if query.types is None else set(map(coded, query.types))
    return [document for document, fits in zip(documents, allowed.tolist(), strict=True)
            if fits and (groups is None or document.get("group") in groups)]


def _coded(clause: Clause) -> Clause:
    """The clause with its texts in the code that documents are stored in."""
    match clause:
        case AnyOf(field, values):
            return AnyOf(field, tuple(coded(v) if isinstance(v, str) else v for v in values))
        case Contains(field, part):
            return Contains(field, coded(part).removeprefix(SEPARATOR))
    return clause


def _settings(dimension: int, columns: Sequence[str]) -> dict[str, Any]:
    """The settings of a structured index whose vectors are brought along."""
    fields = [
        ("number", "long", "filter"), ("window", "int", "filter"), ("windows", "int", ""),
        ("group", "text", "filter"), ("terms", "text", "lexical_search"),
        ("vector", "custom_vector", ""),
        *((name, _TYPES[name.partition("_")[0]], "filter") for name in columns),
    ]
    settings = [
        {"name": name, "type": type_, **({"features": [feature]} if feature else {})}
        for name, type_, feature in fields
    ]
    return {
        "type": "structured", "allFields": settings, "tensorFields": ["vector"],
        "model": "no_model", "modelProperties": {"type": "no_model", "dimensions": dimension},
        "annParameters": {"spaceType": "prenormalized-angular",
                          "parameters": {"efConstruction": 512, "m": 32}},
    }


def _cell(value: Value) -> tuple[FieldKind, str | float | bool | list[str]]:
    match value:
        case bool():
            return FieldKind.FLAG, value
        case str():
            return FieldKind.TEXT, coded(value)
        case tuple():
            return FieldKind.TEXTS, [coded(text) for text in value]
    return FieldKind.NUMBER, float(value)
