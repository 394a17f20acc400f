"""The list of a type as a table: which columns it has, how each is sorted, and its rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..content.captions import label
from ..content.types import DESCRIPTIONS, SHORT, SORTED_BY, EntityType, fields_of
from ..entities.results import Result
from ..retrieval.filters import FieldKind
from .entities_forms import field_of, said


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its field, what stands above it and in full, and what a click on it asks for.

    ``order`` is ``ascending`` or ``descending`` where the list is sorted by it.
    """

    field: str
    title: str
    full: str
    sort: str
    order: str
    number: bool


def columns_of(type_: EntityType, order: str) -> tuple[Column, ...]:
    """The columns of a type's list in an order, the name first; that of the order is turned."""
    kinds = {filter_field.name: filter_field.kind for filter_field in fields_of(type_)}
    named = field_of(order.removeprefix("-"), fields_of(type_))
    order = f"-{named}" if order.startswith("-") else named
    columns = []
    for field in ("name", *DESCRIPTIONS[type_].columns.split()):
        by = SORTED_BY.get(field, field)
        sorts = {by: "ascending", f"-{by}": "descending"}.get(order, "")
        columns.append(Column(
            field, SHORT.get(field) or label(field), label(field),
            f"-{by}" if sorts == "ascending" else by, sorts, kinds[field] is FieldKind.NUMBER,
        ))
    return tuple(columns)


def cells_of(entity: Result, columns: Iterable[Column]) -> tuple[str, ...]:
    """What an entity has in each column but that of its name; '' for nothing and for no."""
    return tuple(
        "" if (value := entity.get(column.field)) is False else said(column.field, value)
        for column in columns if column.field != "name"
    )
