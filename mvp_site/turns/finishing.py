"""The end of a turn: the new state or the fallback, one commit, one telemetry event."""

from __future__ import annotations

import datetime
import logging
import time
from collections.abc import Mapping
from typing import Any, Final

from ..assembly.telemetry import log
from ..errors import CampaignConflictError, CampaignExistsError
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.types import TurnRecord
from .attempts import Outcome
from .fallback import fallback_answer
from .manifests import history_account, manifest, tokens_account
from .opening import NEW, Begun
from .types import TurnResult

LOGGER: Final = logging.getLogger("mvp_site.turns")


def finish(settings: Settings, store: CampaignStore, begun: Begun, outcome: Outcome, model: str,
           started: float) -> TurnResult:
    """What came of the turn, which is written.

    ``started`` is when the model was done.

    Raises:
        CampaignConflictError: the campaign has moved on; nothing was written.
        StoreError: the store cannot be written.
    """
    request, where, checked = begun.request, begun.route, outcome.checked
    rolls = begun.rolls(checked)
    if checked is not None and checked.answer is not None and checked.state_after is not None:
        answer, text, state = checked.answer, outcome.text, checked.state_after
    else:
        answer, text = fallback_answer(where, begun.state)
        state = begun.state
    now = datetime.datetime.now(datetime.UTC)
    turn = begun.prompt.turn
    record = TurnRecord(
        id=begun.turn_id, campaign_id=begun.campaign.id, number=begun.campaign.turns + 1,
        mode=where.mode, audience=where.audience, user_input=request.user_input, answer=text,
        state_before=begun.state,
        manifest=manifest(
            begun, outcome, rolls, settings, created=now.isoformat(), model=model
        ),
        fallback=outcome.fallback, sparse=turn.retrieval_sparse, created=now,
    )
    committing = time.perf_counter()
    store.commit(record, state, _version(store, begun))
    committed = time.perf_counter()
    event = _event(begun, outcome, rolls_made=len(rolls), model=model, times={
        "begin": begun.seconds, "finish": committing - started, "commit": committed - committing,
    })
    _emit(event)
    return TurnResult(
        turn_id=begun.turn_id, campaign_id=begun.campaign.id, mode=where.mode, response=answer,
        state=state, text=text, attempts=outcome.attempts, rolls=rolls, usage=outcome.usage,
        fallback=outcome.fallback, telemetry=event, chunks=tuple(c.id for c in turn.chunks),
    )


def _version(store: CampaignStore, begun: Begun) -> int:
    """The version that the turn was taken on, of a campaign that is in the store by now."""
    campaign = begun.campaign
    if campaign.version != NEW:
        return campaign.version
    try:
        return store.create(campaign.id, campaign.state).version
    except CampaignExistsError:
        raise CampaignConflictError(
            f"campaign {campaign.id!r} was begun by another writer, who was faster. Nothing was "
            "written; take the turn again"
        ) from None


def _event(begun: Begun, outcome: Outcome, *, rolls_made: int, model: str,
           times: Mapping[str, float]) -> dict[str, Any]:
    """The prompt's telemetry with the turn's own beside it; nothing of what was said."""
    prompt = begun.prompt
    return {
        **prompt.turn.telemetry, "event": "turn_handled",
        "history": history_account(begun, whole=False),
        "turn": {
            "id": begun.turn_id, "deep_think": begun.route.deep_think,
            "model": outcome.model or model, "seed": begun.seed, "tray": prompt.tray,
            "rolls": rolls_made, "fallback": outcome.fallback,
            "attempts": [
                {
                    "violations": sorted({v.rule for v in attempt.violations}),
                    "warnings": sorted({v.rule for v in attempt.warnings}),
                    "error": bool(attempt.error), "seconds": round(attempt.seconds, 3),
                    "input_tokens": attempt.usage.input_tokens,
                    "output_tokens": attempt.usage.output_tokens,
                    "cache_read_tokens": attempt.usage.cache_read_tokens,
                }
                for attempt in outcome.attempts
            ],
            "tokens": tokens_account(begun, outcome),
            "ms": {name: round(seconds * 1000, 3) for name, seconds in times.items()},
        },
    }


def _emit(event: Mapping[str, Any]) -> None:
    log(LOGGER, logging.WARNING if event["turn"]["fallback"] else logging.INFO, event)
