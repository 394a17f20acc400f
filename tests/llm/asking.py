"""Three ways to ask a model, as one function: blocking, not blocking, and as a stream."""

from __future__ import annotations

import asyncio
from typing import Any, Literal, get_args

from mvp_site.llm.protocol import Model, ModelReply, ModelRequest, ModelTool
from mvp_site.types import Message

Way = Literal["complete", "acomplete", "astream"]
WAYS: tuple[Way, ...] = get_args(Way)
STREAMS: tuple[Way, ...] = ("astream",)
MODELS = ("openai:gpt-test", "anthropic:claude-test")


ROLL = ModelTool(
    "roll_dice", "Roll dice.",
    {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]},
)
REQUEST = ModelRequest(
    (Message("system", "You run a game of secrets.", breakpoint=True), Message("user", "I lift the bar.")),
    max_tokens=700, cache_key="dec_2025",
)


def ask(model: Model, way: Way, request: ModelRequest = REQUEST) -> ModelReply:
    """The reply; a stream's pieces are its text."""
    pieces, reply = asked(model, way, request)
    if way in STREAMS and reply.stop != "refused":
        assert "".join(pieces) == reply.text
    return reply


def asked(model: Model, way: Way, request: ModelRequest = REQUEST) -> tuple[list[str], ModelReply]:
    """The pieces of a stream, and the reply, which is the last of it."""
    match way:
        case "complete":
            return [], model.complete(request)
        case "acomplete":
            return [], asyncio.run(acomplete(model, request))
        case "astream":
            said: list[Any] = asyncio.run(collected(model, request))
    assert all(isinstance(piece, str) and piece for piece in said[:-1])
    assert isinstance(said[-1], ModelReply)
    return said[:-1], said[-1]


async def acomplete(model: Model, request: ModelRequest = REQUEST) -> ModelReply:
    return await model.acomplete(request)


async def collected(model: Model, request: ModelRequest = REQUEST) -> list[str | ModelReply]:
    return [piece async for piece in model.astream(request)]
