"""A campaign as one JSON document: to keep, to move to another store, and to read it back."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, TypeVar

import msgspec

from ..errors import InvalidTurnError, StoreError
from ..text.strict_json import shown
from . import rows
from .campaign_documents import NewDocument
from .types import Campaign, CampaignSummary, TurnRecord

R = TypeVar("R", Campaign, TurnRecord, NewDocument)
FORMAT: Final = 1
"""The format of the documents that are written, and the only one that is read."""

_FIELDS: Final = ("kind", "id", "title", "number", "source")
_KINDS: Final = ("character", "session")
_CAMPAIGN: Final = tuple(field.name for field in fields(CampaignSummary))
_OPTIONAL: Final = ("withdrawn", "memory")
"""What a turn need not have."""
_TURN: Final = tuple(field.name for field in fields(TurnRecord) if field.name != "campaign_id")


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    """What :func:`to_document` gives."""

    format: int
    campaign: dict[str, Any]
    state: Any
    turns: list[dict[str, Any]]
    documents: list[dict[str, Any]] = []


def to_document(campaign: Campaign, turns: Sequence[TurnRecord], documents: Sequence[NewDocument],
                ) -> dict[str, Any]:
    """The document of a campaign, all its turns, oldest first, and its sheets and notes.

    Times are ISO 8601 in UTC. ``documents``, the sheets and notes, is left out where there are
    none; they are whole, with what is the DM's. So are ``withdrawn`` of a turn that counts, and an
    empty ``memory``.
    """
    return {
        "format": FORMAT, "campaign": _written(campaign, _CAMPAIGN), "state": campaign.state,
        "turns": [_written(turn, _TURN) for turn in turns],
        **({"documents": [_written(row, _FIELDS) for row in documents]} if documents else {}),
    }


def _written(record: object, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime.datetime) else value
        for name, value in values.items() if name not in _OPTIONAL or value
    }


def from_document(document: object,
                  ) -> tuple[Campaign, list[dict[str, Any]], list[NewDocument]]:
    """The campaign of a document, the rows of its turns, and its sheets and notes, checked.

    Raises:
        StoreError: the document is not one; the message says where.
    """
    if isinstance(document, Mapping) and document.get("format", FORMAT) != FORMAT:
        raise _refusal("format", f"{shown(document['format'])} is unknown; this mvp-site reads "
                                 f"{FORMAT}")
    try:
        whole = msgspec.convert(document, _Document)
    except (msgspec.ValidationError, UnicodeError) as error:
        raise _refusal("the document", str(error)) from None
    campaign = _record(Campaign, whole.campaign, "campaign", _CAMPAIGN, state=whole.state)
    _row(campaign, "campaign")
    if len(whole.turns) != campaign.turns:
        raise _refusal(
            "turns", f"there are {len(whole.turns)}, and campaign.turns says {campaign.turns}"
        )
    turns: dict[str, dict[str, Any]] = {}
    for at, entry in enumerate(whole.turns):
        where = f"turns[{at}]"
        turn = _record(TurnRecord, entry, where, _TURN, campaign_id=campaign.id)
        row = _row(turn, where)
        if turn.number != at + 1:
            raise _refusal(f"{where}.number", f"{turn.number} stands where {at + 1} should")
        if turns.setdefault(turn.id, row) is not row:
            raise _refusal(f"{where}.id", f"{turn.id!r} is one of the turns before it already")
    documents = [_record(NewDocument, entry, f"documents[{at}]", _FIELDS)
                 for at, entry in enumerate(whole.documents)]
    for at, new in enumerate(documents):
        if new.kind not in _KINDS:
            raise _refusal(f"documents[{at}].kind",
                           f"{shown(new.kind)} is not {' or '.join(_KINDS)}")
    return campaign, [*turns.values()], documents


def _record(kind: type[R], values: Mapping[str, Any], where: str, names: Sequence[str],
            **more: Any) -> R:
    """The record of ``values``, which have these ``names`` and no others, with ``more``."""
    if unknown := [shown(name) for name in values if name not in names]:
        raise _refusal(where, f"unknown {', '.join(unknown[:5])}")
    try:
        return msgspec.convert({**values, **more}, kind)
    except (msgspec.ValidationError, UnicodeError) as error:
        raise _refusal(where, str(error)) from None


def _row(record: Campaign | TurnRecord, where: str) -> dict[str, Any]:
    try:
        return rows.row_of(record)
    except InvalidTurnError as error:
        raise _refusal(where, str(error)) from None


def _refusal(where: str, problem: str) -> StoreError:
    return StoreError(
        f"the campaign cannot be imported: {where}: {problem}. Import a document as it was exported"
    )
