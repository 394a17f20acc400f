"""Reading: a request's messages in, what the offline narrator knows of the turn out. Pure.

It sees what a model sees and no more: the elements of the last turn's message. Whatever is missing
or damaged reads as absent.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...llm.protocol import ModelRequest, ToolExchange
from ...types import Message

ROLL_TOOL: Final = "roll_dice"

_TURN: Final = re.compile(r'<turn mode="(story|dm|god)" audience="(player|dm|god)">\n')
_TURN_END: Final = "\n</turn>"
_TRAY_LINE: Final = re.compile(r"d([0-9]{1,3}):((?: [0-9]{1,4})+)")
_PASSAGE: Final = re.compile(r'^<passage id="[^"\n]*" section="([^"\n]*)">$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn as the request tells it.

    ``state`` is ``{}`` where there is none that can be read. ``tray`` holds, for each size of die,
    the numbers to be used in order; ``rolls`` the results of the tool's calls, ``asked`` how many
    rounds of calls there were. ``heading`` is that of the best retrieved passage, or ''.
    """

    mode: str = "story"
    audience: str = "player"
    text: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    tray: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    rolls: tuple[Mapping[str, Any], ...] = ()
    asked: int = 0
    heading: str = ""
    tools: bool = False

    @property
    def deep(self) -> bool:
        """Whether this is a deep think."""
        said = self.text.lstrip("\ufeff \t\r\n").casefold()
        return self.mode == "story" and said.startswith("think:")

    @property
    def seed(self) -> bytes:
        """A digest of the turn's words and its hour: what varies the phrasing."""
        world = self.state.get("world_data")
        clock = world.get("world_time") if isinstance(world, Mapping) else None
        said = f"{self.mode}\n{clock!r}\n{self.text}"
        return hashlib.sha256(said.encode("utf-8", "replace")).digest()


def read(request: ModelRequest) -> Reading:
    """The turn that ``request`` asks about: the last message with a turn element, and after."""
    for index in range(len(request.messages) - 1, -1, -1):
        message = request.messages[index]
        if not isinstance(message, Message) or message.role != "user":
            continue
        opened = _last_turn(message.content)
        if opened is not None:
            exchanges = [m for m in request.messages[index:] if isinstance(m, ToolExchange)]
            tools = any(tool.name == ROLL_TOOL for tool in request.tools)
            return _reading(message.content, opened, exchanges, tools=tools)
    return Reading()


def _last_turn(content: str) -> re.Match[str] | None:
    start = content.rfind("<turn mode=")
    return _TURN.match(content, start) if start >= 0 else None


def _reading(content: str, opened: re.Match[str], exchanges: list[ToolExchange], *, tools: bool,
             ) -> Reading:
    end = content.find(_TURN_END, opened.end() - 1)
    before = content[: opened.start()]
    passage = _PASSAGE.search(before)
    return Reading(
        mode=opened[1], audience=opened[2],
        text=content[opened.end() : end if end >= 0 else len(content)],
        state=_object(_element(before, "state")),
        tray=_tray(_element(before, "dice_tray")),
        rolls=tuple(_results(exchanges)), asked=len(exchanges),
        heading=html.unescape(passage[1]).rpartition(" / ")[2] if passage else "",
        tools=tools,
    )


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


def _tray(text: str) -> dict[int, tuple[int, ...]]:
    return {
        int(size): tuple(int(number) for number in numbers.split())
        for size, numbers in _TRAY_LINE.findall(text)
    }


def _results(exchanges: list[ToolExchange]) -> list[dict[str, Any]]:
    """The rolls that calls gave; an error's text is none."""
    found = [_object(result.content) for exchange in exchanges for result in exchange.results]
    return [entry for entry in found if _is_roll(entry)]


def _is_roll(entry: Mapping[str, Any]) -> bool:
    total = entry.get("total")
    return (
        isinstance(entry.get("roll_id"), str) and isinstance(entry.get("expression"), str)
        and isinstance(entry.get("dice"), list)
        and isinstance(total, int) and not isinstance(total, bool)
    )
