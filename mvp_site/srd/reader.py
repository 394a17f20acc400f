"""The SRD: all records of the data package, read once a process, repaired and typed."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from . import classes, items, monsters, types
from .cells import paragraphs
from .collection import Record, Srd
from .fields import fields_of
from .links import Linked, add_lists
from .raw import MODULE, Row, Tables, data_folder, read_tables
from .repairs import Repair, make, patches, unexpected
from .rules import RULES
from .values import Kind

_reading: Final = threading.Lock()
_RECORDS: Final[dict[Kind, type[Record]]] = {
    value.kind: value
    for module in (types, classes, items, monsters)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Record) and value is not Record
}


def load_srd() -> Srd:
    """The SRD of the installed data package; read at the first call, then the same object.

    Threads may call it at once: one reads, the others wait for it.

    Raises:
        SettingsError: the package is missing, or its data is not what was expected; the message
            says what mends it.
    """
    with _reading:
        return _loaded()


@cache
def _loaded() -> Srd:
    return read_srd(data_folder(MODULE))


def srd_report() -> tuple[Repair, ...]:
    """Every repair that was made on the data, in the order in which they were made.

    Raises:
        SettingsError: as ``load_srd``.
    """
    return load_srd().report


def read_srd(folder: Path) -> Srd:
    """The SRD of a folder of data; what ``load_srd`` does, without its cache.

    Raises:
        SettingsError: as ``load_srd``.
    """
    tables = read_tables(folder)
    place = str(folder)
    records: list[Record] = []
    try:
        report = tuple(_repaired(tables))
        add_lists(tables)
        linked = Linked(tables)
        for kind, rows in tables.items():
            for slug, row in rows.items():
                place = f"{kind}/{slug} of {folder}"
                records.append(_record(kind, slug, linked.row(row)))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise unexpected(f"{place}: {type(error).__name__}: {error}") from error
    return Srd(records, report)


def _repaired(tables: Tables) -> Iterator[Repair]:
    for step in (patches, *RULES):
        for one in step(tables):
            make(tables, one)
            yield one


def _record(kind: Kind, slug: str, row: Row) -> Record:
    record = _RECORDS[kind]
    required = [f.name for f in dataclasses.fields(record) if f.default is dataclasses.MISSING]
    fields = {
        **dict.fromkeys(required),
        **row,
        "slug": slug,
        "text": paragraphs(row.get("desc")),
        **fields_of(kind, row),
    }
    return msgspec.convert(fields, record)
