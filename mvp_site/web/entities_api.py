"""The entities' part of the JSON API: types, searches, one entity, what is like it."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ..content.types import EntityType, entity_type, fields_of
from ..entities.results import Results
from . import bodies
from .entities_forms import read_pairs, wrong_query
from .entities_schemas import LIMIT, MAX_LIMIT, MAX_OFFSET
from .failures import RequestError
from .services import Entities, Services

_SEARCH: Final = frozenset({"query", "filters", "limit", "offset", "bind_stated"})
_ALL: Final = frozenset({"query", "types", "documents", "limit", "bind_stated"})
_FLAGS: Final = {"true": True, "false": False}


def blueprint(services: Services) -> Blueprint:
    """The routes under ``/api/entities``."""
    api = Blueprint("entities_api", __name__, url_prefix="/api/entities")

    @api.get("")
    def types() -> ResponseReturnValue:
        _known(request.args, frozenset())
        documents = services.entities().list_documents()
        return jsonify({"types": [_type(type_, documents) for type_ in EntityType],
                        "documents": documents})

    @api.get("/search")
    def search_all() -> ResponseReturnValue:
        args = request.args
        _known(args, _ALL)
        index = services.entities()
        types = [entity_type(name) for name in args.getlist("types")]
        found = index.search_all(
            _query(args), _number(args, "limit", LIMIT, 1, MAX_LIMIT), types=types or None,
            documents=args.getlist("documents") or None, bind_stated=_flag(args, default=True),
        )
        return _answer(index, found)

    @api.get("/<type_name>")
    def search(type_name: str) -> ResponseReturnValue:
        type_ = entity_type(type_name)
        args = request.args
        index = services.entities()
        found = index.search_entities(
            type_, _query(args), _filters(args, type_),
            _number(args, "limit", LIMIT, 1, MAX_LIMIT), _number(args, "offset", 0, 0, MAX_OFFSET),
            _flag(args, default=False),
        )
        return _answer(index, found)

    @api.get("/<type_name>/<slug>")
    def entity(type_name: str, slug: str) -> ResponseReturnValue:
        type_ = entity_type(type_name)
        _known(request.args, frozenset())
        index = services.entities()
        found = index.entity(type_, slug)
        return jsonify({"entity": found, "attribution": _attribution(index, [found])})

    @api.get("/<type_name>/<slug>/similar")
    def similar(type_name: str, slug: str) -> ResponseReturnValue:
        type_ = entity_type(type_name)
        _known(request.args, frozenset({"limit"}))
        index = services.entities()
        found = index.find_similar_entities(
            type_, slug, _number(request.args, "limit", LIMIT, 1, MAX_LIMIT)
        )
        return _answer(index, found)

    return api


def _answer(index: Entities, found: Results) -> ResponseReturnValue:
    return jsonify({
        "results": list(found), "total": found.total, "stated": found.stated,
        "bound": found.bound, "attribution": _attribution(index, found),
    })


def _attribution(index: Entities, found: list[dict[str, Any]]) -> str:
    """What the licences of the documents of ``found`` ask to be said."""
    documents = {one.get("document") for one in found}
    return " ".join(dict.fromkeys(
        str(one["attribution"]) for one in index.list_documents()
        if one["attribution"] and one["document"] in documents
    ))


def _type(type_: EntityType, documents: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": type_.value,
        "entities": sum(int(one["types"].get(type_.value, 0)) for one in documents),
        "fields": [
            {"name": field.name, "kind": field.kind.name.lower(), "about": field.about,
             "also": list(field.also)} for field in fields_of(type_)
        ],
    }


def _filters(args: MultiDict[str, str], type_: EntityType) -> dict[str, Any]:
    """The filters of the parameter ``filters`` and of those that are named like fields.

    Raises:
        RequestError: 400, for what is no JSON object, and for a field that is in both.
        FilterError: a field is given a part of a text, and something else.
    """
    found: dict[str, Any] = {}
    if text := _one(args, "filters"):
        try:
            value = bodies.parse(text.encode("utf-8", "replace"))
            bodies.check_values(value)
        except RequestError as error:
            raise _wrong(str(error).replace("the body", "`filters`", 1)) from None
        if not isinstance(value, dict):
            raise _wrong('`filters` must be a JSON object, as {"level": 3}')
        found = value
    pairs = [(key, value) for key, value in args.items(multi=True) if key not in _SEARCH]
    if any("\0" in part for pair in pairs for part in pair):
        raise _wrong("a filter has a NUL character; leave it out")
    named = read_pairs(pairs, fields_of(type_))
    if twice := sorted(set(found) & set(named)):
        raise _wrong(f"{twice[0][:40]!r} is in `filters` and a parameter too: give it once")
    return {**found, **named}


def _query(args: MultiDict[str, str]) -> str:
    query = _one(args, "query")
    if problem := wrong_query(query):
        raise _wrong(f"`query`: {problem}")
    return query


def _number(args: MultiDict[str, str], name: str, default: int, least: int, most: int) -> int:
    text = _one(args, name) if name in args else str(default)
    plain = text.isascii() and text.isdecimal() and len(text) < 10
    if not plain or not least <= int(text) <= most:
        raise _wrong(f"`{name}` must be a whole number from {least} to {most}")
    return int(text)


def _flag(args: MultiDict[str, str], *, default: bool) -> bool:
    text = _one(args, "bind_stated") if "bind_stated" in args else str(default).lower()
    if text not in _FLAGS:
        raise _wrong("`bind_stated` must be true or false")
    return _FLAGS[text]


def _one(args: MultiDict[str, str], name: str) -> str:
    """The value of a parameter, or ''."""
    found = args.getlist(name)
    if len(found) > 1:
        raise _wrong(f"`{name}` is given {len(found)} times; give it once")
    return found[0] if found else ""


def _known(args: MultiDict[str, str], names: frozenset[str]) -> None:
    for name in args:
        if name not in names:
            known = f"the parameters are {', '.join(sorted(names))}" if names else "it takes none"
            raise _wrong(f"unknown parameter {name[:40]!r}; {known}")


def _wrong(message: str) -> RequestError:
    return RequestError(400, "invalid_request", message)
