"""JSON Schemas of what the API takes and gives of entities, and its parameters."""

from __future__ import annotations

from typing import Final

from ..content.types import EntityType
from ..retrieval.filters import FieldKind
from .entities_forms import MAX_QUERY
from .schemas import COUNT, FLAG, SHARE, STRING, STRINGS, Schema, array, closed, ref

LIMIT: Final = 20
MAX_LIMIT: Final = 100
MAX_OFFSET: Final = 100_000

_TYPE: Final[Schema] = {"type": "string", "enum": [type_.value for type_ in EntityType]}
_SCALAR: Final[Schema] = {"type": ["string", "number", "boolean"]}

FILTERS: Final[Schema] = {
    "type": "object",
    "description": "By field of the type, as `GET /api/entities` lists them: a value, a list (any "
                   "of them), a range, or a part of a text.",
    "additionalProperties": {"anyOf": [
        _SCALAR, array(_SCALAR, minItems=1),
        closed({"min": {"type": "number"}, "max": {"type": "number"}}, optional=("min", "max")),
        closed({"contains": {"type": "string", "minLength": 1}}),
    ]},
}
ENTITY: Final[Schema] = {
    "type": "object",
    "description": "The entity's fields and texts; which there are, follows from its type.",
    "required": ["slug", "name", "entity_type", "_score", "document"],
    "properties": {
        "slug": STRING, "name": STRING, "entity_type": _TYPE, "_score": SHARE, "document": STRING,
        "shadows": {**STRING, "description": "The document whose entity it stands in place of."},
    },
}
RESULTS: Final = closed({
    "results": array(ref("Entity")), "total": COUNT,
    "stated": {"type": "object", "description": "What the query states in words, as filters."},
    "bound": {**FLAG, "description": "Whether the search was held to what is stated."},
    "attribution": STRING,
})
ONE: Final = closed({"entity": ref("Entity"), "attribution": STRING})
FIELD: Final = closed({
    "name": STRING, "kind": {"type": "string", "enum": [kind.name.lower() for kind in FieldKind]},
    "about": STRING, "also": {**STRINGS, "description": "Other names that filters may use."},
})
TYPES: Final = closed({
    "types": array(closed({"type": _TYPE, "entities": COUNT, "fields": array(ref("EntityField"))})),
    "documents": array({
        "type": "object", "required": ["document", "attribution", "entities", "types"],
        "properties": {
            "document": STRING, "attribution": STRING, "entities": COUNT, "shadowed": COUNT,
            "types": {"type": "object", "additionalProperties": COUNT},
        },
    }),
})

_QUERY: Final[Schema] = {
    "name": "query", "in": "query", "description": "What is looked for, in words.",
    "schema": {"type": "string", "maxLength": MAX_QUERY, "default": ""},
}
_LIMIT: Final[Schema] = {
    "name": "limit", "in": "query",
    "schema": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT},
}


def _bind(*, default: bool) -> Schema:
    return {
        "name": "bind_stated", "in": "query",
        "description": "Whether to hold to what the words state, as level 3 or flying.",
        "schema": {"type": "boolean", "default": default},
    }


TYPE_PARAMETER: Final[Schema] = {
    "name": "entity_type", "in": "path", "required": True, "schema": _TYPE,
}
SLUG_PARAMETER: Final[Schema] = {
    "name": "slug", "in": "path", "required": True,
    "schema": {"type": "string", "minLength": 1},
}
SEARCH_PARAMETERS: Final[tuple[Schema, ...]] = (
    TYPE_PARAMETER, _QUERY,
    {"name": "filters", "in": "query",
     "description": "A JSON object. A parameter that is named like a field of the type is a filter "
                    "too: `level=3`, once more for another value, `level_min=3`, "
                    "`name_contains=bolt`.",
     "content": {"application/json": {"schema": ref("EntityFilters")}}},
    _LIMIT,
    {"name": "offset", "in": "query",
     "schema": {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET, "default": 0}},
    _bind(default=False),
)
ALL_PARAMETERS: Final[tuple[Schema, ...]] = (
    _QUERY,
    {"name": "types", "in": "query", "description": "Only these types; all by default.",
     "schema": array(_TYPE)},
    {"name": "documents", "in": "query", "description": "Only from these documents.",
     "schema": STRINGS},
    _LIMIT, _bind(default=True),
)
SIMILAR_PARAMETERS: Final[tuple[Schema, ...]] = (TYPE_PARAMETER, SLUG_PARAMETER, _LIMIT)
ENTITY_PARAMETERS: Final[tuple[Schema, ...]] = (TYPE_PARAMETER, SLUG_PARAMETER)


def components() -> Schema:
    """The entities' named schemas."""
    return {
        "Entity": ENTITY, "EntityResults": RESULTS, "OneEntity": ONE, "EntityField": FIELD,
        "EntityTypes": TYPES, "EntityFilters": FILTERS,
    }
