"""The API's OpenAPI 3.1 document, as data."""

from __future__ import annotations

from typing import Any, Final

from . import entities_schemas, rulebook_schemas
from .schemas import components, ref

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
_ASKING: Final = (400, 401, 403, 405, 413, 415, 429, 500, 503)
_WRITING: Final = (*_ASKING, 404)


def document(*, token: bool) -> Document:
    """The document; with ``token`` it says what the DM token is needed for."""
    bearer: Document = {"security": [{}, {"bearer": []}]} if token else {}
    only_bearer: Document = {"security": [{"bearer": []}]} if token else {}
    schemes = {"securitySchemes": {"bearer": {
        "type": "http", "scheme": "bearer",
        "description": "The DM token (MVP_SITE_DM_TOKEN). Without it a caller is a player.",
    }}} if token else {}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "mvp-site", "version": "1",
            "description": "Prompts, turns, rules and entities for D&D-style game runners. Prompts "
                           "and turns hold `view`: `dm` with the DM token, else `player`, which "
                           "leaves out what players may not know.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {
            "/api/assemble": {"post": {
                "operationId": "assemble", "summary": "Assemble the prompt of a turn", **bearer,
                "requestBody": _body("AssembleRequest", {
                    "text": "I try to slip past the guard", "mode": "story", "audience": "player",
                }),
                "responses": _responses(
                    _one_of("The prompt and how it was chosen.", "Assembled", "PlayerAssembled"),
                    _WRITING,
                ),
            }},
            "/api/turn": {"post": {
                "operationId": "turn", "summary": "Play a turn of a campaign", **bearer,
                "requestBody": _body("TurnRequest", {
                    "campaign_id": "ashen-keep", "user_input": "I listen at the door.",
                    "mode": "story", "audience": "player",
                }),
                "responses": _responses(
                    _one_of("What came of the turn.", "Turn", "PlayerTurn"), (*_WRITING, 409),
                ),
            }},
            "/api/releases": {"get": {
                "operationId": "releases", "summary": "The versions and their indexes", **bearer,
                "responses": _responses(_json("The versions.", ref("Releases")), _EVERYWHERE),
            }},
            "/api/rulebook/query": {"post": {
                "operationId": "askRulebook", "summary": "Ask the rulebook, within a budget",
                **bearer,
                "requestBody": _body("RulebookQuery", {
                    "query": "How far away may I cast it?", "intention": "spell_details",
                    "entities": ["fireball"], "max_tokens": 2000,
                }),
                "responses": _responses(
                    _json("Tables and whole sections.", ref("RulebookResponse")), _ASKING
                ),
            }},
            "/api/rulebook/search": {"post": {
                "operationId": "searchRulebook", "summary": "Rank the rulebook's sections",
                **bearer,
                "requestBody": _body("RulebookSearch", {"query": "a fall from a roof"}),
                "responses": _responses(
                    _json("The best sections, the best first.", ref("RulebookRanking")), _ASKING
                ),
            }},
            **_entity_paths(bearer),
            "/healthz": {"get": {
                "operationId": "health", "summary": "What is ready, and what mends the rest",
                **bearer,
                "responses": {
                    **_responses(
                        _json("Prompts can be assembled.", ref("Health")), _EVERYWHERE
                    ),
                    "503": _json("No prompt can be assembled.", ref("Health")),
                },
            }},
            "/metrics": {"get": {
                "operationId": "metrics", "summary": "Metrics for Prometheus", **only_bearer,
                "responses": _responses(
                    {"description": "Prometheus' text format.",
                     "content": {"text/plain": {"schema": {"type": "string"}}}}, _EVERYWHERE,
                ),
            }},
            "/openapi.json": {"get": {
                "operationId": "openapi", "summary": "This document", **bearer,
                "responses": _responses(
                    _json("OpenAPI 3.1.", {"type": "object"}), _EVERYWHERE
                ),
            }},
        },
        "components": {"schemas": {
            **components(), **rulebook_schemas.components(), **entities_schemas.components(),
        }, **schemes},
    }


def _entity_paths(bearer: Document) -> Document:
    """The paths of entities; all of them read."""
    read = (400, *_EVERYWHERE, 503)
    found = _json("The best entities, the best first.", ref("EntityResults"))
    routes: tuple[tuple[str, str, str, tuple[Document, ...], Document, tuple[int, ...]], ...] = (
        ("", "listEntityTypes", "The types, their fields, and where entities come from", (),
         _json("All types.", ref("EntityTypes")), read),
        ("/search", "searchAllEntities", "Search the entities of all types",
         entities_schemas.ALL_PARAMETERS, found, (*read, 404)),
        ("/{entity_type}", "searchEntities", "Search the entities of a type, or list them by name",
         entities_schemas.SEARCH_PARAMETERS, found, (*read, 404)),
        ("/{entity_type}/{slug}", "readEntity", "One entity whole",
         entities_schemas.ENTITY_PARAMETERS, _json("The entity.", ref("OneEntity")), (*read, 404)),
        ("/{entity_type}/{slug}/similar", "similarEntities", "What is like an entity",
         entities_schemas.SIMILAR_PARAMETERS, found, (*read, 404)),
    )
    return {
        f"/api/entities{path}": {"get": {
            "operationId": operation, "summary": summary, **bearer,
            **({"parameters": list(parameters)} if parameters else {}),
            "responses": _responses(success, failures),
        }} for path, operation, summary, parameters, success, failures in routes
    }


def _body(name: str, example: Document) -> Document:
    return {
        "required": True,
        "content": {"application/json": {"schema": ref(name), "example": example}},
    }


def _json(description: str, schema: Document) -> Document:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _one_of(description: str, whole: str, players: str) -> Document:
    return _json(description, {"oneOf": [ref(whole), ref(players)]})


def _responses(success: Document, failures: tuple[int, ...]) -> Document:
    found = {"200": success}
    for status in sorted(failures):
        found[str(status)] = _json(_STATUSES[status], ref("Error"))
        if status in _HEADERS:
            found[str(status)]["headers"] = _HEADERS[status]
    return found
