"""Whether a campaign or a turn is there, and errors that say what is there instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from ..errors import (
    CampaignConflictError,
    StoreError,
    UnknownCampaignError,
    UnknownTurnError,
)
from ..typos import near
from . import queries, rows, tables
from .canonical import shown
from .types import TurnRecord

_LOOKED_AT: Final = 1_000  # ids among which a near match is sought
_BATCH: Final = 500  # ids of one query, below every engine's limit of parameters


def turn_row(connection: Connection, turn_id: str) -> Row[Any]:
    """The row of a turn.

    Raises:
        UnknownTurnError: there is none of this id.
    """
    # What cannot be an id is not asked for: PostgreSQL refuses some characters in a question too.
    query = queries.turn(turn_id)
    row = connection.execute(query).one_or_none() if rows.is_name(turn_id) else None
    if row is None:
        raise UnknownTurnError(
            f"there is no turn {shown(turn_id)}: CampaignStore.turns() lists those there are"
        )
    return row


def require_campaign(connection: Connection, campaign_id: str) -> None:
    """Nothing, where the campaign is there.

    Raises:
        UnknownCampaignError: it is not.
    """
    if connection.execute(queries.standing(campaign_id)).one_or_none() is None:
        raise unknown_campaign(connection, campaign_id)


def require_new_turns(connection: Connection, ids: list[str]) -> None:
    """Nothing, where no turn has one of these ids.

    Raises:
        StoreError: one has; the message names it and its campaign.
    """
    for start in range(0, len(ids), _BATCH):
        taken = connection.execute(
            select(tables.turns.c.id, tables.turns.c.campaign_id)
            .where(tables.turns.c.id.in_(ids[start : start + _BATCH]))
            .order_by(tables.turns.c.id)
        ).first()
        if taken is not None:
            raise StoreError(
                f"the campaign cannot be imported: its turn {taken.id!r} is in the store already, "
                f"in campaign {taken.campaign_id!r}. Delete that one first"
            )


def unknown_campaign(connection: Connection, campaign_id: str) -> UnknownCampaignError:
    """The error for a campaign that is not there, with ids that are near it, or new."""
    ids = [row.id for row in connection.execute(queries.newest_campaigns(_LOOKED_AT, 0))]
    meant = _listed(near(campaign_id, ids))
    hint = f"; is it {meant}?" if meant else f"; the newest are {_listed(ids[:3])}" if ids else ""
    return UnknownCampaignError(
        f"there is no campaign {campaign_id!r}{hint}. CampaignStore.create begins a new one"
    )


def why_not_advanced(
    connection: Connection, turn: TurnRecord, expected_version: int,
) -> StoreError:
    """The error for a turn whose campaign was not at the expected version and turn."""
    now = connection.execute(queries.standing(turn.campaign_id)).one_or_none()
    if now is None:
        return unknown_campaign(connection, turn.campaign_id)
    if now.version != expected_version:
        return CampaignConflictError(
            f"campaign {turn.campaign_id!r} is at version {now.version}, and this turn was taken "
            f"on version {expected_version}: another writer was faster. Nothing was written; load "
            "the campaign and take the turn again"
        )
    return StoreError(
        f"turn {turn.id!r} has number {turn.number}, and campaign {turn.campaign_id!r} has "
        f"{now.turns} turns: its next is number {now.turns + 1}. Nothing was written"
    )


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(map(repr, ids))
