"""The end of a turn: the new state or the fallback, one commit, one telemetry event.

With the turn its manifest is kept: what a replay needs to rebuild the prompt, and what became of
it.
"""

from __future__ import annotations

import datetime
import hashlib
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Final

from ..archive.delimiters import GIVEN
from ..assembly.rendering import text_of
from ..assembly.request import sha256
from ..assembly.telemetry import log
from ..errors import CampaignConflictError, CampaignExistsError
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.types import TurnRecord
from ..text.tokens import count_tokens
from ..types import AssembledTurn, RetrievedChunk
from .attempts import Outcome, Sent
from .calls import described
from .contracts import Contract
from .opening import NEW, Begun
from .prompting import canonical, known_tokens
from .types import LookUp, Roll, TurnResult

FORMAT: Final = 2
LOGGER: Final = logging.getLogger("mvp_site.turns")
Json = dict[str, Any]


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
        answer, text = begun.contract.fallback(where, begun.state)
        state = begun.campaign.state
    moment = datetime.datetime.now(datetime.UTC)
    turn = begun.prompt.turn
    record = TurnRecord(
        id=begun.turn_id, campaign_id=begun.campaign.id, number=begun.campaign.turns + 1,
        mode=where.mode, audience=where.audience, user_input=request.user_input, answer=text,
        state_before=begun.campaign.state,
        manifest=manifest(
            begun, outcome, rolls, settings, created=moment.isoformat(), model=model
        ) | _own(begun.contract, answer),
        fallback=outcome.fallback, sparse=turn.retrieval_sparse, created=moment,
    )
    committing = time.perf_counter()
    store.commit(record, state, _version(store, begun), request.replaces)
    committed = time.perf_counter()
    event = _event(begun, outcome, settings, rolls_made=len(rolls), model=model, times={
        "begin": begun.seconds, "finish": committing - started, "commit": committed - committing,
    })
    log(LOGGER, logging.WARNING if outcome.fallback else logging.INFO, event)
    return TurnResult(
        turn_id=begun.turn_id, campaign_id=begun.campaign.id, mode=where.mode, response=answer,
        state=state, text=text, attempts=outcome.attempts, rolls=rolls, usage=outcome.usage,
        fallback=outcome.fallback, telemetry=event, chunks=tuple(c.id for c in turn.chunks),
        look_ups=tuple(begun.look_ups.made), narrative=begun.contract.told(answer),
        public=begun.contract.public and begun.contract.public(answer),
    )


def _own(contract: Contract, answer: Mapping[str, Any]) -> Json:
    """What a manifest has of a version's own contract: its digest, and what the player read."""
    own = {"sha256": contract.digest, "told": contract.told(answer)}
    return {"contract": own} if contract.digest else {}


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


def _event(begun: Begun, outcome: Outcome, settings: Settings, *, rolls_made: int, model: str,
           times: Mapping[str, float]) -> dict[str, Any]:
    """The prompt's telemetry with the turn's own beside it; nothing of what was said."""
    prompt = begun.prompt
    return {
        **prompt.turn.telemetry, "event": "turn_handled",
        "history": _history(begun, whole=False),
        "turn": {
            "id": begun.turn_id, "deep_think": begun.route.deep_think,
            "model": outcome.model or model, "seed": begun.seed, "tray": prompt.tray,
            "rolls": rolls_made, "fallback": outcome.fallback,
            "look_ups": [_told(look_up, settings) for look_up in begun.look_ups.made],
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
            **({"contract": begun.contract.digest} if begun.contract.digest else {}),
            "tokens": _tokens(begun, outcome),
            "ms": {name: round(seconds * 1000, 3) for name, seconds in times.items()},
        },
    }


def _told(look_up: LookUp, settings: Settings) -> Json:
    """A look-up in the event: nothing of the model's words but their hash and length."""
    text = {"query_text": look_up.query} if settings.prompt_log_text else {}
    return {
        "query_sha256": sha256(look_up.query), "query_chars": len(look_up.query), **text,
        **_account(look_up), "ms": round(look_up.seconds * 1000, 3),
    }


def _account(look_up: LookUp) -> Json:
    return {
        "attempt": look_up.attempt, "budget": look_up.budget, "tokens": look_up.tokens,
        "reason": look_up.reason, "floor": look_up.floor, "best_score": look_up.best_score,
        "chunks": _chunks(look_up.chunks),
        "dropped": [{"id": d.id, "reason": d.reason, "score": d.score} for d in look_up.dropped],
    }


def _chunks(chunks: Sequence[RetrievedChunk]) -> list[Json]:
    return [
        {"id": c.id, "section": c.section, "score": c.score, "tokens": c.tokens} for c in chunks
    ]


def manifest(begun: Begun, outcome: Outcome, rolls: Sequence[Roll], settings: Settings, *,
             created: str, model: str) -> Json:
    """The manifest of a turn, plain JSON.

    The history is named by the numbers of its first turn (``first_turn``, of those that were
    read) and of the messages kept; one that the caller handed in stands in the manifest itself.
    So does a ``state`` of the turn's own, and so do the passages (``printed``) and what look-ups
    gave, as text: a replay then depends on no index, and needs nothing that redactors
    withheld. The header, which few releases change, is named by its digest.
    """
    turn = begun.prompt.turn
    telemetry = turn.telemetry
    return {
        **({} if begun.state is begun.campaign.state else {"state": begun.state}),
        "format": FORMAT, "turn_id": begun.turn_id, "campaign_id": begun.campaign.id,
        "created": created, "mode": begun.route.mode, "audience": begun.route.audience,
        "version": telemetry["version"], "release": telemetry["release"],
        "header_sha256": telemetry["header_sha256"], "prompt_sha256": prompt_sha256(turn),
        "sparse_reason": turn.sparse_reason,
        "chunks": _chunks(turn.chunks), "dropped": telemetry["dropped"],
        "printed": [segment.text for segment in turn.segments if segment.kind == "passage"],
        "look_ups": [
            {"query": row.query, "text": row.text, **_account(row)} for row in begun.look_ups.made
        ],
        "budget": telemetry["tokens"]["budget"],
        "floor": telemetry["floor"] if telemetry["lanes"]["used"] else None,
        "context_tokens": settings.mvp_site_context_tokens,
        "answer_tokens": settings.mvp_site_answer_tokens,
        "seed": begun.seed, "tray": begun.prompt.tray, "model": outcome.model or model,
        "history": _history(begun),
        "attempts": [
            asdict(attempt) | {"seconds": round(attempt.seconds, 3)} for attempt in outcome.attempts
        ],
        "rolls": [
            {"id": r.id, "expression": r.expression, "dice": r.dice, "total": r.total}
            for r in rolls
        ],
        "tokens": _tokens(begun, outcome),
        "sent": _sent(begun, outcome.sent), "ms": dict(telemetry["ms"]),
        "steps": [asdict(row) | {"seconds": round(row.seconds, 3)} for row in outcome.sent.steps],
    }


def _history(begun: Begun, *, whole: bool = True) -> Json:
    """What of the history was sent, and what was trimmed; ``whole``: with what was handed in."""
    history = begun.prompt.history
    account: Json = {
        "messages": len(history.messages), "dropped": history.dropped,
        "tokens": history.tokens, "first_turn": begun.first_turn,
    }
    if whole and begun.request.history is not None:
        account["given"] = [{"role": m.role, "content": m.content} for m in history.messages]
    return account


def _tokens(begun: Begun, outcome: Outcome) -> Json:
    """What a turn cost: parts of the prompt by our count, and the whole by the provider's."""
    usage = outcome.usage
    return {
        **begun.prompt.turn.telemetry["tokens"], "history": begun.prompt.history.tokens,
        "input": usage.input_tokens, "output": usage.output_tokens,
        "cache_read": usage.cache_read_tokens,
    }


def _sent(begun: Begun, sent: Sent) -> Json:
    """All that was sent, element by element, in o200k tokens; the elements' sum is ``counted``.

    Of the prompt each element stands with its delimiters, and is counted once; what later requests
    repeated of it is ``again``. Nothing where no request was answered.
    """
    if not sent.requests:
        return {}
    turn = begun.prompt.turn
    header, *history, _ = (message.content for message in turn.messages)
    context = [segment for segment in turn.segments if segment.kind in {"frame", "passage"}]
    parts: dict[str, int] = {
        "header": known_tokens(header), "retrieved": count_tokens(text_of(context)),
        "history": sum(map(known_tokens, history)),
        **{str(segment.kind): count_tokens(segment.text) for segment in turn.segments
           if segment.kind in {*GIVEN, "turn"}},
    }
    if begun.tools:
        parts["tool"] = sum(_tool_tokens(name) for name in begun.tools)
    parts["again"] = (sent.requests - 1) * sum(parts.values())
    parts |= {"rolls": sent.rolls, "given_back": sent.given_back}
    return {"requests": sent.requests, **parts, "counted": sum(parts.values())}


@cache
def _tool_tokens(name: str) -> int:
    tool = described(name)
    return count_tokens(canonical([tool.name, tool.description, tool.parameters]))


def prompt_sha256(turn: AssembledTurn) -> str:
    """The digest of the messages as they were sent, roles and breakpoints included."""
    digest = hashlib.sha256()
    for message in turn.messages:
        for part in (message.role, "1" if message.breakpoint else "0", message.content):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
