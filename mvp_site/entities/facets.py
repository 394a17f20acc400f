"""Facets: the values that the fields of some entities have, with how many have each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ..content.types import EntityType, fields_of
from ..errors import FilterError
from ..retrieval.filters import AnyOf, Condition, FieldKind
from ..text.typos import near
from .document_store import DocumentStore

CLOSED: Final = 40
"""A text field of so many values has these and no others; of one with more any text is asked."""
_WITHOUT: Final = frozenset({"slug", "name"})
Counts = dict[str | float | bool, int]


def counted(store: DocumentStore, type_: EntityType, where: Condition) -> dict[str, Counts]:
    """By field, how often each value stands among the entities of a type that fulfil ``where``.

    Texts are as the documents print them, in the order of the alphabet, numbers in their order. A
    field that ``where`` asks about counts without what is asked of it.
    """
    start, end = store.span(type_)
    columns, out = store.columns, dict[str, Counts]()
    for field in fields_of(type_):
        if field.name in _WITHOUT:
            continue
        others = tuple(clause for clause in where if clause.field != field.name)
        counts = columns.counts(field, columns.mask(others, start, end), start)
        if field.kind in {FieldKind.TEXT, FieldKind.TEXTS}:
            printed = store.printed(type_, field.name)
            counts = {printed.get(str(value), value): n for value, n in counts.items()}
        if counts:
            out[field.name] = dict(sorted(counts.items(), key=_order))
    return out


def check_values(store: DocumentStore, conditions: Mapping[EntityType, Condition]) -> None:
    """Check the values that the conditions of types ask for against those there are.

    A document that has nothing of a type is one all the same.

    Raises:
        FilterError: a field of a few values has none such; names them, near ones first.
    """
    for type_, condition in conditions.items():
        for clause in condition:
            if isinstance(clause, AnyOf) and clause.field not in _WITHOUT:
                everywhere = clause.field == "document"
                _check(store, clause, "entities" if everywhere else type_,
                       EntityType if everywhere else conditions)


def _check(store: DocumentStore, clause: AnyOf, of: str, types: Iterable[EntityType]) -> None:
    spellings: dict[str, str] = {}
    for type_ in types:
        spellings |= store.printed(type_, clause.field)
    unknown = [text for text in clause.values if isinstance(text, str) and text not in spellings]
    if not unknown or not spellings or (len(spellings) > CLOSED and clause.field != "document"):
        return
    nearest = [spellings[folded] for folded in near(unknown[0], spellings)]
    listed = list(dict.fromkeys([*nearest, *sorted(spellings.values(), key=str.casefold)]))
    more = f" and {len(listed) - CLOSED} more" if len(listed) > CLOSED else ""
    raise FilterError(
        f"{clause.field} of {of} is never {unknown[0][:60]!r}: "
        f"there are {', '.join(listed[:CLOSED])}{more}"
    )


def _order(entry: tuple[str | float | bool, int]) -> tuple[str, float]:
    value = entry[0]
    return (value.casefold(), 0.0) if isinstance(value, str) else ("", float(value))
