"""The rulebook's part of the JSON API: an answer within a budget, and a ranking."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from ..rulebook.categories import Category
from ..rulebook.intentions import Intention
from ..rulebook.rulebook import MAX_TOKENS
from .bodies import read_object
from .rulebook_schemas import QUERY_REQUEST, SEARCH_REQUEST
from .schemas import Schema, validator
from .services import Services

LIMIT: Final = 10


def _lenient(schema: Schema) -> Schema:
    """``schema`` with any text as intention: the rulebook knows the near ones of a wrong one."""
    intention = {"type": ["string", "null"]}
    return {**schema, "properties": {**schema["properties"], "intention": intention}}


_QUERY = validator(_lenient(QUERY_REQUEST))
_SEARCH = validator(_lenient(SEARCH_REQUEST))


def blueprint(services: Services) -> Blueprint:
    """The routes under ``/api/rulebook``."""
    api = Blueprint("rulebook_api", __name__, url_prefix="/api/rulebook")

    @api.post("/query")
    def query() -> ResponseReturnValue:
        body = read_object(request, _QUERY)
        asked = _asked(body)
        found = services.rulebook().query(
            user_query=body.get("query") or None, continuation=body.get("continuation"),
            max_tokens=int(body.get("max_tokens", MAX_TOKENS)), **asked,
        )
        return jsonify({**found.as_dict(), "text": found.text})

    @api.post("/search")
    def search() -> ResponseReturnValue:
        body = read_object(request, _SEARCH)
        asked = _asked(body)
        book = services.rulebook()
        found = book.search(
            body.get("query", ""), limit=int(body.get("limit", LIMIT)), **asked,
        )
        return jsonify({
            "results": [hit.as_dict() for hit in found], "source": book.source,
            "attribution": book.attribution, "rulebook": book.fingerprint,
        })

    return api


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    """What both routes take.

    Raises:
        UnknownIntentionError: there is no such intention; the message names near ones.
    """
    name, categories = body.get("intention"), body.get("categories")
    return {
        "intention": None if name is None else Intention.from_name(name),
        "entities": tuple(body.get("entities", ())),
        "context_hints": tuple(body.get("context_hints", ())),
        "categories": categories and tuple(Category(int(number)) for number in categories),
    }
