"""A reply that has to be one JSON object, with what is wrong with one that is none."""

from __future__ import annotations

import re
from typing import Any, Final

from ..text.strict_json import JsonError, read_object
from .protocol import ModelReply

_FENCED: Final = re.compile(r"\s*```(?:json)?[ \t]*\n(.*)\n[ \t]*```\s*\Z", re.DOTALL)


class ReplyError(Exception):
    """A reply cannot be used; the text says why."""


def object_of(reply: ModelReply, most: int) -> dict[str, Any]:
    """The object that a reply of at most ``most`` tokens is, in a fence or without one.

    Raises:
        ReplyError: it was refused, cut off, or is no JSON object.
    """
    if reply.stop == "refused":
        raise ReplyError("the model refused to answer")
    if reply.stop in {"length", "thought"}:
        raise ReplyError(f"the answer was cut off at {most} tokens: raise MVP_SITE_ANSWER_TOKENS")
    fenced = _FENCED.match(reply.text)
    try:
        return read_object(fenced[1] if fenced else reply.text, "the answer")
    except JsonError as error:
        raise ReplyError(str(error)) from None
