"""What a provider sends: the events of a streamed answer in each dialect, from one answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mvp_site.llm.protocol import ToolCall, Usage

FaultKind = Literal[
    "slow", "stall", "drop", "cut", "status", "malformed", "empty", "nothing", "page", "error_event",
]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer. ``stop`` is ours and follows from the calls.

    ``usage`` counts as ours does: ``input_tokens`` are all that were sent. ``gate`` holds the
    answer back until it is set, but for its first piece. ``thought`` is thought before it.
    """

    text: str = "The bar gives with a groan."
    calls: tuple[ToolCall, ...] = ()
    stop: str = ""
    usage: Usage = field(default_factory=lambda: Usage(1_000, 50, 800, 100))
    model: str = "model-2026"
    gate: threading.Event | None = None
    thought: str = ""

    @property
    def stopped(self) -> str:
        return self.stop or ("tools" if self.calls else "end")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong.

    =============  ========================================================================
    ``slow``       not a byte comes, until the client hangs up
    ``stall``      half of the events come, then nothing, until the client hangs up
    ``drop``       the connection is closed before a byte
    ``cut``        the connection is closed after half of the events
    ``status``     ``status`` with ``body`` (an error of the dialect by default) and ``headers``
    ``malformed``  an event that is no JSON
    ``empty``      status 200 and no body
    ``nothing``    an answer without a word
    ``page``       a web page
    ``error_event`` a stream that says half-way that it failed (``code``)
    =============  ========================================================================
    """

    kind: FaultKind
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    code: str = "overloaded_error"


def halves(text: str) -> list[str]:
    middle = (len(text) + 1) // 2
    return [half for half in (text[:middle], text[middle:]) if half]


def data(value: Any, event: str = "") -> bytes:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def chat(answer: Answer) -> Iterator[bytes]:
    """Chat Completions."""
    stops = {"end": "stop", "tools": "tool_calls", "length": "length", "refused": "content_filter"}
    usage = answer.usage

    def chunk(delta: Json, finish: str | None = None, **more: Any) -> bytes:
        return data({
            "id": "answer_1", "object": "chat.completion.chunk", "created": 1_767_225_600, "model": answer.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more,
        })

    yield chunk({"role": "assistant", "content": ""})
    for half in halves(answer.thought):
        yield chunk({"reasoning": half})
    for half in halves(answer.text):
        yield chunk({"content": half})
    for index, call in enumerate(answer.calls):
        named: Json = {"index": index, "id": call.id, "type": "function"}
        yield chunk({"tool_calls": [{**named, "function": {"name": call.name, "arguments": call.arguments}}]})
    counted = {
        "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens, "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
    yield chunk({}, stops[answer.stopped], usage=counted, x_groq={"id": "answer_1", "usage": counted})
    yield b"data: [DONE]\n\n"


def chat_whole(answer: Answer) -> Json:
    """Chat Completions to who asks for no stream."""
    *_, last, _ = chat(answer)
    chunk = json.loads(last.partition(b"data: ")[2])
    message = {"role": "assistant", "content": answer.text}
    choice = {"index": 0, "message": message, "finish_reason": chunk["choices"][0]["finish_reason"]}
    return {**chunk, "object": "chat.completion", "choices": [choice]}


def responses(answer: Answer) -> Iterator[bytes]:
    """OpenAI's Responses."""
    usage, number = answer.usage, iter(range(1_000))
    cut = {"length": "max_output_tokens", "refused": "content_filter"}.get(answer.stopped)

    def event(kind: str, **fields: Any) -> bytes:
        return data({"type": f"response.{kind}", "sequence_number": next(number), **fields}, f"response.{kind}")

    def response(status: str, **fields: Any) -> Json:
        return {
            "id": "answer_1", "object": "response", "created_at": 1_767_225_600, "model": answer.model, "output": [], "status": status,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None, **fields,
        }

    yield event("created", response=response("in_progress"))
    if answer.text:
        message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        yield event("output_item.added", output_index=0, item=message)
        yield event("content_part.added", **place, part={"type": "output_text", "text": "", "annotations": []})
        for half in halves(answer.text):
            yield event("output_text.delta", **place, delta=half, logprobs=[])
        yield event("output_text.done", **place, text=answer.text, logprobs=[])
    for index, call in enumerate(answer.calls, start=1):
        item = {"id": f"fc_{call.id}", "type": "function_call", "call_id": call.id, "name": call.name, "arguments": "", "status": "in_progress"}
        yield event("output_item.added", output_index=index, item=item)
        yield event("function_call_arguments.delta", item_id=item["id"], output_index=index, delta=call.arguments)
        yield event("output_item.done", output_index=index, item={**item, "arguments": call.arguments, "status": "completed"})
    counted = {
        "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "total_tokens": usage.total_tokens,
        "input_tokens_details": {"cached_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens},
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
    kind = "incomplete" if cut else "completed"
    yield event(kind, response=response(kind, usage=counted, incomplete_details={"reason": cut} if cut else None))


def messages(answer: Answer) -> Iterator[bytes]:
    """Anthropic's Messages."""
    stops = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refused": "refusal"}
    usage = answer.usage
    counted = {
        "input_tokens": usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens, "output_tokens": 1,
        "cache_read_input_tokens": usage.cache_read_tokens, "cache_creation_input_tokens": usage.cache_write_tokens,
    }

    def event(kind: str, **fields: Any) -> bytes:
        return data({"type": kind, **fields}, kind)

    yield event("message_start", message={
        "id": "answer_1", "type": "message", "role": "assistant", "model": answer.model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": counted,
    })
    yield event("ping")
    blocks: list[tuple[Json, list[Json]]] = []
    if answer.thought:
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, [
            {"type": "thinking_delta", "thinking": answer.thought}, {"type": "signature_delta", "signature": "signed"}]))
    if answer.text:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": half} for half in halves(answer.text)]))
    blocks += [({"type": "tool_use", "id": call.id, "name": call.name, "input": {}},
                [{"type": "input_json_delta", "partial_json": half} for half in halves(call.arguments)]) for call in answer.calls]
    for index, (block, deltas) in enumerate(blocks):
        yield event("content_block_start", index=index, content_block=block)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": stops[answer.stopped], "stop_sequence": None},
                usage=counted | {"output_tokens": usage.output_tokens})
    yield event("message_stop")


def contents(answer: Answer) -> Iterator[bytes]:
    """Gemini's generateContent."""
    stops = {"end": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}
    usage = answer.usage

    def chunk(parts: list[Json], finish: str | None = None) -> bytes:
        candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
        return data({
            "candidates": [candidate | ({"finishReason": finish} if finish else {})], "modelVersion": answer.model,
            "responseId": "answer_1", "usageMetadata": {
                "promptTokenCount": usage.input_tokens, "candidatesTokenCount": usage.output_tokens - usage.reasoning_tokens,
                "thoughtsTokenCount": usage.reasoning_tokens, "cachedContentTokenCount": usage.cache_read_tokens,
                "totalTokenCount": usage.total_tokens,
            },
        })

    for half in halves(answer.text):
        yield chunk([{"text": half}])
    for call in answer.calls:
        yield chunk([{"functionCall": {"id": call.id, "name": call.name, "args": json.loads(call.arguments)}, "thoughtSignature": "c2lnbmVk"}])
    yield chunk([], stops[answer.stopped])


Writer = Callable[[Answer], Iterator[bytes]]
