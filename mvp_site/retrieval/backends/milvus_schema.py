"""How a passage stands in Milvus: a row a window, a column a field, and the indexes over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...errors import BackendError
from ..dense import EXACT_WINDOWS
from ..filters import FieldKind
from ..lexical import K1, B
from .milvus_client import library
from .plain import column, joined, plain, word
from .protocol import Record, Value

WINDOW_BITS: Final = 12
LONGEST: Final = 65_535
"""How many bytes a text column holds."""
LINKS: Final = 32
WIDTH: Final = 360
_NUMBERS: Final = 1 << (62 - WINDOW_BITS)


def schema(client: Any, dimension: int, columns: Sequence[str]) -> Any:
    """The schema: fields are nullable, and a comparison with null is never true."""
    pymilvus = library()
    kind = pymilvus.DataType
    kinds = {
        "number": {"datatype": kind.DOUBLE}, "flag": {"datatype": kind.BOOL},
        "text": {"datatype": kind.VARCHAR, "max_length": LONGEST},
        "texts": {"datatype": kind.VARCHAR, "max_length": LONGEST},
    }
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
    for name in columns:
        made.add_field(name, nullable=True, **kinds[name.partition("_")[0]])
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
        BackendError: a field has no column, or something is longer than its column.
    """
    if not 0 <= record.number < _NUMBERS or not 0 < len(record.vectors) <= 1 << WINDOW_BITS:
        raise BackendError(
            f"passage {record.number} with {len(record.vectors)} windows cannot be kept: a number "
            f"is below {_NUMBERS}, and a passage has 1 to {1 << WINDOW_BITS} windows"
        )
    cells: dict[str, Any] = dict.fromkeys(columns)
    for name, value in record.fields.items():
        kind, cell = _cell(value)
        at = column(name, kind)
        if at not in cells:
            raise BackendError(f"the collection was made without the field {name!r} ({kind})")
        cells[at] = _fitting(cell, name, record.number) if isinstance(cell, str) else cell
    group = _fitting(plain(record.group), "group", record.number)
    shares = _shares([word(term) for term in record.terms], len(record.vectors), record.number)
    for place, vector in enumerate(record.vectors):
        yield {
            "row": record.number << WINDOW_BITS | place, "number": record.number, "window": place,
            "group": group, "vector": vector, "terms": shares[place], **cells,
        }


def _cell(value: Value) -> tuple[FieldKind, str | float | bool | None]:
    if isinstance(value, bool):
        return FieldKind.FLAG, value
    if isinstance(value, int | float):
        return FieldKind.NUMBER, float(value)
    if isinstance(value, str):
        return FieldKind.TEXT, plain(value)
    return FieldKind.TEXTS, joined(value) or None


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
    if len(text) * 4 > LONGEST and len(text.encode()) > LONGEST:
        raise BackendError(
            f"{name} of passage {number} has {len(text.encode())} bytes; Milvus takes {LONGEST}"
        )
    return text
