"""The JSON API: every operation at its route, its request read from a body or a query string.

Where no other route is given, that is ``/api/`` and the operation's name, by POST.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
from .access import Caller, current
from .entities_forms import read_pairs
from .failures import RequestError, failure_of, told
from .forms import typed
from .streaming import EVENT_STREAM, HEADERS, Event, EventStream


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """An operation's address.

    ``path`` may name fields in angle brackets. With GET the other fields are query parameters, and
    with ``filters`` those that are named like no field are read into that one; where they are not
    ``closed`` they are not looked at. ``id`` is the OpenAPI operation's; ``failing`` the status of
    a response that says ``failing`` of itself.
    """

    path: str
    method: str = "POST"
    id: str = ""
    filters: bool = False
    closed: bool = True
    example: Mapping[str, Any] = field(default_factory=dict)
    failing: int = 200


ROUTES: Final[Mapping[str, ApiRoute]] = {
    "assemble": ApiRoute("/api/assemble", example={
        "text": "I look around", "mode": "story", "audience": "player",
    }),
    "turn": ApiRoute("/api/turn", example={
        "campaign_id": "my-campaign", "user_input": "I listen at the door.",
        "mode": "story", "audience": "player",
    }),
    "campaigns.list": ApiRoute("/api/campaigns", "GET", "listCampaigns"),
    "campaigns.show": ApiRoute("/api/campaigns/<campaign_id>", "GET", "readCampaign"),
    "campaigns.turns": ApiRoute("/api/campaigns/<campaign_id>/turns", "GET", "listTurns"),
    "campaigns.export": ApiRoute("/api/campaigns/<campaign_id>/export", "GET", "exportCampaign"),
    "turn.undo": ApiRoute("/api/turn/undo", id="undoTurn"),
    "turn.branch": ApiRoute("/api/turn/branch", id="branchCampaign", example={
        "turn_id": "a-turn", "campaign_id": "another-campaign",
    }),
    "turns.show": ApiRoute("/api/turns/<turn_id>", "GET", "readTurn"),
    "rulebook.query": ApiRoute("/api/rulebook/query", id="askRulebook", example={
        "query": "How far away may I cast it?", "intention": "spell_details",
        "entities": ["fireball"], "max_tokens": 2000,
    }),
    "rulebook.search": ApiRoute(
        "/api/rulebook/search", id="searchRulebook", example={"query": "a fall from a roof"}
    ),
    "entities.types": ApiRoute("/api/entities", "GET", "listEntityTypes"),
    "entities.all": ApiRoute("/api/entities/search", "GET", "searchAllEntities"),
    "entities.search": ApiRoute("/api/entities/<entity_type>", "GET", "searchEntities",
                                filters=True),
    "entities.show": ApiRoute("/api/entities/<entity_type>/<slug>", "GET", "readEntity"),
    "entities.similar": ApiRoute(
        "/api/entities/<entity_type>/<slug>/similar", "GET", "similarEntities"
    ),
    "library.list": ApiRoute("/api/library", "GET", "listBooks"),
    "library.ask": ApiRoute("/api/library/ask", id="askBooks", example={
        "query": "a fast sword fighter", "types": ["subclass", "feat"],
    }),
    "library.scan": ApiRoute("/api/library/scan", id="scanLibrary"),
    "library.extract": ApiRoute("/api/library/extract", id="extractContent", example={
        "source_id": "my-book", "content_name": "Ember Lance", "content_type": "spell",
    }),
    "library.bind": ApiRoute("/api/library/bind", id="bindBooks", example={
        "campaign": "my-campaign", "sources": ["my-book"],
    }),
    "sessions.list": ApiRoute("/api/sessions", "GET", "listSessions"),
    "sessions.template": ApiRoute("/api/sessions/template", "GET", "readNotesTemplate"),
    "characters.list": ApiRoute("/api/characters", "GET", "listCharacters"),
    "releases": ApiRoute("/api/releases", "GET", closed=False),
    "health": ApiRoute("/healthz", "GET", closed=False, failing=503),
}


def route_of(operation: Operation[Any]) -> ApiRoute:
    """Where ``operation`` is served."""
    return ROUTES.get(operation.name) or ApiRoute(f"/api/{operation.name.replace('.', '/')}")


def blueprint(services: Services, operations: Iterable[Operation[Any]]) -> Blueprint:
    """The routes of ``operations``."""
    routes = Blueprint("api", __name__)
    for operation in operations:
        route = route_of(operation)
        routes.add_url_rule(
            route.path, operation.name.replace(".", "_"), _view(services, operation, route),
            methods=[route.method],
        )
    return routes


def _view(services: Services, operation: Operation[Any], route: ApiRoute,
          ) -> Callable[..., ResponseReturnValue]:
    def answer(**path: str) -> ResponseReturnValue:
        if route.method == "POST":
            values = read_body(request)
        else:
            values = _read_query(request.args, path, operation, route)
        arguments = read(operation.request, values)
        caller = current()
        caller.require_all(operation.needs(arguments))
        if operation.stream is not None and wants_stream():
            return streamed(operation.stream(services, arguments, caller.entitled), caller)
        result = operation.run(services, arguments, caller.entitled)
        failing = getattr(result, "status", "") == "failing"
        return jsonify(result), route.failing if failing else 200

    return answer


def wants_stream() -> bool:
    """Whether the caller would rather have events than JSON."""
    best = request.accept_mimetypes.best_match(("application/json", EVENT_STREAM))
    return best == EVENT_STREAM


def streamed(events: Iterator[Event], caller: Caller) -> Response:
    """``events`` as they come. What fails before the first is answered as any request is."""
    def failed(error: Exception) -> Event:
        return "error", told(failure_of(error, entitled=caller.entitled, limit=0))

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
                route: ApiRoute) -> dict[str, Any]:
    """The values of a route's fields; a parameter that is named like none is a filter, or wrong."""
    names = {name: field for name, field in fields(operation.request).items() if name not in path}
    values: dict[str, Any] = dict(path)
    others: list[tuple[str, str]] = []
    for name, texts in args.lists():
        try:
            check([name, *texts], f"`{name[:40]}`")
            if name in names:
                if len(texts) > 1 and names[name]["type"] != "array":
                    raise InvalidRequestError(
                        f"`{name}` is given {len(texts)} times; give it once"
                    )
                values[name] = typed(names[name], texts, f"`{name}`")
                continue
        except ValueError as error:
            raise InvalidRequestError(str(error)) from None
        if route.filters:
            others += [(name, text) for text in texts]
        elif route.closed:
            takes = f"the parameters are {', '.join(sorted(names))}" if names else "it takes none"
            raise InvalidRequestError(f"unknown parameter {short(name)}; {takes}")
    if others:
        filters = values.get("filters", {})
        named = read_pairs(others, fields_of(entity_type(path["entity_type"])))
        if twice := sorted(filters.keys() & named.keys()):
            raise InvalidRequestError(
                f"{short(twice[0])} is in `filters` and a parameter too: give it once"
            )
        values["filters"] = {**filters, **named}
    return values
