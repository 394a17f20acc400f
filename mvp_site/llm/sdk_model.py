"""A model behind its provider's SDK: what OpenAI's and Anthropic's have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final, Self
from urllib.parse import urlsplit

from ..concurrency import own_loop
from ..errors import ModelUnavailableError, SettingsError
from ..settings import Settings
from .failures import Provider, asked_pause, failure
from .protocol import ModelReply, ModelRequest

RETRIES: Final = 2
"""How often the SDK tries again after 429, 5xx, a timeout or a broken connection."""
CONNECT_SECONDS: Final = 5.0
"""A server that does not take a connection within this is not there."""


@dataclass(frozen=True, slots=True)
class ModelApi:
    """A provider's API: its SDK and the class of clients in it, the address, how it is spoken.

    ``id_header`` names a request, ``wire`` writes and reads what is sent, ``create`` sends it.
    """

    sdk: str
    client: str
    home: str
    id_header: str
    wire: Any
    create: Callable[[Any, dict[str, Any]], Any]


class SdkModel:
    """A :class:`~mvp_site.llm.protocol.Model` that asks through an SDK; opened, used, closed.

    Each request has a client of its own, as connections belong to the event loop that opened them.
    A request that the provider does not answer is tried twice
    more by the SDK, after pauses that double from half a second, or as long as the provider asks
    but never longer than the timeout, which is how long the provider may be silent.
    """

    def __init__(self, api: ModelApi, provider: Provider, model: str, connect: Callable[[], Any],
                 *, tools: bool) -> None:
        self.name = provider.name
        self.tools = tools
        self.api = api
        self._provider = provider
        self._model = model
        self._connect = connect
        self._closed = False

    @classmethod
    def open(cls, api: ModelApi, settings: Settings, model: str) -> Self:
        """The provider's ``model``; no request is made yet.

        Raises:
            SettingsError: no key, a key or address that cannot be used, or no SDK.
        """
        name = f"{api.sdk}:{model}"
        key_variable, url_variable = (f"{api.sdk.upper()}_{suffix}" for suffix in
                                      ("API_KEY", "BASE_URL"))
        key = _checked_key(getattr(settings, key_variable.lower()), key_variable, name)
        url = _checked_url(getattr(settings, url_variable.lower()) or api.home, url_variable)
        try:
            sdk, http = import_module(api.sdk), import_module("httpx2")
        except ImportError as error:
            raise SettingsError(
                f"MVP_SITE_LLM={name!r} needs the extra 'llm' ({error}): "
                "pip install 'PATH[llm]' (PATH: a checkout of mvp-site)"
            ) from None
        longest = settings.mvp_site_llm_timeout
        # Said outright, the address too: what an SDK is not told it looks for in the environment.
        options = {
            "api_key": key, "base_url": url, "max_retries": RETRIES,
            "timeout": sdk.Timeout(longest, connect=min(longest, CONNECT_SECONDS)),
        }
        trust = http.create_ssl_context()  # 20 ms to read: one for every client

        async def forbid_long_pause(response: Any) -> None:
            # The SDKs pause as the provider asks, one of them for weeks. A player is waiting.
            pause = asked_pause(response.headers)
            if pause is not None and pause > longest:
                response.headers["x-should-retry"] = "false"

        def connect() -> Any:
            web = sdk.DefaultAsyncHttpxClient(
                verify=trust, event_hooks={"response": [forbid_long_pause]}
            )
            return getattr(sdk, f"Async{api.client}")(**options, http_client=web)

        provider = Provider(name, sdk, http, key_variable, url_variable, longest)
        return cls(api, provider, model, connect, tools=settings.mvp_site_llm_tools)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``.

        Raises:
            ModelUnavailableError: no answer came, or a damaged one.
            ModelRequestError: the provider refuses the request.
        """
        with own_loop() as run:
            return run(self.acomplete(request))

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``; raises as :meth:`complete` does."""
        fields = self._fields(request, stream=False)
        with self._reporting():
            async with self._connect() as client:
                return self._read(await self.api.create(client, fields))

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The answer as it comes, and at last the reply; raises as :meth:`complete` does."""
        fields = self._fields(request, stream=True)
        answer = self.api.wire.Stream(self._model)
        with self._reporting():
            async with (self._connect() as client,
                        await self.api.create(client, fields) as events):
                async for event in events:
                    if text := answer.feed(_plain(event)):
                        yield text
                reply = self._identified(answer.finish(), events.response.headers)
        yield reply

    def close(self) -> None:
        """No request is made afterwards."""
        self._closed = True

    def _fields(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        if self._closed:
            raise ModelUnavailableError(f"{self.name} is closed: open it again")
        fields: dict[str, Any] = self.api.wire.payload(self._model, request, stream=stream)
        return fields

    def _read(self, answer: Any) -> ModelReply:
        reply = self.api.wire.reply(_plain(answer), self._model)
        return self._identified(reply, {self.api.id_header: getattr(answer, "_request_id", None)})

    def _identified(self, reply: ModelReply, headers: Any) -> ModelReply:
        """``reply`` under the id of its HTTP request, which a provider's support asks for."""
        return replace(reply, request_id=headers.get(self.api.id_header) or reply.request_id)

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Within it, whatever the SDK or the reading of its answer raises becomes a ModelError.

        The cause is not chained: it holds the request, with its key and its text.
        """
        try:
            yield
        except Exception as error:  # noqa: BLE001 (the SDKs' errors have no root in common)
            raise failure(error, self._provider) from None


def _plain(answer: Any) -> Any:
    """An answer of the SDK as plain JSON values, with what does not fit the SDK's own models."""
    return answer.to_dict(warnings=False) if hasattr(answer, "to_dict") else answer


def _checked_key(key: str | None, variable: str, name: str) -> str:
    if not key:
        raise SettingsError(
            f"MVP_SITE_LLM={name!r} needs a key: set {variable} (to any text for a server that "
            "wants none)"
        )
    if not (key.isascii() and key.isprintable()) or key != key.strip():
        raise SettingsError(f"{variable} cannot be used: it has a character that no key has")
    return key


def _checked_url(url: str, variable: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:  # it is not shown: it may hold a password
        raise SettingsError(f"{variable} cannot be used: it must begin http:// or https://")
    return url
