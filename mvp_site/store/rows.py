"""Rows from records and records from rows; what cannot be stored is refused before any write."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Row

from ..errors import InvalidTurnError
from ..types import AUDIENCES, MODES
from . import canonical
from .canonical import shown
from .types import Campaign, CampaignSummary, Said, TurnRecord

MAX_NUMBER: Final = 2**63 - 1
"""The largest version, number or count that the engines hold."""

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)


def is_name(value: object) -> bool:
    """Whether ``value`` can be an id: 1 to 100 ASCII letters, digits, dots, dashes and _."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def name(value: object, what: str) -> str:
    """``value``, which can be an id.

    Raises:
        InvalidTurnError: it cannot.
    """
    if isinstance(value, str) and is_name(value):
        return value
    raise InvalidTurnError(
        f"{what} {shown(value)} cannot be used: write 1 to 100 of A-Z a-z 0-9 . _ -"
    )


def count(value: object, what: str, least: int = 0) -> int:
    """``value``, a whole number from ``least``.

    Raises:
        InvalidTurnError: it is not.
    """
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= MAX_NUMBER:
        return value
    raise InvalidTurnError(f"{what}={shown(value)} cannot be used: give a whole number ≥ {least}")


def microseconds(value: object, what: str) -> int:
    """Whole microseconds from 1970 to a time with a zone.

    Raises:
        InvalidTurnError: it is no time, or has no zone.
    """
    if isinstance(value, datetime.datetime) and value.utcoffset() is not None:
        return (value - _EPOCH) // _MICROSECOND
    raise InvalidTurnError(
        f"{what}={shown(value)} cannot be used: give a datetime with a time zone, as of "
        "datetime.now(UTC)"
    )


def time(value: int) -> datetime.datetime:
    """The time of :func:`microseconds`, in UTC.

    Raises:
        InvalidTurnError: there is none.
    """
    try:
        return _EPOCH + count(value, "time", -MAX_NUMBER) * _MICROSECOND
    except OverflowError:
        raise InvalidTurnError(f"time={value} is out of range") from None


def document(value: object, what: str) -> str:
    """The canonical JSON of an object.

    Raises:
        InvalidTurnError: it is no object, or holds what is not JSON.
    """
    if isinstance(value, Mapping):
        return canonical.encode(value, what)
    raise InvalidTurnError(f"{what} must be a JSON object, not {type(value).__name__}")


def campaign_row(campaign: Campaign) -> dict[str, Any]:
    """The row of a campaign."""
    return {
        "id": name(campaign.id, "the campaign id"),
        "version": count(campaign.version, "version", 1),
        "turns": count(campaign.turns, "turns"),
        "created": microseconds(campaign.created, "created"),
        "updated": microseconds(campaign.updated, "updated"),
        "state": document(campaign.state, "state"),
    }


def turn_row(turn: TurnRecord) -> dict[str, Any]:
    """The row of a turn; the database adds ``seq``.

    Raises:
        InvalidTurnError: a field has a value that cannot be stored.
    """
    if not isinstance(turn.sparse, bool):
        raise InvalidTurnError(f"sparse={shown(turn.sparse)} cannot be used: give True or False")
    return {
        "id": name(turn.id, "the turn id"),
        "campaign_id": name(turn.campaign_id, "the campaign id"),
        "number": count(turn.number, "number", 1),
        "mode": _one_of(turn.mode, MODES, "mode"),
        "audience": _one_of(turn.audience, AUDIENCES, "audience"),
        "fallback": _reason(turn.fallback),
        "sparse": turn.sparse,
        "created": microseconds(turn.created, "created"),
        "user_input": _text(turn.user_input, "user_input"),
        "answer": _text(turn.answer, "answer"),
        "state_before": document(turn.state_before, "state_before"),
        "manifest": document(turn.manifest, "manifest"),
    }


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Say that ``what`` is damaged where something in it could not have been stored."""
    try:
        yield
    except InvalidTurnError as error:
        raise canonical.damaged(what, str(error)) from None


def campaign_of(row: Row[Any]) -> Campaign:
    """The campaign of a whole row; a :class:`StoreError` where it is damaged, as of all below."""
    one = summary_of(row)
    state = canonical.decode_object(row.state, f"the state of campaign {one.id!r}")
    return Campaign(one.id, one.version, state, one.turns, one.created, one.updated)


def summary_of(row: Row[Any]) -> CampaignSummary:
    """The summary of a row."""
    with _reading(f"campaign {shown(row.id)}"):
        return CampaignSummary(
            name(row.id, "the id"), count(row.version, "version", 1), count(row.turns, "turns"),
            time(row.created), time(row.updated),
        )


def said_of(row: Row[Any], campaign_id: str) -> Said:
    """What was said, of a row of the conversation."""
    what = f"turn {shown(row.number)} of campaign {campaign_id!r}"
    with _reading(what):
        return Said(
            count(row.number, "number", 1), _one_of(row.mode, MODES, "mode"),
            _one_of(row.audience, AUDIENCES, "audience"),
            canonical.decode_text(row.user_input, what), canonical.decode_text(row.answer, what),
        )


def turn_of(row: Row[Any]) -> TurnRecord:
    """The turn of a whole row."""
    what = f"turn {shown(row.id)}"
    with _reading(what):
        return TurnRecord(
            id=name(row.id, "the id"), campaign_id=name(row.campaign_id, "the campaign id"),
            number=count(row.number, "number", 1), mode=_one_of(row.mode, MODES, "mode"),
            audience=_one_of(row.audience, AUDIENCES, "audience"),
            user_input=canonical.decode_text(row.user_input, what),
            answer=canonical.decode_text(row.answer, what),
            state_before=canonical.decode_object(row.state_before, f"the state before {what}"),
            manifest=canonical.decode_object(row.manifest, f"the manifest of {what}"),
            fallback=_reason(row.fallback), sparse=row.sparse, created=time(row.created),
        )


def _one_of(value: object, values: tuple[str, ...], what: str) -> str:
    if isinstance(value, str) and value in values:
        return value
    raise InvalidTurnError(f"unknown {what} {shown(value)}: use one of {', '.join(values)}")


def _reason(fallback: object) -> str | None:
    return None if fallback is None else name(fallback, "the fallback's reason")


def _text(value: object, what: str) -> str:
    if isinstance(value, str):
        return canonical.encode(value, what)
    raise InvalidTurnError(f"{what} must be a string, not {type(value).__name__}")
