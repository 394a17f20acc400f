"""What can be asked of campaigns that have been played: which there are, their states, their turns.

A player who names a campaign gets of it what its players were told: the turns of audience
``player``, without notes, and of the state the player's character and the clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from ..store.types import Campaign, CampaignSummary, TurnRecord
from ..turns.contracts import contract_of
from ..turns.retaking import retake
from ..turns.spending import Spending, spending
from ..turns.types import FallbackReason
from .operation import API, API_AND_CLI, declared
from .player_view import players_answer, players_state
from .requests import CampaignId, OperationRequest, TurnId, Whole, view
from .services import Services
from .turns import ShowTurn, readable

PAGE: Final = 30
MOST: Final = 100
MAX_BRANCHES: Final = 8
"""How many branches of a campaign, and of its branches, there are when a player may make no more.

Each is a copy, so that this bounds what players can fill a disk with.
"""
View = Literal["dm", "player"]
MAX_TITLE: Final = 200
Title = Annotated[str, Field(max_length=MAX_TITLE)]
Limit = Annotated[Whole, Field(ge=1, le=MOST, description="How many there are on a page.")]


@dataclass(frozen=True, slots=True)
class ListCampaigns(OperationRequest):
    """Which page of them."""

    limit: Limit = PAGE
    offset: Annotated[Whole, Field(ge=0, le=100_000)] = 0
    """How many are left out before it."""


@dataclass(frozen=True, slots=True)
class ShowCampaign(OperationRequest):
    """Which campaign."""

    campaign_id: CampaignId


@dataclass(frozen=True, slots=True)
class ListTurns(ShowCampaign):
    """Of which campaign, and which page."""

    limit: Limit = PAGE
    before: TurnId | None = None
    """The `next` of the page before."""


@dataclass(frozen=True, slots=True)
class Branch(ShowTurn):
    """Up to which turn, and what the new campaign is called."""

    campaign_id: CampaignId
    title: Title = ""
    """What people call it; by default as they call the other."""


@dataclass(frozen=True, slots=True)
class RenameCampaign(ShowCampaign):
    """Which campaign, and what people call it from now on."""

    title: Title = ""
    """The new title; '' for none."""


@dataclass(frozen=True, slots=True)
class DeletedCampaign:
    """What is gone: ``turns`` with their states, and sheets and notes.

    ``left_over`` says what an engine still has of them and what removes it, '' for nothing.
    """

    campaign_id: str
    turns: int
    left_over: str


@dataclass(frozen=True, slots=True)
class LimitSpending(ShowCampaign):
    """What a campaign may cost from now on."""

    usd: Annotated[float, Field(strict=True, ge=0, le=1e6)] | None = None
    """US dollars; 0 takes its own limit away, and without it nothing changes."""


@dataclass(frozen=True, slots=True)
class Campaigns:
    """Campaigns, last changed first."""

    campaigns: tuple[CampaignSummary, ...]


@dataclass(frozen=True, slots=True)
class OneCampaign:
    """A campaign as it stands; to players, without its hidden state."""

    view: View
    campaign: CampaignSummary
    state: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTurn:
    """A turn that was played. ``response`` is None where the answer is no JSON object.

    ``withdrawn`` says that it has been taken back and no longer counts.
    Under a contract of the archive's own players get the narrative alone. The DM gets ``text``, the
    answer as it was accepted, and of a turn that is asked for by its id the state that it was taken
    on and its manifest.
    """

    view: View
    turn_id: str
    campaign_id: str
    number: int
    mode: str
    audience: str
    user_input: str
    response: dict[str, Any] | None
    fallback: FallbackReason | None
    sparse: bool
    created: datetime
    withdrawn: bool = False
    text: str | None = None
    state_before: dict[str, Any] | None = None
    manifest: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PlayedTurns:
    """Turns of a campaign, newest first; ``next`` asks for the page after, None at the end."""

    turns: tuple[PlayedTurn, ...]
    next: str | None


def read_answer(answer: str | Mapping[str, Any], manifest: Mapping[str, Any] | None = None,
                ) -> Mapping[str, Any] | None:
    """The response in ``answer`` (a mapping, or a mode line and JSON), or None if there is none.

    By its ``manifest`` an answer under a version's own contract is what the player read of it:
    what else it has may be the DM's.
    """
    if manifest and isinstance(own := manifest.get("contract"), Mapping):
        return {"narrative": own.get("told")}
    if isinstance(answer, Mapping):
        return answer
    start = answer.find("{")
    try:
        fields = json.loads(answer[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


@declared("turn.undo", surfaces=API)
def _undo(services: Services, request: ShowTurn, entitled: bool) -> OneCampaign:
    """Take back a campaign's last turn; it is kept, and no longer counts."""
    turn = readable(services, request.turn_id, entitled)
    return shown_campaign(services.store().withdraw(turn.id), entitled)


@declared("turn.retake", surfaces=API)
def _retake(services: Services, request: ShowTurn, entitled: bool) -> OneCampaign:
    """Let a turn count again that was taken back, in place of its other version."""
    turn = readable(services, request.turn_id, entitled)
    contract = contract_of(services.beside())
    return shown_campaign(retake(services.store(), turn.id, contract), entitled)


@declared("turn.branch", surfaces=API)
def _branch(services: Services, request: Branch, entitled: bool) -> OneCampaign:
    """Begin a new campaign with another's turns up to one."""
    turn = readable(services, request.turn_id, entitled)
    most = None if entitled else MAX_BRANCHES
    return shown_campaign(services.store().branch(
        turn.id, request.campaign_id, most, request.title.strip()), entitled)


@declared("campaigns.export", needs="the export of a campaign", surfaces=API)
def _export(services: Services, request: ShowCampaign, _: bool) -> dict[str, Any]:
    """Give a whole campaign as one document: its state, its turns and their manifests."""
    return services.store().export(request.campaign_id)


@declared("campaign.limit", needs="the spending limit of a campaign")
def _limit(services: Services, request: LimitSpending, _: bool) -> Spending:
    """Tell what a campaign has cost and may cost; with a number of US dollars, limit it."""
    store = services.store()
    if request.usd is not None:
        store.limit_spending(request.campaign_id, request.usd or None)
    return spending(services.settings, store, request.campaign_id)


@declared("campaign.rename", needs="the title of a campaign", surfaces=API_AND_CLI)
def _rename(services: Services, request: RenameCampaign, entitled: bool) -> OneCampaign:
    """Give a campaign another title; its id stays."""
    campaign = services.store().rename(request.campaign_id, request.title.strip())
    return shown_campaign(campaign, entitled)


@declared("campaign.delete", needs="the end of a campaign", surfaces=API_AND_CLI)
def _delete(services: Services, request: ShowCampaign, _: bool) -> DeletedCampaign:
    """Delete a whole campaign: state, history, manifests, sheets and notes, in every engine."""
    turns = services.store().delete(request.campaign_id)
    left_over = services.session_notes().forget_campaign(request.campaign_id)
    return DeletedCampaign(request.campaign_id, turns, left_over)


@declared("campaigns.list", needs="the list of all campaigns", surfaces=API_AND_CLI)
def _list(services: Services, query: ListCampaigns, _: bool) -> Campaigns:
    """List the campaigns, last changed first."""
    store = services.store() if services.has_campaigns() else None
    return Campaigns(store.campaigns(query.limit, query.offset) if store else ())


@declared("campaigns.show", surfaces=API)
def _show(services: Services, request: ShowCampaign, entitled: bool) -> OneCampaign:
    """A campaign and its state."""
    return shown_campaign(services.store().load(request.campaign_id), entitled)


def shown_campaign(game: Campaign, entitled: bool) -> OneCampaign:
    """A campaign as it stands, for the DM or for a player."""
    state = dict(game.state) if entitled else players_state(game.state)
    return OneCampaign("dm" if entitled else "player", view(CampaignSummary, game), state)


@declared("campaigns.turns", surfaces=API)
def _turns(services: Services, request: ListTurns, entitled: bool) -> PlayedTurns:
    """The turns of a campaign, newest first."""
    page, further = page_of(services, request, entitled)
    return PlayedTurns(tuple(_played(record, entitled) for record in page), further)


def page_of(services: Services, request: ListTurns, entitled: bool,
            ) -> tuple[list[TurnRecord], str | None]:
    """A page of turns that the caller may see, newest first, and what the page after begins at."""
    visible = (record for record in _records(services, request)
               if entitled or record.audience == "player")
    page = [*islice(visible, request.limit)]
    return page, page[-1].id if next(visible, None) else None


def _records(services: Services, request: ListTurns) -> Iterator[TurnRecord]:
    """A campaign's turns from a page on, as many as are asked for."""
    before = request.before
    while read := services.store().turns(request.limit + 1, request.campaign_id, before=before):
        yield from read
        before = read[-1].id


@declared("turns.show", surfaces=API)
def _turn(services: Services, request: ShowTurn, entitled: bool) -> PlayedTurn:
    """A turn that was played, and for the DM its manifest."""
    record = readable(services, request.turn_id, entitled)
    turn = _played(record, entitled)
    return replace(turn, state_before=dict(record.state_before),
                   manifest=dict(record.manifest)) if entitled else turn


def _played(turn: TurnRecord, entitled: bool) -> PlayedTurn:
    answer = read_answer(turn.answer, None if entitled else turn.manifest)
    response = None if answer is None else dict(answer) if entitled else players_answer(answer)
    return view(
        PlayedTurn, turn, view="dm" if entitled else "player", turn_id=turn.id, response=response,
        withdrawn=turn.withdrawn is not None, text=turn.answer if entitled else None,
        state_before=None, manifest=None,
    )
