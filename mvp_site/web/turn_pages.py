"""The pages of turns that were played: the recent ones, and one of them whole."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import UnknownCampaignError
from ..operations.services import Services
from .access import current
from .figures import token_figure
from .manifests import WHY_FALLBACK, view_of
from .segments import segments

PAGE: Final = 30


def blueprint(services: Services) -> Blueprint:
    """The pages ``/turns``, ``/turns/ID`` and ``/turns/ID/prompt``. They need the DM token."""
    pages = Blueprint("turns", __name__, url_prefix="/turns")

    @pages.get("")
    def recent() -> ResponseReturnValue:
        current().require("the record of turns")
        campaign = request.args.get("campaign", "").strip()[:100]
        sparse = request.args.get("sparse") == "1"
        before = request.args.get("before", "")[:100]
        try:
            found = services.store().turns(
                limit=PAGE + 1, campaign_id=campaign or None, sparse=sparse or None,
                before=before or None,
            )
        except UnknownCampaignError:
            found = ()
        return render_template(
            "turns.html", records=found[:PAGE], campaign=campaign, sparse=sparse, before=before,
            older=found[PAGE - 1].id if len(found) > PAGE else None, why_fallback=WHY_FALLBACK,
        )

    @pages.get("/<turn_id>")
    def one(turn_id: str) -> ResponseReturnValue:
        current().require("the record of a turn")
        view = view_of(services.store().turn(turn_id))
        return render_template("turn.html", view=view, record=view.record)

    @pages.get("/<turn_id>/prompt")
    def prompt(turn_id: str) -> ResponseReturnValue:
        current().require("the prompt of a turn")
        found = services.replay(turn_id)
        parts = segments(found.turn) if found.turn is not None else ()
        figure = token_figure(found.turn, parts) if found.turn is not None else None
        return render_template(
            "turn_prompt.html", record=found.record, found=found, parts=parts, figure=figure
        )

    return pages
