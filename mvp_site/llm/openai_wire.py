"""OpenAI's Chat Completions, as values: a request's fields, and what an answer says.

Pure: no SDK, no network. Compatible servers take the same shape with small liberties, and those
that are known are read: no call ids, arguments as an object, content in parts, ``stop`` beside
calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from ..types import Message
from .protocol import ModelReply, ModelRequest, Stop, ToolCall, ToolExchange, Usage
from .wire import Count, DamagedAnswerError, counted, read, settled, text, written

_STOPS: Final[dict[str, Stop]] = {
    "length": "length", "tool_calls": "tools", "content_filter": "refused",
}


def payload(model: str, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
    """The fields of ``chat.completions.create``."""
    fields: dict[str, Any] = {
        "model": model,
        "messages": [turn for message in request.messages for turn in _turns(message)],
        "max_completion_tokens": request.max_tokens,
    }
    if request.tools:
        fields["tools"] = [
            {"type": "function", "function": {
                "name": tool.name, "description": tool.description,
                "parameters": dict(tool.parameters),
            }}
            for tool in request.tools
        ]
    if request.cache_key:
        fields["prompt_cache_key"] = request.cache_key
    if stream:
        fields |= {"stream": True, "stream_options": {"include_usage": True}}
    return fields


def _turns(message: Message | ToolExchange) -> Iterator[dict[str, Any]]:
    if isinstance(message, Message):
        yield {"role": message.role, "content": message.content}
        return
    written: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.calls:
        written["tool_calls"] = [
            {"id": call.id, "type": "function",
             "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    yield written
    for result in message.results:
        yield {"role": "tool", "tool_call_id": result.call_id, "content": result.content}


class _Function(Struct):
    name: str | None = None
    arguments: Any = None


class _Call(Struct):
    function: _Function | None = None
    id: str | None = None
    index: int | None = None


class _Said(Struct):
    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct):
    message: _Said | None = None
    delta: _Said | None = None
    finish_reason: str | None = None


class _Answer(Struct):
    """A whole answer or a chunk of one."""

    choices: list[_Choice] | None = None
    usage: Any = None
    model: str | None = None
    id: str | None = None


class _Details(Struct):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class _Usage(Struct):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    prompt_tokens_details: _Details | None = None


def reply(body: Any, model: str) -> ModelReply:
    """What a whole answer says; ``model`` was asked, and is named where the answer names none.

    Raises:
        DamagedAnswerError: it is not an answer, or an empty one.
    """
    return _reply(read(body, _Answer), model)


def _reply(answer: _Answer, model: str) -> ModelReply:
    if not answer.choices:
        raise DamagedAnswerError("it has no choice")
    reply, finish = answer.choices[0].message or _Said(), answer.choices[0].finish_reason
    calls = []
    for number, call in enumerate(reply.tool_calls or ()):
        function = call.function or _Function()
        calls.append(ToolCall(
            text(call.id) or f"call_{number}", text(function.name), written(function.arguments)
        ))
    used = counted(answer.usage, _Usage)
    cached = used.prompt_tokens_details or _Details()
    usage = Usage(
        used.prompt_tokens or 0, used.completion_tokens or 0,
        cached.cached_tokens or 0, cached.cache_write_tokens or 0,
    )
    stop: Stop = "refused" if reply.refusal else _STOPS.get(finish or "", "end")
    return settled(
        _content(reply) or reply.refusal or "", calls, stop, usage, answer.model or model, answer.id
    )


def _content(reply: _Said) -> str:
    """The text of a message, which some servers send in parts."""
    if not isinstance(reply.content, list):
        return reply.content or ""
    parts = [part.get("text") for part in reply.content if isinstance(part, dict)]
    return "".join(part for part in parts if isinstance(part, str))


class Stream:
    """An answer that comes in chunks, put together."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._said = _Said("", "")
        self._calls: dict[int, _Call] = {}
        self._answer = _Answer()
        self._finish: str | None = None

    def feed(self, chunk: Any) -> str:
        """The text that ``chunk`` adds.

        Raises:
            DamagedAnswerError: it is no chunk of an answer.
        """
        answer = read(chunk, _Answer)
        reply = self._answer
        self._answer = _Answer(
            None, answer.usage or reply.usage, answer.model or reply.model, reply.id or answer.id
        )
        if not answer.choices:
            return ""
        delta = answer.choices[0].delta or _Said()
        for call in delta.tool_calls or ():
            self._take_call(call)
        self._finish = answer.choices[0].finish_reason or self._finish
        content = text(_content(delta))
        self._said = _Said(
            f"{self._said.content}{content}", f"{self._said.refusal}{delta.refusal or ''}"
        )
        return content

    def _take_call(self, piece: _Call) -> None:
        last = max(self._calls, default=-1)
        index = piece.index
        if index is None:  # left out by some servers, which send each call whole
            index = last + 1 if piece.id or last < 0 else last
        call = self._calls.setdefault(index, _Call(_Function("", "")))
        call.id = call.id or piece.id
        if call.function and piece.function:
            call.function.name = f"{call.function.name}{piece.function.name or ''}"
            if piece.function.arguments:
                call.function.arguments += written(piece.function.arguments)

    def finish(self) -> ModelReply:
        """The whole reply, at the end of the stream.

        Raises:
            DamagedAnswerError: the stream ended before its answer did.
        """
        if self._finish is None:
            raise DamagedAnswerError("its stream ends without a finish reason")
        self._said.tool_calls = [call for _, call in sorted(self._calls.items())]
        self._answer.choices = [_Choice(self._said, finish_reason=self._finish)]
        return _reply(self._answer, self._model)
