"""The JSON API: assemble a prompt, play a turn, list the releases."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from ..errors import CampaignConflictError, InvalidTurnError
from ..turns.types import TurnRequest
from ..types import Message
from . import wire
from .access import current
from .bodies import read_object
from .failures import RequestError
from .limits import Places
from .metrics import Metrics
from .releases import release_statuses
from .schemas import ASSEMBLE_REQUEST, TURN_REQUEST, is_campaign, validator
from .services import Services

_ASSEMBLE = validator(ASSEMBLE_REQUEST)
_TURN = validator(TURN_REQUEST)
RUNNERS_FIELDS = ("state", "history", "seed")
"""What stands in for the campaign's own, or fixes the dice: a player could cheat with it."""


def blueprint(services: Services, metrics: Metrics, turns: Places) -> Blueprint:
    """The routes under ``/api``."""
    api = Blueprint("api", __name__, url_prefix="/api")

    @api.post("/assemble")
    def assemble() -> ResponseReturnValue:
        body = read_object(request, _ASSEMBLE)
        caller = current()
        mode, audience = body.get("mode", "story"), body.get("audience", "player")
        caller.require_audience(audience, mode)
        assembler = services.assembler(body.get("version"))
        started = time.perf_counter()
        turn = assembler.assemble(
            body["text"], mode, audience, _history(body) or (), body.get("state")
        )
        metrics.assembled(turn, time.perf_counter() - started)
        return jsonify(wire.assembled(turn, entitled=caller.entitled))

    @api.post("/turn")
    def turn() -> ResponseReturnValue:
        body = read_object(request, _TURN)
        caller = current()
        mode, audience = body.get("mode", "story"), body.get("audience", "player")
        caller.require_audience(audience, mode)
        if not is_campaign(body["campaign_id"]):  # the schema's $ lets a line end pass
            raise RequestError(400, "invalid_request", "`campaign_id` ends in a line end")
        for name in RUNNERS_FIELDS:
            if body.get(name) is not None:
                caller.require(f"`{name}`")
        seed = body.get("seed")
        result = play(services, metrics, turns, TurnRequest(
            body["campaign_id"], body["user_input"], mode, audience, body.get("state"),
            _history(body), None if seed is None else int(seed),
        ))
        return jsonify(wire.played(result, entitled=caller.entitled))

    @api.get("/releases")
    def releases() -> ResponseReturnValue:
        caller = current()
        found = [status.as_json() for status in release_statuses(services.settings)]
        for release in found:
            release["remedy"] = release["remedy"] if caller.entitled else None
        return jsonify({"default": services.default_version, "releases": found})

    return api


def play(services: Services, metrics: Metrics, turns: Places, turn: TurnRequest) -> Any:
    """The result of ``turn``, counted.

    Raises:
        RequestError: 409 or 503, where too many turns are under way.
    """
    handler = services.handler()
    with turns.place(turn.campaign_id):
        started = time.perf_counter()
        try:
            result = handler.handle(turn)
        except Exception as error:
            refused, conflict = isinstance(error, InvalidTurnError), CampaignConflictError
            outcome = "conflict" if isinstance(error, conflict) else "failed"
            metrics.not_played(turn.mode, "refused" if refused else outcome)
            raise
        metrics.played(result, time.perf_counter() - started)
        return result


def _history(body: dict[str, Any]) -> tuple[Message, ...] | None:
    if body.get("history") is None:
        return None
    return tuple(Message(message["role"], message["content"]) for message in body["history"])
