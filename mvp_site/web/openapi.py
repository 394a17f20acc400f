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

SUMMARIES: Final[Mapping[str, str]] = {
    "assemble": "Assemble the prompt of one turn. No model is asked.",
    "retrieve": "The passages that a turn retrieves, their scores, and why others were left out.",
    "turn": "Play a turn of a campaign. With text/event-stream it is told as it goes.",
    "turn.undo": "Take back a campaign's last turn. It is kept, and no longer counts.",
    "turn.retake": "Let a turn count again that was taken back, in place of its other version.",
    "turn.branch": "Begin a new campaign with another's turns up to one.",
    "campaigns.export": "A campaign with all its turns, as one document.",
    "campaign.limit": "What a campaign has cost; with usd, limit what it may cost.",
    "campaigns.list": "All campaigns, last changed first.",
    "campaign.begin": "Begin a campaign with a title, and with an imported sheet as its state.",
    "rulebook.query": "The rules that answer a question, within a budget of tokens.",
    "rulebook.search": "The sections of the rulebook, ranked for a question.",
    "entities.types": "The types of entities, how many there are, and the fields to filter by.",
    "entities.search": "Search entities of one type. Without `query` they are listed by name.",
    "entities.show": "One entity with all its fields.",
    "entities.similar": "Entities that are like one.",
    "library.ask": "Ask all books and the SRD in your own words.",
    "library.list": "The sources of the library. With `source_id`, the contents of one.",
    "library.extract": "Make an entity of an entry of a book.",
    "library.bind": "Bind a campaign to some sources. Without any, it may use all.",
    "characters.list": "The imported characters.",
    "sessions.list": "The imported notes of sessions.",
    "sessions.template": "A form for the notes of a session, as Markdown.",
    "ask": "Ask the character sheet, the rules, past sessions and books together.",
    "ask.correct": "Correct what the router decided for one source of an answer.",
    "releases": "The prompt versions, the state of their indexes, and which one is served.",
    "releases.promote": "Serve a version from the next turn on, where a request names none.",
    "archive.usage": "How often turns retrieved each section, and which turns found nothing.",
}
"""What is said of operations to readers of HTTP, where ``about`` speaks of commands."""
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
    about = SUMMARIES.get(operation.name, operation.about)
    success: Document = {"description": about, "content": {"application/json": {
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
        "operationId": operation.name.replace(".", "_"), "summary": about,
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
