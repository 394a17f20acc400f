"""The statements of the store, and errors that say what is there instead of what was asked for.

Every list has a total order and an index that gives it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import sqlalchemy as sa

from ..errors import CampaignConflictError, StoreError, UnknownCampaignError, UnknownTurnError
from ..text.strict_json import shown
from ..text.typos import near
from . import rows
from .tables import campaigns, turns
from .types import (
    CampaignSummary,
    StoredExchange,
    StoredMemory,
    StoredRetrieval,
    TurnRecord,
)

_LOOKED_AT: Final = 1_000  # ids among which a near match is sought
_BATCH: Final = 500  # ids of one query, below every engine's limit of parameters


def newest_campaigns(limit: int, offset: int) -> sa.Select[Any]:
    """Summaries, last changed first."""
    return (
        sa.select(*(campaigns.c[field.name] for field in fields(CampaignSummary)))
        .order_by(campaigns.c.updated.desc(), campaigns.c.id.desc())
        .limit(limit)
        .offset(offset)
    )


def conversation(kind: type[StoredExchange | StoredMemory], campaign_id: str,
                 last: int | None = None, then: int | None = None) -> sa.Select[Any]:
    """The values of a ``kind`` of accepted turns, newest first.

    ``then`` is the number of a turn: what had been said before it, of which some may have been
    taken back since.
    """
    counts: sa.ColumnElement[bool] = turns.c.withdrawn.is_(None)
    if then is not None:
        counts = sa.and_(turns.c.number < then, sa.or_(counts, turns.c.withdrawn >= then))
    return (
        sa.select(*(turns.c[field.name] for field in fields(kind)))
        .where(turns.c.campaign_id == campaign_id, turns.c.fallback.is_(None), counts)
        .order_by(turns.c.number.desc())
        .limit(last)
    )


def newest_turns(
    limit: int, campaign_id: str | None, sparse: bool | None, before: int | None,
    fallback: bool | None = None, text: str = "",
) -> sa.Select[Any]:
    """Turns whole, newest first; ``before`` is the number, of all campaigns the seq, of another."""
    order = turns.c.seq if campaign_id is None else turns.c.number
    query = sa.select(turns).order_by(order.desc()).limit(limit)
    if campaign_id is not None:
        query = query.where(turns.c.campaign_id == campaign_id)
    if sparse is not None:
        query = query.where(turns.c.sparse == sparse)
    if fallback is not None:
        query = query.where(turns.c.fallback.is_not(None) == fallback)
    if text:  # as JSON has it: a quote, say, stands there with a backslash
        written = rows.written(text, "the text")[1:-1]
        query = query.where(turns.c.user_input.icontains(written, autoescape=True))
    if before is not None:
        query = query.where(order < before)
    return query


def retrievals(limit: int, campaign_id: str | None, before: int | None) -> sa.Select[Any]:
    """What turns retrieved, newest first; ``before`` is the seq of another."""
    query = (
        sa.select(turns.c.seq, *(turns.c[field.name] for field in fields(StoredRetrieval)))
        .order_by(turns.c.seq.desc())
        .limit(limit)
    )
    if campaign_id is not None:
        query = query.where(turns.c.campaign_id == campaign_id)
    return query if before is None else query.where(turns.c.seq < before)


def turn(connection: sa.Connection, turn_id: str) -> sa.Row[Any]:
    """The row of a turn.

    Raises:
        UnknownTurnError: there is none of this id.
    """
    # What cannot be an id is not asked for: PostgreSQL refuses some characters in a question too.
    query = sa.select(turns).where(turns.c.id == turn_id)
    row = connection.execute(query).one_or_none() if rows.is_name(turn_id) else None
    if row is None:
        raise UnknownTurnError(
            f"there is no turn {shown(turn_id)}: a turn tells its id when it is taken, and "
            "`mvp-site campaign export CAMPAIGN FILE` writes those of a campaign"
        )
    return row


def last_counting(connection: sa.Connection, turn_id: str, *, lock: bool = False,
                  ) -> tuple[sa.Row[Any], sa.Row[Any]]:
    """The rows of a campaign and of its last turn that counts, which is ``turn_id``.

    Raises:
        UnknownTurnError: there is none of this id.
        CampaignConflictError: it is not the last that counts.
    """
    name = turn(connection, turn_id).campaign_id
    # Its row is locked first, as a writer of turns does.
    current = campaign(connection, name, lock=lock)
    query = sa.select(turns).where(turns.c.campaign_id == name, turns.c.withdrawn.is_(None))
    last = connection.execute(query.order_by(turns.c.number.desc()).limit(1)).one_or_none()
    if last is None or last.id != turn_id:
        raise CampaignConflictError(
            f"this turn is not the last one of campaign {name!r} any more: only the last can be "
            "taken back"
        )
    return current, last


def branches(connection: sa.Connection, origin: str) -> int:
    """How many branches of a campaign there are; its row is locked, so that none is made now."""
    connection.execute(sa.select(campaigns.c.id).where(campaigns.c.id == origin).with_for_update())
    query = sa.select(sa.func.count()).where(campaigns.c.origin == origin)
    return int(connection.execute(query).scalar_one())


def standing(campaign_id: str, then: int) -> sa.Select[Any]:
    """Number, id and audience of the last turn that counted when the turn ``then`` was taken."""
    return (
        sa.select(turns.c.number, turns.c.id, turns.c.audience)
        .where(turns.c.campaign_id == campaign_id, turns.c.number < then,
               sa.or_(turns.c.withdrawn.is_(None), turns.c.withdrawn >= then))
        .order_by(turns.c.number.desc())
        .limit(1)
    )


def copied(which: sa.ColumnElement[bool], **values: sa.ColumnElement[Any]) -> sa.Insert:
    """Copies of turns, made in the database, with other ``values`` where they are given."""
    names = [column.name for column in turns.c if column.name != "seq"]
    query = sa.select(*(values.get(name, turns.c[name]) for name in names)).where(which)
    return sa.insert(turns).from_select(names, query.order_by(turns.c.number))


def campaign(connection: sa.Connection, campaign_id: str, *, whole: bool = True, lock: bool = False,
             ) -> sa.Row[Any]:
    """The row of a campaign; without ``whole`` all but its state.

    Raises:
        UnknownCampaignError: there is none; the message has ids that are near it, or new.
    """
    columns = (column for column in campaigns.c if whole or column.name != "state")
    query = sa.select(*columns).where(campaigns.c.id == campaign_id)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is not None:
        return row
    ids = [row.id for row in connection.execute(newest_campaigns(_LOOKED_AT, 0))]
    nearest = ", ".join(map(repr, near(campaign_id, ids)))
    newest = ", ".join(map(repr, ids[:3]))
    hint = f"; is it {nearest}?" if nearest else f"; the newest are {newest}" if newest else ""
    raise UnknownCampaignError(
        f"there is no campaign {campaign_id!r}{hint}. Its first turn would begin it"
    )


def require_new_turns(connection: sa.Connection, ids: list[str]) -> None:
    """Nothing, where no turn has one of these ids.

    Raises:
        StoreError: one has; the message names it and its campaign.
    """
    for start in range(0, len(ids), _BATCH):
        old = connection.execute(
            sa.select(turns.c.id, turns.c.campaign_id)
            .where(turns.c.id.in_(ids[start : start + _BATCH]))
            .order_by(turns.c.id)
        ).first()
        if old is not None:
            raise StoreError(
                f"the campaign cannot be imported: its turn {old.id!r} is in the store already, "
                f"in campaign {old.campaign_id!r}. Delete that one first"
            )


def why_not_advanced(
    connection: sa.Connection, turn: TurnRecord, expected_version: int,
) -> StoreError:
    """The error for a turn whose campaign was not at the expected version and turn.

    Raises:
        UnknownCampaignError: there is no such campaign.
    """
    row = campaign(connection, turn.campaign_id, whole=False)
    if row.version != expected_version:
        return CampaignConflictError(
            f"campaign {turn.campaign_id!r} is at version {row.version}, and this turn was taken "
            f"on version {expected_version}: another writer was faster. Nothing was written; load "
            "the campaign and take the turn again"
        )
    return StoreError(
        f"turn {turn.id!r} has number {turn.number}, and campaign {turn.campaign_id!r} has "
        f"{row.turns} turns: its next is number {row.turns + 1}. Nothing was written"
    )
