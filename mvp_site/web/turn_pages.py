"""The pages of turns: the recent ones, and one of them whole."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue
from pydantic import Field

from ..errors import InvalidTurnError, StateUpdateError, UnknownCampaignError
from ..operations.campaigns import MOST, PAGE
from ..operations.requests import CampaignId, Flag, OperationRequest, TurnId
from ..operations.services import Services
from ..store.types import TurnRecord
from ..turns.contracts import contract_of
from ..turns.retaking import state_after
from .access import current
from .forms import read_form
from .records import WHY_FALLBACK, manifest_of, view_of
from .timeline import changed, moments


@dataclass(frozen=True, slots=True)
class RecentTurns(OperationRequest):
    """Which turns the list shows."""

    campaign: CampaignId | None = None
    text: Annotated[str, Field(max_length=1_000)] = ""
    sparse: Flag = False
    fallback: Flag = False
    before: TurnId | None = None


FIELDS: Final = {
    "q": "text", **{name: name for name in ("campaign", "sparse", "fallback", "before")}}


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn of the list and what it cost: o200k or the provider's tokens, seconds of the model."""

    record: TurnRecord
    sent: int
    answered: int
    usd: float
    seconds: float
    model: str
    attempts: int


def blueprint(services: Services) -> Blueprint:
    """The pages ``/turns`` and ``/turns/ID``. They need the DM token."""
    pages = Blueprint("turns", __name__, url_prefix="/turns")

    @pages.before_request
    def admit() -> None:
        current().require("the record of turns")

    @pages.get("")
    def recent() -> ResponseReturnValue:
        form = read_form(RecentTurns, request.args, FIELDS)
        records: Sequence[TurnRecord] = ()
        with suppress(UnknownCampaignError):
            records = () if form.errors else services.store().turns(
                PAGE + 1, form.value("campaign"), sparse=form.value("sparse") or None,
                before=form.value("before"), fallback=form.value("fallback") or None,
                text=form.value("text"),
            )
        return render_template(
            "turns.html", form=form,
            rows=[(row_of(record), _number(services, record)) for record in records[:PAGE]],
            campaigns=[(game.id, game.title or game.id)
                       for game in services.store().campaigns(MOST)],
            titles={id_: services.title_of(id_) for id_ in {row.campaign_id for row in records}},
            link={name: text for name, text in form.typed.items() if text and name != "before"},
            why_fallback=WHY_FALLBACK,
            older=records[PAGE - 1].id if len(records) > PAGE else None,
        ), 400 if form.errors else 200

    @pages.get("/<turn_id>")
    def one(turn_id: str) -> ResponseReturnValue:
        record = services.store().turn(turn_id)
        before, after = services.store().neighbours(record)
        state = record.taken_on
        with suppress(InvalidTurnError, StateUpdateError):
            if not record.fallback:
                state = state_after(record, contract_of(services.beside()))
        return render_template(
            "turn.html", view=view_of(record), record=record, number=_number(services, record),
            title=services.title_of(record.campaign_id), before=before, after=after,
            moments=moments(record), changes=[*changed(record.taken_on, state)],
        )

    return pages


def _number(services: Services, record: TurnRecord) -> int | None:
    """Which turn it is of those that count; None where it does not."""
    counts = record.withdrawn is None
    return services.store().counting(record.campaign_id, record.number) if counts else None


def row_of(record: TurnRecord) -> TurnRow:
    """A turn with what its manifest says that it cost."""
    log = manifest_of(record)
    return TurnRow(
        record, log["tokens"].get("input") or log["sent"].get("counted", 0),
        log["tokens"].get("output", 0), log["usd"],
        sum(attempt["seconds"] for attempt in log["attempts"]), log["model"], len(log["attempts"]),
    )
