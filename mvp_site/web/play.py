"""The page ``/play``: the campaigns, one of them as a story, and what can be done with a turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from flask import Blueprint, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ..archive.beside import first_state
from ..errors import InvalidRequestError, MvpSiteError, UnknownCampaignError
from ..operations import campaigns, requests
from ..operations.all import operation
from ..operations.services import Services
from ..operations.turns import CAMPAIGN, TurnCall, players_state, readable
from ..store.types import TurnRecord
from ..text.strict_json import JsonError, check
from ..turns.draft import SIGNED
from ..turns.spending import spending
from ..types import MODES
from .access import current, run
from .api import events_of
from .failures import HttpFailure, RequestError, error_body, failure_of
from .records import WHY_FALLBACK, answer_view
from .sheet import changes, sheet_of
from .streaming import EVENT_STREAM

LOG: Final = 10
"""How many turns of a campaign stand on a page."""
CARDS: Final = 24
"""How many campaigns do."""
MAX_INPUT: Final = 8_000
_FIRST_WORDS: Final = 220
Entry = tuple[TurnRecord, dict[str, Any]]
"""A turn, and how it is shown."""
Form = Mapping[str, str]
_WRONG_ID: Final = "A campaign's id has 1 to 100 characters of A-Z a-z 0-9 . _ - and no others."


def blueprint(services: Services) -> Blueprint:
    """``/play``: say something, read what comes of it, choose what is next, or take it back."""
    pages = Blueprint("play", __name__)

    @pages.get("/play")
    def read() -> ResponseReturnValue:
        campaign = request.args.get("campaign", "").strip()
        wrong = campaign and not re.fullmatch(CAMPAIGN, campaign)
        failure = HttpFailure(400, "invalid_request", _WRONG_ID) if wrong else None
        return _page(services, campaign, failure)

    @pages.get("/play/export")
    def export() -> ResponseReturnValue:
        name = request.args.get("campaign", "")
        query = requests.read(campaigns.ShowCampaign, {"campaign_id": name})
        response = jsonify(run(services, "campaigns.export", query))
        response.headers["Content-Disposition"] = f'attachment; filename="{name}.json"'
        return response

    for name, act in {"say": _say, "undo": _undo, "branch": _branch, "limit": _limit}.items():
        path = "/play" if name == "say" else f"/play/{name}"
        pages.add_url_rule(path, name, _posted(services, act), methods=["POST"])
    return pages


def _posted(services: Services, act: Callable[[Services, Form], ResponseReturnValue],
            ) -> Callable[[], ResponseReturnValue]:
    """What a form does; where it fails the campaign's page with the words that were typed."""
    def posted() -> ResponseReturnValue:
        form = request.form
        try:
            return act(services, form)
        except (MvpSiteError, RequestError, JsonError) as error:
            failure = failure_of(error, entitled=current().entitled)
        if EVENT_STREAM in request.headers.get("Accept", ""):
            return jsonify(error_body(failure)), failure.status, failure.headers
        return _page(services, form.get("campaign", "").strip(), failure,
                     form.get("user_input", "").strip()[:MAX_INPUT])

    return posted


def _undo(services: Services, form: Form) -> ResponseReturnValue:
    turn = requests.read(campaigns.ShowTurn, {"turn_id": form.get("turn", "")})
    return _back(run(services, "turn.undo", turn).campaign.id)


def _branch(services: Services, form: Form) -> ResponseReturnValue:
    new = _campaign(form.get("branch", ""))
    run(services, "turn.branch", requests.read(campaigns.Branch, {
        "turn_id": form.get("turn", ""), "campaign_id": new,
    }))
    return _back(new)


def _limit(services: Services, form: Form) -> ResponseReturnValue:
    values = {"campaign_id": _campaign(form.get("campaign", "")), "usd": form.get("usd") or "0"}
    run(services, "campaigns.limit", requests.read(campaigns.LimitSpending, values))
    return _back(values["campaign_id"])


def _say(services: Services, form: Form) -> ResponseReturnValue:
    """A turn: one of the form's own words, or a past one again."""
    values = {"mode": form.get("mode", "story"), "audience": form.get("audience", "player")}
    if retry := form.get("retry"):
        turn = readable(services, retry, current().entitled)
        values = {"campaign_id": turn.campaign_id, "user_input": turn.user_input,
                  "mode": turn.mode, "audience": turn.audience, "replaces": retry}
    else:
        text = form.get("user_input", "").strip().replace("\r\n", "\n")
        values |= {"campaign_id": _campaign(form.get("campaign", "")), "user_input": text}
        if values["mode"] == "god" and values["audience"] == "player" and current().entitled:
            values["audience"] = "god"
        if not text:
            raise InvalidRequestError("Say something first: the turn has no text.")
        check(text, "The turn")
        if len(text) > MAX_INPUT:
            raise InvalidRequestError(f"The turn must have at most {MAX_INPUT} characters.")
    call = requests.read(TurnCall, values)
    if (events := events_of(services, operation("turn"), call)) is not None:
        return events
    run(services, "turn", call)
    return _back(call.campaign_id, call.mode)


def _campaign(name: str) -> str:
    if not re.fullmatch(CAMPAIGN, name.strip()):
        raise InvalidRequestError(_WRONG_ID)
    return name.strip()


def _back(campaign: str, mode: str = "story") -> ResponseReturnValue:
    return redirect(url_for("play.read", campaign=campaign, mode=mode, _anchor="latest"), code=303)


def _page(services: Services, campaign: str, failure: HttpFailure | None = None, text: str = "",
          ) -> ResponseReturnValue:
    """The cards of all campaigns, or one; players see what was answered to players."""
    entitled = current().entitled
    is_name = bool(re.fullmatch(CAMPAIGN, campaign))
    modes = [name for name in MODES if entitled or name != "god"]
    mode = request.values.get("mode", "story")
    values = _story(services, campaign, entitled) if is_name else {
        "cards": _cards(services) if entitled and not campaign else (),
    }
    return render_template(
        "play.html", **values, campaign=campaign[:100], known=is_name, modes=modes,
        mode=mode if mode in modes else "story", failure=failure, said=text,
        problem=services.problem(), why_fallback=WHY_FALLBACK,
    ), failure.status if failure else 200, failure.headers if failure else {}


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
