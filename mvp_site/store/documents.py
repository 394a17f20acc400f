"""A campaign as one JSON document: to keep, to move to another store, and to read it back."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from ..errors import InvalidTurnError, StoreError
from ..text.strict_json import shown
from . import rows
from .campaign_documents import NewDocument
from .types import Campaign, CampaignSummary, TurnRecord

FORMAT: Final = 1
"""The format of the documents that are written, and the only one that is read."""

_DOCUMENT: Final = ("format", "campaign", "state", "turns", "documents")
_FIELDS: Final = ("kind", "id", "title", "number", "source")
_KINDS: Final = ("character", "session")
_CAMPAIGN: Final = tuple(field.name for field in fields(CampaignSummary))
_TITLE: Final = {"title": ""}
"""What a campaign need not have."""
_OPTIONAL: Final = ("withdrawn", "memory")
"""What a turn need not have."""
_TURN: Final = tuple(field.name for field in fields(TurnRecord)
                    if field.name not in {"campaign_id", *_OPTIONAL})


def to_document(campaign: Campaign, turns: Sequence[TurnRecord], documents: Sequence[NewDocument],
                ) -> dict[str, Any]:
    """The document of a campaign, all its turns, oldest first, and its sheets and notes.

    Times are ISO 8601 in UTC. ``documents``, the sheets and notes, is left out where there are
    none; they are whole, with what is the DM's. So are ``withdrawn`` of a turn that counts, and an
    empty ``memory``.
    """
    return {
        "format": FORMAT, "campaign": _written(campaign, _CAMPAIGN), "state": campaign.state,
        "turns": [_written(turn, (*_TURN, *(name for name in _OPTIONAL
                                            if getattr(turn, name) not in (None, {}))))
                  for turn in turns],
        **({"documents": [_written(row, _FIELDS) for row in documents]} if documents else {}),
    }


def _written(record: object, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime.datetime) else value
        for name, value in values.items()
    }


def from_document(document: object,
                  ) -> tuple[Campaign, list[dict[str, Any]], list[NewDocument]]:
    """The campaign of a document, the rows of its turns, and its sheets and notes, checked.

    Raises:
        StoreError: the document is not one; the message says where.
    """
    whole = _object(document, "the document", ("format",), exact=False)
    if whole["format"] != FORMAT or isinstance(whole["format"], bool):
        raise _refusal(
            "format", f"{shown(whole['format'])} is unknown; this mvp-site reads {FORMAT}"
        )
    whole = _object({"documents": [], **whole}, "the document", _DOCUMENT)
    head = whole["campaign"]
    head = {**(_TITLE if isinstance(head, Mapping) else {}), **dict(_object(
        head, "campaign", tuple(name for name in _CAMPAIGN if name not in _TITLE), exact=False))}
    _object(head, "campaign", _CAMPAIGN)
    head |= {name: _time(head[name], f"campaign.{name}") for name in ("created", "updated")}
    campaign = Campaign(**head, state=whole["state"])
    _row(campaign, "campaign")
    if not isinstance(whole["turns"], list):
        raise _refusal("turns", f"a list is needed, not {type(whole['turns']).__name__}")
    if len(whole["turns"]) != campaign.turns:
        raise _refusal(
            "turns", f"there are {len(whole['turns'])}, and campaign.turns says {campaign.turns}"
        )
    parts: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    for at, entry in enumerate(whole["turns"]):
        where = f"turns[{at}]"
        also = [name for name in _OPTIONAL if isinstance(entry, Mapping) and name in entry]
        values = dict(_object(entry, where, (*_TURN, *also)))
        values["created"] = _time(values["created"], f"{where}.created")
        row = _row(TurnRecord(**values, campaign_id=campaign.id), where)
        if row["number"] != at + 1:
            raise _refusal(f"{where}.number", f"{row['number']} stands where {at + 1} should")
        if places.setdefault(row["id"], at) != at:
            raise _refusal(f"{where}.id", f"{row['id']!r} is turns[{places[row['id']]}] already")
        parts.append(row)
    if not isinstance(whole["documents"], list):
        raise _refusal("documents", f"a list is needed, not {type(whole['documents']).__name__}")
    documents = [_document(row, f"documents[{at}]") for at, row in enumerate(whole["documents"])]
    return campaign, parts, documents


def _document(entry: object, where: str) -> NewDocument:
    values = _object(entry, where, _FIELDS)
    for key in ("kind", "id", "title", "source"):
        if not isinstance(values[key], str) or (key == "kind" and values[key] not in _KINDS):
            expected = " or ".join(_KINDS) if key == "kind" else "a text"
            raise _refusal(f"{where}.{key}", f"{shown(values[key])} is not {expected}")
    if values["number"] is not None and type(values["number"]) not in {int, float}:
        raise _refusal(f"{where}.number", f"{shown(values['number'])} is no number")
    return NewDocument(**values)


def _row(record: Campaign | TurnRecord, where: str) -> dict[str, Any]:
    try:
        return rows.row_of(record)
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


def _refusal(where: str, problem: str) -> StoreError:
    return StoreError(
        f"the campaign cannot be imported: {where}: {problem}. Import a document as it was exported"
    )
