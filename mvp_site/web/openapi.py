"""The API's OpenAPI 3.1 document, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..operations.all import OPERATIONS
from ..operations.operation import Operation
from ..operations.requests import fields
from ..operations.schemas import AT, components
from .failures import KINDS
from .routes import Route, route_of

Document = dict[str, Any]

_STATUSES: Final = {
    400: "What is wrong with the request, and where.",
    401: "The DM token is needed for this, or the token sent is not it.",
    403: "Not allowed: from another machine without a configured token, from another site's page, "
         "or a God command of a player.",
    404: "No such version, campaign, type of entity or entity.",
    405: "The address does not take this method.",
    409: "The campaign has moved on since the turn began, or another turn of it waits already; "
         "send the turn again.",
    413: "The body is over the limit, 1 MiB by default.",
    415: "The body is not sent as application/json.",
    429: "Too many requests from this address.",
    500: "Something went wrong in the server; its log says what.",
    503: "A part is not ready: the message says what mends it, to who has the DM token. "
         "Or as many turns are under way as the server takes: send the turn again.",
}
_RETRY: Final = {
    "Retry-After": {
        "description": "Seconds to wait.", "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
}
_HEADERS: Final[dict[int, Document]] = {
    401: {"WWW-Authenticate": {
        "description": "How to authenticate.", "required": True, "schema": {"type": "string"},
    }},
    405: {"Allow": {
        "description": "The methods that the address takes.", "required": True,
        "schema": {"type": "string"},
    }},
    409: {"Retry-After": {**_RETRY["Retry-After"], "required": False}},
    429: _RETRY, 503: _RETRY,
}
_EVERYWHERE: Final = (401, 403, 405, 429, 500)
_READING: Final = (*_EVERYWHERE, 400, 503)
_ASKING: Final = (*_READING, 413, 415)
_ERROR: Final[Document] = {
    "type": "object", "required": ["error"], "additionalProperties": False,
    "properties": {"error": {
        "type": "object", "required": ["kind", "message"], "additionalProperties": False,
        "properties": {
            "kind": {"type": "string", "enum": list(KINDS)}, "message": {"type": "string"},
        },
    }},
}


def document(operations: Sequence[Operation[Any]] = OPERATIONS, *, token: bool) -> Document:
    """The document; with ``token`` it says what the DM token is needed for."""
    bearer: Document = {"security": [{}, {"bearer": []}]} if token else {}
    only_bearer: Document = {"security": [{"bearer": []}]} if token else {}
    schemes = {"securitySchemes": {"bearer": {
        "type": "http", "scheme": "bearer",
        "description": "The DM token (MVP_SITE_DM_TOKEN). Without it a caller is a player.",
    }}} if token else {}
    operations = [one for one in operations if "api" in one.surfaces]
    schemas, named = components(
        [one.request for one in operations], [one.response for one in operations]
    )
    named["Error"] = _ERROR
    paths: Document = {}
    for operation in operations:
        route = route_of(operation)
        path = re.sub("<(.*?)>", r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = {
            **_described(operation, route, schemas), **bearer,
        }
    for path, name, summary, content, security in (
        ("/metrics", "metrics", "Metrics for Prometheus", {"text/plain": {
            "schema": {"type": "string"}}}, only_bearer),
        ("/openapi.json", "openapi", "This document", {"application/json": {
            "schema": {"type": "object"}}}, bearer),
    ):
        paths[path] = {"get": {
            "operationId": name, "summary": summary, **security,
            "responses": _responses({"description": summary, "content": content}, _EVERYWHERE),
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
        "paths": paths,
        "components": {"schemas": named, **schemes},
    }


def _described(operation: Operation[Any], route: Route, schemas: dict[Any, Document]) -> Document:
    """One operation at its route."""
    success = _json(operation.about, schemas[operation.response])
    found: dict[str, Any] = {
        "operationId": route.id or operation.name.replace(".", "_"), "summary": operation.about,
    }
    if route.method == "POST":
        body: Document = {"schema": schemas[operation.request]}
        if route.example:
            body["example"] = dict(route.example)
        found["requestBody"] = {"required": True, "content": {"application/json": body}}
        failures = (*_ASKING, *route.failures)
    else:
        parameters = [
            _parameter(name, schema, in_path=f"<{name}>" in route.path)
            for name, schema in fields(operation.request).items()
        ]
        if parameters:
            found["parameters"] = parameters
        failures = (*_READING, *route.failures)
    responses = {**_responses(success, failures), str(route.failing): success}
    return {**found, "responses": responses}


def _parameter(name: str, schema: Mapping[str, Any], *, in_path: bool) -> Document:
    about = {key: schema[key] for key in ("description",) if key in schema}
    rest = {key: value for key, value in schema.items()
            if key not in {"description", "required", "title", "anyOf"}}
    value: Document = {"schema": rest}
    if schema["type"] == "object":
        value = {"content": {"application/json": value}}
    return {
        "name": name, "in": "path" if in_path else "query", **about,
        **({"required": True} if in_path or schema["required"] else {}), **value,
    }


def _json(description: str, schema: Document) -> Document:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _responses(success: Document, failures: Sequence[int]) -> Document:
    found = {"200": success}
    for status in sorted(set(failures)):
        found[str(status)] = _json(_STATUSES[status], {"$ref": f"{AT}Error"})
        if status in _HEADERS:
            found[str(status)]["headers"] = _HEADERS[status]
    return found
