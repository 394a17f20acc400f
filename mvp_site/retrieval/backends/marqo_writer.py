"""Fills a Marqo index and makes it the one that is served.

Marqo has no aliases. A marker document, written last, makes an index one that may be served, and
the newest so marked is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Self

from ...errors import BackendError
from ..collection import IndexedPassage, Value
from ..filters import FieldKind, FilterField
from .engine import PAYLOAD, Writer, next_name
from .marqo import MARKER, Marqo, names, told
from .plain import column, columns_of, word
from .term_stats import Row

PATIENCE: Final = 120.0
_TYPES: Final = {"number": "double", "flag": "bool", "text": "text", "texts": "array<text>"}


class MarqoWriter(Writer[Marqo]):
    """An index that is being filled."""

    separator = "-"
    batch = 64
    """Marqo takes 128 documents in one request unless it is told otherwise."""
    _highest = -1

    @classmethod
    def create(cls, url: str, name: str, dimension: int, fields: Sequence[FilterField], *,
               timeout: float = PATIENCE) -> Self:
        """A new index of the collection ``name``; nobody is served it yet.

        Raises:
            BackendError: Marqo is not reached or refuses.
        """
        columns = columns_of(fields)
        marqo = Marqo.open(url, timeout)
        with marqo.asked(f"to create an index of {name}") as client:
            index = next_name(name, cls.separator, names(client))
            client.create_index(index, settings_dict=_settings(dimension, columns))
        return cls(marqo, name, index, columns)

    def publish(self, rows: int | None = None) -> None:
        """Mark the index as whole, so that it is the one that is served.

        ``rows`` is how many windows it has to hold; unset, those that were written.

        Raises:
            BackendError: it could not be marked; what was served before still is.
        """
        with self._connection.asked(f"to publish {self.generation}") as client:
            self._whole(self._rows, rows)
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
        for place, vector in enumerate(record.vectors):
            words, payload = "", ""
            if place == 0:
                words, payload = " ".join(word(term) for term in record.terms), record.payload
            yield {
                "_id": f"{record.number}-{place}", "number": record.number, "window": place,
                "windows": len(record.vectors), "group": told(record.type), "terms": words,
                PAYLOAD: payload, "vector": {"content": "", "vector": vector.tolist()}, **cells,
            }

    def _insert(self, client: Any, rows: list[Row]) -> None:
        said = client.index(self.generation).add_documents(rows)
        if said["errors"]:
            refused = [item for item in said["items"] if item["status"] >= 300]
            raise BackendError(
                f"Marqo at {self._connection.shown} refuses {len(refused)} of {len(rows)} "
                f"documents of {self.generation}; the first: {str(refused[:1])[:300]}"
            )

    def _names(self, client: Any) -> list[str]:
        return names(client)

    def _drop(self, client: Any, generation: str) -> None:
        client.delete_index(generation)


def _settings(dimension: int, columns: Sequence[str]) -> dict[str, Any]:
    """The settings of a structured index whose vectors are brought along."""
    own: list[dict[str, Any]] = [
        {"name": "number", "type": "long", "features": ["filter"]},
        {"name": "window", "type": "int", "features": ["filter"]},
        {"name": "windows", "type": "int"},
        {"name": "group", "type": "text", "features": ["filter"]},
        {"name": "terms", "type": "text", "features": ["lexical_search"]},
        {"name": PAYLOAD, "type": "text"},
        {"name": "vector", "type": "custom_vector"},
    ]
    fields = [
        {"name": name, "type": _TYPES[name.partition("_")[0]], "features": ["filter"]}
        for name in columns
    ]
    return {
        "type": "structured", "allFields": [*own, *fields], "tensorFields": ["vector"],
        "model": "no_model", "modelProperties": {"type": "no_model", "dimensions": dimension},
        "annParameters": {
            "spaceType": "prenormalized-angular", "parameters": {"efConstruction": 512, "m": 32},
        },
    }


def _cell(value: Value) -> tuple[FieldKind, str | float | bool | list[str]]:
    match value:
        case bool():
            return FieldKind.FLAG, value
        case str():
            return FieldKind.TEXT, told(value)
        case tuple():
            return FieldKind.TEXTS, [told(text) for text in value]
    return FieldKind.NUMBER, float(value)
