"""A scripted model of replies that a test has at hand, which keeps what it was asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import msgspec

from mvp_site.errors import ModelError
from mvp_site.llm.protocol import ModelReply, ModelRequest
from mvp_site.llm.scripted import ScriptedModel, ScriptLine, _line, _Written


class Scripted(ScriptedModel):
    """Gives texts, lines of a script, replies, or errors to raise."""

    def __init__(self, replies: Iterable[str | Mapping[str, Any] | ModelReply | ModelError], *, repeat: bool = False, tools: bool = True) -> None:
        lines = [_taken(reply, number) for number, reply in enumerate(replies, start=1)]
        super().__init__(lines, name="scripted:replies", repeat=repeat, tools=tools)
        self.requests: list[ModelRequest] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return super().complete(request)

    def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        self.requests.append(request)
        return super().astream(request)


def _taken(reply: str | Mapping[str, Any] | ModelReply | ModelError, number: int) -> ScriptLine:
    if isinstance(reply, Mapping):
        return _line(msgspec.convert(dict(reply), _Written), f"reply {number}", number)
    if isinstance(reply, ModelError):
        return ScriptLine(ModelReply(""), reply)
    return ScriptLine(reply if isinstance(reply, ModelReply) else ModelReply(reply))
