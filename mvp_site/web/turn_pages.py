"""The pages of turns: the page to play on, the recent ones, one of them whole, its prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ..archive.beside import FIRST_STATE
from ..errors import InvalidRequestError, MvpSiteError, UnknownCampaignError
from ..operations import requests
from ..operations.prompts import needs
from ..operations.services import Services
from ..operations.turns import CAMPAIGN, TurnRequest
from ..store.types import TurnRecord
from ..strict_json import JsonError, check
from ..types import MODES
from .access import current
from .failures import Failure, RequestError, failure_of
from .figures import segments, token_figure
from .records import WHY_FALLBACK, shown, view_of
from .timeline import changed, moments, state_after

LOG: Final = 8
"""How many turns of a campaign stand on the page to play on."""
PAGE: Final = 30
"""How many recent turns stand on a page."""
MAX_INPUT: Final = 8_000
_WRONG_ID: Final = "A campaign's id has 1 to 100 characters of A-Z a-z 0-9 . _ - and no others."


def play(services: Services) -> Blueprint:
    """The page ``/play``: say something, read what comes of it, choose what is next."""
    pages = Blueprint("play", __name__)

    @pages.get("/play")
    def read() -> ResponseReturnValue:
        campaign = request.args.get("campaign", "").strip()
        wrong = campaign and not re.fullmatch(CAMPAIGN, campaign)
        failure = Failure(400, "invalid_request", _WRONG_ID) if wrong else None
        return _page(services, campaign, request.args.get("mode", "story"), failure)

    @pages.post("/play")
    def say() -> ResponseReturnValue:
        form = request.form
        campaign, said = form.get("campaign", "").strip(), form.get("user_input", "").strip()
        mode, audience = form.get("mode", "story"), form.get("audience", "player")
        if mode == "god" and audience == "player" and current().entitled:
            audience = "god"
        try:
            if not re.fullmatch(CAMPAIGN, campaign):
                raise InvalidRequestError(_WRONG_ID)
            if not said:
                raise InvalidRequestError("Say something first: the turn has no text.")
            check(said, "The turn")
            if len(said) > MAX_INPUT:
                raise InvalidRequestError(f"The turn must have at most {MAX_INPUT} characters.")
            asked = requests.read(TurnRequest, {
                "campaign_id": campaign, "user_input": said.replace("\r\n", "\n"), "mode": mode,
                "audience": audience,
            })
            current().require_all(needs(asked))
            services.play(asked.as_turn())
        except (MvpSiteError, RequestError, JsonError) as error:
            failure = failure_of(error, entitled=current().entitled, limit=0)
            return _page(services, campaign, mode, failure, said[:MAX_INPUT])
        return redirect(
            url_for("play.read", campaign=campaign, mode=mode, _anchor="latest"), code=303
        )

    return pages


def _page(services: Services, campaign: str, mode: str, failure: Failure | None = None,
          said: str = "") -> ResponseReturnValue:
    """The page with the campaign's last turns; players see what was answered to players."""
    caller = current()
    known = re.fullmatch(CAMPAIGN, campaign)
    records = _turns(services, limit=LOG, campaign_id=campaign) if known else ()
    modes = [name for name in MODES if caller.entitled or name != "god"]
    return render_template(
        "play.html", campaign=campaign[:100], mode=mode if mode in modes else "story", modes=modes,
        entries=[(one, shown(one.answer, one.manifest)) for one in reversed(records)
                 if caller.entitled or one.audience == "player"],
        begins_empty=known and not records and FIRST_STATE not in services.beside(),
        failure=failure, said=said, why_fallback=WHY_FALLBACK, problem=services.problem(),
    ), failure.status if failure else 200, failure.headers if failure else {}


def _turns(services: Services, **wanted: Any) -> Sequence[TurnRecord]:
    try:
        return services.store().turns(**wanted)
    except UnknownCampaignError:
        return ()  # its first turn makes it


def turns(services: Services) -> Blueprint:
    """The pages ``/turns``, ``/turns/ID`` and ``/turns/ID/prompt``. They need the DM token."""
    pages = Blueprint("turns", __name__, url_prefix="/turns")

    @pages.before_request
    def admit() -> None:
        current().require("the record of turns")

    @pages.get("")
    def recent() -> ResponseReturnValue:
        campaign = request.args.get("campaign", "").strip()[:100]
        sparse = request.args.get("sparse") == "1"
        before = request.args.get("before", "")[:100]
        found = _turns(
            services, limit=PAGE + 1, campaign_id=campaign or None, sparse=sparse or None,
            before=before or None,
        )
        return render_template(
            "turns.html", records=found[:PAGE], campaign=campaign, sparse=sparse, before=before,
            older=found[PAGE - 1].id if len(found) > PAGE else None, why_fallback=WHY_FALLBACK,
        )

    @pages.get("/<turn_id>")
    def one(turn_id: str) -> ResponseReturnValue:
        found = services.store().turn(turn_id)
        before, after = services.store().beside(found)
        return render_template(
            "turn.html", view=view_of(found), record=found, before=before, after=after,
            moments=moments(found), changes=[*changed(found.state_before, state_after(found))],
        )

    @pages.get("/<turn_id>/prompt")
    def prompt(turn_id: str) -> ResponseReturnValue:
        found = services.replay(turn_id)
        parts = segments(found.turn) if found.turn else ()
        return render_template(
            "turn_prompt.html", record=found.record, found=found, parts=parts,
            figure=found.turn and token_figure(found.turn, parts),
        )

    return pages
