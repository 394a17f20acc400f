"""Anthropic's Messages, as values: a request's fields, and what an answer says.

Pure: no SDK, no network. The API has its own grammar, which :func:`payload` keeps: the system
message stands apart, roles alternate from ``user`` on, no text is blank, at most four breakpoints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

from ..types import Message
from .protocol import ModelReply, ModelRequest, Stop, ToolCall, ToolExchange, Usage
from .wire import DamagedAnswerError, count, items, mapping, part, settled, text, written

BREAKPOINTS: Final = 4
"""How many blocks of a request may carry ``cache_control``."""
OPENING: Final = "Begin."
"""Stands before a conversation that the assistant opens: the API wants a user's message first."""

_STOPS: Final[dict[str, Stop]] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "tool_use": "tools",
    "refusal": "refused",
}
_Block = dict[str, Any]


def payload(model: str, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
    """The fields of ``messages.create``."""
    marked: list[_Block] = []
    system: list[_Block] = []
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
            marked: list[_Block]) -> Iterator[tuple[str, _Block]]:
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
        value = json.loads(arguments, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def reply(body: Any, model: str) -> ModelReply:
    """What a whole answer says; ``model`` was asked, and is named where the answer names none.

    Raises:
        DamagedAnswerError: it is not an answer, or an empty one.
    """
    fields = mapping(body, "it")
    if "content" not in fields:
        raise DamagedAnswerError("it has no `content`")
    said: list[str] = []
    calls: list[ToolCall] = []
    for value in items(fields["content"], "its `content`"):
        block = mapping(value, "a block")
        if block.get("type") == "text":
            said.append(text(block.get("text")))
        elif block.get("type") == "tool_use":
            calls.append(_call(block, written(block.get("input")), len(calls)))
    return settled(
        "".join(said), calls, _stop(fields.get("stop_reason")), _usage(part(fields, "usage")),
        text(fields.get("model")) or model, text(fields.get("id")),
    )


def _call(block: Mapping[str, Any], arguments: str, number: int) -> ToolCall:
    name = text(block.get("name"))
    if not name:
        raise DamagedAnswerError("a call names no tool")
    return ToolCall(text(block.get("id")) or f"call_{number}", name, arguments)


def _stop(reason: Any) -> Stop:
    return _STOPS.get(text(reason), "end")


def _usage(fields: Mapping[str, Any]) -> Usage:
    """The tokens: ``input_tokens`` of the API leaves out what the cache had, ours does not."""
    read = count(fields.get("cache_read_input_tokens"))
    wrote = count(fields.get("cache_creation_input_tokens"))
    return Usage(
        count(fields.get("input_tokens")) + read + wrote, count(fields.get("output_tokens")),
        read, wrote,
    )


class AnthropicPieces:
    """An answer that comes in events, put together."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._id = ""
        self._said: list[str] = []
        self._calls: dict[Any, tuple[Mapping[str, Any], list[str]]] = {}
        self._usage: dict[str, Any] = {}
        self._stop: Any = None
        self._whole = False

    @property
    def whole(self) -> bool:
        """Whether the final event has come, after which nothing is missed."""
        return self._whole

    def feed(self, event: Any) -> str:
        """The text that ``event`` adds.

        Raises:
            DamagedAnswerError: it is no event of an answer.
        """
        fields = mapping(event, "an event")
        match fields.get("type"):
            case "message_start":
                message = part(fields, "message")
                self._model = text(message.get("model")) or self._model
                self._id = text(message.get("id"))
                self._take_usage(message)
            case "content_block_start":
                return self._take_block(fields)
            case "content_block_delta":
                return self._take_delta(fields)
            case "message_delta":
                self._stop = part(fields, "delta").get("stop_reason", self._stop)
                self._take_usage(fields)
            case "message_stop":
                self._whole = True
        return ""

    def _take_usage(self, fields: Mapping[str, Any]) -> None:
        # Later counts are totals, and fields that a later event leaves out keep their earlier ones.
        self._usage |= {k: v for k, v in part(fields, "usage").items() if v is not None}

    def _take_block(self, fields: Mapping[str, Any]) -> str:
        block = mapping(fields.get("content_block"), "a block")
        if block.get("type") == "tool_use":
            self._calls[_index(fields)] = (block, [])
            return ""
        return self._take_text(block) if block.get("type") == "text" else ""

    def _take_delta(self, fields: Mapping[str, Any]) -> str:
        delta = mapping(fields.get("delta"), "a delta")
        if delta.get("type") == "text_delta":
            return self._take_text(delta)
        if delta.get("type") == "input_json_delta":
            if _index(fields) not in self._calls:
                raise DamagedAnswerError("arguments came before their call")
            self._calls[_index(fields)][1].append(text(delta.get("partial_json")))
        return ""

    def _take_text(self, fields: Mapping[str, Any]) -> str:
        said = text(fields.get("text"))
        self._said.append(said)
        return said

    def finish(self) -> ModelReply:
        """The whole reply, at the end of the stream.

        Raises:
            DamagedAnswerError: the stream ended before its answer did.
        """
        if not self._whole:
            raise DamagedAnswerError("its stream ends without `message_stop`")
        calls = [
            _call(block, "".join(pieces) or written(block.get("input")), number)
            for number, (block, pieces) in enumerate(self._calls.values())
        ]
        return settled(
            "".join(self._said), calls, _stop(self._stop), _usage(self._usage), self._model,
            self._id,
        )


def _index(fields: Mapping[str, Any]) -> int:
    return count(fields.get("index"))
