"""Rows from records and records from rows; what cannot be stored is refused before any write."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from typing import Any, Final, TypeVar

from sqlalchemy import Row

from ..errors import InvalidTurnError, StoreError
from ..text.strict_json import JsonError, read_written, shown, write
from ..types import AUDIENCES, MODES
from .types import (
    Campaign,
    CampaignSummary,
    StoredExchange,
    StoredMemory,
    StoredRetrieval,
    StoredState,
    TurnRecord,
)

R = TypeVar(
    "R", Campaign, CampaignSummary, StoredExchange, StoredMemory, StoredRetrieval, StoredState,
    TurnRecord)

MAX_NUMBER: Final = 2**63 - 1
"""The largest version, number or count that the engines hold."""

NAME: Final = r"[A-Za-z0-9._\-]{1,100}"
"""What an id is, as a pattern that pages may use too."""
NAME_WORDS: Final = "1 to 100 of A-Z a-z 0-9 . _ -"
"""The same in words."""
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)


def row_of(record: Campaign | TurnRecord) -> dict[str, Any]:
    """The row of a campaign or a turn; the database adds ``seq``.

    Raises:
        InvalidTurnError: a field has a value that cannot be stored.
    """
    labels = {
        "id": f"the {'turn' if isinstance(record, TurnRecord) else 'campaign'} id",
        "campaign_id": "the campaign id", "fallback": "the fallback's reason",
    }
    return {
        field.name: _COLUMNS[field.name][0](
            getattr(record, field.name), labels.get(field.name, field.name)
        )
        for field in fields(record)
    }


def record_of(kind: type[R], row: Row[Any], label: str = "") -> R:
    """The record of a row; ``label`` is what messages call it.

    Raises:
        StoreError: it is damaged: something in it could not have been stored.
    """
    what = "turn" if kind in {TurnRecord, StoredRetrieval, StoredState} else "campaign"
    label = label or f"{what} {shown(row.id)}"
    try:
        if kind not in _FIELDS:
            _FIELDS[kind] = tuple((field.name, _COLUMNS[field.name][1], field.name in _WRITTEN)
                                  for field in fields(kind))
        return kind(**{
            name: read(getattr(row, name), f"the {name} of {label}" if written else name)
            for name, read, written in _FIELDS[kind]
        })
    except InvalidTurnError as error:
        raise _damaged(label, str(error)) from None


def is_name(value: object) -> bool:
    """Whether ``value`` can be an id: :data:`NAME_WORDS`."""
    return isinstance(value, str) and re.fullmatch(NAME, value) is not None


def name(value: Any, label: str) -> str:
    """``value``, which can be an id.

    Raises:
        InvalidTurnError: it cannot.
    """
    if not is_name(value):
        raise InvalidTurnError(
            f"{label} {shown(value)} cannot be used: write {NAME_WORDS}"
        )
    return str(value)


def count(value: object, label: str, least: int = 0) -> int:
    """``value``, a whole number from ``least``.

    Raises:
        InvalidTurnError: it is not.
    """
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= MAX_NUMBER:
        return value
    raise InvalidTurnError(f"{label}={shown(value)} cannot be used: give a whole number ≥ {least}")


def microseconds(value: object, label: str) -> int:
    """Whole microseconds from 1970 to a time with a zone.

    Raises:
        InvalidTurnError: it is no time, or has no zone.
    """
    with suppress(OverflowError):  # UTC has no year 0
        if isinstance(value, datetime.datetime) and value.utcoffset() is not None:
            return (value.astimezone(datetime.UTC) - _EPOCH) // _MICROSECOND
    raise InvalidTurnError(
        f"{label}={shown(value)} cannot be used: give a datetime with a time zone, as of "
        "datetime.now(UTC)"
    )


def time(value: object, label: str) -> datetime.datetime:
    """The time of :func:`microseconds`, in UTC.

    Raises:
        InvalidTurnError: there is none.
    """
    try:
        return _EPOCH + count(value, label, -MAX_NUMBER) * _MICROSECOND
    except OverflowError:
        raise InvalidTurnError(f"{label}={value} is out of range") from None


def read_time(value: object, label: str) -> datetime.datetime:
    """The time of :func:`microseconds`, in UTC.

    Raises:
        StoreError: there is none, so something else has written to the database.
    """
    try:
        return time(value, "updated")
    except InvalidTurnError as error:
        raise _damaged(label, str(error)) from None


def document(value: object, label: str) -> str:
    """The JSON of an object.

    Raises:
        InvalidTurnError: it is no object, or holds what is not JSON.
    """
    if not isinstance(value, Mapping):
        raise InvalidTurnError(f"{label} must be a JSON object, not {type(value).__name__}")
    return _written(value, label)


def read_document(text: object, label: str) -> dict[str, Any]:
    """The object of :func:`document`.

    Raises:
        StoreError: the text is none, so something else has written to the database.
    """
    return _read(text, label, dict)  # type: ignore[no-any-return]


def written(value: object, label: str) -> str:
    """The JSON of a text.

    Raises:
        InvalidTurnError: it is none.
    """
    if isinstance(value, str):
        return _written(value, label)
    raise InvalidTurnError(f"{label} must be a string, not {type(value).__name__}")


def read_text(text: object, label: str) -> str:
    """The text of :func:`written`.

    Raises:
        StoreError: something else has written to the database.
    """
    return str(_read(text, label))


def _written(value: object, label: str) -> str:
    try:
        return write(value, label)
    except JsonError as error:
        raise InvalidTurnError(str(error)) from None


def _read(text: object, label: str, kind: type = str) -> Any:
    try:
        return read_written(text, kind)
    except JsonError as error:
        raise _damaged(label, str(error)) from None


def _damaged(label: str, why: str) -> StoreError:
    return StoreError(
        f"{label} is damaged in the database ({why}): restore it from a backup or an export"
    )


def _flag(value: object, label: str) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidTurnError(f"{label}={shown(value)} cannot be used: give True or False")


def _reason(value: object, label: str) -> str | None:
    return None if value is None else name(value, label)


def _withdrawn(value: object, label: str) -> int | None:
    return None if value is None else count(value, label, 1)


def _one_of(values: tuple[str, ...]) -> Callable[[object, str], str]:
    def checked(value: object, label: str) -> str:
        if isinstance(value, str) and value in values:
            return value
        raise InvalidTurnError(f"unknown {label} {shown(value)}: use one of {', '.join(values)}")

    return checked


Read = Callable[[Any, str], Any]
_positive: Final = partial(count, least=1)
_WRITTEN: Final = frozenset(
    {"state", "state_before", "manifest", "memory", "user_input", "answer", "title"}
)
"""The fields that are JSON in the database."""
_MODE, _AUDIENCE = _one_of(MODES), _one_of(AUDIENCES)
_COLUMNS: Final[dict[str, tuple[Read, Read]]] = {
    "id": (name, name), "campaign_id": (name, name), "fallback": (_reason, _reason),
    "version": (_positive, _positive), "number": (_positive, _positive), "turns": (count, count),
    "mode": (_MODE, _MODE), "audience": (_AUDIENCE, _AUDIENCE), "sparse": (_flag, _flag),
    "created": (microseconds, time), "updated": (microseconds, time),
    "withdrawn": (_withdrawn, _withdrawn),
    **dict.fromkeys(("user_input", "answer", "title"), (written, _read)),
    **dict.fromkeys(
        ("state", "manifest", "memory", "state_before"), (document, read_document)
    ),
}
"""How each field is checked and written, and how it is checked and read back."""
_FIELDS: Final[dict[type, tuple[tuple[str, Read, bool], ...]]] = {}
"""The fields of each record, how they are read back, and whether they are JSON; once a process."""
