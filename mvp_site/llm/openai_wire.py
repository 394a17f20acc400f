"""OpenAI's Chat Completions, as values: a request's fields, and what an answer says.

Pure: no SDK, no network. Compatible servers take the same shape with small liberties, and those
that are known are read: no call ids, arguments as an object, content in parts, ``stop`` beside
calls.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..types import Message
from .protocol import ModelReply, ModelRequest, Stop, ToolCall, ToolExchange, Usage
from .wire import DamagedAnswerError, count, items, mapping, part, settled, text, written

LONGEST_CACHE_KEY: Final = 64
"""The API refuses a longer one."""

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
        fields["prompt_cache_key"] = _cache_key(request.cache_key)
    if stream:
        fields |= {"stream": True, "stream_options": {"include_usage": True}}
    return fields


def _turns(message: Message | ToolExchange) -> Iterator[dict[str, Any]]:
    if isinstance(message, Message):
        yield {"role": message.role, "content": message.content}
        return
    said: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function",
             "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    yield said
    for result in message.results:
        yield {"role": "tool", "tool_call_id": result.call_id, "content": result.content}


def _cache_key(key: str) -> str:
    return key if len(key) <= LONGEST_CACHE_KEY else hashlib.sha256(key.encode()).hexdigest()


def reply(body: Any, model: str) -> ModelReply:
    """What a whole answer says; ``model`` was asked, and is named where the answer names none.

    Raises:
        DamagedAnswerError: it is not an answer, or an empty one.
    """
    fields = mapping(body, "it")
    choices = items(fields.get("choices"), "its `choices`")
    if not choices:
        raise DamagedAnswerError("it has no choice")
    choice = mapping(choices[0], "its choice")
    message = mapping(choice.get("message"), "its `message`")
    calls = [_call(call, n) for n, call in enumerate(items(message.get("tool_calls"), "its calls"))]
    refusal = text(message.get("refusal"))
    return settled(
        _content(message.get("content")) or refusal, calls, _stop(choice, refusal), _usage(fields),
        text(fields.get("model")) or model, text(fields.get("id")),
    )


def _content(value: Any) -> str:
    """The text of a message, which some servers send in parts."""
    if isinstance(value, list):
        return "".join(text(piece.get("text")) for piece in value if isinstance(piece, Mapping))
    return text(value)


def _call(value: Any, number: int) -> ToolCall:
    called = mapping(value, "a call")
    function = part(called, "function")
    name = text(function.get("name"))
    if not name:
        raise DamagedAnswerError("a call names no function")
    given = text(called.get("id")) or f"call_{number}"
    return ToolCall(given, name, written(function.get("arguments")))


def _stop(choice: Mapping[str, Any], refusal: str) -> Stop:
    if refusal:
        return "refused"
    return _STOPS.get(text(choice.get("finish_reason")), "end")


def _usage(fields: Mapping[str, Any]) -> Usage:
    usage = part(fields, "usage")
    details = part(usage, "prompt_tokens_details")
    return Usage(
        count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")),
        count(details.get("cached_tokens")), count(details.get("cache_write_tokens")),
    )


class OpenAIPieces:
    """An answer that comes in chunks, put together."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._id = ""
        self._said: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._last = -1
        self._finish: Mapping[str, Any] | None = None
        self._usage = Usage()

    @property
    def whole(self) -> bool:
        """Whether nothing can be lost any more: never, for the tokens come after the text."""
        return False

    def feed(self, chunk: Any) -> str:
        """The text that ``chunk`` adds.

        Raises:
            DamagedAnswerError: it is no chunk of an answer.
        """
        fields = mapping(chunk, "a chunk")
        self._model = text(fields.get("model")) or self._model
        self._id = self._id or text(fields.get("id"))
        if part(fields, "usage"):
            self._usage = _usage(fields)
        choices = items(fields.get("choices"), "a chunk's `choices`")
        if not choices:
            return ""
        choice = mapping(choices[0], "a chunk's choice")
        delta = part(choice, "delta")
        for call in items(delta.get("tool_calls"), "a chunk's calls"):
            self._take_call(mapping(call, "a call"))
        self._refusal.append(text(delta.get("refusal")))
        said = _content(delta.get("content"))
        self._said.append(said)
        if choice.get("finish_reason") is not None:
            self._finish = choice
        return said

    def _take_call(self, piece: Mapping[str, Any]) -> None:
        given = text(piece.get("id"))
        index = piece.get("index")
        if not isinstance(index, int):  # left out by some servers, which send each call whole
            index = self._last + 1 if given or self._last < 0 else self._last
        self._last = index
        call = self._calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        function = part(piece, "function")
        call["id"] = call["id"] or given
        call["name"] += text(function.get("name"))
        if arguments := function.get("arguments"):
            call["arguments"] += written(arguments)

    def finish(self) -> ModelReply:
        """The whole reply, at the end of the stream.

        Raises:
            DamagedAnswerError: the stream ended before its answer did.
        """
        if self._finish is None:
            raise DamagedAnswerError("its stream ends without a finish reason")
        calls = [
            _call({"id": call["id"], "function": call}, number)
            for number, (_, call) in enumerate(sorted(self._calls.items()))
        ]
        refusal = "".join(self._refusal)
        return settled(
            "".join(self._said) or refusal, calls, _stop(self._finish, refusal), self._usage,
            self._model, self._id,
        )
