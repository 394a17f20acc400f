"""Where operations are served, where that is not at ``/api/`` and their name, by POST."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..operations.operation import Operation


@dataclass(frozen=True, slots=True)
class Route:
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


ROUTES: Final[Mapping[str, Route]] = {
    "assemble": Route("/api/assemble", example={
        "text": "I try to slip past the guard", "mode": "story", "audience": "player",
    }),
    "turn": Route("/api/turn", example={
        "campaign_id": "ashen-keep", "user_input": "I listen at the door.",
        "mode": "story", "audience": "player",
    }),
    "rulebook.query": Route("/api/rulebook/query", id="askRulebook", example={
        "query": "How far away may I cast it?", "intention": "spell_details",
        "entities": ["fireball"], "max_tokens": 2000,
    }),
    "rulebook.search": Route(
        "/api/rulebook/search", id="searchRulebook", example={"query": "a fall from a roof"}
    ),
    "entities.types": Route("/api/entities", "GET", "listEntityTypes"),
    "entities.all": Route("/api/entities/search", "GET", "searchAllEntities"),
    "entities.search": Route("/api/entities/<entity_type>", "GET", "searchEntities", filters=True),
    "entities.show": Route("/api/entities/<entity_type>/<slug>", "GET", "readEntity"),
    "entities.similar": Route(
        "/api/entities/<entity_type>/<slug>/similar", "GET", "similarEntities"
    ),
    "releases": Route("/api/releases", "GET", closed=False),
    "health": Route("/healthz", "GET", closed=False, failing=503),
}


def route_of(operation: Operation[Any]) -> Route:
    """Where ``operation`` is served."""
    return ROUTES.get(operation.name) or Route(f"/api/{operation.name.replace('.', '/')}")
