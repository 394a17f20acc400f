"""The document store: every entity by number, type and slug, with its document and its fields.

Entities stand by type and then by name, so that those of a type are a span of numbers, and
ascending numbers are the order in which they are listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import numpy as np

from ..content.document import Document, values_of
from ..content.types import EntityType
from ..errors import UnknownEntityError
from ..retrieval.collection import Numbers, Value
from ..retrieval.columns import Columns
from ..retrieval.filters import fold
from ..retrieval.index import spans_of
from ..text.typos import near

Entry = tuple[EntityType, Document]
Span = tuple[int, int]
_NEAR: Final = 5


class DocumentStore:
    """The entities of one release; nothing of it changes."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.types = [type_ for type_, _ in entries]
        self.names = [str(document["name"]) for _, document in entries]
        self.slugs = [str(document["slug"]) for _, document in entries]
        self.spans: dict[str, Span] = spans_of(self.types)
        self.values: list[Mapping[str, Value]] = [values_of(*entry) for entry in entries]
        self.columns = Columns(self.values)
        self._printed: dict[tuple[EntityType, str], dict[str, str]] = {}
        self._numbers = {
            (type_, slug): number
            for number, (type_, slug) in enumerate(zip(self.types, self.slugs, strict=True))
        }
        by_slug = sorted(range(len(self.slugs)), key=lambda n: (self.slugs[n], self.types[n]))
        self.tie: Numbers = np.empty(len(by_slug), np.int64)
        self.tie[by_slug] = np.arange(len(by_slug))

    def span(self, type_: EntityType) -> Span:
        """The first number of a type and the one after its last; an empty span if it has none."""
        return self.spans.get(type_, (0, 0))

    def number(self, type_: EntityType, slug: str) -> int:
        """The number of an entity.

        Raises:
            UnknownEntityError: the type has none of this slug; the message names near ones.
        """
        if (number := self._numbers.get((type_, slug))) is not None:
            return number
        start, end = self.span(type_)
        nearest = near(slug.casefold(), self.slugs[start:end], _NEAR)
        hint = f"near ones are {', '.join(nearest)}" if nearest else (
            f"search for it: mvp-site entities search {type_} NAME"
        )
        raise UnknownEntityError(f"{type_} have no {slug[:100]!r}: {hint}", nearest)

    def result(self, number: int, score: float) -> dict[str, Any]:
        """An entity as a search gives it back, the caller's own copy."""
        type_, document = self.entries[number]
        return {**msgspec.to_builtins(document), "entity_type": str(type_), "_score": score}

    def printed(self, type_: EntityType, field: str) -> Mapping[str, str]:
        """Every text that a field of the type has, as it is printed, by its folded form."""
        cached = self._printed.get((type_, field))
        if cached is None:
            start, end = self.span(type_)
            forms: dict[str, str] = {}
            for _, document in self.entries[start:end]:
                value = document.get(field)
                for entry in value if isinstance(value, list | tuple) else (value,):
                    if isinstance(entry, str):
                        forms.setdefault(fold(entry), entry)
            cached = self._printed[type_, field] = forms  # whole, since others read it meanwhile
        return cached
