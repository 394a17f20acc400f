"""Queries to the entity search with the entities that answer them.

The shipped set is ``sets/entities.jsonl``, one JSON object a line; another set is a file of the
same form. ``test`` is the third that is never used for tuning (docs/evaluation.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from mvp_site.content.types import EntityType
from mvp_site.entities.index import EntityIndex
from mvp_site.entities.lookups import LOOKUPS
from mvp_site.entities.results import Result, Results
from mvp_site.errors import EntityTypeError, FilterError, SettingsError, UnknownEntityError

from .sets import Grade, Name, Split, read_set, unknown

FILE: Final = "sets/entities.jsonl"
Kind = Literal["semantic", "filtered", "similar", "lookup", "typo", "negative"]
NEGATIVE: Final = "negative"
LIMIT: Final = 20
_PAGE: Final = 100
Entities = Mapping[EntityType, Mapping[str, Result]]
"""Every entity of an index by its type and its key, ``type/slug``."""
_NO_FILTERS: Final = {"name", "query", "limit", "types", "bind_stated"}
"""Parameters of lookups that are not filters."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query and what is ``relevant`` to it: grades 1 to 3 by ``type/slug``.

    ``type`` is None for a lookup, which has ``lookup``, the name of the call, and its ``params``;
    ``reference`` is the slug of what similar ones are wanted for. ``stated`` are the constraints
    that its words state, in the form of filters. A negative query has nothing relevant.
    """

    id: Name
    kind: Kind
    relevant: Mapping[str, Grade]
    type: EntityType | None = None
    query: str = ""
    filters: Mapping[str, Any] = field(default_factory=dict)
    stated: Mapping[str, Any] = field(default_factory=dict)
    reference: str = ""
    lookup: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    split: Split | None = None

    def __post_init__(self) -> None:
        is_lookup, negative = self.kind == "lookup", self.kind == NEGATIVE
        if is_lookup is not (self.lookup in LOOKUPS) or is_lookup is bool(self.type):
            raise ValueError(
                f"query {self.id}: a lookup has no `type` but `lookup`, one of "
                f"{', '.join(LOOKUPS)}; every other kind has a `type` alone"
            )
        strange = {key for key in self.relevant if key.partition("/")[0] not in self.types}
        for wrong, problem in (
            ((self.kind == "similar") is not bool(self.reference),
             "a similar one, and no other, has a `reference`"),
            (negative and self.relevant, "it is negative, and something is relevant to it"),
            (not negative and not self.relevant, "nothing is relevant, and it is not negative"),
            (self.kind == "filtered" and not (self.filters or self.stated),
             "it is filtered, by nothing"),
            (self.kind != "filtered" and not self.reference and not self.words.strip(),
             "it asks for nothing"),
            (strange, f"it is asked of {', '.join(self.types)}, not of {sorted(strange)}"),
        ):
            if wrong:
                raise ValueError(f"query {self.id}: {problem}")

    @property
    def types(self) -> tuple[EntityType, ...]:
        """The types that it is asked of."""
        return (self.type,) if self.type else LOOKUPS[self.lookup]

    @property
    def words(self) -> str:
        """What is asked for in words; of a query for similar ones, nothing."""
        return str(self.params.get("name", "")) if self.lookup else self.query

    @property
    def wanted(self) -> Mapping[str, Any]:
        """The filters that results must fulfil, a lookup's parameters among them.

        Where a lookup goes through several types, its ``type`` names one of them and is no filter.
        """
        if not self.lookup:
            return self.filters
        left_out = _NO_FILTERS | ({"type"} if len(self.types) > 1 else set())
        return {
            name: value for name, value in self.params.items()
            if name not in left_out and value is not None
        }

    @property
    def grades(self) -> Mapping[str, int]:
        """What is relevant."""
        return self.relevant

    @property
    def text(self) -> str:
        """All of it in a line, for people."""
        if self.lookup:
            return f"{self.lookup}({', '.join(f'{k}={v!r}' for k, v in self.params.items())})"
        asked = f"like {self.reference}" if self.reference else repr(self.query)
        filters = f" {json.dumps(dict(self.filters))}" if self.filters else ""
        return f"{self.type}: {asked}{filters}"


def load_queries(file: Path | None = None, split: Split | None = None) -> tuple[Query, ...]:
    """The queries of ``file``, or of the shipped set, in its order; with ``split``, of that part.

    A set that is not divided is in each part whole.

    Raises:
        SettingsError: the file cannot be read, or a line of it is no query; names the line.
    """
    return read_set(Query, FILE, file, what="query", asks=lambda one: one.text, split=split)


def in_index(queries: Sequence[Query], keys: Set[str]) -> tuple[Query, ...]:
    """The queries, all that is relevant to them and every reference being among ``keys``.

    Raises:
        SettingsError: something is not there.
    """
    for one in queries:
        reference = {f"{one.type}/{one.reference}"} if one.reference else set[str]()
        for key in sorted({*one.relevant, *reference} - keys):
            raise unknown(f"query {one.id}: the index has no entity", key, keys)
    return tuple(queries)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query was given, the best first, and the constraints that were read in its words."""

    query: Query
    results: tuple[Result, ...]
    stated: Mapping[str, Any]

    @property
    def ranking(self) -> tuple[str, ...]:
        """The keys of the results, ``type/slug``."""
        return tuple(map(_key, self.results))


def ask(index: EntityIndex, query: Query) -> Asked:
    """What the index gives for a query, as its kind asks; what words state does not bind.

    Raises:
        SettingsError: the index cannot take the query; the message names it and says why.
    """
    try:
        if query.type is None:
            found: Results = getattr(index, query.lookup)(**query.params)
        elif query.reference:
            found = index.find_similar_entities(query.type, query.reference, LIMIT)
        else:
            filters = dict(query.filters) or None
            found = index.search_entities(query.type, query.query, filters, LIMIT)
    except (FilterError, EntityTypeError, UnknownEntityError, TypeError) as error:
        if isinstance(error, TypeError) and not query.lookup:
            raise  # else it is a parameter that the lookup has not
        raise SettingsError(f"query {query.id} cannot be asked: {error}") from error
    return Asked(query, tuple(found), found.stated)


def everything(index: EntityIndex) -> Entities:
    """Every entity of the index, as searches give it back."""
    return {
        type_: {_key(result): result for result in _listed(index, type_)} for type_ in EntityType
    }


def _listed(index: EntityIndex, type_: EntityType) -> Iterator[Result]:
    offset = 0
    while page := index.search_entities(type_, limit=_PAGE, offset=offset):
        yield from page
        offset += len(page)


def _key(result: Result) -> str:
    return f"{result['entity_type']}/{result['slug']}"
