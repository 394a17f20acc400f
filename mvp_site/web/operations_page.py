"""The page ``/operations``: releases, indexes, what happened lately; and the API's page.

Operations need the DM token. The API's page is for everybody, as the document that it shows is: a
table of what can be asked, which Swagger UI takes the place of where scripts run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib.resources import as_file, files
from typing import Any, Final

from flask import Blueprint, abort, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue

from ..errors import MvpSiteError
from ..operations import requests
from ..operations.all import operation
from ..operations.releases import parts
from ..operations.requests import Nothing
from ..operations.services import Services
from ..store.types import TurnRecord
from .access import current, run
from .failures import HttpFailure, failure_of
from .metrics import Metrics
from .openapi import Document
from .plots import Plot, plot
from .records import WHY_FALLBACK, shaped

TURNS: Final = 100
"""How many of the store's last turns are looked at."""
EVENTS: Final = 12
VIEWER: Final = frozenset({"swagger-ui.css", "swagger-ui-bundle.js"})
"""What is served of Swagger UI."""
DONE: Final = {"promote": "Promoted.", "roll_back": "Rolled back."}
_READ: Final[dict[str, Any]] = {
    "attempts": [{"seconds": 0.0}], "tokens": {"*": 0}, "sent": {"*": 0}, "sparse_reason": "",
}


def blueprint(services: Services, metrics: Metrics, described: Callable[[], Document]) -> Blueprint:
    """The pages ``/operations`` and ``/docs/api``."""
    pages = Blueprint("operations", __name__)

    @pages.get("/operations")
    def read() -> ResponseReturnValue:
        current().require("what operators see")
        return _page(services, metrics)

    @pages.post("/operations/<any('promote', 'roll-back'):name>")
    def change(name: str) -> ResponseReturnValue:
        current().require("what operators do")
        done = name.replace("-", "_")
        version = {"version": request.form.get("version", "")} if name == "promote" else {}
        try:
            chosen = operation(f"releases.{done}")
            run(services, chosen, requests.read(chosen.request, version))
        except MvpSiteError as error:
            return _page(services, metrics, failure_of(error, entitled=True))
        return redirect(url_for("operations.read", done=done), code=303)

    @pages.get("/docs/api")
    def api() -> ResponseReturnValue:
        document = described()
        return render_template("api.html", document=document, rows=[
            (method.upper(), path, details["summary"])
            for path, methods in document["paths"].items() for method, details in methods.items()
        ])

    @pages.get("/static/swagger-ui/<name>")
    def viewer(name: str) -> ResponseReturnValue:
        if name not in VIEWER:
            abort(404)
        with as_file(files("flask_swagger_ui") / "dist" / name) as path:
            return send_file(path)

    return pages


def _page(services: Services, metrics: Metrics, failure: HttpFailure | None = None,
          ) -> ResponseReturnValue:
    """All that stands on the page; what cannot be opened is said by its part."""
    turns: Sequence[TurnRecord] = ()
    try:
        turns = services.store().turns(limit=TURNS)
    except MvpSiteError as error:
        failure = failure or failure_of(error, entitled=True)
    sparse = [record for record in turns if record.sparse]
    reasons = {turn_record.id: _reason(turn_record) for turn_record in sparse}
    failures = list(metrics.failures)
    events = sorted(
        [(turn.created, turn, None) for turn in turns if turn.sparse or turn.fallback]
        + [(failure.when, None, failure) for failure in failures],
        key=lambda event: event[0], reverse=True,
    )
    return render_template(
        "operations.html", failure=failure, done=DONE.get(request.args.get("done", ""), ""),
        health=run(services, "health", Nothing()), releases=run(services, "releases", Nothing()),
        parts=parts(services.settings), turns=turns, events=events[:EVENTS], unseen=len(events),
        sparse=Counter(reasons.values()).most_common(), reasons=reasons, metrics=metrics,
        newest={reasons[turn.id]: turn for turn in reversed(sparse)}, why_fallback=WHY_FALLBACK,
        plots=plots(turns, metrics),
    ), failure.status if failure else 200


def _reason(turn: TurnRecord) -> str:
    return str(shaped(turn.manifest, _READ)["sparse_reason"]) or "unknown"


def plots(turns: Sequence[TurnRecord], metrics: Metrics) -> list[Plot]:
    """The plots of turns, given newest first, and of this process; those there is enough for."""
    logs = [shaped(record.manifest, _READ) for record in reversed(turns)]
    times = [turn_record.created for turn_record in reversed(turns)]
    lately = list(metrics.assembling)
    return [plotted for plotted in (
        plot("What the model took", "s", times, {"all attempts of a turn": [
            sum(attempt["seconds"] for attempt in log["attempts"]) for log in logs
        ]}),
        plot("Tokens of a turn", "tokens", times, {
            "sent": [log["tokens"].get("input") or log["sent"].get("counted", 0) for log in logs],
            "answered": [log["tokens"].get("output", 0) for log in logs],
        }),
        plot("What assembling took", "ms", [when for when, _ in lately], {
            "prompts of this process": [spent for _, spent in lately],
        }),
    ) if plotted]
