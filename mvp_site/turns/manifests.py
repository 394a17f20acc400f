"""A turn's manifest: what a replay needs to rebuild its prompt, and what became of it. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from ..archive.delimiters import GIVEN
from ..errors import StoreError
from ..retrieval.tokens import count_tokens
from ..settings import Settings
from ..types import AssembledTurn, Message
from .attempts import Outcome, Sent
from .dice import roll_tool
from .history import known_tokens
from .opening import Begun
from .prompting import canonical
from .types import Attempt, Roll, Violation

FORMAT: Final = 1
_ELEMENTS: Final = re.compile(
    rf"^(?=<(retrieved_context|turn|{'|'.join(GIVEN)})[ >])", re.MULTILINE
)
ROLES: Final = ("user", "assistant")
Json = dict[str, Any]


def manifest(begun: Begun, outcome: Outcome, rolls: Sequence[Roll], settings: Settings, *,
             created: str, model: str) -> Json:
    """The manifest of a turn, plain JSON.

    The history is named by the numbers of its first turn (``first_turn``, of those that were
    read) and of the messages kept; one that the caller handed in stands in the manifest itself.
    """
    turn = begun.prompt.turn
    telemetry = turn.telemetry
    return {
        "format": FORMAT, "turn_id": begun.turn_id, "campaign_id": begun.campaign.id,
        "created": created, "mode": begun.route.mode, "audience": begun.route.audience,
        "version": telemetry["version"], "release": telemetry["release"],
        "header_sha256": telemetry["header_sha256"], "prompt_sha256": prompt_sha256(turn),
        "sparse_reason": turn.sparse_reason,
        "chunks": [{"id": c.id, "score": c.score, "tokens": c.tokens} for c in turn.chunks],
        "budget": telemetry["tokens"]["budget"],
        "floor": telemetry["floor"] if telemetry["lanes"]["used"] else None,
        "context_tokens": settings.mvp_site_context_tokens,
        "answer_tokens": settings.mvp_site_answer_tokens,
        "seed": begun.seed, "tray": begun.prompt.tray, "model": outcome.model or model,
        "history": history_account(begun),
        "attempts": [attempt_account(attempt) for attempt in outcome.attempts],
        "rolls": [
            {"id": r.id, "expression": r.expression, "dice": list(r.dice), "total": r.total}
            for r in rolls
        ],
        "tokens": tokens_account(begun, outcome),
        "sent": sent_account(begun, outcome.sent),
    }


def history_account(begun: Begun, *, whole: bool = True) -> Json:
    """What of the history was sent, and what was trimmed; ``whole``: with what was handed in."""
    history = begun.prompt.history
    account: Json = {
        "messages": len(history.messages), "dropped": history.dropped,
        "tokens": history.tokens, "first_turn": begun.first_turn,
    }
    if whole and begun.request.history is not None:
        account["given"] = [{"role": m.role, "content": m.content} for m in history.messages]
    return account


def attempt_account(attempt: Attempt) -> Json:
    """One attempt as JSON."""
    return {
        "text": attempt.text, "error": attempt.error, "seconds": round(attempt.seconds, 3),
        "violations": [_named(violation) for violation in attempt.violations],
        "warnings": [_named(hint) for hint in attempt.warnings],
        "usage": {
            "input_tokens": attempt.usage.input_tokens,
            "output_tokens": attempt.usage.output_tokens,
            "cache_read_tokens": attempt.usage.cache_read_tokens,
            "cache_write_tokens": attempt.usage.cache_write_tokens,
        },
    }


def _named(violation: Violation) -> Json:
    return {"rule": violation.rule, "path": violation.path, "message": violation.message}


def tokens_account(begun: Begun, outcome: Outcome) -> Json:
    """What a turn cost: parts of the prompt by our count, and the whole by the provider's."""
    usage = outcome.usage
    return {
        **begun.prompt.turn.telemetry["tokens"], "history": begun.prompt.history.tokens,
        "input": usage.input_tokens, "output": usage.output_tokens,
        "cache_read": usage.cache_read_tokens,
    }


def sent_account(begun: Begun, sent: Sent) -> Json:
    """All that was sent, element by element, in o200k tokens; the elements' sum is ``counted``.

    Of the prompt each element stands with its delimiters, and is counted once; what later requests
    repeated of it is ``again``. Nothing where no request was answered.
    """
    if not sent.requests:
        return {}
    header, *history, last = (message.content for message in begun.prompt.turn.messages)
    _, *pieces = _ELEMENTS.split(last)
    elements = dict(zip(pieces[::2], map(count_tokens, pieces[1::2]), strict=True))
    parts = {
        "header": known_tokens(header), "retrieved": elements.pop("retrieved_context", 0),
        "history": sum(map(known_tokens, history)), **elements,
    }
    if not begun.prompt.tray:
        parts["tool"] = _tool_tokens()
    parts["again"] = (sent.requests - 1) * sum(parts.values())
    parts |= {"rolls": sent.rolls, "given_back": sent.given_back}
    return {"requests": sent.requests, **parts, "counted": sum(parts.values())}


@cache
def _tool_tokens() -> int:
    tool = roll_tool()
    return count_tokens(canonical([tool.name, tool.description, tool.parameters]))


def prompt_sha256(turn: AssembledTurn) -> str:
    """The digest of the messages as they were sent, roles and breakpoints included."""
    digest = hashlib.sha256()
    for message in turn.messages:
        for part in (message.role, "1" if message.breakpoint else "0", message.content):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What of a manifest a replay needs. ``given`` is a history that the caller handed in."""

    version: str
    release: str | None
    header_sha256: str
    prompt_sha256: str
    chunks: tuple[str, ...]
    budget: int
    floor: float | None
    seed: int
    tray: bool
    first_turn: int
    dropped: int
    given: tuple[Message, ...] | None


def recorded(found: Mapping[str, Any]) -> Recorded:
    """What a manifest says. A campaign can be imported, so that it may be anybody's.

    Raises:
        StoreError: it is of another format, or lacks something.
    """
    try:
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']!r}, this program reads {FORMAT}")
        history = found["history"]
        given = [(m["role"], m["content"]) for m in history.get("given", ())]
        if any(role not in ROLES or not isinstance(said, str) for role, said in given):
            raise ValueError("a history that is none")
        return Recorded(
            version=_of(found["version"], str), release=_of(found["release"], str, type(None)),
            header_sha256=_of(found["header_sha256"], str),
            prompt_sha256=_of(found["prompt_sha256"], str),
            chunks=tuple(_of(chunk["id"], str) for chunk in found["chunks"]),
            budget=_of(found["budget"], int), floor=_of(found["floor"], int, float, type(None)),
            seed=_of(found["seed"], int), tray=_of(found["tray"], bool),
            first_turn=_of(history["first_turn"], int), dropped=_of(history["dropped"], int),
            given=tuple(Message(*one) for one in given) if "given" in history else None,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise StoreError(f"the turn's manifest cannot be read ({what:.200})") from None


def _of(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise TypeError(f"{type(value).__name__} where {kinds[0].__name__} should be")
    return value
