"""What a provider would send: bodies and stream events of both wire formats, from one answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mvp_site.llm.protocol import ToolCall, Usage

Wire = Literal["openai", "anthropic"]
FaultKind = Literal[
    "slow", "stall", "drop", "cut", "quiet_end", "status", "malformed", "empty", "no_choices",
    "wrong", "page", "error_event",
]

OPENAI_STOPS = {"end": "stop", "tools": "tool_calls", "length": "length", "refused": "content_filter"}
ANTHROPIC_STOPS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refused": "refusal"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer. ``stop`` is ours and follows from the calls; ``raw_stop`` is sent as it is.

    ``usage`` counts as ours does: ``input_tokens`` are all that were sent. ``gate`` holds the
    answer back until it is set; a stream sends its first piece before.
    """

    text: str = "The bar gives with a groan."
    calls: tuple[ToolCall, ...] = ()
    stop: str = ""
    raw_stop: str | None = None
    usage: Usage = field(default_factory=lambda: Usage(1_000, 50, 800, 100))
    refusal: str | None = None
    model: str = "model-2026"
    gate: threading.Event | None = None

    @property
    def stopped(self) -> str:
        return self.stop or ("tools" if self.calls else "end")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong.

    =============  ========================================================================
    ``slow``       not a byte comes, until the client hangs up
    ``stall``      half of the body comes, then nothing, until the client hangs up
    ``drop``       the connection is closed before a byte
    ``cut``        the connection is closed after half of the body
    ``quiet_end``  half of the body comes and is framed as if it were whole
    ``status``     ``status`` with ``body`` (an error of the wire by default) and ``headers``
    ``malformed``  JSON that does not parse; in a stream, in one of its events
    ``empty``      status 200 and no body
    ``no_choices`` an answer with nothing in it
    ``wrong``      JSON of another kind: ``body``, by default null
    ``page``       a web page
    ``error_event`` a stream that says half-way that it failed (``code``); else status 500
    =============  ========================================================================
    """

    kind: FaultKind
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=lambda: {"retry-after-ms": "1"})
    body: Any = None
    code: str = "overloaded_error"


def error_body(wire: Wire, status: int, code: str, message: str) -> dict[str, Any]:
    if wire == "openai":
        narrow = {"invalid_request_error": "context_length_exceeded"}.get(code, code)
        return {"error": {"message": message, "type": code, "param": None, "code": narrow}}
    return {"type": "error", "error": {"type": code, "message": message}}


def body(wire: Wire, answer: Answer) -> dict[str, Any]:
    """The whole answer."""
    return _openai_body(answer) if wire == "openai" else _anthropic_body(answer)


def events(wire: Wire, answer: Answer, *, usage: bool = True) -> list[bytes]:
    """The answer as server-sent events; ``usage`` is whether an OpenAI client asked for it."""
    if wire == "openai":
        chunks = [_data(chunk) for chunk in _openai_chunks(answer, usage)]
        return [*chunks, b"data: [DONE]\n\n"]
    return [f"event: {event['type']}\n".encode() + _data(event) for event in _anthropic_events(answer)]


def error_event(wire: Wire, code: str) -> bytes:
    data = _data(error_body(wire, 200, code, "it broke"))
    return data if wire == "openai" else b"event: error\n" + data


def _data(value: Any) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def _halves(text: str) -> list[str]:
    middle = (len(text) + 1) // 2
    return [half for half in (text[:middle], text[middle:]) if half]


def _openai_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens,
        },
    }


def _openai_call(call: ToolCall, arguments: str) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _openai_stop(answer: Answer) -> str:
    return answer.raw_stop or OPENAI_STOPS[answer.stopped]


def _openai_body(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant", "content": answer.text or None, "refusal": answer.refusal,
    }
    if answer.calls:
        message["tool_calls"] = [_openai_call(call, call.arguments) for call in answer.calls]
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_767_225_600,
        "model": answer.model, "usage": _openai_usage(answer.usage),
        "choices": [{"index": 0, "message": message, "logprobs": None,
                     "finish_reason": _openai_stop(answer)}],
    }


def _openai_chunks(answer: Answer, usage: bool) -> Iterator[dict[str, Any]]:
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_767_225_600,
             "model": answer.model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    for half in _halves(answer.text):
        yield chunk({"content": half})
    for half in _halves(answer.refusal or ""):
        yield chunk({"refusal": half})
    for index, call in enumerate(answer.calls):
        yield chunk({"tool_calls": [{"index": index, **_openai_call(call, "")}]})
        for half in _halves(call.arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": half}}]})
    yield chunk({}, _openai_stop(answer))
    if usage:
        yield {**frame, "choices": [], "usage": _openai_usage(answer.usage)}


def _anthropic_usage(usage: Usage) -> dict[str, Any]:
    cached = usage.cache_read_tokens + usage.cache_write_tokens
    return {
        "input_tokens": usage.input_tokens - cached, "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
    }


def _anthropic_stop(answer: Answer) -> str:
    return answer.raw_stop or ANTHROPIC_STOPS[answer.stopped]


def _input(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return {}


def _anthropic_body(answer: Answer) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}
        for call in answer.calls
    ]
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": answer.model,
        "content": content, "stop_reason": _anthropic_stop(answer), "stop_sequence": None,
        "usage": _anthropic_usage(answer.usage),
    }


def _anthropic_events(answer: Answer) -> Iterator[dict[str, Any]]:
    start = _anthropic_body(answer) | {"content": [], "stop_reason": None}
    yield {"type": "message_start",
           "message": start | {"usage": _anthropic_usage(answer.usage) | {"output_tokens": 1}}}
    yield {"type": "ping"}
    index = 0
    if answer.text:
        yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        for half in _halves(answer.text):
            yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": half}}
        yield {"type": "content_block_stop", "index": 0}
        index = 1
    for at, call in enumerate(answer.calls, start=index):
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        yield {"type": "content_block_start", "index": at, "content_block": block}
        for half in _halves(call.arguments):
            yield {"type": "content_block_delta", "index": at,
                   "delta": {"type": "input_json_delta", "partial_json": half}}
        yield {"type": "content_block_stop", "index": at}
    yield {"type": "message_delta", "delta": {"stop_reason": _anthropic_stop(answer), "stop_sequence": None},
           "usage": {"output_tokens": answer.usage.output_tokens}}
    yield {"type": "message_stop"}
