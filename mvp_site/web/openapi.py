"""The API's OpenAPI 3.1 document, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..operations.all import OPERATIONS
from ..operations.operation import Operation
from ..operations.requests import fields
from ..operations.schemas import AT, components
from ..operations.turns import EVENTS
from ..turns.contracts import BUILT_IN, Contract
from .api import READ, path_of
from .failures import KINDS
from .streaming import EVENT_STREAM

Document = dict[str, Any]

_ERROR: Final[Document] = {
    "type": "object", "required": ["error"], "additionalProperties": False,
    "properties": {"error": {
        "type": "object", "required": ["kind", "message"], "additionalProperties": False,
        "properties": {
            "kind": {"type": "string", "enum": list(KINDS)}, "message": {"type": "string"},
        },
    }},
}
_REFUSALS: Final[Document] = {
    status: {"description": about, "content": {"application/json": {
        "schema": {"$ref": f"{AT}Error"},
    }}} for status, about in (
        ("4XX", ("The request cannot be answered: `kind` says why, `message` what mends it. With "
                "409 or 429, Retry-After has the seconds to wait.")),
        ("5XX", ("A part is not ready, or as much is under way as the server takes on: with 503, "
                "Retry-After has the seconds to wait.")),
    )
}

EXAMPLES: Final[Mapping[str, Document]] = {
    "assemble": {"text": "I look around", "mode": "story", "audience": "player"},
    "turn": {"campaign_id": "my-campaign", "user_input": "I listen at the door."},
    "turn.branch": {"turn_id": "a-turn", "campaign_id": "another-campaign"},
    "campaign.limit": {"campaign_id": "my-campaign", "usd": 5},
    "rulebook.query": {"query": "How far may I cast it?", "entities": ["fireball"]},
    "rulebook.search": {"query": "a fall from a roof"},
    "library.ask": {"query": "a fast sword fighter", "types": ["subclass", "feat"]},
    "library.extract": {"source_id": "my-book", "content_name": "Ember Lance"},
    "library.bind": {"campaign": "my-campaign", "sources": ["my-book"]},
}
"""Bodies to begin with, by operation."""


def document(operations: Sequence[Operation[Any]] = OPERATIONS, *, token: bool,
             contract: Contract = BUILT_IN, root: str = "") -> Document:
    """The document; with ``token`` it says what the DM token is needed for.

    ``root`` is where the app is mounted, '' for a host's first address.
    """
    bearer: Document = {"security": [{}, {"bearer": []}]} if token else {}
    only_bearer: Document = {"security": [{"bearer": []}]} if token else {}
    schemes = {"securitySchemes": {"bearer": {
        "type": "http", "scheme": "bearer",
        "description": "The DM token (MVP_SITE_DM_TOKEN). Without it a caller is a player.",
    }}} if token else {}
    operations = [operation for operation in operations if "api" in operation.surfaces]
    schemas, named = components(
        [operation.request for operation in operations], [op.response for op in operations],
        contract,
    )
    named["Error"] = _ERROR
    paths: Document = {}
    for operation in operations:
        path = re.sub("<(.*?)>", r"{\1}", path_of(operation))
        method = "get" if operation.name in READ else "post"
        paths.setdefault(path, {})[method] = {**_described(operation, path, schemas), **bearer}
    for path, name, summary, content, security in (
        ("/metrics", "metrics", "Metrics for Prometheus", {"text/plain": {
            "schema": {"type": "string"}}}, only_bearer),
        ("/openapi.json", "openapi", "This document", {"application/json": {
            "schema": {"type": "object"}}}, bearer),
    ):
        paths[path] = {"get": {
            "operationId": name, "summary": summary, "tags": ["operators"], **security,
            "responses": {"200": {"description": summary, "content": content}, **_REFUSALS},
        }}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "mvp-site", "version": "1",
            "description": "Prompts, turns, rules and entities for D&D-style game runners. Prompts "
                           "and turns hold `view`: `dm` with the DM token, else `player`, which "
                           "leaves out what players may not know. The audiences dm and god, god "
                           "mode, and a turn's state, history and seed need the DM token. NUL "
                           "characters are refused everywhere.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        **({"servers": [{"url": root}]} if root else {}),
        "paths": paths,
        "components": {"schemas": named, **schemes},
    }


def _described(operation: Operation[Any], path: str, schemas: dict[Any, Document]) -> Document:
    success: Document = {"description": operation.about, "content": {"application/json": {
        "schema": schemas[operation.response],
    }}}
    if operation.stream is not None:
        success["content"][EVENT_STREAM] = {"schema": {"type": "string", "description": (
            f"With `Accept: {EVENT_STREAM}`: the events {', '.join(EVENTS)}, each with JSON "
            "in its `data`; `result` has what is answered otherwise, `error` what an error is."
        )}}
    if operation.name in READ:
        parameters = [
            _parameter(name, schema, in_path=f"{{{name}}}" in path)
            for name, schema in fields(operation.request).items()
        ]
        inputs: Document = {"parameters": parameters} if parameters else {}
    else:
        body = {"schema": schemas[operation.request]}
        if operation.name in EXAMPLES:
            body["example"] = EXAMPLES[operation.name]
        inputs = {"requestBody": {"required": True, "content": {"application/json": body}}}
    failing = {"503": success} if operation.name == "health" else {}
    return {
        "operationId": operation.name.replace(".", "_"), "summary": operation.about,
        "tags": [operation.name.partition(".")[0]], **inputs,
        "responses": {"200": success, **failing, **_REFUSALS},
    }


def _parameter(name: str, schema: Mapping[str, Any], *, in_path: bool) -> Document:
    rest = {key: value for key, value in schema.items()
            if key not in {"description", "required", "title", "anyOf"}}
    value: Document = {"schema": rest}
    if schema["type"] == "object":
        value = {"content": {"application/json": value}}
    return {
        "name": name, "in": "path" if in_path else "query",
        "description": schema["description"],
        **({"required": True} if in_path or schema["required"] else {}), **value,
    }
