"""What can be asked of the entities: searches, lookups, one entity, types and documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import Field, WithJsonSchema

from ..content.types import EntityType, entity_type, field_names, fields_of
from ..entities.index import MAX_LIMIT as MAX_SORTED
from ..entities.index import EntityIndex
from ..entities.lookups import LIMIT
from ..entities.results import Results
from ..errors import FilterError
from ..text.typos import near
from ..text.vocabulary import RARITIES, SIZES
from .operation import API, declared
from .requests import Flag, Nothing, OperationRequest, Whole
from .services import Services

MAX_QUERY: Final = 4_000
MAX_LIMIT: Final = 100
_ORDERS: Final[Mapping[str, tuple[str, ...]]] = {"size": SIZES, "rarity": RARITIES}
"""Words that have an order of their own."""
_UNSAID: Final[tuple[Any, ...]] = (None, "", [])

_SCALAR: Final = {"type": ["string", "number", "boolean"]}
_TYPES: Final = [type_.value for type_ in EntityType]
TypeName = Annotated[str, Field(
    description="A type of entities.", json_schema_extra={"enum": _TYPES},
)]
Slug = Annotated[str, Field(min_length=1, description="The entity's slug.")]
Query = Annotated[str, Field(max_length=MAX_QUERY, description="What is looked for, in words.")]
Limit = Annotated[Whole, Field(ge=1, le=MAX_LIMIT, description="At most this many results.")]
Bind = Annotated[Flag, Field(description="Hold to what the words state, as level 3 or flying.")]
Names = Annotated[tuple[str, ...], Field(description="Only from these documents.")]
Filters = Annotated[Mapping[str, Any], WithJsonSchema({
    "type": "object",
    "description": "By field of the type: a value, a list (any of them), a range, or a part of a "
                   "text.",
    "additionalProperties": {"anyOf": [
        _SCALAR, {"type": "array", "items": _SCALAR, "minItems": 1},
        {"type": "object", "additionalProperties": False,
         "properties": {"min": {"type": "number"}, "max": {"type": "number"}}},
        {"type": "object", "additionalProperties": False, "required": ["contains"],
         "properties": {"contains": {"type": "string", "minLength": 1}}},
    ]},
})]
Entity = Annotated[dict[str, Any], WithJsonSchema({
    "type": "object", "required": ["slug", "name", "entity_type", "_score", "document"],
    "description": "The entity's fields and texts; which there are, follows from its type. "
                   "`shadows` is the document whose entity it stands in place of.",
    "properties": {
        **{name: {"type": "string"} for name in ("slug", "name", "document", "shadows")},
        "entity_type": {"type": "string", "enum": _TYPES},
        "_score": {"type": "number", "minimum": 0, "maximum": 1},
    },
})]


@dataclass(frozen=True, slots=True)
class EntitySearch(OperationRequest):
    """A search in one type; without words, its entities by name."""

    entity_type: TypeName
    query: Query = ""
    filters: Filters = field(default_factory=dict)
    limit: Limit = LIMIT
    offset: Annotated[Whole, Field(ge=0, le=MAX_SORTED)] = 0
    """Leave out this many of the first results."""
    bind_stated: Bind = False
    sort: Annotated[str, Field(max_length=80)] = ""
    """By this field instead; with - before it from the greatest, or from Z."""


@dataclass(frozen=True, slots=True)
class EntitySearchAll(OperationRequest):
    """A search in several types at once, by default in all."""

    query: Query = ""
    types: tuple[TypeName, ...] = ()
    """Only these types."""
    documents: Names = ()
    limit: Limit = LIMIT
    bind_stated: Bind = True


@dataclass(frozen=True, slots=True)
class EntityReference(OperationRequest):
    """One entity."""

    entity_type: TypeName
    slug: Slug


@dataclass(frozen=True, slots=True)
class EntitySimilar(OperationRequest):
    """What is like one entity."""

    entity_type: TypeName
    reference_slug: Annotated[str, Field(min_length=1, description="The slug of that entity.")]
    limit: Limit = LIMIT


@dataclass(frozen=True, slots=True)
class EntityResults:
    """A page of results, the best first.

    ``stated`` is what the words state, as filters; ``bound`` whether the search was held to it.
    ``lanes_failed`` names the lanes that this was found without.
    """

    results: tuple[Entity, ...]
    total: Annotated[int, Field(ge=0)]
    stated: dict[str, Any]
    bound: bool
    attribution: str
    lanes_failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OneEntity:
    """An entity, and what the licence of its document asks to be said."""

    entity: Entity
    attribution: str


@dataclass(frozen=True, slots=True)
class EntityField:
    """A field of a type; ``also`` are other names that filters may use."""

    name: str
    kind: str
    about: str
    also: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """A type with how many entities it has."""

    type: str
    entities: Annotated[int, Field(ge=0)]
    fields: tuple[EntityField, ...]


@dataclass(frozen=True, slots=True)
class EntityDocument:
    """Where entities come from; ``shadowed`` are those that others stand in place of."""

    document: str
    attribution: str
    entities: int
    types: dict[str, int]
    shadowed: int = 0


@dataclass(frozen=True, slots=True)
class EntityTypes:
    """All types, and the documents."""

    types: tuple[TypeInfo, ...]
    documents: tuple[EntityDocument, ...]


@declared("entities.types")
def _types(services: Services, _: Nothing, __: bool) -> EntityTypes:
    """List the types, how many entities each has, and the fields that filters may name."""
    documents = tuple(EntityDocument(**row) for row in services.entities().list_documents())
    return EntityTypes(tuple(
        TypeInfo(type_.value, sum(document.types.get(type_, 0) for document in documents), tuple(
            EntityField(row.name, row.kind.name.lower(), row.about, tuple(row.also))
            for row in fields_of(type_)
        )) for type_ in EntityType
    ), documents)


@declared("entities.all", surfaces=API)
def _search_all(services: Services, request: EntitySearchAll, _: bool) -> EntityResults:
    """Search the entities of all types."""
    types = [entity_type(name) for name in request.types]
    return results_of(services, services.entities().search_all(
        request.query, request.limit, types=types or None, documents=request.documents or None,
        bind_stated=request.bind_stated,
    ))


@declared("entities.search")
def _search(services: Services, request: EntitySearch, _: bool) -> EntityResults:
    """Search the entities of a type by meaning; without words, list them by name."""
    return results_of(services, listed(services.entities(), request))


def listed(index: EntityIndex, query: EntitySearch) -> Results:
    """A page of a search, in the order that is asked for: of many results the first are sorted.

    Raises:
        FilterError: a filter cannot be used, or the type has no such field to sort by.
    """
    type_ = entity_type(query.entity_type)
    span = (MAX_SORTED, 0) if query.sort else (query.limit, query.offset)
    results = index.search_entities(type_, query.query, query.filters, *span, query.bind_stated)
    if query.sort:
        _sort_by(results, type_, query.sort)
        results[:] = results[query.offset:query.offset + query.limit]
    return results


def _sort_by(results: Results, type_: EntityType, order: str) -> None:
    """Sort results by the field ``order``; with - before it from the greatest, or from Z.

    Equals stay in their order; what lacks the field comes last.

    Raises:
        FilterError: the type has no such field; the message names near ones, or all.
    """
    by_name = field_names(type_)
    key = order.removeprefix("-")
    if key not in by_name:
        names = near(key, by_name) or dict.fromkeys(by_name.values())
        raise FilterError(f"{type_} cannot be sorted by {key[:80]!r}: sort by {', '.join(names)}")
    by = by_name[key]
    stated = [result for result in results if result.get(by) not in _UNSAID]
    rest = [result for result in results if result.get(by) in _UNSAID]
    stated.sort(key=lambda result: _key(by, result[by]), reverse=order.startswith("-"))
    results[:] = [*stated, *rest]


def _key(name: str, value: Any) -> tuple[float, str]:
    first = value[0] if isinstance(value, list) else value
    if isinstance(first, int | float):
        return float(first), ""
    text, order = str(first).casefold(), _ORDERS.get(name, ())
    return float(order.index(text) if text in order else len(order)), text


@declared("entities.show")
def _show(services: Services, request: EntityReference, _: bool) -> OneEntity:
    """Show one entity whole."""
    entity = services.entities().entity(entity_type(request.entity_type), request.slug)
    return OneEntity(entity, attribution(services.entities(), [entity.get("document", "")]))


@declared("entities.similar")
def _similar(services: Services, request: EntitySimilar, _: bool) -> EntityResults:
    """Find the entities of a type that are like one of them."""
    type_ = entity_type(request.entity_type)
    return results_of(
        services, services.entities().find_similar_entities(type_, request.reference_slug,
                                                        request.limit)
    )


def results_of(services: Services, results: Results) -> EntityResults:
    """A page of results, with what the licences of their documents ask to be said."""
    return EntityResults(
        tuple(results), results.total, results.stated, results.bound,
        attribution(services.entities(), [result.get("document", "") for result in results]),
        tuple(results.lanes_failed),
    )


def attribution(index: EntityIndex, documents: Collection[str] | None = None) -> str:
    """What the licences of ``documents``, or of all, ask to be said."""
    return " ".join(dict.fromkeys(
        str(document["attribution"]) for document in index.list_documents()
        if document["attribution"] and (documents is None or document["document"] in documents)
    ))
