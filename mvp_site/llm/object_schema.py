"""A JSON Schema as providers take it, and answers to it as they were meant. Pure.

Strict modes take no map with free keys. There it is a list of entries with a key and a value, an
object that may have other fields has a list of these, and a value that may be anything is JSON as a
text; the answer is turned back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

Schema = dict[str, Any]

_KEYWORDS: Final = ("type", "enum", "const", "description", "anyOf")
_DEEPEST: Final = 40
_OTHERS: Final = "other_fields"


def plain(schema: Mapping[str, Any]) -> Schema | None:
    """``schema`` without references and ``allOf``, by keywords that providers know.

    None where it is recursive.
    """
    try:
        return _plain(schema, schema, 0)
    except RecursionError:
        return None


def _plain(part: Any, root: Mapping[str, Any], depth: int) -> Schema:
    if depth > _DEEPEST:
        raise RecursionError
    if not isinstance(part, Mapping):
        return {}
    merged: Schema = {}
    target: Any = root
    for step in str(part.get("$ref", "")).removeprefix("#").strip("/").split("/"):
        target = target.get(step, {}) if step else target
    for source in (*([target] if "$ref" in part else []), *part.get("allOf", ())):
        merged = _merged(merged, _plain(source, root, depth + 1))
    own: Schema = {key: part[key] for key in _KEYWORDS if key in part}
    if "anyOf" in own:
        own["anyOf"] = [_plain(choice, root, depth + 1) for choice in own["anyOf"]]
    if "properties" in part:
        own["properties"] = {name: _plain(value, root, depth + 1)
                             for name, value in part["properties"].items()}
    if "required" in part:
        own["required"] = list(part["required"])
    if "items" in part:
        own["items"] = _plain(part["items"], root, depth + 1)
    if "additionalProperties" in part:
        free = part["additionalProperties"]
        own["additionalProperties"] = (
            _plain(free, root, depth + 1) if isinstance(free, Mapping) else free)
    return _merged(merged, own)


def _merged(first: Schema, second: Schema) -> Schema:
    """Both at once, as ``allOf`` has it.

    Fields keep the order of the first, in which grammars have them written.
    """
    merged = {**second, **first}
    for key in first.keys() & second.keys():
        left, right = first[key], second[key]
        if key == "properties":
            merged[key] = {name: _merged(left.get(name, {}), right.get(name, {}))
                           for name in {**left, **right}}
        elif key == "required":
            merged[key] = [*dict.fromkeys((*left, *right))]
        elif key == "description":
            merged[key] = right if left in right else _about(second, left)
        elif key in {"items", "additionalProperties"} and isinstance(left, dict):
            merged[key] = _merged(left, right) if isinstance(right, dict) else left
    return merged


def listed(schema: Schema) -> Schema:
    """A :func:`plain` schema for a strict mode: no free keys, and every value of a known type."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [listed(choice) for choice in schema["anyOf"]]}
    if _is_map(schema):
        return _entries(schema)
    if "properties" in schema:
        fields = {name: listed(value) for name, value in schema["properties"].items()}
        required = schema.get("required", [])
        if schema.get("additionalProperties") is not False:
            fields[_OTHERS], required = _entries({**schema, "description": "Others."}), [
                *required, _OTHERS]
        return {**schema, "type": "object", "properties": fields, "required": required,
                "additionalProperties": False}
    if "items" in schema:
        return {**schema, "items": listed(schema["items"])}
    if {"type", "enum", "const"} & schema.keys():
        return schema
    return {"type": "string", "description": _about(schema, "The value as JSON.")}


def unlisted(value: Any, schema: Schema) -> Any:
    """An answer to ``listed(schema)`` as one to ``schema``; what is neither stays as it is."""
    if _is_map(schema) and isinstance(value, list):
        pairs = [entry for entry in value if isinstance(entry, dict) and "key" in entry]
        return {str(pair["key"]): unlisted(pair.get("value"), _value_of(schema)) for pair in pairs}
    if "properties" in schema and isinstance(value, dict):
        properties = schema["properties"]
        fields = {name: unlisted(part, properties.get(name, {}))
                  for name, part in value.items() if name in properties or name != _OTHERS}
        others = value.get(_OTHERS) if _OTHERS not in fields else None
        free = {"type": "object", "additionalProperties": _value_of(schema)}
        return {**unlisted(others, free), **fields} if isinstance(others, list) else fields
    if "items" in schema and isinstance(value, list):
        return [unlisted(part, schema["items"]) for part in value]
    if isinstance(value, str) and not {"type", "enum", "const", "anyOf"} & schema.keys():
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _is_map(schema: Schema) -> bool:
    """Whether an object may have any keys."""
    return schema.get("type") == "object" and not schema.get("properties") and (
        schema.get("additionalProperties") is not False)


def _entries(schema: Schema) -> Schema:
    entry = {"key": {"type": "string"}, "value": listed(_value_of(schema))}
    return {
        "type": "array", "description": _about(schema, "One entry a key."),
        "items": {"type": "object", "properties": entry, "required": ["key", "value"],
                  "additionalProperties": False},
    }


def _about(schema: Schema, more: str) -> str:
    """The description of ``schema``, and more."""
    description = schema.get("description", "").rstrip(".")
    return f"{description}. {more}" if description else more


def _value_of(schema: Schema) -> Schema:
    free = schema.get("additionalProperties")
    return free if isinstance(free, dict) else {}
