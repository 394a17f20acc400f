"""The pages of turns: the recent ones, one of them whole, its prompt."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import UnknownCampaignError
from ..operations.services import Services
from ..store.types import TurnRecord
from .access import current
from .figures import parts_of, token_figure
from .records import WHY_FALLBACK, view_of
from .timeline import changed, moments, state_after

PAGE: Final = 30
"""How many recent turns stand on a page."""


def blueprint(services: Services) -> Blueprint:
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
        records: Sequence[TurnRecord] = ()
        with suppress(UnknownCampaignError):
            records = services.store().turns(
                PAGE + 1, campaign or None, sparse=sparse or None, before=before or None
            )
        return render_template(
            "turns.html", records=records[:PAGE], campaign=campaign, sparse=sparse, before=before,
            older=records[PAGE - 1].id if len(records) > PAGE else None, why_fallback=WHY_FALLBACK,
        )

    @pages.get("/<turn_id>")
    def one(turn_id: str) -> ResponseReturnValue:
        record = services.store().turn(turn_id)
        before, after = services.store().beside(record)
        return render_template(
            "turn.html", view=view_of(record), record=record, before=before, after=after,
            moments=moments(record), changes=[*changed(record.taken_on, state_after(record))],
        )

    @pages.get("/<turn_id>/prompt")
    def prompt(turn_id: str) -> ResponseReturnValue:
        replayed = services.replay(turn_id)
        parts = parts_of(replayed.turn) if replayed.turn else ()
        return render_template(
            "turn_prompt.html", record=replayed.record, found=replayed, parts=parts,
            figure=replayed.turn and token_figure(replayed.turn, parts),
        )

    return pages
