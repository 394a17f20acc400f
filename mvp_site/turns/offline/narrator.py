"""The offline narrator: a model that is none. No key, no network, and no chance in it.

The same request gives the same answer. It keeps the contract and says in every answer that it is
a stand-in; it proves that the machinery of a turn works, and nothing about language models.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

from ...llm.protocol import ModelReply, ModelRequest, ToolCall, Usage
from ...retrieval.tokens import count_tokens
from ...types import Message
from .answers import text_of
from .god import obey
from .reading import read
from .story import tell
from .table import answer_table
from .think import think

NAME: Final = "offline"
PIECE_CHARS: Final = 48


class OfflineNarrator:
    """An ``llm.protocol.Model`` without state; safe to use from several threads at once.

    ``max_tokens`` does not bind it: its answers are short, and a cut one would keep no contract.
    """

    @property
    def name(self) -> str:
        """``offline``."""
        return NAME

    @property
    def tools(self) -> bool:
        """True: it asks for its rolls where the request has the tool."""
        return True

    def complete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``, or the roll it needs first; never raises."""
        reading = read(request)
        answered: object
        if reading.mode == "god":
            answered = obey(reading)
        elif reading.mode == "dm":
            answered = answer_table(reading)
        elif reading.deep:
            answered = think(reading)
        else:
            answered = tell(reading)
        sent = _sent(request)
        if isinstance(answered, ToolCall):
            usage = Usage(count_tokens(sent), count_tokens(answered.arguments))
            return ModelReply("", (answered,), usage, "tools", NAME, _request_id(sent))
        text = text_of(reading.mode, answered)
        usage = Usage(count_tokens(sent), count_tokens(text))
        return ModelReply(text, (), usage, "end", NAME, _request_id(sent))

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The answer to ``request``, as :meth:`complete` gives it."""
        return self.complete(request)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """The mode line, the object in pieces of ``PIECE_CHARS`` characters, and the reply."""
        reply = self.complete(request)
        line, newline, rest = reply.text.partition("\n")
        if line:
            yield f"{line}{newline}"
        for start in range(0, len(rest), PIECE_CHARS):
            yield rest[start : start + PIECE_CHARS]
        yield reply

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The pieces and the reply of :meth:`stream`."""
        for piece in self.stream(request):
            yield piece

    def close(self) -> None:
        """Nothing to give back."""


def _sent(request: ModelRequest) -> str:
    """All text of a request, for counting."""
    parts: list[str] = []
    for message in request.messages:
        if isinstance(message, Message):
            parts.append(message.content)
        else:
            parts += [message.text, *(call.arguments for call in message.calls)]
            parts += [result.content for result in message.results]
    return "\n".join(parts)


def _request_id(sent: str) -> str:
    digest = hashlib.sha256(sent.encode("utf-8", "replace")).hexdigest()
    return f"offline-{digest[:12]}"
