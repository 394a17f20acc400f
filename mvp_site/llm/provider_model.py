"""A model of any provider that pydantic-ai knows, asked through its direct interface.

What a provider takes is in the profile that the library has of it: a parameter that the profile
does not name is not sent.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from ..concurrency import ended_async
from ..errors import ModelUnavailableError, SettingsError
from ..settings import Settings, environment_secrets
from .failures import Provider, failure, passes, rejects
from .native_messages import (
    OWN_SERVER,
    conversation_of,
    parameters_of,
    piece_of,
    reply_of,
    turned_back,
)
from .object_schema import listed, plain
from .protocol import ModelReply, ModelRequest, StreamedModel

if TYPE_CHECKING:
    from pydantic_ai.models import Model as LibraryModel

    Connected = tuple[LibraryModel, AbstractAsyncContextManager[Any]]

RETRIES: Final = 2
"""How often a request is sent again after 429, 5xx, a timeout or a broken connection."""
FIRST_PAUSE: Final = 0.5
"""Seconds before it is sent again, unless the provider names others; the next are twice as long."""
CONNECT_SECONDS: Final = 5.0
"""A server that does not take a connection within this is not there."""
EXTRAS: Final = frozenset({"openai", "anthropic", "google"})

_STRICT: Final = frozenset({"anthropic"})
"""Providers that hold an answer to a schema in their strict mode alone."""
_COMBINE: Final = frozenset({"openai", "azure", "anthropic"})
"""Providers that take a schema beside tools: at others a grammar for the answer leaves no calls, as
https://github.com/ollama/ollama/issues/13750 and https://github.com/vllm-project/vllm/issues/39929
tell, or both are refused: https://github.com/jgravelle/GroqApiLibrary/pull/33."""
_WHOLE: Final = frozenset({"groq"})
"""Providers whose answers to a schema cannot be streamed:
https://github.com/langchain-ai/langchain/issues/23629"""
LOGGER: Final = logging.getLogger("mvp_site.llm")
_VARIABLE: Final = re.compile(r"`([A-Z][A-Z_]+)` environment variable")


class ProviderModel(StreamedModel):
    """A :class:`~mvp_site.llm.protocol.Model` behind its provider's SDK; opened, used, closed.

    Each request has a client of its own, as connections belong to the event loop that opened them.
    All are streamed, where the provider can, so that the timeout is how long it may be silent. One
    that the provider does not answer is sent twice more, after pauses that double from half a
    second or are what the provider asks for, and never longer than the timeout. One with a schema
    that it does not take is sent without: if that is answered, a refused schema is the last.
    ``context_tokens`` is the window by the provider's profile, else by the list of prices; or None.
    """

    def __init__(self, name: str, settings: Settings, connect: Callable[[], Connected]) -> None:
        model, _ = connect()
        profile = model.profile
        self.tools = settings.mvp_site_llm_tools and profile.get("supports_tools", True)
        self.name, self.context_tokens = name, model.context_window
        self.structured = bool(profile.get("supports_json_schema_output"))
        self._combines = model.system in _COMBINE or bool(
            profile.get("google_supports_tool_combination"))
        self._connect = connect
        self._silence = settings.mvp_site_llm_timeout
        key = f"{name.partition(':')[0].partition('-')[0].upper()}_API_KEY"
        self._provider = Provider(name, key, self._silence, _secrets(model, settings))
        self._options = _options(model, settings)
        self._thoughts = _thoughts(model, settings)
        self._closed = False

    @classmethod
    def open(cls, settings: Settings, provider: str, model: str) -> Self:
        """The ``model`` of a ``provider``; no request is made yet.

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
        attempt, refusal, lasting = 0, "", False
        while True:
            if self._closed:
                raise ModelUnavailableError(f"{self.name} is closed: open it again")
            begun = False
            try:
                async with ended_async(self._once(request)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                break
            except Exception as error:  # noqa: BLE001 (the SDKs' errors have no root in common)
                pause = passes(error, FIRST_PAUSE * 2**attempt)
                if begun or attempt == RETRIES or pause is None or pause > self._silence:
                    # The cause is not chained: it holds the request, with its key and its text.
                    model_error = failure(error, self._provider, request)
                    if begun or not self._held(request) or not rejects(error):
                        raise model_error from None
                    # What a server has as a fault of its own may be none the next time.
                    refusal, lasting = str(model_error), pause is None
                    pause, request = 0.0, replace(request, schema=None)
                else:
                    attempt += 1
            await asyncio.sleep(pause)
        if refusal:
            self.structured = self.structured and not lasting
            LOGGER.warning("%s. Without a JSON Schema it answers: where it stays so, set "
                           "MVP_SITE_LLM_STRUCTURED=0", refusal)

    def _held(self, request: ModelRequest) -> bool:
        """Whether the answer is held to a schema: beside tools only where the provider can."""
        return self.structured and request.schema is not None and (
            not request.tools or request.schema_first or self._combines)

    async def _once(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        from pydantic_ai.direct import model_request, model_request_stream

        "".join(request.texts).encode()  # some SDKs send half of a surrogate pair
        model, web = self._connect()
        async with web, model:
            schema = plain(request.schema or {}) if self._held(request) else None
            schema = schema and {"type": "object", **schema}
            if schema and not self._combines:
                request = replace(request, tools=())
            strict = bool(schema) and model.system in _STRICT
            parameters = parameters_of(request, listed(schema) if schema and strict else schema)
            points = bool(model.profile.get("supports_cache"))
            options = {**self._options, "max_tokens": request.max_tokens + self._thoughts}
            if model.system == "openai":
                options["openai_store"] = False  # or it keeps what its Responses API was sent
                if request.cache_key:
                    options["openai_prompt_cache_key"] = request.cache_key
            sent: Any = {
                "messages": conversation_of(request, points=points), "model_settings": options,
                "model_request_parameters": parameters,
            }
            if schema and model.system in _WHOLE:
                reply = reply_of(await model_request(model, **sent), self.name)
                yield reply.text
                yield reply
                return
            async with model_request_stream(model, **sent) as stream:
                try:
                    async for event in stream:
                        if piece := piece_of(event):
                            yield piece
                except Exception:
                    with suppress(Exception):  # or the SDK's own generators are left open
                        await stream.cancel()
                    raise
                response = stream.get()
        reply = reply_of(response, self.name)
        if schema and strict:
            reply = replace(reply, text=turned_back(reply.text, schema))
        yield reply

    def close(self) -> None:
        """No request is made afterwards."""
        self._closed = True


def _connected(settings: Settings, provider: str, model: str) -> Connected:
    """The library's model, and what carries its requests: open once they are entered."""
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
    web = _web(settings.mvp_site_llm_timeout)
    if provider == "openai" and url is not None:
        return _held(_own_server(model, url, key, web), settings), web

    def provided(name: str) -> Any:
        kind = infer_provider_class(name)
        parameters = signature(kind).parameters
        if url is not None and "base_url" not in parameters:
            raise SettingsError(f"MVP_SITE_LLM_BASE_URL is not for {name}: leave it out")
        options = {"api_key": key, "base_url": url}
        # Some SDKs still want the httpx of before, and make a client of it themselves.
        if "httpx." not in str(getattr(parameters.get("http_client"), "annotation", "httpx.")):
            options["http_client"] = web
        return kind(**{name: value for name, value in options.items()
                       if value is not None and name in parameters})

    try:
        infer_provider_class(provider)
    except ValueError:
        raise SettingsError(
            f"MVP_SITE_LLM='{provider}:{model}' cannot be used: there is no provider "
            f"{provider!r}; docs/handler.md lists some"
        ) from None
    return _held(infer_model(f"{provider}:{model}", provided), settings), web


def _held(model: LibraryModel, settings: Settings) -> LibraryModel:
    """The model, whose profile takes schemas or not as the settings say, if they do."""
    from pydantic_ai.profiles import merge_profile

    if settings.mvp_site_llm_structured is not None:
        model.profile = merge_profile(model.profile, {
            "supports_json_schema_output": settings.mvp_site_llm_structured})
    return model


@cache
def _trust() -> Any:
    """The certificates that are trusted: 20 ms to read, once for every client."""
    import httpx2

    return httpx2.create_ssl_context()


def _web(silence: float) -> Any:
    """An HTTP client that waits for ``silence`` seconds, whatever an SDK asks of it."""
    import httpx2

    async def patience(request: Any) -> None:
        connect = min(silence, CONNECT_SECONDS)
        request.extensions["timeout"] = dict.fromkeys(("read", "write", "pool"), silence) | {
            "connect": connect}

    return httpx2.AsyncClient(verify=_trust(), timeout=None, event_hooks={"request": [patience]})


def _own_server(model: str, url: str, key: str | None, web: Any) -> LibraryModel:
    """A server that speaks Chat Completions as OpenAI did first, and takes nothing newer."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    return OpenAIChatModel(model, provider=OpenAICompatibleProvider(
        OWN_SERVER, base_url=url, api_key=key, http_client=web,
        profile=OpenAIModelProfile(
            openai_chat_supports_max_completion_tokens=False,
            openai_chat_supports_multiple_system_messages=False,
            openai_supports_strict_tool_definition=False,
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
