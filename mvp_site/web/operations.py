"""What operators and programs ask: health, metrics, the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, jsonify
from flask.typing import ResponseReturnValue

from ..errors import MvpSiteError
from .access import Gate, current
from .metrics import CONTENT_TYPE, Metrics
from .openapi import document
from .services import Services


def blueprint(services: Services, metrics: Metrics, gate: Gate) -> Blueprint:
    """The routes ``/healthz``, ``/metrics`` and ``/openapi.json``."""
    operations = Blueprint("operations", __name__)

    @operations.get("/healthz")
    def healthz() -> ResponseReturnValue:
        found = health(services)
        if not current().entitled:
            for check in found["checks"]:
                check["message"] = "ready" if check["ok"] else "not ready"
        return jsonify(found), 503 if found["status"] == "failing" else 200

    @operations.get("/metrics")
    def metrics_() -> ResponseReturnValue:
        current().require("the metrics")
        return Response(metrics.text(), content_type=CONTENT_TYPE)

    @operations.get("/openapi.json")
    def openapi() -> ResponseReturnValue:
        return jsonify(document(token=not gate.open_here))

    return operations


def health(services: Services) -> dict[str, Any]:
    """What is there and what is missing, each with what mends it. Opens what is not open yet."""
    version = services.default_version
    named = f"index {version or 'of no version'}"
    index = _check(named, lambda: services.assembler() and "prompts are assembled")
    how = "turns are played" if index["ok"] else "turns are played, on the core header alone"
    turns = _check("turns", lambda: services.handler() and how)
    status = "failing" if not index["ok"] else "ok" if turns["ok"] else "degraded"
    return {"status": status, "checks": [index, turns]}


def _check(name: str, opens: Callable[[], object]) -> dict[str, Any]:
    try:
        return {"name": name, "ok": True, "message": str(opens())}
    except MvpSiteError as error:
        return {"name": name, "ok": False, "message": str(error)}
