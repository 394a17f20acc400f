"""The page to play on: say something, read what comes of it, choose what is next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ..errors import InvalidRequestError, MvpSiteError, UnknownCampaignError
from ..operations import requests
from ..operations.prompts import needs
from ..operations.services import Services
from ..operations.turns import CAMPAIGN, TurnRequest
from ..store.types import TurnRecord
from ..strict_json import JsonError, check
from ..turns.starter import starter_state
from ..types import MODES
from .access import Caller, current
from .answers import shown
from .failures import Failure, RequestError, failure_of
from .manifests import WHY_FALLBACK

LOG: Final = 8
"""How many turns of a campaign stand on the page."""

MAX_INPUT: Final = 8_000


def blueprint(services: Services) -> Blueprint:
    """The page ``/play``."""
    pages = Blueprint("play", __name__)

    @pages.get("/play")
    def read() -> ResponseReturnValue:
        campaign = request.args.get("campaign", "").strip()
        mode = request.args.get("mode", "story")
        if not campaign:
            return _page(services, "", (), mode=mode)
        if (wrong := _wrong_campaign(campaign)) is not None:
            return _page(services, campaign[:100], (), mode=mode, failure=wrong)
        return _page(services, campaign, log(services, campaign, current()), mode=mode)

    @pages.post("/play")
    def say() -> ResponseReturnValue:
        form = request.form
        campaign, said = form.get("campaign", "").strip(), form.get("user_input", "").strip()
        mode, audience = form.get("mode", "story"), form.get("audience", "player")
        if mode == "god" and audience == "player" and current().entitled:
            audience = "god"
        try:
            if (wrong := _wrong_campaign(campaign)) is not None:
                raise InvalidRequestError(wrong.message)
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
            if services.is_new(campaign):
                asked = replace(asked, state=starter_state())
            services.play(asked.as_turn())
        except (MvpSiteError, RequestError, JsonError) as error:
            failure = failure_of(error, entitled=current().entitled, limit=0)
            kept = log(services, campaign, current()) if is_campaign(campaign) else ()
            return _page(
                services, campaign[:100], kept, mode=mode, failure=failure, said=said[:MAX_INPUT]
            )
        return redirect(
            url_for("play.read", campaign=campaign, mode=mode, _anchor="latest"), code=303
        )

    return pages


def log(services: Services, campaign: str, caller: Caller) -> Sequence[TurnRecord]:
    """The campaign's last turns, oldest first. Players see what was answered to players."""
    try:
        found = services.store().turns(limit=LOG, campaign_id=campaign)
    except UnknownCampaignError:
        return ()  # its first turn makes it
    return [r for r in reversed(found) if caller.entitled or r.audience == "player"]


def _page(services: Services, campaign: str, records: Sequence[TurnRecord], *,
          mode: str = "story", failure: Failure | None = None, said: str = "",
          ) -> ResponseReturnValue:
    modes = MODES if current().entitled else tuple(m for m in MODES if m != "god")
    return render_template(
        "play.html", campaign=campaign, mode=mode if mode in modes else "story", modes=modes,
        entries=[(record, shown(record.answer, record.mode)) for record in records],
        failure=failure, said=said, why_fallback=WHY_FALLBACK, problem=services.problem(),
    ), failure.status if failure else 200, failure.headers if failure else {}


def is_campaign(value: str) -> bool:
    """Whether ``value`` can be a campaign's id, to its very end."""
    return re.fullmatch(CAMPAIGN, value) is not None


def _wrong_campaign(campaign: str) -> Failure | None:
    if is_campaign(campaign):
        return None
    return Failure(
        400, "invalid_request",
        "A campaign's id has 1 to 100 characters of A-Z a-z 0-9 . _ - and no others.",
    )
