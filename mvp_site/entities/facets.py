"""Facets: the values that the fields of some entities have, with how many have each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..content.types import EntityType, fields_of
from ..errors import FilterError
from ..retrieval.filters import AnyOf, Condition, FieldKind, fold
from ..typos import near
from .document_store import Catalogue

CLOSED: Final = 40
"""A text field of so many values has these and no others; of one with more any text is asked."""
_WITHOUT: Final = frozenset({"slug", "name"})
Counts = dict[str | float | bool, int]


class Facets:
    """The facets of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._as_printed: dict[tuple[EntityType, str], dict[str, str]] = {}

    def counted(self, type_: EntityType, where: Condition) -> dict[str, Counts]:
        """By field, how often each value stands among the entities of a type that fulfil ``where``.

        Texts are as the documents print them, in the order of the alphabet, numbers in their
        order. A field that ``where`` asks about counts without what is asked of it.
        """
        start, end = self._catalogue.span(type_)
        columns, out = self._catalogue.columns, dict[str, Counts]()
        for field in fields_of(type_):
            if field.name in _WITHOUT:
                continue
            others = tuple(clause for clause in where if clause.field != field.name)
            counts = columns.counts(field, columns.mask(others, start, end), start)
            if field.kind in {FieldKind.TEXT, FieldKind.TEXTS}:
                printed = self._printed(type_, field.name)
                counts = {printed.get(str(value), value): n for value, n in counts.items()}
            if counts:
                out[field.name] = dict(sorted(counts.items(), key=_order))
        return out

    def check(self, where: Mapping[EntityType, Condition]) -> None:
        """Check the values that are asked for against those there are in the types.

        A document that has nothing of a type is one all the same.

        Raises:
            FilterError: a field of a few values has none such; names them, near ones first.
        """
        for type_, condition in where.items():
            for clause in condition:
                if isinstance(clause, AnyOf) and clause.field not in _WITHOUT:
                    if clause.field == "document":
                        self._check(clause, "entities", EntityType)
                    else:
                        self._check(clause, type_, where)

    def _check(self, clause: AnyOf, of: str, types: Iterable[EntityType]) -> None:
        held = [self._printed(type_, clause.field) for type_ in types]
        unknown = [
            value for value in clause.values
            if isinstance(value, str) and not any(value in printed for printed in held)
        ]
        known = {folded: text for printed in held for folded, text in printed.items()}
        if not unknown or not known or (len(known) > CLOSED and clause.field != "document"):
            return
        meant = [known[folded] for folded in near(unknown[0], known)]
        listed = list(dict.fromkeys([*meant, *sorted(known.values(), key=str.casefold)]))
        more = f" and {len(listed) - CLOSED} more" if len(listed) > CLOSED else ""
        raise FilterError(
            f"{clause.field} of {of} is never {unknown[0][:60]!r}: "
            f"there are {', '.join(listed[:CLOSED])}{more}"
        )

    def _printed(self, type_: EntityType, field: str) -> dict[str, str]:
        key = type_, field
        if key not in self._as_printed:
            start, end = self._catalogue.span(type_)
            self._as_printed[key] = _printed(
                document.get(field) for document in self._catalogue.documents[start:end]
            )
        return self._as_printed[key]


def _order(entry: tuple[str | float | bool, int]) -> tuple[str, float]:
    value = entry[0]
    return (value.casefold(), 0.0) if isinstance(value, str) else ("", float(value))


def _printed(values: Iterable[Any]) -> dict[str, str]:
    """Texts as they are printed, by their folded form."""
    out: dict[str, str] = {}
    for value in values:
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str):
                out.setdefault(fold(one), one)
    return out
