"""Manifests: what a turn's record keeps, so that its prompt can be rebuilt and its cost be read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Final

from ..archive.delimiters import GIVEN
from ..settings import Settings
from ..text.tokens import count_tokens, known_tokens
from ..types import AssembledTurn, RetrievedChunk
from .assembling import PreparedTurn
from .attempts import Outcome
from .prompting import canonical
from .tools import described
from .types import LookUp, Roll

FORMAT: Final = 2
Json = dict[str, Any]


def manifest(prepared: PreparedTurn, outcome: Outcome, rolls: Sequence[Roll], settings: Settings, *,
             created: str, model: str) -> Json:
    """The manifest of a turn, plain JSON.

    The history is named by the numbers of turns: what lies up to ``cut`` has fallen out, what lies
    behind ``whole`` went whole, and ``states`` are the turns whose states it told. One that the
    caller handed in stands in the manifest itself. So do ``summary`` and ``secret_notes``, as they
    were told, a ``state`` of the turn's own, the table of ``contents``, the passages (``printed``)
    and what look-ups gave, as text: a replay then depends on no index, and needs nothing that
    redactors withheld. The header, which few releases change, is named by its digest.
    """
    turn = prepared.prompt.turn
    telemetry = turn.telemetry
    return {
        **({} if prepared.state is prepared.campaign.state else {"state": prepared.state}),
        "format": FORMAT, "turn_id": prepared.turn_id, "campaign_id": prepared.campaign.id,
        "created": created, "mode": prepared.route.mode, "audience": prepared.route.audience,
        "version": telemetry["version"], "release": telemetry["release"],
        "header_sha256": telemetry["header_sha256"], "prompt_sha256": prompt_sha256(turn),
        "sparse_reason": turn.sparse_reason,
        "chunks": _chunks(turn.chunks), "dropped": telemetry["dropped"],
        **({"contents": table} if (table := _contents(turn)) else {}),
        "printed": [segment.text for segment in turn.segments if segment.kind == "passage"],
        "look_ups": [
            {"query": row.query, "text": row.text, **look_up_account(row)}
            for row in prepared.look_ups.made
        ],
        "budget": telemetry["tokens"]["budget"],
        "floor": telemetry["floor"] if telemetry["lanes"]["used"] else None,
        "context_tokens": settings.window_tokens,
        "answer_tokens": settings.mvp_site_answer_tokens,
        "seed": prepared.seed, "tray": prepared.prompt.tray, "model": outcome.model or model,
        "history": history_account(prepared),
        "attempts": [
            asdict(attempt) | {"seconds": round(attempt.seconds, 3)} for attempt in outcome.attempts
        ],
        "rolls": [
            {"id": r.id, "expression": r.expression, "dice": r.dice, "total": r.total}
            for r in rolls
        ],
        "tokens": turn_tokens(prepared, outcome), "usd": outcome.usage.cost,
        "spent_usd": prepared.spent + (outcome.usage.cost or 0.0),
        "sent": _sent(prepared, outcome), "ms": dict(telemetry["ms"]),
        "steps": [
            {"attempt": step.attempt, "seconds": round(step.seconds, 3), "calls": step.calls,
             "tokens": step.tool_tokens + step.given_back} for step in outcome.steps
        ],
    }


def history_account(prepared: PreparedTurn, *, whole: bool = True) -> Json:
    """What of the history was sent, and what was trimmed; ``whole``: with what was handed in."""
    history, past = prepared.prompt.history, prepared.prompt.past_given
    account: Json = {
        "messages": len(history.messages), "dropped": history.dropped,
        "tokens": history.tokens, "cut": past.borders.dropped_up_to, "whole": past.borders.whole,
        "states": list(past.states),
    }
    if whole:
        account |= {"summary": past.summary, "secret_notes": past.notes}
        if prepared.request.history is not None:
            account["given"] = [{"role": m.role, "content": m.content} for m in history.messages]
    return account


def turn_tokens(prepared: PreparedTurn, outcome: Outcome) -> Json:
    """What a turn cost: parts of the prompt by our count, and the whole by the provider's."""
    usage = outcome.usage
    return {
        **prepared.prompt.turn.telemetry["tokens"], "history": prepared.prompt.history.tokens,
        "input": usage.input_tokens, "output": usage.output_tokens,
        "cache_read": usage.cache_read_tokens, "cache_write": usage.cache_write_tokens,
        "reasoning": usage.reasoning_tokens,
    }


def _contents(turn: AssembledTurn) -> str:
    """The table of contents behind the header, '' where there is none."""
    there = any(segment.kind == "contents" for segment in turn.segments)
    return turn.messages[1].content if there else ""


def _sent(prepared: PreparedTurn, outcome: Outcome) -> Json:
    """All that was sent, element by element, in o200k tokens; the elements' sum is ``counted``.

    Of the prompt each element stands with its delimiters, and is counted once; what later requests
    repeated of it is ``again``. Nothing where no request was answered.
    """
    requests = [step for step in outcome.steps if not step.calls]
    if not requests:
        return {}
    turn = prepared.prompt.turn
    heads = sum(segment.kind in {"header", "contents", "mode"} for segment in turn.segments)
    history = (message.content for message in turn.messages[heads:-1])
    context = [segment for segment in turn.segments if segment.kind in {"frame", "passage"}]
    parts: dict[str, int] = {
        "header": known_tokens(turn.messages[0].content),
        "retrieved": sum(known_tokens(part.text) for part in context),
        "history": sum(map(known_tokens, history)),
        **{str(segment.kind): count_tokens(segment.text) for segment in turn.segments
           if segment.kind in {*GIVEN, "turn"}},
    }
    if table := _contents(turn):
        parts["contents"] = known_tokens(table)
    if prepared.tools:
        parts["tool"] = sum(_tool_tokens(name) for name in prepared.tools)
    parts["again"] = (len(requests) - 1) * sum(parts.values())
    parts |= {"rolls": sum(step.tool_tokens for step in requests),
              "given_back": sum(step.given_back for step in requests)}
    return {"requests": len(requests), **parts, "counted": sum(parts.values())}


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


def look_up_account(look_up: LookUp) -> Json:
    """What a look-up gave, without words."""
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
