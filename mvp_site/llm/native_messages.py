"""Our messages as pydantic-ai's, and its answers as ours. No network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ..types import Message
from .failures import DamagedAnswerError
from .object_schema import Schema, unlisted
from .protocol import ModelReply, ModelRequest, Stop, ToolCall, ToolExchange, Usage

if TYPE_CHECKING:
    from pydantic_ai import messages as native
    from pydantic_ai.models import ModelRequestParameters

OPENING: Final = "Begin."
"""Stands before a conversation that the assistant opens: some providers want a user's first."""
OWN_SERVER: Final = "openai-compatible"
"""What the provider of somebody's own server is called: its models have no list prices."""
_STOPS: Final[dict[str | None, Stop]] = {"length": "length", "content_filter": "refused"}


def parameters_of(request: ModelRequest, schema: Schema | None) -> ModelRequestParameters:
    """The tools, and the system messages: a breakpoint stands after the first of these.

    ``schema`` is what the answer is held to.
    """
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    output: dict[str, Any] = {}
    if schema is not None:
        output = {"output_mode": "native", "output_object": OutputObjectDefinition(
            name="answer", json_schema=schema)}
    return ModelRequestParameters(
        **output, function_tools=[
            ToolDefinition(name=tool.name, description=tool.description,
                           parameters_json_schema=dict(tool.parameters)) for tool in request.tools
        ],
        instruction_parts=[
            InstructionPart(content=text, dynamic=number > 0)
            for number, text in enumerate(_system(request))
        ],
    )


def _system(request: ModelRequest) -> list[str]:
    return [message.content for message in request.messages
            if isinstance(message, Message) and message.role == "system"]


def conversation_of(request: ModelRequest, *, points: bool) -> list[native.ModelMessage]:
    """The request's messages as the library's: none of them blank, what follows joined by role.

    ``points`` is whether the provider takes breakpoints of a cache.
    """
    from pydantic_ai import messages as native

    conversation: list[native.ModelMessage] = []
    for from_model, parts in _turns(request, points=points):
        kind: Any = native.ModelResponse if from_model else native.ModelRequest
        if isinstance(parts, native.ModelResponse):
            conversation.append(parts)
        elif conversation and isinstance(conversation[-1], kind):
            conversation[-1] = kind([*conversation[-1].parts, *parts])
        else:
            conversation.append(kind(parts))
    if not conversation or isinstance(conversation[0], native.ModelResponse):
        conversation.insert(0, native.ModelRequest([native.UserPromptPart(OPENING)]))
    system = "\n\n".join(_system(request))
    conversation[0] = native.ModelRequest(conversation[0].parts, instructions=system)  # type: ignore[arg-type]
    return conversation


def _turns(request: ModelRequest, *, points: bool) -> Iterator[tuple[bool, Any]]:
    """Whether each message is the model's, with its parts, or with its answer as it was given."""
    from pydantic_ai import messages as native

    cached = False
    for message in request.messages:
        if isinstance(message, ToolExchange):
            names = {call.id: call.name for call in message.calls}
            words = [native.TextPart(message.text)] if message.text.strip() else []
            calls = [native.ToolCallPart(call.name, call.arguments, call.id)
                     for call in message.calls]
            yield True, message.native or [*words, *calls]
            yield False, [native.ToolReturnPart(names[result.call_id], result.content,
                                                result.call_id) for result in message.results]
        elif message.role == "system" or not message.content.strip():
            continue
        elif message.role == "assistant":
            yield True, [native.TextPart(message.content)]
            cached = message.breakpoint
        else:
            # A point before a text holds for what stands before it.
            after: list[Any] = [native.CachePoint(), message.content]
            yield False, [native.UserPromptPart(after if cached and points else message.content)]
            cached = message.breakpoint


def piece_of(event: native.ModelResponseStreamEvent) -> str:
    """The text that an event of the stream adds."""
    from pydantic_ai import messages as native

    if isinstance(event, native.PartStartEvent) and isinstance(event.part, native.TextPart):
        return _text(event.part.content)
    if isinstance(event, native.PartDeltaEvent) and isinstance(event.delta, native.TextPartDelta):
        return _text(event.delta.content_delta)
    return ""


def _text(text: str | None) -> str:
    """``text``, in which half of a surrogate pair becomes U+FFFD.

    JSON can write it and UTF-8 cannot, and the text goes back to the model and into stores.
    """
    return (text or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def reply_of(response: native.ModelResponse, name: str) -> ModelReply:
    """The whole reply, its parts in agreement: calls are there exactly where it stops for tools.

    Raises:
        DamagedAnswerError: it broke off, or ends without a word or a call.
    """
    from pydantic_ai import messages as native

    text = "".join(part.content for part in response.parts if isinstance(part, native.TextPart))
    tool_calls = [part for part in response.parts if isinstance(part, native.ToolCallPart)]
    stop = _STOPS.get(response.finish_reason, "end")
    if response.finish_reason is None:  # the library excuses servers that never give one
        raise DamagedAnswerError("its stream ends before it does")
    if response.finish_reason == "error":
        raise DamagedAnswerError("the provider ended it with an error")
    if stop == "end" and tool_calls:
        stop = "tools"  # some compatible servers say "stop" beside their calls
    if not all(call.tool_name for call in tool_calls):
        raise DamagedAnswerError("a call names no tool")
    if stop == "length" and not text.strip():
        stop = "thought"
    if stop == "end" and not text.strip():
        raise DamagedAnswerError("it is empty")
    used = response.usage
    # Calls of an answer that was cut at its length may be cut too.
    calls = tuple(ToolCall(call.tool_call_id, call.tool_name, _text(call.args_as_json_str()))
                  for call in tool_calls) if stop == "tools" else ()
    usage = Usage(used.input_tokens, used.output_tokens, used.cache_read_tokens,
                  used.cache_write_tokens, used.output_reasoning_tokens, _cost(response))
    return ModelReply(_text(text), calls, usage, stop, response.model_name or name, response)


def turned_back(text: str, schema: Schema) -> str:
    """The answer to a schema for a strict mode, as one to the schema."""
    with suppress(ValueError, RecursionError):
        return json.dumps(unlisted(json.loads(text), schema), ensure_ascii=False)
    return text  # it was cut


def _cost(response: native.ModelResponse) -> float | None:
    """US dollars by the provider's list prices; None where there are none."""
    if response.provider_name == OWN_SERVER:
        return None
    with suppress(LookupError, ValueError, AssertionError):
        return float(response.cost().total_price)
    return None
