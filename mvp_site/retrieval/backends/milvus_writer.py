"""Fills a Milvus collection and makes it the one that is served.

A collection has a row a window, with words for its own BM25 and a column for each number; texts
and flags share one column (:mod:`~.milvus_filters`): a collection has 64 columns at most. An alias
of the collection's name points at the generation that is served. Moving the alias is one step for
every reader. Several writers may fill one generation, on one machine or many, as long as no
passage is written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from textwrap import wrap
from typing import Any, Final, Self

from ...errors import BackendError
from ..collection import IndexedPassage
from ..dense import EXACT_WINDOWS
from ..filters import FieldKind, FilterField
from ..lexical import K1, B
from .engine import Writer
from .milvus import OWN, WINDOW_BITS, Milvus, columns_in, library, row_key
from .milvus_filters import ENTRY, TAGS, is_number, tags
from .plain import column, columns_of, plain, word
from .term_stats import Row

LONGEST: Final = 65_535
"""How many bytes a text column holds."""
COLUMNS: Final = 64
"""How many columns a Milvus takes unless it is told otherwise (``proxy.maxFieldNum``)."""
LINKS: Final = 32
WIDTH: Final = 360
_NUMBERS: Final = 1 << (62 - WINDOW_BITS)
PATIENCE: Final = 600.0
DISCARDING: Final = 30.0
"""How long, in seconds, a failed build waits for an engine to drop what it has begun."""


class MilvusWriter(Writer[Milvus]):
    """A generation that is being filled; :meth:`create` makes it, :meth:`join` helps to fill it."""

    separator = "_"
    batch = 500
    shared = False
    """Whether others may write the same rows: one that is there already is then written again."""

    @classmethod
    def create(cls, uri: str, name: str, dimension: int, fields: Sequence[FilterField], *,
               token: str | None = None, generation: str | None = None) -> Self:
        """A new generation of the collection ``name``; nobody is served it yet.

        With ``generation`` it is the one of that name, which others may be making too; their rows
        and these are then the same, whoever writes them first.
        ``fields`` are those that its passages may have; one name may stand under several kinds.

        Raises:
            BackendError: Milvus is not reached or refuses, as it does where more of ``fields``
                are numbers than a collection has columns for.
        """
        columns_of(fields)  # every name has to be one that engines take
        columns = columns_of([field for field in fields if field.kind is FieldKind.NUMBER])
        if len(OWN) + len(columns) > COLUMNS:
            raise BackendError(f"{len(columns)} fields are numbers; with them a collection has "
                               f"{len(OWN) + len(columns)} columns, and Milvus takes {COLUMNS}")
        milvus = Milvus.open(uri, token, PATIENCE)
        with milvus.asked(f"to create a generation of {name}", or_close=True) as client:
            shared = generation is not None
            generation = generation or cls.next_name(
                name, client.list_collections(timeout=PATIENCE))
            if not shared or not client.has_collection(generation, timeout=PATIENCE):
                with _made_by_another(
                        lambda: shared and client.has_collection(generation, timeout=PATIENCE)):
                    client.create_collection(
                        generation, schema=_schema(client, dimension, columns), timeout=PATIENCE)
        writer = cls(milvus, name, generation, columns)
        writer.shared = shared
        return writer

    @classmethod
    def join(cls, uri: str, generation: str, *, token: str | None = None) -> Self:
        """A further writer of a generation that :meth:`create` made, in this or another process."""
        milvus = Milvus.open(uri, token, PATIENCE)
        with milvus.asked(f"to write to {generation}", or_close=True) as client:
            columns = columns_in(client.describe_collection(generation, timeout=PATIENCE))
        return cls(milvus, generation.rsplit("_", 2)[0], generation, columns)

    def publish(self) -> None:
        """Index and load the generation, see that all that was written is there, move the alias.

        Raises:
            BackendError: it could not be published; what was served before still is.
        """
        self.make_ready()
        patience = self._connection.timeout
        with self._connection.asked(f"to publish {self.generation}") as client:
            if self.name in client.list_aliases(timeout=patience)["aliases"]:
                client.alter_alias(self.generation, self.name, timeout=patience)
            else:
                client.create_alias(self.generation, self.name, timeout=patience)

    def make_ready(self) -> None:
        """Index and load the generation, and see that all that was written is there.

        Raises:
            BackendError: it is not.
        """
        patience = self._connection.timeout
        with self._connection.asked(f"to publish {self.generation}") as client:
            client.flush(self.generation, timeout=patience)
            stats = client.get_collection_stats(self.generation, timeout=patience)
            for field, index in _indexes(client, int(stats["row_count"])).items():
                if not client.list_indexes(self.generation, field, timeout=patience):
                    with _made_by_another(partial(
                            client.list_indexes, self.generation, field, timeout=patience)):
                        client.create_index(self.generation, index, timeout=patience)
            client.load_collection(self.generation, timeout=patience)
            # A strong read waits until everything that was written can be read; from then on
            # the cheaper reads of a search see it all.
            existing = client.query(
                self.generation, output_fields=["count(*)"], consistency_level="Strong",
                timeout=patience,
            )
            if (readable := int(existing[0]["count(*)"])) < self._rows:
                raise BackendError(
                    f"Milvus at {self._connection.shown} shows {readable} of {self._rows} rows of "
                    f"{self.generation}; it is not published"
                )

    def _rows_of(self, record: IndexedPassage) -> Iterator[Row]:
        """The rows of a passage, one a window.

        Words stand with the first window, and what does not fit there with the next.

        Raises:
            BackendError: a number has no column, or something is longer than its column.
        """
        number, windows = record.number, len(record.vectors)
        if not 0 <= number < _NUMBERS or not 0 < windows <= 1 << WINDOW_BITS:
            raise BackendError(
                f"passage {number} with {windows} windows cannot be kept: a number is below "
                f"{_NUMBERS}, and a passage has 1 to {1 << WINDOW_BITS} windows"
            )
        cells: dict[str, Any] = dict.fromkeys(self._columns)
        for name, value in record.fields.items():
            if is_number(value):
                at = column(name, FieldKind.NUMBER)
                if at not in cells:
                    raise BackendError(f"the collection was made without the number {name!r}")
                cells[at] = float(value)  # type: ignore[arg-type]
        cells |= {"number": number, "group": plain(record.type), TAGS: _tags(record)}
        words = " ".join(word(term) for term in record.terms)
        fits = len(words) <= LONGEST
        shares = [words] if fits else wrap(words, LONGEST, break_long_words=False)
        if len(shares) > windows or max(map(len, shares), default=0) > LONGEST:
            raise BackendError(f"the terms of passage {number} are longer than its rows hold")
        rows = zip_longest(shares, record.vectors, fillvalue="")
        for place, (terms, vector) in enumerate(rows):
            yield {"row": row_key(number, place), "window": place, "vector": vector,
                   "terms": terms, **cells}

    def _insert(self, client: Any, rows: list[Row]) -> None:
        insert = client.upsert if self.shared else client.insert
        insert(self.generation, rows, timeout=self._connection.timeout)

    def _names(self, client: Any) -> list[str]:
        return list(client.list_collections(timeout=self._connection.timeout))

    def _drop(self, client: Any, generation: str) -> None:
        client.drop_collection(generation, timeout=min(self._connection.timeout, DISCARDING))


@contextmanager
def _made_by_another(exists: Callable[[], Any]) -> Iterator[None]:
    """Within it something is made that others may be making at the same time."""
    try:
        yield
    except library("pymilvus.exceptions").MilvusException:
        if not exists():
            raise


def _schema(client: Any, dimension: int, columns: Sequence[str]) -> Any:
    """The schema: numbers are nullable, and a comparison with null is never true."""
    pymilvus = library("pymilvus")
    kind = pymilvus.DataType
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("row", kind.INT64, is_primary=True)
    schema.add_field("number", kind.INT64)
    schema.add_field("window", kind.INT64)
    schema.add_field("group", kind.VARCHAR, max_length=LONGEST)
    schema.add_field("vector", kind.FLOAT_VECTOR, dim=dimension)
    schema.add_field("terms", kind.VARCHAR, max_length=LONGEST, enable_analyzer=True,
                   analyzer_params={"tokenizer": "standard"})
    schema.add_field("sparse", kind.SPARSE_FLOAT_VECTOR)
    schema.add_function(pymilvus.Function(
        name="bm25", function_type=pymilvus.FunctionType.BM25, input_field_names=["terms"],
        output_field_names=["sparse"],
    ))
    schema.add_field(TAGS, kind.VARCHAR, max_length=LONGEST)
    for name in columns:
        schema.add_field(name, kind.DOUBLE, nullable=True)
    return schema


def _indexes(client: Any, rows: int) -> dict[str, Any]:
    """The index of each field for so many rows.

    Up to :data:`~..dense.EXACT_WINDOWS` every window is compared. Beyond, HNSW finds the nearest,
    as it does in the local engine.
    """
    graph = rows > EXACT_WINDOWS
    parameters: dict[str, dict[str, Any]] = {
        "vector": {
            "index_type": "HNSW" if graph else "FLAT", "metric_type": "COSINE",
            "params": {"M": LINKS, "efConstruction": WIDTH} if graph else {},
        },
        "sparse": {"index_type": "SPARSE_INVERTED_INDEX", "metric_type": "BM25",
                   "params": {"bm25_k1": K1, "bm25_b": B}},
        "number": {"index_type": "INVERTED"}, "group": {"index_type": "INVERTED"},
    }
    indexes = {}
    for field, values in parameters.items():
        indexes[field] = client.prepare_index_params()
        indexes[field].add_index(field, **values)
    return indexes


def _tags(record: IndexedPassage) -> str:
    """The column of the passage's texts and flags."""
    parts = tags(record.fields)
    text = "".join(parts.values()) + ENTRY
    if (size := len(text.encode())) > LONGEST:
        most = max(parts, key=lambda name: len(parts[name]))
        slug = record.fields.get("slug")
        raise BackendError(
            f"the fields of passage {record.number} ({f'{slug} of ' if slug else ''}"
            f"{record.type}) have {size} bytes, most of them {most}, and Milvus takes {LONGEST}: "
            "shorten them, or let the local engine keep the entities"
        )
    return text
