"""A turn that is sent twice is taken once: its result is kept by the sender's key for a day."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..errors import InvalidTurnError
from ..releases.bundles import digest
from ..store.campaigns import CampaignStore
from ..store.types import KeptResult
from .types import TurnRequest, TurnResult


def earlier_result(store: CampaignStore, request: TurnRequest) -> TurnResult | None:
    """What came of a turn when it was sent before; None if it was not, or has no key.

    Raises:
        InvalidTurnError: the key was sent with another turn, or cannot be one.
    """
    if request.idempotency_key is None:
        return None
    stored_result = store.result_by_key(request.campaign_id, request.idempotency_key)
    if stored_result is None:
        return None
    if stored_result.digest != _digest(request):
        raise InvalidTurnError(
            f"idempotency key {request.idempotency_key[:40]!r} was sent with another turn of "
            f"campaign {request.campaign_id!r}: give each turn a key of its own"
        )
    return msgspec.convert(stored_result.result, TurnResult)


def to_keep(request: TurnRequest, result: TurnResult) -> KeptResult | None:
    """The result, to be kept by the turn's key, where it has one."""
    if request.idempotency_key is None:
        return None
    document: dict[str, Any] = msgspec.to_builtins(result, enc_hook=dict)
    return KeptResult(request.idempotency_key, _digest(request), document)


def _digest(request: TurnRequest) -> str:
    """What tells a turn from another, whoever sends it; state and history may be of any size."""
    fields = msgspec.to_builtins(request, enc_hook=dict)
    return digest(json.dumps(fields, sort_keys=True).encode())
