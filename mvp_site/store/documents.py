"""A campaign as one JSON document: to keep, to move to another store, and to read it back."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from ..errors import InvalidTurnError, StoreError
from . import rows
from .canonical import shown
from .types import Campaign, TurnRecord

V = TypeVar("V")

FORMAT: Final = 1
"""The format of the documents that are written, and the only one that is read."""

_DOCUMENT: Final = ("format", "campaign", "state", "turns")
_CAMPAIGN: Final = ("id", "version", "turns", "created", "updated")
_TURN: Final = (
    "id", "number", "mode", "audience", "user_input", "answer", "state_before", "manifest",
    "fallback", "sparse", "created",
)


def to_document(campaign: Campaign, turns: Sequence[TurnRecord]) -> dict[str, Any]:
    """The document of a campaign and all its turns, oldest first. Times are ISO 8601 in UTC."""
    return {
        "format": FORMAT,
        "campaign": {
            "id": campaign.id, "version": campaign.version, "turns": campaign.turns,
            "created": campaign.created.isoformat(), "updated": campaign.updated.isoformat(),
        },
        "state": campaign.state,
        "turns": [
            {field: getattr(turn, field) for field in _TURN}
            | {"created": turn.created.isoformat()}
            for turn in turns
        ],
    }


def from_document(
    document: object,
) -> tuple[Campaign, tuple[TurnRecord, ...], list[dict[str, Any]]]:
    """The campaign of a document, its turns, and their rows, checked.

    Raises:
        StoreError: the document is not one; the message says where.
    """
    whole = _object(document, "the document", ("format",), exact=False)
    if whole["format"] != FORMAT or isinstance(whole["format"], bool):
        raise _refusal(
            "format", f"{shown(whole['format'])} is unknown; this mvp-site reads {FORMAT}"
        )
    whole = _object(document, "the document", _DOCUMENT)
    head = _object(whole["campaign"], "campaign", _CAMPAIGN)
    campaign = Campaign(
        head["id"], head["version"], whole["state"], head["turns"],
        _time(head["created"], "campaign.created"), _time(head["updated"], "campaign.updated"),
    )
    _checked("campaign", rows.campaign_row, campaign)
    if not isinstance(whole["turns"], list):
        raise _refusal("turns", f"a list is needed, not {type(whole['turns']).__name__}")
    if len(whole["turns"]) != campaign.turns:
        raise _refusal(
            "turns", f"there are {len(whole['turns'])}, and campaign.turns says {campaign.turns}"
        )
    turns: list[TurnRecord] = []
    turn_rows: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    for at, entry in enumerate(whole["turns"]):
        where = f"turns[{at}]"
        fields = _object(entry, where, _TURN)
        created = _time(fields["created"], f"{where}.created")
        turn = TurnRecord(**{**fields, "campaign_id": campaign.id, "created": created})
        turn_rows.append(_checked(where, rows.turn_row, turn))
        if turn.number != at + 1:
            raise _refusal(f"{where}.number", f"{turn.number} stands where {at + 1} should")
        if places.setdefault(turn.id, at) != at:
            raise _refusal(f"{where}.id", f"{turn.id!r} is turns[{places[turn.id]}] already")
        turns.append(turn)
    return campaign, tuple(turns), turn_rows


def _checked(where: str, row_of: Callable[[V], dict[str, Any]], value: V) -> dict[str, Any]:
    try:
        return row_of(value)
    except InvalidTurnError as error:
        raise _refusal(where, str(error)) from None


def _object(
    value: object, where: str, fields: tuple[str, ...], *, exact: bool = True,
) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _refusal(where, f"an object is needed, not {type(value).__name__}")
    missing = [field for field in fields if field not in value]
    if missing:
        raise _refusal(where, f"{', '.join(missing)} missing")
    unknown = [shown(field) for field in value if field not in fields]
    if exact and unknown:
        raise _refusal(where, f"unknown {', '.join(unknown[:5])}")
    return value


def _time(value: object, where: str) -> datetime.datetime:
    try:
        time = datetime.datetime.fromisoformat(value) if isinstance(value, str) else None
        if time is not None and time.utcoffset() is not None:
            return time.astimezone(datetime.UTC)
    except (ValueError, OverflowError):  # UTC has no year 0
        pass
    raise _refusal(where, f"{shown(value)} is no time with a zone, as 2026-03-01T18:00:00+00:00")


def _refusal(where: str, what: str) -> StoreError:
    return StoreError(
        f"the campaign cannot be imported: {where}: {what}. Import a document as it was exported"
    )
