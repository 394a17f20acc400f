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
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, field

from ..errors import ModelError, ModelRequestError, ModelUnavailableError, SettingsError
from .protocol import Model, ModelReply, ModelRequest, Stop, ToolCall, Usage

PIECE: Final = 24
_ERRORS: Final[dict[str, type[ModelError]]] = {
    "unavailable": ModelUnavailableError, "request": ModelRequestError,
}
_Count = Literal["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]


class _ScriptedCall(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1)]
    arguments: str | dict[str, Any] = field(default_factory=dict)


class _Written(Struct, forbid_unknown_fields=True):
    """One line as it is written."""

    text: str | None = None
    calls: list[_ScriptedCall] = field(default_factory=list)
    stop: Stop | None = None
    usage: dict[_Count, Annotated[int, Meta(ge=0)]] = field(default_factory=dict)
    error: Literal["unavailable", "request"] | None = None
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One answer of a script: the reply, or the error that comes after its text."""

    reply: ModelReply
    error: ModelError | None = None


class ScriptedModel(Model):
    """A model that gives the answers of a script in their order.

    Safe to use from several threads, which share the order among them.
    """

    name = "scripted"
    tools = True

    def __init__(self, lines: Iterable[ScriptLine], *, name: str, repeat: bool = False,
                 tools: bool = True) -> None:
        self._lines = tuple(lines)
        self.name = name
        self._repeat = repeat
        self.tools = tools
        self._next = 0
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: str | Path, *, tools: bool = True) -> ScriptedModel:
        """The model of the script at ``path``.

        Raises:
            SettingsError: it cannot be read; the message names the file and the line.
        """
        try:
            content = Path(path).read_text(encoding="utf-8")
        except TypeError:
            raise SettingsError(
                f"the script is of the type {type(path).__name__}: give a path"
            ) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise SettingsError(f"the script {path} cannot be read: {reason}") from None
        lines: list[ScriptLine] = []
        repeat = False
        for number, line in enumerate(content.split("\n"), start=1):
            if not line.strip():
                continue
            where = f"the script {path}, line {number}"
            if repeat:
                raise SettingsError(f'{where}: nothing may follow {{"repeat": true}}')
            try:
                written = msgspec.json.decode(line, type=_Written)
            except msgspec.ValidationError as error:
                raise SettingsError(f"{where}: {error}; a line may have "
                                    f"{', '.join(_Written.__struct_fields__)}") from None
            except (msgspec.DecodeError, RecursionError) as error:
                raise SettingsError(f"{where}: it is no JSON object ({error})") from None
            repeat = written == _Written(repeat=True)
            if not repeat:
                lines.append(_line(written, where, number))
        if not lines:
            raise SettingsError(f"the script {path} has no answer: write one JSON object a line")
        return cls(lines, name=f"scripted:{path}", repeat=repeat, tools=tools)

    def complete(self, request: ModelRequest) -> ModelReply:  # noqa: ARG002 - a script is blind
        """The next answer.

        Raises:
            ModelUnavailableError: the script says so, or is used up.
            ModelRequestError: the script says so.
        """
        line = self._take()
        if line.error is not None:
            raise type(line.error)(*line.error.args)
        return line.reply

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:  # noqa: ARG002 - a script is blind
        """The next answer in small pieces, and at last the reply; raises as ``complete`` does."""
        line = self._take()
        for at in range(0, len(line.reply.text), PIECE):
            yield line.reply.text[at : at + PIECE]
        if line.error is not None:
            raise type(line.error)(*line.error.args)
        yield line.reply

    def close(self) -> None:
        """Nothing: a script holds no connection."""

    def _take(self) -> ScriptLine:
        with self._lock:
            if self._next == len(self._lines) and self._repeat:
                self._next = 0
            if self._next == len(self._lines):
                raise ModelUnavailableError(
                    f"{self.name} is used up after {len(self._lines)} answers: write more, or "
                    'end it with {"repeat": true}'
                )
            self._next += 1
            return self._lines[self._next - 1]


def _line(written: _Written, where: str, number: int) -> ScriptLine:
    if written.repeat:
        raise SettingsError(f'{where}: write {{"repeat": true}} and nothing beside it')
    if written.text is None and not written.calls and written.error is None:
        raise SettingsError(f"{where}: it has neither 'text', 'calls' nor 'error'")
    stop = written.stop or ("tools" if written.calls else "end")
    if (stop == "tools") != bool(written.calls):
        raise SettingsError(f"{where}: it calls tools exactly where 'stop' is 'tools'")
    calls = tuple(
        ToolCall(
            f"call_{number}_{at}", call.name, call.arguments if isinstance(call.arguments, str)
            else json.dumps(call.arguments, ensure_ascii=False),
        )
        for at, call in enumerate(written.calls, start=1)
    )
    reply = ModelReply(written.text or "", calls, Usage(**written.usage), stop, "scripted")
    if written.error is None:
        return ScriptLine(reply)
    kind = _ERRORS[written.error]
    return ScriptLine(reply, kind(f"{where} says that there is no answer ({written.error})"))
