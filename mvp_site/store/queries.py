"""The statements of the store; every list has a total order and an index that gives it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Update, select, tuple_, update

from .tables import campaigns, turns

SUMMARY = (
    campaigns.c.id, campaigns.c.version, campaigns.c.turns, campaigns.c.created,
    campaigns.c.updated,
)


def campaign(campaign_id: str) -> Select[Any]:
    """One campaign whole."""
    return select(campaigns).where(campaigns.c.id == campaign_id)


def standing(campaign_id: str) -> Select[Any]:
    """Version, number of turns and birth of a campaign: no row where there is none."""
    return select(campaigns.c.version, campaigns.c.turns, campaigns.c.created).where(
        campaigns.c.id == campaign_id
    )


def newest_campaigns(limit: int, offset: int) -> Select[Any]:
    """Summaries, last changed first."""
    return (
        select(*SUMMARY)
        .order_by(campaigns.c.updated.desc(), campaigns.c.id.desc())
        .limit(limit)
        .offset(offset)
    )


def advance(
    campaign_id: str, expected_version: int, number: int, state: str, updated: int,
) -> Update:
    """The next version, where the campaign still is at ``expected_version``; else no row.

    The condition and the change are one statement, so no other writer comes between them.
    """
    return (
        update(campaigns)
        .where(
            campaigns.c.id == campaign_id,
            campaigns.c.version == expected_version,
            campaigns.c.turns == number - 1,
        )
        .values(
            version=campaigns.c.version + 1, turns=number, state=state, updated=updated,
        )
    )


def conversation(campaign_id: str, last: int | None) -> Select[Any]:
    """What was said in accepted turns, newest first; it touches no state and no manifest."""
    return (
        select(
            turns.c.number, turns.c.mode, turns.c.audience, turns.c.user_input, turns.c.answer
        )
        .where(turns.c.campaign_id == campaign_id, turns.c.fallback.is_(None))
        .order_by(turns.c.number.desc())
        .limit(last)
    )


def all_turns(campaign_id: str) -> Select[Any]:
    """Every turn of a campaign whole, oldest first."""
    return select(turns).where(turns.c.campaign_id == campaign_id).order_by(turns.c.number)


def turn(turn_id: str) -> Select[Any]:
    """One turn whole."""
    return select(turns).where(turns.c.id == turn_id)


def newest_turns(
    limit: int, campaign_id: str | None, sparse: bool | None, before: tuple[int, int] | None,
) -> Select[Any]:
    """Turns whole, newest first; ``before`` is the (created, seq) that they come after."""
    query = select(turns).order_by(turns.c.created.desc(), turns.c.seq.desc()).limit(limit)
    if campaign_id is not None:
        query = query.where(turns.c.campaign_id == campaign_id)
    if sparse is not None:
        query = query.where(turns.c.sparse == sparse)
    if before is not None:
        query = query.where(tuple_(turns.c.created, turns.c.seq) < before)
    return query
