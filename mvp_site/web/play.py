"""The page ``/play``: the campaigns, one of them as a story, and what can be done with a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from flask import Blueprint, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ..archive.beside import first_state
from ..errors import InvalidRequestError, MvpSiteError, UnknownCampaignError
from ..operations import campaigns, requests
from ..operations.all import operation
from ..operations.services import Services
from ..operations.turns import TurnCall, players_state, readable
from ..store.types import TurnRecord
from ..turns.draft import SIGNED
from ..turns.spending import spending
from ..types import MODES
from .access import current, run
from .api import events_of
from .failures import HttpFailure, RequestError, error_body, failure_of
from .forms import labelled, read_form
from .records import WHY_FALLBACK, answer_view
from .sheet import changes, sheet_of
from .streaming import EVENT_STREAM

LOG: Final = 10
"""How many turns of a campaign stand on a page."""
CARDS: Final = 24
"""How many campaigns do."""
_FIRST_WORDS: Final = 220
Entry = tuple[TurnRecord, dict[str, Any]]
"""A turn, and how it is shown."""
CAMPAIGN: Final = {"campaign": "campaign_id"}
TURN: Final = {"turn": "turn_id"}
LIMIT: Final = {**CAMPAIGN, "usd": "usd"}
BRANCH: Final = {**TURN, "branch": "campaign_id"}
SAID: Final = {
    **CAMPAIGN, "retry": "replaces", **{name: name for name in ("user_input", "mode", "audience")},
}
"""Each form's fields, with those of its request."""


def blueprint(services: Services) -> Blueprint:
    """``/play``: say something, read what comes of it, choose what is next, or take it back."""
    pages = Blueprint("play", __name__)

    @pages.get("/play")
    def read() -> ResponseReturnValue:
        return _page(services, request.args)

    @pages.get("/play/export")
    def export() -> ResponseReturnValue:
        query = read_form(campaigns.ShowCampaign, request.args, CAMPAIGN).request()
        response = jsonify(run(services, "campaigns.export", query))
        file = f'attachment; filename="{query.campaign_id}.json"'
        response.headers["Content-Disposition"] = file
        return response

    for name, act in {"say": _say, "undo": _undo, "branch": _branch, "limit": _limit}.items():
        path = "/play" if name == "say" else f"/play/{name}"
        pages.add_url_rule(path, name, _posted(services, act), methods=["POST"])
    return pages


def _posted(services: Services, act: Callable[[Services], ResponseReturnValue],
            ) -> Callable[[], ResponseReturnValue]:
    """What a form does; where it fails the campaign's page with the words that were typed."""
    def posted() -> ResponseReturnValue:
        try:
            return act(services)
        except (MvpSiteError, RequestError) as error:
            failure = failure_of(error, entitled=current().entitled)
        if EVENT_STREAM in request.headers.get("Accept", ""):
            return jsonify(error_body(failure)), failure.status, failure.headers
        return _page(services, request.form, failure)

    return posted


def _undo(services: Services) -> ResponseReturnValue:
    turn = read_form(campaigns.ShowTurn, request.form, TURN).request()
    return _back(run(services, "turn.undo", turn).campaign.id)


def _branch(services: Services) -> ResponseReturnValue:
    branch = read_form(campaigns.Branch, request.form, BRANCH).request()
    run(services, "turn.branch", branch)
    return _back(branch.campaign_id)


def _limit(services: Services) -> ResponseReturnValue:
    limited = read_form(campaigns.LimitSpending, request.form, LIMIT).request()
    run(services, "campaign.limit", limited)
    return _back(limited.campaign_id)


def _say(services: Services) -> ResponseReturnValue:
    """A turn: one of the form's own words, or a past one again."""
    form, entitled = read_form(TurnCall, request.form, SAID), current().entitled
    if retry := form.values.get("replaces"):
        turn = readable(services, retry, entitled)
        form.values.update((name, getattr(turn, name)) for name in (
            "campaign_id", "user_input", "mode", "audience"))
    elif not form.typed["user_input"]:
        raise InvalidRequestError("Say something first: the turn has no text.")
    elif form.value("mode") == "god" and form.value("audience") == "player" and entitled:
        form.values["audience"] = "god"
    call = form.request()
    if (events := events_of(services, operation("turn"), call)) is not None:
        return events
    run(services, "turn", call)
    return _back(call.campaign_id, call.mode)


def _back(campaign: str, mode: str = "story") -> ResponseReturnValue:
    return redirect(url_for("play.read", campaign=campaign, mode=mode, _anchor="latest"), code=303)


def _page(services: Services, args: MultiDict[str, str], failure: HttpFailure | None = None,
          ) -> ResponseReturnValue:
    """The cards of all campaigns, or one; players see what was answered to players."""
    entitled = current().entitled
    opened = read_form(campaigns.ShowCampaign, args, CAMPAIGN)
    campaign = opened.values.get("campaign_id", "")
    said = read_form(TurnCall, args, SAID)
    modes = [(name, labelled(name)) for name in MODES if entitled or name != "god"]
    mode = said.value("mode")
    values = _story(services, campaign, entitled) if campaign else {
        "cards": _cards(services) if entitled and not opened.errors else (),
    }
    status = 400 if opened.typed["campaign"] and opened.errors else 200
    return render_template(
        "play.html", **values, campaign=campaign, modes=modes, opened=opened, said=said,
        branching=read_form(campaigns.Branch, MultiDict(), BRANCH),
        limiting=read_form(campaigns.LimitSpending, MultiDict(), LIMIT),
        mode=mode if mode in dict(modes) else "story", failure=failure,
        problem=services.problem(), why_fallback=WHY_FALLBACK,
    ), failure.status if failure else status, failure.headers if failure else {}


def _cards(services: Services) -> list[dict[str, Any]]:
    """The campaigns, last changed first, each with the last turn that counts."""
    store, cards = services.store(), []
    for summary in store.campaigns(CARDS):
        last = next((turn for turn in store.turns(LOG, summary.id) if turn.withdrawn is None), None)
        view = _view(last) if last else None
        words = (view["narrative"] or view["god_mode_response"] or view["raw"]) if view else ""
        cards.append({
            "campaign": summary, "words": words[:_FIRST_WORDS],
            "version": str(last.manifest.get("version", "")) if last else "",
        })
    return cards


def _story(services: Services, campaign: str, entitled: bool) -> dict[str, Any]:
    """A page of a campaign's turns, oldest first; on the last one its sheet, and what changed."""
    before = request.args.get("before") or None
    try:
        turns = requests.read(campaigns.ListTurns, {
            "campaign_id": campaign, "limit": LOG, "before": before,
        })
        page, further = campaigns.page_of(services, turns, entitled)
        state: Mapping[str, Any] = services.store().load(campaign).state
    except UnknownCampaignError:
        page, further = [], None  # its first turn makes it
        state = first_state(services.beside()) or {}
    last = next((turn_record for turn_record in page if turn_record.withdrawn is None), None)
    was = last.state_before if last and not last.fallback else state
    if not entitled:
        state, was = players_state(state), players_state(was)
    entries = [(record, _view(record)) for record in reversed(page)]
    return {
        "entries": entries, "runs": _runs(entries), "further": further,
        "earlier": before is not None, "last": last,
        "sheet": sheet_of(state), "changes": () if before else changes(was, state),
        "account": spending(services.settings, services.store(), campaign) if entitled else None,
        "begins_empty": not page and not state,
        "offline": services.offline or any(view["signed"] for _, view in entries),
    }


def _runs(entries: list[Entry]) -> Iterator[tuple[bool, list[Entry]]]:
    """Each turn that counts, and those taken back one after another; whether they were."""
    for back, group in groupby(entries, lambda entry: entry[0].withdrawn is not None):
        records = [*group]
        yield from [(True, records)] if back else [(False, [record]) for record in records]


def _view(record: TurnRecord) -> dict[str, Any]:
    """A turn for the page: what the offline narrator signs with stands on top of it instead."""
    view = answer_view(record.answer, record.manifest)
    signed = SIGNED in view["narrative"]
    return {**view, "narrative": view["narrative"].replace(SIGNED, "").strip(), "signed": signed}
