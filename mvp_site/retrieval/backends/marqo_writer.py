"""Fills a Marqo index and makes it the one that is served.

Marqo has no aliases. Each build fills an index of its own, ``<name>-<count>-<token>``; a marker
document, written last, makes it one that may be served, and the newest so marked is.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from ...errors import BackendError, SettingsError
from ..filters import Field, FieldKind
from .marqo_client import Marqo
from .marqo_filters import told
from .plain import column, columns_of, word
from .protocol import Record, Value

BATCH: Final = 64
"""Marqo takes 128 documents in one request unless it is told otherwise."""
PATIENCE: Final = 120.0
MARKER: Final = "published"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,199}\Z")
_TYPES: Final = {"number": "double", "flag": "bool", "text": "text", "texts": "array<text>"}
_log = logging.getLogger("mvp_site.marqo")


class MarqoWriter:
    """An index that is being filled."""

    def __init__(self, marqo: Marqo, name: str, index: str, columns: Sequence[str]) -> None:
        self._marqo = marqo
        self._columns = frozenset(columns)
        self._highest = -1
        self._rows = 0
        self.name = name
        self.generation = index

    @classmethod
    def create(cls, url: str, name: str, dimension: int, fields: Sequence[Field], *,
               timeout: float = PATIENCE) -> MarqoWriter:
        """A new index of the collection ``name``; nobody is served it yet.

        Raises:
            SettingsError: ``name`` cannot be an index's.
            BackendError: Marqo is not reached or refuses.
        """
        if not _NAME.match(name):
            raise SettingsError(
                f"{name[:60]!r} cannot name an index: letters, digits, _ and -, not a digit first"
            )
        marqo = Marqo.open(url, timeout)
        columns = columns_of(fields)
        counts = [count for count, _ in generations(marqo, name)]
        index = f"{name}-{max([*counts, 0]) + 1:06d}-{secrets.token_hex(4)}"
        asked = settings(dimension, columns)
        marqo.ask(f"to create {index}",
                  lambda client: client.create_index(index, settings_dict=asked))
        return cls(marqo, name, index, columns)

    def write(self, records: Iterable[Record]) -> int:
        """Add the records in batches; how many were added.

        Raises:
            BackendError: Marqo is not reached, refuses, or takes only a part of them.
        """
        count = 0

        def each() -> Iterator[dict[str, Any]]:
            nonlocal count
            for record in records:
                yield from _documents(record, self._columns)
                self._highest = max(self._highest, record.number)
                count += 1

        pending = each()
        while batch := list(islice(pending, BATCH)):
            self._add(batch)
            self._rows += len(batch)
        return count

    def publish(self, rows: int | None = None) -> None:
        """Mark the index as whole, so that it is the one that is served.

        ``rows`` is how many windows it has to hold; unset, those that were written.

        Raises:
            BackendError: it could not be marked; what was served before still is.
        """
        if rows is not None and self._rows < rows:
            raise BackendError(
                f"{self._rows} of {rows} documents of {self.generation} were written to Marqo at "
                f"{self._marqo.shown}; it is not published"
            )
        self._add([{"_id": MARKER, "number": self._highest}])

    def prune(self, keep: Collection[str]) -> None:
        """Drop older indexes but those of ``keep``; that this fails is logged, not raised.

        Newer ones stay in any case: another writer may be filling them.
        """
        try:
            held = generations(self._marqo, self.name)
            own = {index: count for count, index in held}.get(self.generation, 0)
            for count, index in held:
                if count < own and index not in keep:
                    self._drop(index)
        except BackendError:
            _log.warning("marqo at %s: old indexes of %s remain", self._marqo.shown, self.name)

    def discard(self) -> None:
        """Drop the index, which was not published, and close.

        Raises:
            BackendError: it could not be dropped; the connection is closed all the same.
        """
        try:
            self._drop(self.generation)
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._marqo.close()

    def _drop(self, index: str) -> None:
        self._marqo.ask(f"to drop {index}", lambda client: client.delete_index(index))
        _log.info("marqo at %s: dropped %s", self._marqo.shown, index)

    def _add(self, documents: list[dict[str, Any]]) -> None:
        said = self._marqo.ask(
            f"to write to {self.generation}",
            lambda client: client.index(self.generation).add_documents(documents),
        )
        if not isinstance(said, dict) or said.get("errors", True):
            items = said.get("items", []) if isinstance(said, dict) else []
            refused = [item for item in items if item.get("status", 500) >= 300]
            _log.error("marqo at %s: %d of %d documents refused", self._marqo.shown, len(refused),
                       len(documents))
            raise BackendError(
                f"Marqo at {self._marqo.shown} refuses {len(refused)} of {len(documents)} "
                f"documents of {self.generation}; the first: {str(refused[:1])[:300]}"
            )


def generations(marqo: Marqo, name: str) -> list[tuple[int, str]]:
    """The indexes of the collection, each with its count, the newest first."""
    held = marqo.ask("to list indexes", lambda client: client.get_indexes()["results"])
    pattern = re.compile(rf"{re.escape(name)}-(\d{{6,}})-[0-9a-f]{{8}}")
    found = [(pattern.fullmatch(str(one["indexName"])), str(one["indexName"])) for one in held]
    return sorted(((int(match[1]), index) for match, index in found if match), reverse=True)


def settings(dimension: int, columns: Sequence[str]) -> dict[str, Any]:
    """The settings of a structured index whose vectors are brought along."""
    own: list[dict[str, Any]] = [
        {"name": "number", "type": "long", "features": ["filter"]},
        {"name": "window", "type": "int", "features": ["filter"]},
        {"name": "windows", "type": "int"},
        {"name": "group", "type": "text", "features": ["filter"]},
        {"name": "terms", "type": "text", "features": ["lexical_search"]},
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


def document_id(number: int, window: int) -> str:
    """The id of a window's document."""
    return f"{number}-{window}"


def _documents(record: Record, columns: frozenset[str]) -> Iterator[dict[str, Any]]:
    cells: dict[str, Any] = {}
    for name, value in record.fields.items():
        kind, cell = _cell(value)
        at = column(name, kind)
        if at not in columns:
            raise BackendError(f"the index was made without the field {name!r} ({kind})")
        if cell != []:
            cells[at] = cell
    for place, vector in enumerate(record.vectors):
        words = " ".join(word(term) for term in record.terms) if place == 0 else ""
        yield {
            "_id": document_id(record.number, place), "number": record.number, "window": place,
            "windows": len(record.vectors), "group": told(record.group), "terms": words,
            "vector": {"content": "", "vector": vector.tolist()}, **cells,
        }


def _cell(value: Value) -> tuple[FieldKind, str | float | bool | list[str]]:
    if isinstance(value, bool):
        return FieldKind.FLAG, value
    if isinstance(value, int | float):
        return FieldKind.NUMBER, float(value)
    if isinstance(value, str):
        return FieldKind.TEXT, told(value)
    return FieldKind.TEXTS, [told(text) for text in value]
