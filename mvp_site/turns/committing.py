"""The end of a turn: the new state or the fallback, one commit, one telemetry event."""

from __future__ import annotations

import datetime
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ..assembly.request import sha256
from ..assembly.telemetry import log
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.types import TurnRecord
from ..text.json_values import at
from .assembling import PreparedTurn
from .attempts import Outcome
from .idempotency import to_keep
from .manifests import history_account, look_up_account, manifest, turn_tokens
from .memory import RunningSummary, TurnMemory, memory_of
from .types import LookUp, TurnResult

LOGGER: Final = logging.getLogger("mvp_site.turns")
Json = dict[str, Any]


def commit(settings: Settings, store: CampaignStore, prepared: PreparedTurn, outcome: Outcome,
           model: str, summary: RunningSummary | None = None) -> TurnResult:
    """Writes the turn and returns its result.

    Its manifest is written with it, which has what a replay needs to rebuild the prompt; and what
    later turns are told of it, with the ``summary`` that was written in it.

    Raises:
        CampaignConflictError: the campaign has moved on; nothing was written.
        StoreError: the store cannot be written.
    """
    started = time.perf_counter()
    request, turn_route, checked = prepared.request, prepared.route, outcome.checked
    rolls = prepared.rolls(checked)
    if checked is not None and checked.answer is not None and checked.state_after is not None:
        answer, text, state = checked.answer, checked.text, checked.state_after
    else:
        answer, text = prepared.contract.fallback(turn_route, prepared.state)
        state = prepared.campaign.state
    turn_memory = TurnMemory()
    if outcome.fallback is None:
        turn_memory = memory_of(prepared.contract, turn_route, request.user_input, answer,
                           before=prepared.state, after=state, offered=_offered(prepared))
    moment = datetime.datetime.now(datetime.UTC)
    turn, contract = prepared.prompt.turn, prepared.contract
    # Of a version's own contract its digest, and what the player read.
    own = {} if not contract.digest else {
        "contract": {"sha256": contract.digest, "told": contract.told(answer)}}
    record = TurnRecord(
        id=prepared.turn_id, campaign_id=prepared.campaign.id, number=prepared.campaign.turns + 1,
        mode=turn_route.mode, audience=turn_route.audience, user_input=request.user_input,
        answer=text, state_before=prepared.campaign.state,
        manifest=manifest(
            prepared, outcome, rolls, settings, created=moment.isoformat(), model=model
        ) | own,
        fallback=outcome.fallback, sparse=turn.retrieval_sparse, created=moment,
        memory=replace(turn_memory, summary=summary).document(),
    )
    committing = time.perf_counter()
    event = partial(_event, prepared, outcome, settings, rolls_made=len(rolls), model=model)
    times = {"begin": prepared.seconds, "finish": committing - started}
    result = TurnResult(
        turn_id=prepared.turn_id, campaign_id=prepared.campaign.id, mode=turn_route.mode,
        response=answer, state=state, text=text, attempts=outcome.attempts, rolls=rolls,
        usage=outcome.usage, fallback=outcome.fallback, telemetry=event(times=times),
        chunks=tuple(c.id for c in turn.chunks),
        look_ups=tuple(prepared.look_ups.made), narrative=contract.told(answer),
        public=contract.public and contract.public(answer),
    )
    store.commit(record, state, prepared.campaign.version, request.replaces,
                 to_keep(request, result))
    result = replace(
        result, telemetry=event(times={**times, "commit": time.perf_counter() - committing}))
    log(LOGGER, logging.WARNING if outcome.fallback else logging.INFO, result.telemetry)
    return result


def _offered(prepared: PreparedTurn) -> Mapping[str, Any]:
    """The choices that the turn before offered, by key."""
    past = prepared.past.turns
    _, brace, body = past[-1].answer.partition("{") if past else ("", "", "")
    try:
        offered = at(json.loads(brace + body), "planning_block", "choices")
    except (ValueError, RecursionError):
        offered = None
    return offered if isinstance(offered, Mapping) else {}


def _event(prepared: PreparedTurn, outcome: Outcome, settings: Settings, *, rolls_made: int,
           model: str, times: Mapping[str, float]) -> dict[str, Any]:
    """The prompt's telemetry with the turn's own beside it; nothing of what was said."""
    prompt = prepared.prompt
    return {
        **prompt.turn.telemetry, "event": "turn_handled",
        "history": history_account(prepared, whole=False),
        "turn": {
            "id": prepared.turn_id, "deep_think": prepared.route.deep_think,
            "model": outcome.model or model, "seed": prepared.seed, "tray": prompt.tray,
            "rolls": rolls_made, "fallback": outcome.fallback,
            "look_ups": [_look_up_event(look_up, settings) for look_up in prepared.look_ups.made],
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
            **({"contract": prepared.contract.digest} if prepared.contract.digest else {}),
            "tokens": turn_tokens(prepared, outcome), "usd": outcome.usage.cost,
            "ms": {name: round(seconds * 1000, 3) for name, seconds in times.items()},
        },
    }


def _look_up_event(look_up: LookUp, settings: Settings) -> Json:
    """A look-up in the event: nothing of the model's words but their hash and length."""
    text = {"query_text": look_up.query} if settings.prompt_log_text else {}
    return {
        "query_sha256": sha256(look_up.query), "query_chars": len(look_up.query), **text,
        **look_up_account(look_up), "ms": round(look_up.seconds * 1000, 3),
    }
