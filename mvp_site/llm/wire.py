"""What both wire formats share: reading what a provider sent, of which nothing is taken on trust.

Pure functions. An answer that cannot be used is a :class:`DamagedAnswerError`; the client says
which model sent it.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

import msgspec

from .protocol import ModelReply, Stop, ToolCall, Usage

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0)]


class DamagedAnswerError(ValueError):
    """An answer that is not what the protocol promises; the message says what was found."""


def read(value: Any, kind: type[T]) -> T:
    """``value`` as ``kind``, what ``kind`` does not name left out.

    Raises:
        DamagedAnswerError: it is something else; the message says where, and never quotes it.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise DamagedAnswerError(f"e{str(error)[1:]}") from None
    except UnicodeEncodeError:
        raise DamagedAnswerError("a key in it is no text") from None


def counted(value: Any, kind: type[T]) -> T:
    """The tokens of a ``usage``; none where they cannot be read."""
    try:
        return read(value or {}, kind)
    except DamagedAnswerError:
        return kind()


def text(value: str | None) -> str:
    """``value``, in which half of a surrogate pair becomes U+FFFD.

    JSON can write it and UTF-8 cannot, and the text goes back to the model and into stores.
    """
    return (value or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def written(value: Any) -> str:
    """The JSON of a call's arguments: text as it is, anything else as compact JSON."""
    if value is None or value == "":
        return "{}"
    if isinstance(value, str):
        return text(value)
    return text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def settled(words: str, calls: list[ToolCall], stop: Stop, usage: Usage, model: str,
            request_id: str | None) -> ModelReply:
    """The whole reply, its parts in agreement: calls are there exactly where it stops for tools.

    Raises:
        DamagedAnswerError: it ends without a word, stops for tools and calls none, or a call
            names no tool.
    """
    if not all(call.name for call in calls):
        raise DamagedAnswerError("a call names no tool")
    if stop == "end" and calls:
        stop = "tools"  # some compatible servers say "stop" beside their calls
    if stop == "tools" and not calls:
        raise DamagedAnswerError("it stops for tools and calls none")
    if stop == "end" and not words.strip():
        raise DamagedAnswerError("it is empty")
    # Calls of an answer that was cut at its length may be cut too.
    tool_calls = tuple(calls) if stop == "tools" else ()
    return ModelReply(text(words), tool_calls, usage, stop, text(model), text(request_id))
