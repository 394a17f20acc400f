"""What the language model of the settings can do, found out by a few small calls."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..errors import ModelError, SettingsError
from ..llm.json_reply import ReplyError, object_of
from ..llm.models import open_model
from ..llm.protocol import (
    Model,
    ModelReply,
    ModelRequest,
    ModelTool,
    ToolExchange,
    ToolResult,
    Usage,
)
from ..settings import Settings
from ..types import Message
from .operation import CLI, declared
from .requests import Nothing
from .services import Services

_WORD: Final = "heron"
_ANSWER_TOKENS: Final = 1_000
_PREFIX: Final = " ".join(f"Line {number}: the lantern swings over the water." for number in
                          range(500))
"""Longer than the shortest prefix that a provider keeps, which is 4,096 tokens."""
_TOOL: Final = ModelTool("draw_card", "Draws a card. Only this tool knows which.", {
    "type": "object", "properties": {}, "additionalProperties": False,
})
_SCHEMA: Final = {
    "type": "object", "properties": {"bird": {"type": "string"}}, "required": ["bird"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Capability:
    """A thing that a model can do or not (``works``, None where it is not tried), and its cost."""

    name: str
    works: bool | None
    finding: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """``settings`` are lines of the settings that follow from what was found."""

    model: str
    context_tokens: int | None
    capabilities: tuple[Capability, ...]
    settings: tuple[str, ...]
    usage: Usage


@declared("llm.check", surfaces=CLI)
def _check(services: Services, _: Nothing, __: bool) -> ModelCheck:
    """Ask the model of MVP_SITE_LLM a few small things, to see what it can do.

    Raises:
        SettingsError: the settings name no model.
        ModelError: it does not answer at all.
    """
    with services.model() as model:
        if model is None:
            raise SettingsError("MVP_SITE_LLM names no model to check: set it to PROVIDER:MODEL")
        structured = model.structured
        system = Message("system", f"Whatever is asked, answer with the one word {_WORD}.")
        reply = _ask(model, system, Message("user", "Which word?"))
        thoughts = reply.usage.reasoning_tokens
        capabilities = (
            Capability("answers, as a stream", True, f"{reply.model}, {reply.stop}", reply.usage),
            Capability("system role", _WORD in reply.text.lower(), reply.text[:40]),
            Capability("thinks", bool(thoughts or reply.stop == "thought"), f"{thoughts} tokens"),
            _tried("tools", _tools, model),
            _structured(services.settings, model),
            _tried("cache", _cache, model),
        )
    usage = sum((capability.usage for capability in capabilities), Usage())
    settings = tuple(_settings(services.settings, model, capabilities, structured=structured))
    return ModelCheck(model.name, model.context_tokens, capabilities, settings, usage)


def _ask(model: Model, *messages: Message | ToolExchange, tools: tuple[ModelTool, ...] = (),
         key: str = "", schema: dict[str, Any] | None = None) -> ModelReply:
    return model.complete(ModelRequest(messages, tools, _ANSWER_TOKENS, key, schema))


def _tried(name: str, attempt: Attempt, model: Model) -> Capability:
    try:
        return Capability(name, *attempt(model))
    except ModelError as error:
        return Capability(name, False, str(error))


def _tools(model: Model) -> tuple[bool | None, str, Usage]:
    question = Message("user", "Draw a card with your tool, then name it.")
    reply = _ask(model, question, tools=(_TOOL,))
    if not reply.calls:
        return False, f"no call: {reply.text[:40]}", reply.usage
    results = tuple(ToolResult(call.id, "The seven of lanterns.") for call in reply.calls)
    exchange = ToolExchange(reply.text, reply.calls, results, reply.native)
    last = _ask(model, question, exchange, tools=(_TOOL,))
    return "seven" in last.text.lower(), last.text[:40], reply.usage + last.usage


def _structured(settings: Settings, model: Model) -> Capability:
    """Tried even where it is not known of the provider, but for who has no such setting."""
    if settings.mvp_site_llm_structured is not None or model.structured:
        return _tried("structured output", _schema, model)
    with closing(open_model(replace(settings, mvp_site_llm_structured=True))) as trying:
        return _tried("structured output", _schema, trying)


def _schema(model: Model) -> tuple[bool | None, str, Usage]:
    structured = model.structured
    if not structured:
        return None, "not tried", Usage()
    reply = _ask(model, Message("user", "Name a bird."), schema=_SCHEMA)
    if not model.structured:
        return False, "it refuses a schema", reply.usage
    try:
        works = "bird" in object_of(reply, _ANSWER_TOKENS)
    except ReplyError:
        works = False
    return works, reply.text[:40], reply.usage


def _cache(model: Model) -> tuple[bool | None, str, Usage]:
    key = uuid.uuid4().hex
    prompt = Message("system", f"{key} {_PREFIX}", True), Message("user", "Say yes.")
    first, second = (_ask(model, *prompt, key=key).usage for _ in range(2))
    read = second.cache_read_tokens
    return read > 0, f"{read:,} of {second.input_tokens:,} tokens, the second time", first + second


Attempt = Callable[[Model], tuple[bool | None, str, Usage]]


def _settings(settings: Settings, model: Model, capabilities: tuple[Capability, ...], *,
              structured: bool) -> Iterator[str]:
    """Lines of the settings, each with its reason; ``structured`` is what is set now."""
    works = {capability.name: capability.works for capability in capabilities}
    if not works["tools"] and settings.mvp_site_llm_tools:
        yield "MVP_SITE_LLM_TOOLS=0  # it does not use tools"
    if works["structured output"] and not structured:
        yield "MVP_SITE_LLM_STRUCTURED=1  # it holds answers to a JSON Schema"
    if structured and works["structured output"] is False:
        yield "MVP_SITE_LLM_STRUCTURED=0  # it does not hold answers to a JSON Schema"
    if model.context_tokens is None and settings.mvp_site_context_tokens is None:
        yield "MVP_SITE_CONTEXT_TOKENS=N  # its window is not known: 32,000 is taken"
    if works["thinks"] and settings.mvp_site_llm_effort is None:
        yield "MVP_SITE_LLM_EFFORT=low  # it thinks: tokens for that are then beside the answer's"
    if not works["system role"]:
        yield "MVP_SITE_LLM=...  # it does not follow its system message: take another model"
