"""What a language model is to the rest of the package: values, and the protocol of a client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from ..concurrency import own_loop
from ..types import Message

Stop = Literal["end", "tools", "length", "thought", "refused"]
"""Why an answer ended; ``thought`` is ``length`` before a word of it was written."""
PIECE_CHARS: Final = 48
"""The pieces in which an answer is told that came at once."""


@dataclass(frozen=True, slots=True)
class ModelTool:
    """A function that the model may call; ``parameters`` is its JSON Schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model made; ``arguments`` is its JSON as written, which need not parse."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave, as the text that goes back to the model."""

    call_id: str
    content: str


@dataclass(frozen=True, slots=True)
class ToolExchange:
    """One round of tool use: what the model said and called, and what it got, call by call.

    ``native`` is the :class:`ModelReply`'s.
    """

    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]
    native: object = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """o200k or provider tokens of one or several requests.

    ``input_tokens`` are all that were sent; ``cache_read_tokens`` and ``cache_write_tokens`` are
    the parts of them that the provider read from, or wrote to, its prompt cache.
    ``reasoning_tokens`` are the part of ``output_tokens`` that the model thought. ``cost`` is in US
    dollars by the provider's list prices, and None where a price is not known.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        priced = self.cost is not None and other.cost is not None
        return Usage(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            (self.cost or 0.0) + (other.cost or 0.0) if priced else None,
        )

    @property
    def total_tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens

    @property
    def account(self) -> str:
        """The tokens and the money, as a line has them."""
        of_input = _parts(cached=self.cache_read_tokens, written=self.cache_write_tokens)
        of_output = _parts(thought=self.reasoning_tokens)
        money = ", price not known" if self.cost is None else (
            f", ${self.cost:.4f}" if self.cost else "")
        return (f"{self.input_tokens:,} tokens in{of_input} and {self.output_tokens:,} out"
                f"{of_output}{money}")


def _parts(**counts: int) -> str:
    named = [f"{count:,} {name}" for name, count in counts.items() if count]
    return f" ({', '.join(named)})" if named else ""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request: a conversation that begins with the system message.

    ``max_tokens`` bounds the answer. ``cache_key`` is the same for requests that share a prefix,
    of at most 64 characters; the messages' ``breakpoint`` marks say where that prefix ends. With a
    ``schema`` the answer is an object that keeps it, where the model is ``structured``. A provider
    that takes no schema beside tools leaves it out; with ``schema_first`` it leaves out the tools.
    """

    messages: tuple[Message | ToolExchange, ...]
    tools: tuple[ModelTool, ...] = ()
    max_tokens: int = 2_000
    cache_key: str = ""
    schema: Mapping[str, Any] | None = None
    schema_first: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """What is said in the conversation, by whomever."""
        return tuple(
            text for message in self.messages for text in (
                (message.content,) if isinstance(message, Message)
                else (message.text, *(result.content for result in message.results)))
        )


@dataclass(frozen=True, slots=True)
class ModelReply:
    """An answer: text, or calls where ``stop`` is ``tools``; the tokens, and who gave it.

    ``native`` is the answer in the provider's own form, with its signatures and thoughts. Some
    providers refuse results of calls that come back without it.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stop: Stop = "end"
    model: str = ""
    native: object = field(default=None, repr=False, compare=False)


class Model(Protocol):
    """A language model. Safe to use from several threads at once.

    Every call raises :class:`~mvp_site.errors.ModelError` where no answer was given: retries, with
    growing pauses, are behind it already. A stream gives pieces of the text as they come and, as
    its last item, the whole reply. Turns are taken asynchronously. A class that derives from this
    one needs only :meth:`complete`; one that waits for a server defines the other two as well.
    """

    @property
    def name(self) -> str:
        """The provider and the model, as in ``openai:gpt-5``."""

    @property
    def tools(self) -> bool:
        """Whether the model can call tools."""

    @property
    def context_tokens(self) -> int | None:
        """The tokens of the model's window; None where that is not known."""
        return None

    @property
    def structured(self) -> bool:
        """Whether the model holds its answer to a request's schema."""
        return False

    def complete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``."""

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``."""
        return self.complete(request)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The answer as it comes: text, and at last the reply."""
        reply = await self.acomplete(request)
        for start in range(0, len(reply.text), PIECE_CHARS):
            yield reply.text[start : start + PIECE_CHARS]
        yield reply

    def close(self) -> None:
        """Give connections back. The model is not used afterwards."""


class StreamedModel(Model):
    """A model that only streams: the other two ways to ask it are that to the end."""

    name = ""
    tools = structured = False
    context_tokens: int | None = None

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
        *_, reply = [piece async for piece in self.astream(request)]
        assert isinstance(reply, ModelReply)
        return reply
