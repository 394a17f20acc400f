"""A model of any provider that pydantic-ai knows, asked through its direct interface.

What a provider takes is in the profile that the library has of it: a parameter that the profile
does not name is not sent.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from ..concurrency import ended_async
from ..errors import ModelUnavailableError, SettingsError
from ..settings import Settings, environment_secrets
from ..types import Message
from .failures import DamagedAnswerError, Provider, failure, passes
from .protocol import (
    ModelReply,
    ModelRequest,
    Stop,
    StreamedModel,
    ToolCall,
    ToolExchange,
    Usage,
)

if TYPE_CHECKING:
    from pydantic_ai import messages as native
    from pydantic_ai.models import Model as LibraryModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

RETRIES: Final = 2
"""How often a request is sent again after 429, 5xx, a timeout or a broken connection."""
FIRST_PAUSE: Final = 0.5
"""Seconds before it is sent again, unless the provider names others; the next are twice as long."""
OPENING: Final = "Begin."
"""Stands before a conversation that the assistant opens: some providers want a user's first."""
EXTRAS: Final = frozenset({"openai", "anthropic", "google"})
OWN_SERVER: Final = "openai-compatible"

_STOPS: Final[dict[str | None, Stop]] = {"length": "length", "content_filter": "refused"}
_VARIABLE: Final = re.compile(r"`([A-Z][A-Z_]+)` environment variable")


class ProviderModel(StreamedModel):
    """A :class:`~mvp_site.llm.protocol.Model` behind its provider's SDK; opened, used, closed.

    Each request has a client of its own, as connections belong to the event loop that opened them.
    All are streamed, so that the timeout is how long the provider may be silent. One that the
    provider does not answer is sent twice more, after pauses that double from half a second or are
    what the provider asks for, and never longer than the timeout.
    ``context_tokens`` is the window by the provider's profile, else by the list of prices; or None.
    """

    def __init__(self, name: str, settings: Settings, connect: Callable[[], LibraryModel]) -> None:
        model = connect()
        profile = model.profile
        self.tools = settings.mvp_site_llm_tools and profile.get("supports_tools", True)
        self.name, self.context_tokens = name, model.context_window
        self.structured = bool(profile.get("supports_json_schema_output"))
        self._connect = connect
        self._silence = settings.mvp_site_llm_timeout
        self._provider = Provider(
            name, _key_variable(name), self._silence, _secrets(model, settings)
        )
        self._options = _options(model, settings)
        self._thoughts = _thoughts(model, settings)
        self._closed = False

    @classmethod
    def open(cls, settings: Settings, provider: str, model: str) -> Self:
        """The ``model`` of a ``provider``; no request is tool_calls yet.

        Raises:
            SettingsError: no such provider, no key, a key or address that cannot be used, or no
                SDK.
        """
        name = f"{provider}:{model}"
        try:
            return cls(name, settings, lambda: _connected(settings, provider, model))
        except ImportError as error:
            extra = provider.partition("-")[0]
            source = "mvp-site" if extra in EXTRAS else "pydantic-ai-slim"
            raise SettingsError(
                f"MVP_SITE_LLM={name!r} needs the extra {extra!r} ({error!s:.80}): "
                f"pip install '{source}[{extra}]'"
            ) from None
        except SettingsError:
            raise
        except (RuntimeError, ValueError) as error:  # the library's UserError is the former
            variable = _VARIABLE.search(str(error))
            if variable is None:
                raise SettingsError(f"MVP_SITE_LLM={name!r} cannot be used: {error}") from None
            raise SettingsError(
                f"MVP_SITE_LLM={name!r} needs more: set {variable[1]}"
                + (" or MVP_SITE_LLM_BASE_URL" if "URL" in variable[1] else "")
            ) from None

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The answer as it comes, and at last the reply; raises as :meth:`complete` does."""
        for attempt in range(RETRIES + 1):
            if self._closed:
                raise ModelUnavailableError(f"{self.name} is closed: open it again")
            begun = False
            try:
                async with ended_async(self._once(request)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except Exception as error:  # noqa: BLE001 (the SDKs' errors have no root in common)
                pause = passes(error, FIRST_PAUSE * 2**attempt)
                if begun or attempt == RETRIES or pause is None or pause > self._silence:
                    # The cause is not chained: it holds the request, with its key and its text.
                    raise failure(error, self._provider, request) from None
            await asyncio.sleep(pause)

    async def _once(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        from pydantic_ai.direct import model_request_stream

        "".join(request.texts).encode()  # some SDKs send half of a surrogate pair
        async with (self._connect() as model, model_request_stream(
            model, _conversation(request, points=bool(model.profile.get("supports_cache"))),
            model_settings=self._settings(request, model),
            model_request_parameters=_parameters(request),
        ) as stream):
            try:
                async for event in stream:
                    if piece := _piece(event):
                        yield piece
            except Exception:
                with suppress(Exception):  # or the SDK's own generators are left open
                    await stream.cancel()
                raise
            response = stream.get()
        yield _reply(response, self.name)

    def _settings(self, request: ModelRequest, model: LibraryModel) -> ModelSettings:
        options: Any = {**self._options, "max_tokens": request.max_tokens + self._thoughts}
        if request.cache_key and model.system == "openai":
            options["openai_prompt_cache_key"] = request.cache_key
        return options  # type: ignore[no-any-return]

    def close(self) -> None:
        """No request is tool_calls afterwards."""
        self._closed = True


def _connected(settings: Settings, provider: str, model: str) -> LibraryModel:
    """The library's model with a client of its own, which is open once the model is entered."""
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider_class

    url, family = settings.mvp_site_llm_base_url, provider.partition("-")[0]
    key = getattr(settings, f"{family}_api_key", None)
    if key is not None and not (key.isascii() and key.isprintable() and key == key.strip()):
        raise SettingsError(
            f"{family.upper()}_API_KEY cannot be used: it has a character that no key has"
        )
    if url is not None:
        _check_url(url)
    if provider == "openai" and url is not None:
        return _own_server(model, url, key)

    def provided(name: str) -> Any:
        kind = infer_provider_class(name)
        parameters = signature(kind).parameters
        if url is not None and "base_url" not in parameters:
            raise SettingsError(f"MVP_SITE_LLM_BASE_URL is not for {name}: leave it out")
        options = {"api_key": key, "base_url": url}
        return kind(**{name: value for name, value in options.items() if value is not None})

    try:
        infer_provider_class(provider)
    except ValueError:
        raise SettingsError(
            f"MVP_SITE_LLM='{provider}:{model}' cannot be used: there is no provider "
            f"{provider!r}; docs/handler.md lists some"
        ) from None
    return infer_model(f"{provider}:{model}", provided)


def _own_server(model: str, url: str, key: str | None) -> LibraryModel:
    """A server that speaks Chat Completions as OpenAI did first, and takes nothing newer."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    return OpenAIChatModel(model, provider=OpenAICompatibleProvider(
        OWN_SERVER, base_url=url, api_key=key,
        profile=OpenAIModelProfile(
            openai_chat_supports_max_completion_tokens=False,
            openai_chat_supports_multiple_system_messages=False,
            supports_json_schema_output=False,
        ),
    ))


def _check_url(url: str) -> None:
    parts, usable = None, False
    with suppress(ValueError):
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    if not usable:  # it is not shown: it may hold a password
        raise SettingsError(
            "MVP_SITE_LLM_BASE_URL cannot be used: it must begin http:// or https://"
        )


def _key_variable(name: str) -> str:
    return f"{name.partition(':')[0].partition('-')[0].upper()}_API_KEY"


def _secrets(model: LibraryModel, settings: Settings) -> tuple[str, ...]:
    """What may stand in no message: the key that is sent, and all that look like one."""
    client = getattr(model, "client", None)
    keys = (getattr(client, "api_key", None), *(
        getattr(settings, f"{extra}_api_key") for extra in EXTRAS
    ))
    return (*(key for key in keys if isinstance(key, str) and key), *environment_secrets())


def _options(model: LibraryModel, settings: Settings) -> dict[str, Any]:
    """What goes with every request: what the provider's profile has no place for is left out."""
    options: dict[str, Any] = {
        "timeout": settings.mvp_site_llm_timeout, "max_retries": 0,
        # Breakpoints after the header and at the last message, where the provider has them.
        "cache": True,
    }
    if effort := settings.mvp_site_llm_effort:
        options["thinking"] = False if effort == "none" else effort
    return {name: value for name, value in options.items()
            if name not in model.unsupported_settings}


def _thoughts(model: LibraryModel, settings: Settings) -> int:
    """Tokens for thoughts, beside those of the answer: providers count both against one limit."""
    from pydantic_ai.profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP

    effort: Any = settings.mvp_site_llm_effort
    thinks = model.profile.get("supports_thinking", False)
    return ANTHROPIC_THINKING_BUDGET_MAP.get(effort, 0) if thinks else 0


def _parameters(request: ModelRequest) -> ModelRequestParameters:
    """The tools, and the system messages: a breakpoint stands after the first of these."""
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    output: dict[str, Any] = {}
    if request.schema is not None:
        output = {"output_mode": "native", "output_object": OutputObjectDefinition(
            name="answer", json_schema=dict(request.schema))}
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


def _conversation(request: ModelRequest, *, points: bool) -> list[native.ModelMessage]:
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


def _piece(event: native.ModelResponseStreamEvent) -> str:
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


def _reply(response: native.ModelResponse, name: str) -> ModelReply:
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
    return ModelReply(_text(text), calls, usage, stop, response.model_name or name,
                      response.provider_response_id or "", response)


def _cost(response: native.ModelResponse) -> float | None:
    """US dollars by the provider's list prices; None where there are none."""
    if response.provider_name == OWN_SERVER:
        return None
    with suppress(LookupError, ValueError, AssertionError):
        return float(response.cost().total_price)
    return None
