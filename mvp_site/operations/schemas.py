"""JSON Schemas (2020-12) of requests and responses, made from their types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pydantic import TypeAdapter, WithJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from ..assembly import telemetry
from ..turns.contracts import BUILT_IN, Contract
from .requests import adapter

Schema = dict[str, Any]
AT: Final = "#/components/schemas/"
NOTES: Final = frozenset({"debug_info", "entities_mentioned"})
"""What of an answer no player gets."""
_FOREIGN: Final = "x-component"
_OF_PLAYERS: Final = {"type": "object", "description": "What of an answer the version's "
                      "contract.json gives to players: the narrative, and the fields `shown`."}


def component(name: str) -> WithJsonSchema:
    """What says that a value's schema is the component ``name``, which stands elsewhere."""
    return WithJsonSchema({_FOREIGN: name})


class Generator(GenerateJsonSchema):
    """Schemas without titles; objects are closed, and responses have all their fields."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> Schema:
        """An object with these fields and no others."""
        described = super().dataclass_schema(schema)
        described.pop("title", None)
        return {**described, "additionalProperties": False}

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Always, of a response."""
        return self.mode == "serialization" or super().field_is_required(field, total)


def components(requests: Iterable[Any], responses: Iterable[Any], contract: Contract = BUILT_IN,
               ) -> tuple[dict[Any, Schema], Schema]:
    """The schema of each type, and what they refer to, as named components of a document.

    Answers are those of ``contract``.
    """
    modes: tuple[tuple[Iterable[Any], JsonSchemaMode], ...] = (
        (requests, "validation"), (responses, "serialization"),
    )
    schemas, named = TypeAdapter.json_schemas(
        [(type_, mode, adapter(type_)) for types, mode in modes for type_ in dict.fromkeys(types)],
        ref_template=f"{AT}{{model}}", schema_generator=Generator,
    )
    return (
        {type_: _referring(schema) for (type_, _), schema in schemas.items()},
        {**_referring(named["$defs"]), **_foreign(contract)},
    )


def _referring(value: Any, prefix: str = "") -> Any:
    """``value`` with references to where things stand in the document.

    References to a definition of its own lead to the component of that name behind ``prefix``.
    """
    if isinstance(value, list):
        return [_referring(part, prefix) for part in value]
    if not isinstance(value, dict):
        return value
    if _FOREIGN in value:
        return {"$ref": f"{AT}{value[_FOREIGN]}"}
    return {
        key: part.replace("#/$defs/", f"{AT}{prefix}") if key == "$ref"
        else _referring(part, prefix) for key, part in value.items()
    }


def _foreign(contract: Contract) -> Schema:
    """The components of other layers: a turn's telemetry, and the model's answer by contract."""
    event, schema = telemetry.schema(), contract.schema()
    answer = schema.get("$defs", {})
    parts = {
        "Telemetry": {k: v for k, v in event.items() if k not in {"$schema", "$id", "$defs"}},
        **{f"Telemetry.{name}": part for name, part in event["$defs"].items()},
    }
    whole = answer["answer"] if not contract.digest else _response(schema)
    descriptions = {
        "Answer": whole,
        "PlayerAnswer": _OF_PLAYERS if contract.digest else {
            **whole, "description": "An answer without debug_info and entities_mentioned; "
                                    "state_updates holds what the player's own state holds.",
            "required": [name for name in whole["required"] if name not in NOTES],
            "properties": {k: v for k, v in whole["properties"].items() if k not in NOTES},
        },
        **{f"Answer.{name}": part for name, part in answer.items()},
    }
    return {**_referring(parts, "Telemetry."), **_referring(descriptions, "Answer.")}


def _response(schema: Schema) -> Schema:
    """An answer of a version's own contract, as the object that a turn gives back."""
    if schema.get("type") == "string":
        return {"type": "object", "required": ["narrative"], "properties": {"narrative": schema}}
    return {key: part for key, part in schema.items() if key not in {"$schema", "$defs"}}
