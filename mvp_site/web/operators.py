"""What operators and programs ask beside operations: metrics and the OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, jsonify
from flask.typing import ResponseReturnValue

from ..operations.operation import Operation
from .access import Gate, current
from .metrics import CONTENT_TYPE, Metrics
from .openapi import document


def blueprint(operations: Sequence[Operation[Any]], metrics: Metrics, gate: Gate) -> Blueprint:
    """The routes ``/metrics`` and ``/openapi.json``."""
    routes = Blueprint("operators", __name__)

    @routes.get("/metrics")
    def metrics_() -> ResponseReturnValue:
        current().require("the metrics")
        return Response(metrics.text(), content_type=CONTENT_TYPE)

    @routes.get("/openapi.json")
    def openapi() -> ResponseReturnValue:
        return jsonify(document(operations, token=not gate.open_here))

    return routes
