"""Anthropic's Messages, as values: a request's fields, and what an answer says.

Pure: no SDK, no network. The API has its own grammar, which :func:`payload` keeps: the system
message stands apart, roles alternate from ``user`` on, no text is blank, at most four breakpoints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from ..types import Message
from .protocol import ModelReply, ModelRequest, Stop, ToolCall, ToolExchange, Usage
from .wire import Count, DamagedAnswerError, counted, read, settled, text, written

BREAKPOINTS: Final = 4
"""How many blocks of a request may carry ``cache_control``."""
OPENING: Final = "Begin."
"""Stands before a conversation that the assistant opens: the API wants a user's message first."""

_STOPS: Final[dict[str, Stop]] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "tool_use": "tools",
    "refusal": "refused",
}
_Sent = dict[str, Any]


def payload(model: str, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
    """The fields of ``messages.create``."""
    marked: list[_Sent] = []
    system: list[_Sent] = []
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        for role, block in _blocks(message, marked):
            if role == "system":
                system.append(block)
            elif turns and turns[-1]["role"] == role:
                turns[-1]["content"].append(block)
            else:
                if not turns and role == "assistant":
                    turns.append({"role": "user", "content": [{"type": "text", "text": OPENING}]})
                turns.append({"role": role, "content": [block]})
    for block in marked[-BREAKPOINTS:]:
        block["cache_control"] = {"type": "ephemeral"}
    fields: dict[str, Any] = {
        "model": model, "messages": turns, "max_tokens": request.max_tokens,
    }
    if system:
        fields["system"] = system
    if request.tools:
        fields["tools"] = [
            {"name": tool.name, "description": tool.description,
             "input_schema": dict(tool.parameters)}
            for tool in request.tools
        ]
    if stream:
        fields["stream"] = True
    return fields


def _blocks(message: Message | ToolExchange,
            marked: list[_Sent]) -> Iterator[tuple[str, _Sent]]:
    """The roles and blocks of ``message``; a block at a breakpoint is put into ``marked`` too."""
    if isinstance(message, Message):
        if message.content.strip():  # the API refuses a blank block
            block = {"type": "text", "text": message.content}
            if message.breakpoint:
                marked.append(block)
            yield message.role, block
        return
    if message.text.strip():
        yield "assistant", {"type": "text", "text": message.text}
    for call in message.calls:
        yield "assistant", {
            "type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments),
        }
    for result in message.results:
        yield "user", {
            "type": "tool_result", "tool_use_id": result.call_id, "content": result.content,
        }


def _input(arguments: str) -> dict[str, Any]:
    """The arguments as the object that the API wants: empty where they are not one.

    What was wrong with them stands in the call's result.
    """
    try:
        return msgspec.json.decode(arguments, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return {}


class _Block(Struct):
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    partial_json: str = ""
    stop_reason: str | None = None


class _Message(Struct):
    content: list[_Block] | None = None
    stop_reason: str | None = None
    usage: Any = None
    model: str | None = None
    id: str | None = None


class _Event(Struct):
    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Block | None = None
    usage: Any = None


class _AnthropicUsage(Struct):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None


def reply(body: Any, model: str) -> ModelReply:
    """What a whole answer says; ``model`` was asked, and is named where the answer names none.

    Raises:
        DamagedAnswerError: it is not an answer, or an empty one.
    """
    return _reply(read(body, _Message), model)


def _reply(message: _Message, model: str) -> ModelReply:
    if message.content is None:
        raise DamagedAnswerError("it has no `content`")
    called = [block for block in message.content if block.type == "tool_use"]
    calls = [
        ToolCall(text(block.id) or f"call_{number}", text(block.name),
                 written(block.partial_json or block.input))
        for number, block in enumerate(called)
    ]
    used = counted(message.usage, _AnthropicUsage)
    # The API's `input_tokens` leave out what the cache had, ours do not.
    cache = used.cache_read_input_tokens or 0, used.cache_creation_input_tokens or 0
    usage = Usage((used.input_tokens or 0) + sum(cache), used.output_tokens or 0, *cache)
    return settled(
        "".join(block.text or "" for block in message.content if block.type == "text"), calls,
        _STOPS.get(message.stop_reason or "", "end"), usage, message.model or model, message.id,
    )


class Stream:
    """An answer that comes in events, put together."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._message = _Message()
        self._blocks: dict[int, _Block] = {}
        self._usage: dict[str, Any] = {}
        self._whole = False

    def feed(self, event: Any) -> str:
        """The text that ``event`` adds.

        Raises:
            DamagedAnswerError: it is no event of an answer.
        """
        fields = read(event, _Event)
        match fields.type:
            case "message_start" if fields.message:
                self._message = fields.message
                self._take_usage(fields.message.usage)
            case "content_block_start" if fields.content_block:
                self._blocks[fields.index] = fields.content_block
                return text(fields.content_block.text)
            case "content_block_delta" if fields.delta:
                block = self._blocks.get(fields.index)
                if block is None:
                    raise DamagedAnswerError("a part of a block came before the block")
                block.partial_json += fields.delta.partial_json
                block.text = (block.text or "") + text(fields.delta.text)
                return text(fields.delta.text)
            case "message_delta":
                if fields.delta and fields.delta.stop_reason:
                    self._message.stop_reason = fields.delta.stop_reason
                self._take_usage(fields.usage)
            case "message_stop":
                self._whole = True
        return ""

    def _take_usage(self, usage: Any) -> None:
        # Later counts are totals, and fields that a later event leaves out keep their earlier ones.
        if isinstance(usage, dict):
            self._usage |= {name: count for name, count in usage.items() if count is not None}

    def finish(self) -> ModelReply:
        """The whole reply, at the end of the stream.

        Raises:
            DamagedAnswerError: the stream ended before its answer did.
        """
        if not self._whole:
            raise DamagedAnswerError("its stream ends without `message_stop`")
        self._message.content = list(self._blocks.values())
        self._message.usage = self._usage
        return _reply(self._message, self._model)
