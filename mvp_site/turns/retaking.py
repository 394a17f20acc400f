"""A turn that was taken back counts again: another version of a retried turn, or one undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidTurnError
from ..store.campaigns import CampaignStore
from ..store.types import Campaign, TurnRecord
from ..text.json_values import at, mapping
from ..types import MODES
from .contracts import BUILT_IN, Contract
from .state import apply_state_updates


def retake(store: CampaignStore, turn_id: str, contract: Contract) -> Campaign:
    """The campaign with a copy of the turn as its last; of the last turn a version is taken back.

    ``contract`` reads the state that it left off its answer.

    Raises:
        UnknownTurnError: there is none of this id.
        InvalidTurnError: it was played under another contract.
        StateUpdateError: its answer has updates that do not fit the state that it was taken on.
        CampaignConflictError: it counts, or the story has gone on; nothing was written.
    """
    record = store.turn(turn_id)
    return store.retake(record.id, state_after(record, contract))


def state_after(record: TurnRecord, contract: Contract) -> Mapping[str, Any]:
    """The state that a turn left.

    Raises:
        InvalidTurnError: it was played under another contract.
        StateUpdateError: its answer has updates that do not fit the state that it was taken on.
    """
    if record.fallback:
        return record.state_before
    digest = at(record.manifest, "contract", "sha256")
    if digest not in {contract.digest, None}:
        raise InvalidTurnError(
            f"turn {record.id!r} was played under another contract of the archive, so what it "
            "changed cannot be read: retry it instead"
        )
    contract = BUILT_IN if digest is None else contract
    mode: Any = record.mode if record.mode in MODES else MODES[0]  # a campaign can be imported
    answer = contract.read(contract.split(record.answer, mode).answer or {})
    return apply_state_updates(record.taken_on, mapping(answer, "state_updates"))
