"""The JSON API: every operation at its route, its request read from a body or a query string.

Where no other route is given, that is ``/api/`` and the operation's name, by POST.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from flask import Blueprint, Response, current_app, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Request

from ..content.types import entity_type, fields_of
from ..errors import InvalidRequestError
from ..operations.operation import Operation
from ..operations.requests import fields, read
from ..operations.services import Services
from ..text.strict_json import check, read_object, short
from .access import current, run
from .entities_forms import read_pairs
from .failures import RequestError, error_body, failure_of
from .forms import typed
from .limits import PROBES
from .streaming import EVENT_STREAM, HEADERS, Event, EventStream

READ: Final[Mapping[str, str]] = {
    "campaigns.list": "/api/campaigns",
    "campaigns.show": "/api/campaigns/<campaign_id>",
    "campaigns.turns": "/api/campaigns/<campaign_id>/turns",
    "campaigns.export": "/api/campaigns/<campaign_id>/export",
    "turns.show": "/api/turns/<turn_id>",
    "entities.types": "/api/entities",
    "entities.all": "/api/entities/search",
    "entities.search": "/api/entities/<entity_type>",
    "entities.show": "/api/entities/<entity_type>/<slug>",
    "entities.similar": "/api/entities/<entity_type>/<reference_slug>/similar",
    "library.list": "/api/library",
    "sessions.list": "/api/sessions",
    "sessions.template": "/api/sessions/template",
    "characters.list": "/api/characters",
    "releases": "/api/releases",
    "archive.usage": "/api/archive/usage",
    "health": "/healthz",
}
"""The addresses of operations that are asked with GET: fields stand in the path or the query."""


def path_of(operation: Operation[Any]) -> str:
    """The address of ``operation``; fields of its request stand in angle brackets."""
    return READ.get(operation.name) or f"/api/{operation.name.replace('.', '/')}"


def blueprint(services: Services, operations: Iterable[Operation[Any]]) -> Blueprint:
    """The routes of ``operations``."""
    routes = Blueprint("api", __name__)
    for operation in operations:
        routes.add_url_rule(
            path_of(operation), operation.name.replace(".", "_"), _view(services, operation),
            methods=["GET" if operation.name in READ else "POST"],
        )
    return routes


def _view(services: Services, operation: Operation[Any]) -> Callable[..., ResponseReturnValue]:
    def answer(**path: str) -> ResponseReturnValue:
        if operation.name in READ:
            values = _read_query(request.args, path, operation)
        else:
            values = read_body(request)
        arguments = read(operation.request, values)
        if (events := events_of(services, operation, arguments)) is not None:
            return events
        result = run(services, operation, arguments)
        return jsonify(result), 503 if getattr(result, "status", "") == "failing" else 200

    return answer


def events_of(services: Services, operation: Operation[Any], arguments: Any) -> Response | None:
    """The operation's events as they come, where the caller would rather have them than JSON.

    What fails before the first is answered as any request is.
    """
    best = request.accept_mimetypes.best_match(("application/json", EVENT_STREAM))
    if operation.stream is None or best != EVENT_STREAM:
        return None
    entitled = current().entitled
    current().require_all(operation.needs(arguments))

    def failed(error: Exception) -> Event:
        return "error", error_body(failure_of(error, entitled=entitled))

    events = operation.stream(services, arguments, entitled)
    disconnected = request.environ.get("waitress.client_disconnected", lambda: False)
    stream = EventStream(
        next(events), events, dumps=current_app.json.dumps, failed=failed, is_gone=disconnected
    )
    return Response(stream, content_type=EVENT_STREAM, headers=HEADERS)


def read_body(asking: Request) -> dict[str, Any]:
    """The JSON object that a request carries.

    Raises:
        RequestError: 415 for another type of content.
        JsonError: the body is no strict JSON object.
        RequestEntityTooLarge: it is over the app's limit.
    """
    charset = asking.mimetype_params.get("charset", "utf-8").lower()
    if asking.mimetype != "application/json" or charset not in {"utf-8", "utf8"}:
        raise RequestError(
            415, "not_json",
            "send the body as 'Content-Type: application/json', in UTF-8; this request says "
            f"{asking.headers.get('Content-Type', 'nothing')[:80]!r}",
        )
    encoding = asking.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise RequestError(
            415, "not_json", f"send the body as it is, without Content-Encoding {encoding[:40]!r}"
        )
    return read_object(asking.get_data(cache=False))


def _read_query(args: MultiDict[str, str], path: dict[str, str], operation: Operation[Any],
                ) -> dict[str, Any]:
    """The values of a request's fields; a parameter named like none is a filter, or wrong."""
    names = {name: field for name, field in fields(operation.request).items() if name not in path}
    values: dict[str, Any] = dict(path)
    others: list[tuple[str, str]] = []
    for name, texts in args.lists():
        try:
            check([name, *texts], f"`{name[:40]}`")
            if name in names and len(texts) > 1 and names[name]["type"] != "array":
                raise ValueError(f"`{name}` is given {len(texts)} times; give it once")
            if name in names:
                values[name] = typed(names[name], texts, f"`{name}`")
        except ValueError as error:
            raise InvalidRequestError(str(error)) from None
        if name not in names and "filters" not in names and request.path not in PROBES:
            takes = f"the parameters are {', '.join(sorted(names))}" if names else "it takes none"
            raise InvalidRequestError(f"unknown parameter {short(name)}; {takes}")
        others += [(name, text) for text in texts if name not in names]
    if others and "filters" in names:
        filters = values.get("filters", {})
        named = read_pairs(others, fields_of(entity_type(path["entity_type"])))
        if twice := sorted(filters.keys() & named.keys()):
            raise InvalidRequestError(
                f"{short(twice[0])} is in `filters` and a parameter too: give it once"
            )
        values["filters"] = {**filters, **named}
    return values
