"""Queries to the entity search with the entities that answer them.

The shipped set is ``sets/entities.jsonl``, one JSON object a line; another set is a file of the
same form. ``test`` is the third that is never used for tuning (docs/evaluation.md). A line may say
its part under ``split``; those that do not are divided by a hash of their ids: within the queries
of one kind and author (what stands before the last dash of an id) every third in the order of the
hashes. Files of several authors are therefore divided alike, apart or put together.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

import jsonschema

from ..content.types import EntityType
from ..errors import SettingsError
from .jsonl import read_set
from .needles import Split

FILE: Final = "sets/entities.jsonl"
Kind = Literal["semantic", "filtered", "similar", "lookup", "typo", "negative"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NEGATIVE: Final = "negative"
_T = EntityType
LOOKUPS: Final[Mapping[str, tuple[EntityType, ...]]] = {
    "lookup_spell": (_T.SPELLS,),
    "lookup_creature": (_T.MONSTERS,),
    "lookup_equipment": (_T.WEAPONS, _T.ARMOR, _T.EQUIPMENT, _T.MAGIC_ITEMS),
    "lookup_rule": (_T.RULES, _T.CONDITIONS),
    "lookup_character_option": (
        _T.CLASSES, _T.SUBCLASSES, _T.RACES, _T.FEATURES, _T.TRAITS, _T.BACKGROUNDS, _T.FEATS,
    ),
    "search_all": tuple(EntityType),
}
"""The lookups and the types that each looks through."""
_PARTS: Final = 3
_NEAR: Final = 3
_SEARCH: Final = ("type", "query")
_REQUIRED: Final[Mapping[Kind, tuple[str, ...]]] = {
    "semantic": _SEARCH, "filtered": _SEARCH, "typo": _SEARCH, "negative": _SEARCH,
    "similar": ("type", "reference"), "lookup": ("lookup", "params"),
}
_NAME: Final = {"type": "string", "minLength": 1}
_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["id", "kind", "relevant"],
    "properties": {
        "id": _NAME, "kind": {"enum": [*KINDS]}, "type": {"enum": [*EntityType]},
        "query": {"type": "string"}, "reference": _NAME, "lookup": {"enum": [*LOOKUPS]},
        "filters": {"type": "object"}, "stated": {"type": "object"},
        "params": {"type": "object"},
        "relevant": {"type": "object", "additionalProperties": {"enum": [1, 2, 3]}},
        "split": {"enum": [*get_args(Split)]},
    },
    "allOf": [
        {"if": {"properties": {"kind": {"const": kind}}}, "then": {"required": [*required]}}
        for kind, required in _REQUIRED.items()
    ],
}


@dataclass(frozen=True, slots=True)
class Query:
    """A query and what is ``relevant`` to it: grades 1 to 3 by ``type/slug``.

    ``type`` is None for a lookup, which has ``lookup``, the name of the call, and its ``params``;
    ``reference`` is the slug of what similar ones are wanted for. ``stated`` are the constraints
    that its words state, in the form of filters. A negative query has nothing relevant.
    """

    id: str
    kind: Kind
    type: EntityType | None
    query: str
    relevant: Mapping[str, int]
    filters: Mapping[str, Any]
    stated: Mapping[str, Any]
    reference: str
    lookup: str
    params: Mapping[str, Any]
    split: Split | None = None

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
        left_out = {"name", "query", "limit", "types", "bind_stated"}
        if len(self.types) > 1:
            left_out.add("type")
        return {
            name: value for name, value in self.params.items()
            if name not in left_out and value is not None
        }

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

    Raises:
        SettingsError: the file cannot be read, or a line of it is no query; names the line.
    """
    name, found = read_set(FILE, file, _query)
    for problem in _problems(found):
        raise SettingsError(f"{name}: {problem}")
    parts = divided(found)
    return tuple(
        replace(one, split=parts[one.id]) for one in found if split in {None, parts[one.id]}
    )


def divided(queries: Sequence[Query]) -> dict[str, Split]:
    """The part of each query by its id: the one that it states, else by the hash of its id."""
    groups: dict[tuple[str, str], list[str]] = {}
    parts: dict[str, Split] = {}
    for one in queries:
        if one.split:
            parts[one.id] = one.split
        else:
            groups.setdefault((one.kind, one.id.rpartition("-")[0]), []).append(one.id)
    for group, ids in groups.items():
        # Small groups would all round alike, so each begins to count at a place of its own.
        start = _hash("/".join(group))
        for place, name in enumerate(sorted(ids, key=_hash), start % _PARTS):
            parts[name] = "test" if place % _PARTS == 0 else "tune"
    return parts


def in_index(queries: Sequence[Query], keys: Set[str]) -> tuple[Query, ...]:
    """The queries, all that is relevant to them and every reference being among ``keys``.

    Raises:
        SettingsError: something is not there.
    """
    for one in queries:
        reference = {f"{one.type}/{one.reference}"} if one.reference else set[str]()
        for key in sorted({*one.relevant, *reference} - keys):
            near = difflib.get_close_matches(key, keys, _NEAR)
            raise SettingsError(
                f"query {one.id}: the index has no entity {key!r}"
                f"{'; near it: ' + ', '.join(near) if near else ''}"
            )
    return tuple(queries)


def _query(values: Any) -> Query:
    jsonschema.validate(values, _SCHEMA)
    is_lookup = values["kind"] == "lookup"
    return Query(
        id=values["id"], kind=values["kind"],
        type=None if is_lookup else EntityType(values["type"]), query=values.get("query", ""),
        relevant=dict(values["relevant"]), filters=values.get("filters", {}),
        stated=values.get("stated", {}), reference=values.get("reference", ""),
        lookup=values.get("lookup", ""), params=values.get("params", {}),
        split=values.get("split"),
    )


def _problems(queries: Sequence[Query]) -> Iterator[str]:
    """What is wrong with a set beside the form of its lines."""
    if not queries:
        yield "there is no query in it"
    for name, count in Counter(one.id for one in queries).items():
        if count > 1:
            yield f"the id {name!r} is there {count} times"
    asked: dict[str, str] = {}
    for one in queries:
        if one.kind == NEGATIVE and one.relevant:
            yield f"query {one.id} is negative, and something is relevant to it"
        if one.kind != NEGATIVE and not one.relevant:
            yield f"nothing is relevant to query {one.id}, and it is not negative"
        if one.kind == "filtered" and not (one.filters or one.stated):
            yield f"query {one.id} is filtered, by nothing"
        if one.kind != "filtered" and not one.reference and not one.words.strip():
            yield f"query {one.id} asks for nothing"
        for key in one.relevant:
            if key.partition("/")[0] not in one.types:
                yield f"query {one.id} is asked of {', '.join(one.types)}, not of {key!r}"
        if one.text in asked:
            yield f"query {one.id} asks what {asked[one.text]} asks"
        asked[one.text] = one.id


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
