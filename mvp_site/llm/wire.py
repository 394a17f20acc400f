"""Reading what a provider sent: nothing of its shape is taken on trust.

Pure functions that both wire formats share. An answer that cannot be used is a
:class:`DamagedAnswerError`; the client says which model sent it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from .protocol import ModelReply, Stop, ToolCall, Usage

_KINDS: Final[dict[type, str]] = {
    str: "text", bool: "true or false", list: "a list", dict: "an object", type(None): "null",
}


class DamagedAnswerError(ValueError):
    """An answer that is not what the protocol promises; the message says what was found."""


def mapping(value: Any, what: str) -> Mapping[str, Any]:
    """``value`` as a mapping.

    Raises:
        DamagedAnswerError: it is none; the message names ``what`` should have been one.
    """
    if not isinstance(value, Mapping):
        raise DamagedAnswerError(f"{what} is {kind(value)}, not a JSON object")
    return value


def part(value: Any, key: str) -> Mapping[str, Any]:
    """The mapping under ``key`` of ``value``; an empty one where either is none."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def items(value: Any, what: str) -> list[Any]:
    """``value`` as a list; none at all counts as empty.

    Raises:
        DamagedAnswerError: it is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise DamagedAnswerError(f"{what} is {kind(value)}, not a list")
    return value


def text(value: Any) -> str:
    """``value`` where it is text, else nothing.

    Half of a surrogate pair, which JSON can write and UTF-8 cannot, becomes U+FFFD: the text goes
    back to the model and into stores.
    """
    if not isinstance(value, str):
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def count(value: Any) -> int:
    """``value`` where it is a number of tokens, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def written(value: Any) -> str:
    """The JSON of a call's arguments: text as it is, anything else as compact JSON."""
    if isinstance(value, str):
        return text(value) or "{}"
    if value is None:
        return "{}"
    return text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def kind(value: Any) -> str:
    """The name of a JSON type, for messages; never the value, which may be anybody's text."""
    return _KINDS.get(type(value), "a number")


def settled(said: str, calls: list[ToolCall], stop: Stop, usage: Usage, model: str,
            request_id: str) -> ModelReply:
    """The whole reply, its parts in agreement: calls are there exactly where it stops for tools.

    Raises:
        DamagedAnswerError: it ends without a word, or stops for tools and calls none.
    """
    if stop == "end" and calls:
        stop = "tools"  # some compatible servers say "stop" beside their calls
    if stop == "tools" and not calls:
        raise DamagedAnswerError("it stops for tools and calls none")
    if stop == "end" and not said.strip():
        raise DamagedAnswerError("it is empty")
    # Calls of an answer that was cut at its length may be cut too.
    return ModelReply(said, tuple(calls) if stop == "tools" else (), usage, stop, model, request_id)
