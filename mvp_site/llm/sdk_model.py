"""A model behind its provider's SDK: what OpenAI's and Anthropic's have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from importlib import import_module
from types import TracebackType
from typing import Any, ClassVar, Final, Protocol, Self

from ..errors import ModelUnavailableError, SettingsError
from ..settings import Settings
from .failures import Provider, failure
from .loops import LoopClients
from .pauses import impatient, impatient_async
from .protocol import ModelReply, ModelRequest

RETRIES: Final = 2
"""How often the SDK tries again after 429, 5xx, a timeout or a broken connection."""
CONNECT_SECONDS: Final = 5.0
"""A server that does not take a connection within this is not there."""


class Pieces(Protocol):
    """A reply that comes in pieces."""

    @property
    def whole(self) -> bool:
        """Whether the final event has come, after which nothing is missed."""

    def feed(self, event: Any) -> str:
        """The text that ``event`` adds."""

    def finish(self) -> ModelReply:
        """The whole reply."""


class SdkModel(ABC):
    """A :class:`~mvp_site.llm.protocol.Model` that asks through an SDK; opened, used, closed.

    One sync client serves every thread, and one async client each event loop. A request that the
    provider does not answer is tried twice more by the SDK, after pauses that double from half a
    second and are up to a quarter shorter at random, or as long as the provider asks but never
    longer than the timeout. ``timeout`` is how long the provider may be silent.
    """

    prefix: ClassVar[str]
    key_variable: ClassVar[str]
    url_variable: ClassVar[str]
    home: ClassVar[str]
    id_header: ClassVar[str]
    sync_class: ClassVar[str]
    async_class: ClassVar[str]

    def __init__(self, provider: Provider, model: str, *, client: Any, clients: LoopClients,
                 timeout: float, tools: bool) -> None:
        self._provider = provider
        self._model = model
        self._client = client
        self._clients = clients
        self._timeout = timeout
        self._tools = tools
        self._closed = False

    @classmethod
    def open(cls, settings: Settings, model: str) -> Self:
        """The provider's ``model``; no request is made yet.

        Raises:
            SettingsError: no key, a key or address that cannot be used, or no SDK.
        """
        name = f"{cls.prefix}:{model}"
        fields = cls.prefix + "_api_key", cls.prefix + "_base_url"
        key = _checked_key(getattr(settings, fields[0]), cls.key_variable, name)
        url = getattr(settings, fields[1]) or cls.home
        try:
            sdk, http = import_module(cls.prefix), import_module("httpx2")
        except ImportError as error:
            raise SettingsError(
                f"MVP_SITE_LLM={name!r} needs the extra 'llm' ({error}): "
                "pip install 'mvp-site[llm]'"
            ) from None
        _check_address(url, cls.url_variable, http)
        longest = settings.mvp_site_llm_timeout
        # Said outright, the address too: what an SDK is not told it looks for in the environment.
        options = {
            "api_key": key, "base_url": url, "max_retries": RETRIES,
            "timeout": sdk.Timeout(longest, connect=min(longest, CONNECT_SECONDS)),
        }
        trust = http.create_ssl_context()  # 20 ms to read: one for every client

        def make_async() -> Any:
            hooks = {"response": [impatient_async(longest)]}
            web = sdk.DefaultAsyncHttpxClient(verify=trust, event_hooks=hooks)
            return getattr(sdk, cls.async_class)(**options, http_client=web)

        web = sdk.DefaultHttpxClient(
            verify=trust, event_hooks={"response": [impatient(longest)]}
        )
        client = getattr(sdk, cls.sync_class)(**options, http_client=web)
        provider = Provider(cls.prefix, sdk, http, cls.key_variable, cls.url_variable)
        return cls(
            provider, model, client=client, clients=LoopClients(make_async), timeout=longest,
            tools=settings.mvp_site_llm_tools,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The provider and the model, as in ``openai:gpt-5``."""
        return f"{self._provider.prefix}:{self._model}"

    @property
    def tools(self) -> bool:
        """Whether the model can call tools (MVP_SITE_LLM_TOOLS)."""
        return self._tools

    def complete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``.

        Raises:
            ModelUnavailableError: no answer came, or a damaged one.
            ModelRequestError: the provider refuses the request.
        """
        fields = self._fields(request, stream=False)
        with self._reporting():
            answer = self._create(self._client)(**fields)
            return self._read(answer)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``; raises as :meth:`complete` does."""
        fields = self._fields(request, stream=False)
        with self._reporting():
            answer = await self._create(await self._clients.get())(**fields)
            return self._read(answer)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """The answer as it comes, and at last the reply; raises as :meth:`complete` does."""
        fields = self._fields(request, stream=True)
        pieces = self._pieces(self._model)
        with self._reporting():
            events = self._create(self._client)(**fields)
        with events:
            while True:
                with self._reporting():
                    event = _next(events, pieces)
                    said = "" if event is None else pieces.feed(_plain(event))
                if event is None:
                    break
                if said:
                    yield said
        yield self._finished(pieces, events)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The answer as it comes, and at last the reply; raises as :meth:`complete` does."""
        fields = self._fields(request, stream=True)
        pieces = self._pieces(self._model)
        with self._reporting():
            events = await self._create(await self._clients.get())(**fields)
        async with events:
            while True:
                with self._reporting():
                    event = await _anext(events, pieces)
                    said = "" if event is None else pieces.feed(_plain(event))
                if event is None:
                    break
                if said:
                    yield said
        yield self._finished(pieces, events)

    def close(self) -> None:
        """Give connections back; those of running event loops follow soon."""
        self._closed = True
        self._client.close()
        self._clients.close()

    async def aclose(self) -> None:
        """Give connections back, this event loop's before anything else goes on."""
        await self._clients.aclose()
        self.close()

    @abstractmethod
    def _create(self, client: Any) -> Any:
        """The SDK's method that asks."""

    @abstractmethod
    def _payload(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        """Its arguments."""

    @abstractmethod
    def _reply(self, body: Any) -> ModelReply:
        """What a whole answer says."""

    @abstractmethod
    def _pieces(self, model: str) -> Pieces:
        """What puts a stream together."""

    def _fields(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        if self._closed:
            raise ModelUnavailableError(f"{self.name} is closed: open it again")
        return self._payload(request, stream=stream)

    def _read(self, answer: Any) -> ModelReply:
        reply = self._reply(_plain(answer))
        return _identified(reply, getattr(answer, "_request_id", None))

    def _finished(self, pieces: Pieces, events: Any) -> ModelReply:
        with self._reporting():
            reply = pieces.finish()
        return _identified(reply, events.response.headers.get(self.id_header))

    def _reporting(self) -> _Reporting:
        return _Reporting(self.name, self._provider, self._timeout)


class _Reporting:
    """Within it, whatever the SDK or the reading of its answer raises becomes a ModelError.

    The cause is not chained: it holds the request, with its key and its text.
    """

    def __init__(self, name: str, provider: Provider, timeout: float) -> None:
        self._about = name, provider, timeout

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None,
                 __: TracebackType | None) -> None:
        if isinstance(error, Exception):
            raise failure(error, *self._about) from None


def _next(events: Any, pieces: Pieces) -> Any:
    """The next event, or None at the end: that of the stream, or any after the final event."""
    try:
        return next(events, None)
    except Exception:
        if pieces.whole:
            return None
        raise


async def _anext(events: Any, pieces: Pieces) -> Any:
    """:func:`_next` of an async stream."""
    try:
        return await anext(events, None)
    except Exception:
        if pieces.whole:
            return None
        raise


def _plain(answer: Any) -> Any:
    """An answer of the SDK as plain JSON values, with what does not fit the SDK's own models."""
    return answer.to_dict(warnings=False) if hasattr(answer, "to_dict") else answer


def _identified(reply: ModelReply, request_id: Any) -> ModelReply:
    """``reply`` under the id of its HTTP request, which a provider's support asks for."""
    return replace(reply, request_id=request_id) if isinstance(request_id, str) else reply


def _checked_key(key: str | None, variable: str, name: str) -> str:
    if not key:
        raise SettingsError(
            f"MVP_SITE_LLM={name!r} needs a key: set {variable} (to any text for a server that "
            "wants none)"
        )
    if not (key.isascii() and key.isprintable()) or key != key.strip():
        raise SettingsError(f"{variable} cannot be used: it has a character that no key has")
    return key


def _check_address(url: str, variable: str, http: Any) -> None:
    try:
        parsed = http.URL(url)
    except http.InvalidURL:
        parsed = http.URL("")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        # The address is not shown: it may hold a password.
        raise SettingsError(f"{variable} cannot be used: it must begin http:// or https://")
