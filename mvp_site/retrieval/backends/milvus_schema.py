"""How a passage stands in Milvus: a row a window, a column a number, and the indexes over them.

Texts and flags share one column (:mod:`~.milvus_tags`): a collection has 64 columns at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...errors import BackendError, MissingIndexError
from ..dense import EXACT_WINDOWS
from ..filters import Field, FieldKind
from ..lexical import K1, B
from .connection import BUILD
from .milvus_client import library
from .milvus_tags import ENTRY, TAGS, is_number, tags
from .plain import column, columns_of, plain, word
from .protocol import Record

WINDOW_BITS: Final = 12
LONGEST: Final = 65_535
"""How many bytes a text column holds."""
COLUMNS: Final = 64
"""How many columns a Milvus takes unless it is told otherwise (``proxy.maxFieldNum``)."""
LINKS: Final = 32
WIDTH: Final = 360
_OWN: Final = ("row", "number", "window", "group", "vector", "terms", "sparse", TAGS)
_NUMBERS: Final = 1 << (62 - WINDOW_BITS)


def columns_for(fields: Sequence[Field]) -> tuple[str, ...]:
    """The columns of the numbers among ``fields``.

    Raises:
        BackendError: with them a collection has more columns than Milvus takes.
    """
    columns_of(fields)  # every name has to be one that engines take
    numbers = columns_of([field for field in fields if field.kind is FieldKind.NUMBER])
    if len(_OWN) + len(numbers) > COLUMNS:
        raise BackendError(
            f"{len(numbers)} fields are numbers; with them a collection has "
            f"{len(_OWN) + len(numbers)} columns, and Milvus takes {COLUMNS}"
        )
    return numbers


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
    return tuple(name for name in names if name not in _OWN)


def schema(client: Any, dimension: int, columns: Sequence[str]) -> Any:
    """The schema: numbers are nullable, and a comparison with null is never true."""
    pymilvus = library()
    kind = pymilvus.DataType
    made = client.create_schema(auto_id=False, enable_dynamic_field=False)
    made.add_field("row", kind.INT64, is_primary=True)
    made.add_field("number", kind.INT64)
    made.add_field("window", kind.INT64)
    made.add_field("group", kind.VARCHAR, max_length=LONGEST)
    made.add_field("vector", kind.FLOAT_VECTOR, dim=dimension)
    made.add_field("terms", kind.VARCHAR, max_length=LONGEST, enable_analyzer=True,
                   analyzer_params={"tokenizer": "standard"})
    made.add_field("sparse", kind.SPARSE_FLOAT_VECTOR)
    made.add_function(pymilvus.Function(
        name="bm25", function_type=pymilvus.FunctionType.BM25, input_field_names=["terms"],
        output_field_names=["sparse"],
    ))
    made.add_field(TAGS, kind.VARCHAR, max_length=LONGEST)
    for name in columns:
        made.add_field(name, kind.DOUBLE, nullable=True)
    return made


def indexes(client: Any, rows: int) -> Any:
    """The indexes for so many rows: up to :data:`~..dense.EXACT_WINDOWS` every window is compared.

    Beyond, HNSW finds the nearest, as it does in the local engine.
    """
    made = client.prepare_index_params()
    graph = rows > EXACT_WINDOWS
    made.add_index(
        "vector", index_type="HNSW" if graph else "FLAT", metric_type="COSINE",
        params={"M": LINKS, "efConstruction": WIDTH} if graph else {},
    )
    made.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25",
                   params={"bm25_k1": K1, "bm25_b": B})
    for name in ("number", "group"):
        made.add_index(name, index_type="INVERTED")
    return made


def rows(record: Record, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a passage, one a window; the words stand with the first as far as they fit.

    Raises:
        BackendError: a number has no column, or something is longer than its column.
    """
    if not 0 <= record.number < _NUMBERS or not 0 < len(record.vectors) <= 1 << WINDOW_BITS:
        raise BackendError(
            f"passage {record.number} with {len(record.vectors)} windows cannot be kept: a number "
            f"is below {_NUMBERS}, and a passage has 1 to {1 << WINDOW_BITS} windows"
        )
    cells: dict[str, Any] = dict.fromkeys(columns)
    for name, value in record.fields.items():
        if is_number(value):
            at = column(name, FieldKind.NUMBER)
            if at not in cells:
                raise BackendError(f"the collection was made without the number {name!r}")
            cells[at] = float(value)  # type: ignore[arg-type]
    cells[TAGS] = _tags(record)
    group = _fitting(plain(record.group), "group", record.number)
    shares = _shares([word(term) for term in record.terms], len(record.vectors), record.number)
    for place, vector in enumerate(record.vectors):
        yield {
            "row": record.number << WINDOW_BITS | place, "number": record.number, "window": place,
            "group": group, "vector": vector, "terms": shares[place], **cells,
        }


def _tags(record: Record) -> str:
    """The column of the passage's texts and flags."""
    parts = tags(record.fields)
    text = "".join(parts.values()) + ENTRY
    if (size := _size(text)) > LONGEST:
        most = max(parts, key=lambda name: len(parts[name]))
        slug = record.fields.get("slug")
        raise BackendError(
            f"the fields of passage {record.number} ({f'{slug} of ' if slug else ''}"
            f"{record.group}) have {size} bytes, most of them {most}, and Milvus takes {LONGEST}: "
            "shorten them, or let the local engine keep the entities"
        )
    return text


def _shares(words: Sequence[str], windows: int, number: int) -> list[str]:
    """The words, between spaces, over the windows' rows: a column holds only so much."""
    shares, used = [""] * windows, 0
    for one in words:
        if shares[used] and len(shares[used]) + 1 + len(one) > LONGEST:
            used += 1
            if used == windows:
                raise BackendError(f"the terms of passage {number} are longer than its rows hold")
        shares[used] = f"{shares[used]} {one}" if shares[used] else one
    return [_fitting(share, "terms", number) for share in shares]


def _fitting(text: str, name: str, number: int) -> str:
    if (size := _size(text)) > LONGEST:
        raise BackendError(f"{name} of passage {number} has {size} bytes; Milvus takes {LONGEST}")
    return text


def _size(text: str) -> int:
    """How many bytes a column needs for ``text``; an upper bound where that is sure to fit."""
    return len(text) * 4 if len(text) * 4 <= LONGEST else len(text.encode())
