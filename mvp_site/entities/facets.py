"""Facets: the values that the fields of some entities have, with how many have each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..retrieval.filters import Condition, FieldKind, fold
from .catalogue import Catalogue
from .types import EntityType, fields_of

_WITHOUT: Final = frozenset({"slug", "name"})
Counts = dict[str | float | bool, int]


def counted(catalogue: Catalogue, type_: EntityType, where: Condition) -> dict[str, Counts]:
    """By field, how often each value stands among the entities of a type that fulfil ``where``.

    Texts are as the documents print them, in the order of the alphabet, numbers in their order. A
    field that ``where`` asks about counts without what is asked of it.
    """
    start, end = catalogue.span(type_)
    columns, out = catalogue.columns, dict[str, Counts]()
    for field in fields_of(type_):
        if field.name in _WITHOUT:
            continue
        others = tuple(clause for clause in where if clause.field != field.name)
        counts = columns.counts(field, columns.mask(others, start, end), start)
        if field.kind in {FieldKind.TEXT, FieldKind.TEXTS}:
            printed = _printed(document.get(field.name) for document in
                               catalogue.documents[start:end])
            counts = {printed.get(str(value), value): n for value, n in counts.items()}
        if counts:
            out[field.name] = dict(sorted(counts.items()))
    return out


def _printed(values: Iterable[Any]) -> dict[str, str]:
    """Texts as they are printed, by their folded form."""
    out: dict[str, str] = {}
    for value in values:
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str):
                out.setdefault(fold(one), one)
    return out
