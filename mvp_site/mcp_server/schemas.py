"""JSON Schemas that stand alone, as MCP has them, of the schemas that operations share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..operations.schemas import AT, Schema


def standalone(schema: Schema, named: Mapping[str, Schema], *, asked: bool = False) -> Schema:
    """``schema`` as an object's, with what it refers to under ``$defs``.

    With ``asked`` a field that may be null is one that may be left out: models need not be told
    that they can write null.
    """
    while "$ref" in schema:
        schema = named[schema["$ref"].removeprefix(AT)]
    needed: dict[str, Any] = {}

    def own(value: Any) -> Any:
        if isinstance(value, list):
            return [own(one) for one in value]
        if not isinstance(value, dict):
            return value
        if asked:
            value = _given(value)
        if "$ref" in value:
            name = value["$ref"].removeprefix(AT)
            if name not in needed:
                needed[name] = {}
                needed[name] = own(named[name])
            return {**value, "$ref": f"#/$defs/{name}"}
        return {key: own(one) for key, one in value.items()}

    found = own(schema)
    return {"type": "object", **found, **({"$defs": needed} if needed else {})}


def _given(schema: Schema) -> Schema:
    others = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(others) != 1 or len(others) == len(schema["anyOf"]):
        return schema
    rest = {key: one for key, one in schema.items() if key not in {"anyOf", "default"}}
    return {**others[0], **rest}
