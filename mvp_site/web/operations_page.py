"""The page ``/operations``: releases, indexes, what happened lately; and the API's page.

Operations need the DM token. The API's page is for everybody, as the document that it shows is: a
table of what can be asked, which Swagger UI takes the place of where scripts run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import as_file, files
from typing import Final

from flask import Blueprint, abort, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue

from ..errors import MvpSiteError
from ..operations import requests
from ..operations.all import operation
from ..operations.health import Health
from ..operations.releases import Releases, ServerPart, parts
from ..operations.requests import Nothing
from ..operations.services import Services
from ..store.types import TurnRecord
from .access import current, run
from .failures import HttpFailure, failure_of
from .metrics import Metrics
from .openapi import Document
from .plots import Plot, plot
from .records import WHY_FALLBACK, manifest_of

TURNS: Final = 100
"""How many of the store's last turns are looked at."""
EVENTS: Final = 20
DAY: Final = timedelta(days=1)
FEW: Final = 10
OFTEN: Final = 0.2
"""Of at least :data:`FEW` turns this share that is sparse needs attention."""
_OF_PARTS: Final = {"stale": "warn", "corrupt": "bad"}
_OF_RELEASES: Final = {**_OF_PARTS, "missing": "warn"}
VIEWER: Final = frozenset({"swagger-ui.css", "swagger-ui-bundle.js"})
"""What is served of Swagger UI."""
DONE: Final = {"promote": "Promoted.", "roll_back": "Rolled back."}


@dataclass(frozen=True, slots=True)
class Attention:
    """Something that somebody should look at: how grave, what, the command, and where it stands."""

    tone: str
    name: str
    text: str
    remedy: str = ""
    address: str = ""


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
    since = datetime.now(UTC) - DAY
    sparse = [record for record in turns if record.sparse]
    reasons = {turn.id: manifest_of(turn)["sparse_reason"] or "unknown" for turn in sparse}
    events = sorted(
        [(turn.created, turn, None) for turn in turns if turn.fallback or _failed(turn)]
        + [(failure.when, None, failure) for failure in metrics.failures],
        key=lambda event: event[0], reverse=True,
    )
    events = [event for event in events if event[0] >= since]
    health = run(services, "health", Nothing())
    releases = run(services, "releases", Nothing())
    indexes = parts(services.settings)
    return render_template(
        "operations.html", failure=failure, done=DONE.get(request.args.get("done", ""), ""),
        releases=releases, parts=indexes, turns=turns, events=events[:EVENTS],
        unseen=len(events), errors_of=_failed, title_of=services.title_of,
        attention=[*_attention(health, releases, indexes, len(events), turns)],
        sparse=Counter(reasons.values()).most_common(), reasons=reasons, metrics=metrics,
        newest={reasons[turn.id]: turn for turn in reversed(sparse)}, why_fallback=WHY_FALLBACK,
        plots=plots(turns, metrics),
    ), failure.status if failure else 200


def _failed(turn: TurnRecord) -> str:
    """What failed in a turn, of its last attempt that failed; '' for nothing."""
    attempts = manifest_of(turn)["attempts"]
    return next((attempt["error"] for attempt in reversed(attempts) if attempt["error"]), "")


def _attention(health: Health, releases: Releases, indexes: Sequence[ServerPart], events: int,
               turns: Sequence[TurnRecord]) -> Iterator[Attention]:
    """What needs attention, the gravest kind first."""
    for check in health.checks:
        if not check.ok:
            tone = "bad" if health.status == "failing" else "warn"
            yield Attention(tone, check.name, check.message)
    for release in releases.releases:
        if release.status in _OF_RELEASES:
            why = release.problem or f"its index is {release.status}"
            yield Attention(_OF_RELEASES[release.status], release.version, why,
                            release.remedy or "")
    for index in indexes:
        if index.status in _OF_PARTS:
            why = index.problem or f"its index is {index.status}"
            yield Attention(_OF_PARTS[index.status], index.name, why, index.remedy)
    if events:
        noun = "error" if events == 1 else "errors"
        yield Attention("bad", "turns", f"{events} {noun} in the last day", address="#events")
    if len(turns) >= FEW and sum(turn.sparse for turn in turns) >= OFTEN * len(turns):
        text = f"{sum(turn.sparse for turn in turns)} of the last {len(turns)} turns were sparse"
        yield Attention("warn", "archive", text, address=url_for("archive.read", _anchor="sparse"))


def plots(turns: Sequence[TurnRecord], metrics: Metrics) -> list[Plot]:
    """The plots of turns, given newest first, and of this process; those there is enough for."""
    logs = [manifest_of(record) for record in reversed(turns)]
    times = [turn_record.created for turn_record in reversed(turns)]
    lately = list(metrics.assembling)
    return [plotted for plotted in (
        plot("Model time", "s", times, {"all attempts of a turn": [
            sum(attempt["seconds"] for attempt in log["attempts"]) for log in logs
        ]}),
        plot("Tokens of a turn", "tokens", times, {
            "sent": [log["tokens"].get("input") or log["sent"].get("counted", 0) for log in logs],
            "answered": [log["tokens"].get("output", 0) for log in logs],
        }),
        plot("Assembly time", "ms", [when for when, _ in lately], {
            "prompts of this process": [spent for _, spent in lately],
        }),
    ) if plotted]
