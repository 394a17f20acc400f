"""The pages of turns: the recent ones, one of them whole."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import UnknownCampaignError
from ..operations.campaigns import PAGE
from ..operations.requests import CampaignId, Flag, OperationRequest, TurnId
from ..operations.services import Services
from ..store.types import TurnRecord
from .access import current
from .forms import read_form
from .records import WHY_FALLBACK, view_of
from .timeline import changed, moments, state_after


@dataclass(frozen=True, slots=True)
class RecentTurns(OperationRequest):
    """Which turns the list shows."""

    campaign: CampaignId | None = None
    sparse: Flag = False
    before: TurnId | None = None


FIELDS: Final = {name: name for name in ("campaign", "sparse", "before")}


def blueprint(services: Services) -> Blueprint:
    """The pages ``/turns`` and ``/turns/ID``. They need the DM token."""
    pages = Blueprint("turns", __name__, url_prefix="/turns")

    @pages.before_request
    def admit() -> None:
        current().require("the record of turns")

    @pages.get("")
    def recent() -> ResponseReturnValue:
        form = read_form(RecentTurns, request.args, FIELDS)
        campaign, sparse, before = map(form.value, FIELDS.values())
        records: Sequence[TurnRecord] = ()
        with suppress(UnknownCampaignError):
            records = () if form.errors else services.store().turns(
                PAGE + 1, campaign, sparse=sparse or None, before=before
            )
        return render_template(
            "turns.html", records=records[:PAGE], form=form, campaign=campaign, sparse=sparse,
            before=before, why_fallback=WHY_FALLBACK,
            older=records[PAGE - 1].id if len(records) > PAGE else None,
        ), 400 if form.errors else 200

    @pages.get("/<turn_id>")
    def one(turn_id: str) -> ResponseReturnValue:
        record = services.store().turn(turn_id)
        before, after = services.store().beside(record)
        return render_template(
            "turn.html", view=view_of(record), record=record, before=before, after=after,
            moments=moments(record), changes=[*changed(record.taken_on, state_after(record))],
        )

    return pages
