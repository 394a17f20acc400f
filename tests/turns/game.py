"""What the tests of whole turns play with: an archive, a state, answers, and models to give them."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mvp_site.errors import ModelError
from mvp_site.llm.protocol import ModelReply, ModelRequest, ToolCall, ToolExchange, Usage
from mvp_site.turns.dice import Dice, entry
from mvp_site.turns.draft import fallback_answer, text_of
from mvp_site.turns.routing import TurnRoute, is_deep_think
from mvp_site.turns.state import merged
from mvp_site.turns.types import TurnRequest
from mvp_site.types import Message, Mode

FILES: Final = {
    "falling.md": "# Falling\n\nA creature that falls takes 1d6 bludgeoning damage for every ten feet.",
    "trade.md": "# Trade\n\nA merchant pays half of the listed price for goods in fair order.",
    "god.md": "---\nmode: god\n---\n# Returning\n\nThe command god:return_story takes the tale up again.",
    "ledger.md": "---\naudience: dm\n---\n# The ledger\n\nThe harbour master keeps the true ledger under a stone.",
}
STATE: Final[dict[str, Any]] = {
    "player_character_data": {
        "id": "pc_kaela_001", "class": "Ranger", "level": 3, "hp_current": 19, "hp_max": 28, "xp": 1100, "gold": 37,
    },
    "location_data": {"loc_ashen_keep_001": {"name": "Ashen Keep, gatehouse"}},
    "world_data": {
        "current_location_id": "loc_ashen_keep_001",
        "world_time": {"year": 1492, "month": 5, "day": 4, "hour": 21, "minute": 15, "second": 0, "microsecond": 0},
    },
    "custom_campaign_state": {"counter": 0},
}
STATES: Final[dict[str, Any]] = json.loads((Path(__file__).parent / "data/states.json").read_text("utf-8"))
CAMPAIGN: Final = "saltmere"
STORY: Final = "The merchant names a price, and it is not a kind one."
MODES_ASKED: Final[tuple[tuple[str, Mode], ...]] = (
    ("I ask the merchant about the price of goods", "story"), ("think: do I jump off the roof?", "story"),
    ("How does falling work?", "dm"), ("god:return_story takes the tale up again", "god"),
)


def ask(text: str = "I ask the merchant for half the price", mode: Mode = "story", **fields: Any) -> TurnRequest:
    """A turn of the campaign, by whoever may take one of its mode, on STATE if the campaign is new."""
    values = {"campaign_id": CAMPAIGN, "audience": "god" if mode == "god" else "player", "seed": 7, **fields}
    return TurnRequest(user_input=text, mode=mode, **values)


def first(text: str = "I ask the merchant for half the price", mode: Mode = "story", **fields: Any) -> TurnRequest:
    """:func:`ask` with a state, as for the first turn."""
    return ask(text, mode, **{"state": STATE, **fields})


def answer(mode: Mode = "story", state: Mapping[str, Any] = STATE, text: str = "", **fields: Any) -> str:
    """A raw answer that keeps the contract for a turn of ``mode`` on ``state``; ``fields`` differ."""
    whole, _ = fallback_answer(TurnRoute(mode, "god", is_deep_think(mode, text)), state)
    if mode == "story" and whole["narrative"]:
        whole["narrative"] = STORY
    return text_of(mode, whole | fields)


def counted(number: int, state: Mapping[str, Any] = STATE, **fields: Any) -> str:
    """A story's answer that sets the counter."""
    return answer(state=state, state_updates={"custom_campaign_state": {"counter": number}}, **fields)


def broken(note: str = "x") -> str:
    """An answer that breaks the contract, with a mark to find it by."""
    return answer(mood=note)


def roll_call(expression: str = "1d20+5", dc: int | None = 13, call_id: str = "c1", name: str = "roll_dice") -> ToolCall:
    given: dict[str, Any] = {"expression": expression, "purpose": "Stealth"}
    return ToolCall(call_id, name, json.dumps(given | ({} if dc is None else {"dc": dc})))


def calling(*calls: ToolCall, text: str = "", usage: Usage = Usage(100, 10)) -> ModelReply:  # noqa: B008
    """A reply that calls tools."""
    return ModelReply(text, calls or (roll_call(),), usage, "tools", "model-2026")


ROLLED: Final = [entry(Dice(7).roll("1d20+5", "Stealth", "DC", 13))]
"""The entries of a turn whose model made the call of :func:`calling` once, with the seed of :func:`ask`."""


def said(text: str, usage: Usage = Usage(100, 50, 20, 5), stop: Any = "end") -> ModelReply:  # noqa: B008
    """A reply of text."""
    return ModelReply(text, (), usage, stop, "model-2026")


def state_in(request: ModelRequest) -> dict[str, Any]:
    """The state as the prompt shows it: whole, or as it was at an earlier turn with what has changed since."""
    text = "\n".join(message.content for message in request.messages if isinstance(message, Message) and message.role == "user")
    state, *changes = (element for name in ("state", "state_changes") for element in re.findall(rf"^<{name}>\n(.*)\n</{name}>$", text, re.MULTILINE))
    whole: dict[str, Any] = json.loads(state.replace("&lt;", "<"))
    for update in changes:
        whole = merged(whole, json.loads(update.replace("&lt;", "<")))
    return whole


def count_up(request: ModelRequest) -> ModelReply:
    """The answer that raises the counter by one."""
    state = state_in(request)
    return said(counted(state["custom_campaign_state"]["counter"] + 1, state))


Reply = Callable[[ModelRequest], ModelReply]


class Replying:
    """A model that asks a function. ``entered`` is set when a question comes; ``gate`` holds it back."""

    name = "replying:test"

    def __init__(self, reply: Reply = count_up, *, tools: bool = True, pieces: int = 7) -> None:
        self.reply = reply
        self.tools = tools
        self.pieces = pieces
        self.requests: list[ModelRequest] = []
        self.streams: list[Any] = []
        self.streams_closed = 0
        self.gate: threading.Event | None = None
        self.agate: asyncio.Event | None = None
        self.entered = threading.Event()
        self.aentered: asyncio.Event | None = None
        self.closed = False

    def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return self.reply(request)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        self.entered.set()
        if self.aentered is not None:
            self.aentered.set()
        if self.gate is not None:
            assert self.gate.wait(20)
        if self.agate is not None:
            await self.agate.wait()
        return self.reply(request)

    def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        self.streams.append(self._astream(request))  # kept, so that nothing but a close ends it
        return self.streams[-1]

    async def _astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        try:
            reply = await self.acomplete(request)
            for piece in self._pieces(reply):
                yield piece
            yield reply
        finally:
            self.streams_closed += 1

    def close(self) -> None:
        self.closed = True

    def _pieces(self, reply: ModelReply) -> Iterator[str]:
        yield from (reply.text[at : at + self.pieces] for at in range(0, len(reply.text), self.pieces))


def raising(*replies: ModelReply | str | ModelError) -> Reply:
    """A function that gives these one after the other; errors are raised."""
    left = list(replies)

    def reply(request: ModelRequest) -> ModelReply:
        found = left.pop(0)
        if isinstance(found, ModelError):
            raise found
        return said(found) if isinstance(found, str) else found

    return reply


def contents(messages: Sequence[Message | ToolExchange]) -> list[str]:
    """Messages as text, for a comparison byte by byte."""
    return [repr(message) for message in messages]
