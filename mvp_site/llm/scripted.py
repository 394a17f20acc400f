r"""A model that reads its answers from a script: for tests, demonstrations and replays.

A script is JSONL, one answer a line, given in order, whatever is asked::

    {"calls": [{"name": "look_up", "arguments": {"query": "stealth"}}]}
    {"calls": [{"name": "roll_dice", "arguments": {"expression": "1d20+5"}}]}
    {"text": "[Mode: STORY MODE]\n{…}", "usage": {"input_tokens": 3000, "output_tokens": 400}}
    {"error": "unavailable"}
    {"text": "I would rather not.", "stop": "refused"}
    {"repeat": true}

==============  ====================================================================
``text``        what the model says
``calls``       tools that it calls; ``arguments`` is an object, or text as written
``stop``        why it stops: end, tools, length or refused; by default end, or
                tools where there are calls
``usage``       input_tokens, output_tokens, cache_read_tokens, cache_write_tokens
``error``       ``unavailable`` or ``request``: no answer, but that error; with
                ``text`` a stream breaks after it
``repeat``      alone, as the last line: start again when all is said
==============  ====================================================================

Without ``repeat``, a script that is used up answers with ModelUnavailableError.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, field

from ..errors import ModelError, ModelRequestError, ModelUnavailableError, SettingsError
from .protocol import ModelReply, ModelRequest, Stop, ToolCall, Usage

REQUESTS_KEPT: Final = 1_000
PIECE: Final = 24
"""The characters of a piece of a stream."""

_ERRORS: Final[dict[str, type[ModelError]]] = {
    "unavailable": ModelUnavailableError, "request": ModelRequestError,
}
_Count = Literal["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]


class _Call(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1)]
    arguments: str | dict[str, Any] = field(default_factory=dict)


class _Written(Struct, forbid_unknown_fields=True):
    """One line as it is written."""

    text: str | None = None
    calls: list[_Call] = field(default_factory=list)
    stop: Stop | None = None
    usage: dict[_Count, Annotated[int, Meta(ge=0)]] = field(default_factory=dict)
    error: Literal["unavailable", "request"] | None = None
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """One answer of a script: the reply, or the error that comes after its text."""

    reply: ModelReply
    error: ModelError | None = None


class ScriptedModel:
    """A :class:`~mvp_site.llm.protocol.Model` that gives the answers of a script in their order.

    Safe to use from several threads, which share the order among them.
    """

    def __init__(self, lines: Iterable[_Line], *, name: str, repeat: bool = False,
                 tools: bool = True) -> None:
        self._lines = tuple(lines)
        self.name = name
        self._repeat = repeat
        self.tools = tools
        self._next = 0
        self._requests: deque[ModelRequest] = deque(maxlen=REQUESTS_KEPT)
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path, *, tools: bool = True) -> ScriptedModel:
        """The model of the script at ``path``.

        Raises:
            SettingsError: it cannot be read; the message names the file and the line.
        """
        try:
            written = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            what = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise SettingsError(f"the script {path} cannot be read: {what}") from None
        lines: list[_Line] = []
        repeat = False
        for number, line in enumerate(written.split("\n"), start=1):
            if not line.strip():
                continue
            where = f"the script {path}, line {number}"
            if repeat:
                raise SettingsError(f'{where}: nothing may follow {{"repeat": true}}')
            try:
                value = msgspec.json.decode(line, type=dict[str, Any])
            except (msgspec.DecodeError, RecursionError) as error:
                raise SettingsError(f"{where}: it is no JSON object ({error})") from None
            repeat = value == {"repeat": True}
            if not repeat:
                lines.append(_line(value, where, number))
        if not lines:
            raise SettingsError(f"the script {path} has no answer: write one JSON object a line")
        return cls(lines, name=f"scripted:{path}", repeat=repeat, tools=tools)

    @classmethod
    def from_replies(cls, replies: Iterable[str | Mapping[str, Any] | ModelReply | ModelError], *,
                     repeat: bool = False, tools: bool = True) -> ScriptedModel:
        """The model that gives ``replies``: texts, lines of a script, replies, or errors to raise.

        Raises:
            SettingsError: one of them is none of these; the message counts from 1.
        """
        lines = [_taken(reply, number) for number, reply in enumerate(replies, start=1)]
        if not lines:
            raise SettingsError("a scripted model needs at least one reply")
        return cls(lines, name="scripted:replies", repeat=repeat, tools=tools)

    def __repr__(self) -> str:
        return f"ScriptedModel({self.name!r}, {len(self._lines)} answers)"

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """The requests it got, oldest first; the latest thousand of them."""
        with self._lock:
            return tuple(self._requests)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next answer.

        Raises:
            ModelUnavailableError: the script says so, or is used up.
            ModelRequestError: the script says so.
        """
        line = self._take(request)
        if line.error is not None:
            raise type(line.error)(*line.error.args)
        return line.reply

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The next answer; raises as :meth:`complete` does."""
        return self.complete(request)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """The next answer in small pieces, and at last the reply; raises as ``complete`` does."""
        line = self._take(request)
        said = line.reply.text
        yield from (said[at : at + PIECE] for at in range(0, len(said), PIECE))
        if line.error is not None:
            raise type(line.error)(*line.error.args)
        yield line.reply

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The next answer in small pieces, and at last the reply; raises as ``complete`` does."""
        for piece in self.stream(request):
            yield piece

    def close(self) -> None:
        """Nothing: a script holds no connection."""

    def _take(self, request: ModelRequest) -> _Line:
        with self._lock:
            self._requests.append(request)
            if self._next == len(self._lines) and self._repeat:
                self._next = 0
            if self._next == len(self._lines):
                raise ModelUnavailableError(
                    f"{self.name} is used up after {len(self._lines)} answers: write more, or "
                    'end it with {"repeat": true}'
                )
            self._next += 1
            return self._lines[self._next - 1]


def _taken(reply: object, number: int) -> _Line:
    match reply:
        case str():
            return _Line(ModelReply(reply))
        case ModelReply():
            return _Line(reply)
        case ModelError():
            return _Line(ModelReply(""), reply)
        case Mapping():
            return _line(reply, f"reply {number}", number)
    raise SettingsError(f"reply {number}: {type(reply).__name__} is no answer of a script")


def _line(value: Mapping[str, Any], where: str, number: int) -> _Line:
    try:
        said = msgspec.convert(value, _Written)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"{where}: {error}; a line may have {', '.join(_Written.__struct_fields__)}"
        ) from None
    if said.repeat:
        raise SettingsError(f'{where}: write {{"repeat": true}} and nothing beside it')
    if said.text is None and not said.calls and said.error is None:
        raise SettingsError(f"{where}: it has neither 'text', 'calls' nor 'error'")
    stop = said.stop or ("tools" if said.calls else "end")
    if (stop == "tools") != bool(said.calls):
        raise SettingsError(f"{where}: it calls tools exactly where 'stop' is 'tools'")
    calls = tuple(
        ToolCall(f"call_{number}_{at}", call.name, _arguments(call.arguments))
        for at, call in enumerate(said.calls, start=1)
    )
    reply = ModelReply(
        said.text or "", calls, Usage(**said.usage), stop, "scripted", f"line_{number}"
    )
    if said.error is None:
        return _Line(reply)
    kind = _ERRORS[said.error]
    return _Line(reply, kind(f"{where} says that there is no answer ({said.error})"))


def _arguments(value: str | dict[str, Any]) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
