"""Reading: what a request to the stand-in says of the turn. Pure.

It sees what a model sees and no more. Whatever is missing or damaged reads as absent.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...llm.protocol import ModelRequest, ToolExchange
from ...types import Message

_TURN: Final = re.compile(r'<turn mode="(story|dm|god)" audience="(?:player|dm|god)">\n')
_TRAY_D20: Final = re.compile(r"^d20: ([0-9]{1,2})\b", re.MULTILINE)
_PASSAGE: Final = re.compile(r'^<passage id="[^"\n]*" section="([^"\n]*)">$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn as the request tells it.

    ``d20`` is the tray's first number for it, ``results`` what the tool gave, as objects: empty
    ones where no roll was made. ``heading`` is that of the best retrieved passage, or ''.
    """

    mode: str = "story"
    text: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    d20: int | None = None
    results: tuple[Mapping[str, Any], ...] = ()
    heading: str = ""


def read(request: ModelRequest) -> Reading:
    """The turn that ``request`` asks about: the last message with a turn element, and after."""
    results: list[Mapping[str, Any]] = []
    for message in reversed(request.messages):
        if isinstance(message, ToolExchange):
            results[:0] = [_object(result.content) for result in message.results]
        elif opened := _last_turn(message):
            before, said = message.content[: opened.start()], message.content[opened.end() :]
            tray = _TRAY_D20.search(_element(before, "dice_tray"))
            passage = _PASSAGE.search(before)
            return Reading(
                mode=opened[1], text=said.rpartition("\n</turn>")[0],
                state=_object(_element(before, "state")), d20=int(tray[1]) if tray else None,
                results=tuple(results),
                heading=html.unescape(passage[1]).rpartition(" / ")[2] if passage else "",
            )
    return Reading()


def _last_turn(message: Message) -> re.Match[str] | None:
    start = message.content.rfind("<turn mode=") if message.role == "user" else -1
    return _TURN.match(message.content, start) if start >= 0 else None


def _element(content: str, name: str) -> str:
    """What the last element of this name holds: the product prints its own behind the passages."""
    start = content.rfind(f"<{name}>\n")
    end = content.find(f"\n</{name}>", start)
    return content[start + len(name) + 3 : end] if 0 <= start < end else ""


def _object(text: str) -> dict[str, Any]:
    """``text`` as a JSON object, or an empty one; what JSON does not have reads as null."""
    try:
        found = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
