"""Tokens billed a turn: a transcript is played again, and each request is laid beside the last.

A provider bills a tenth of what stands in its cache: the longest common prefix with the request
before. The answers are the transcript's; only the dice in them are those that were really rolled.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np

from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.llm.protocol import Model, ModelReply, ModelRequest, ToolCall, ToolExchange
from mvp_site.retrieval.building import Progress
from mvp_site.settings import PACKAGE, Settings
from mvp_site.store.campaigns import CampaignStore
from mvp_site.text.tokens import count_tokens
from mvp_site.turns.handler import TurnHandler
from mvp_site.turns.types import TurnRequest

from .report import Report, Table

CACHED_PRICE: Final = 0.1
"""What a token that is read from the cache costs, beside one that is not."""
SEED: Final = 7
FIELD: Final = '"dice_rolls"'


@dataclass(slots=True)
class BilledTurn:
    """The o200k tokens of a turn's requests, and of its first one's prefix of the request before.

    ``header_history`` are those of that request's header and history, which a cache can hold.
    """

    turn: int
    requests: int = 0
    sent: int = 0
    cached: int = 0
    prefix: int = 0
    header_history: int = 0
    fallback: str | None = None

    @property
    def billed(self) -> float:
        """What is billed, in tokens that were not cached."""
        return self.sent - self.cached + CACHED_PRICE * self.cached


@dataclass(slots=True)
class Transcript(Model):
    """A model that gives a transcript's replies in order, and counts what it was sent."""

    replies: list[dict[str, Any]] = field(default_factory=list)
    turns: list[BilledTurn] = field(default_factory=list)
    before: str = ""
    name: str = "transcript"
    tools: bool = True

    def begin(self, turn: int, replies: Sequence[dict[str, Any]]) -> None:
        """Give the replies of a turn from now on."""
        self.replies = list(replies)
        self.turns.append(BilledTurn(turn))

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply, its rolls as the request's tools gave them."""
        turn, text = self.turns[-1], request_text(request)
        cached = count_tokens(shared_prefix(self.before, text))
        if not turn.requests:
            turn.prefix = cached
            last = request_text(replace(request, messages=request.messages[-1:], tools=()))
            turn.header_history = count_tokens(text) - count_tokens(last)
        turn.requests += 1
        turn.sent += count_tokens(text)
        turn.cached += cached
        self.before = text
        reply = self.replies.pop(0)
        if "calls" in reply:
            calls = [ToolCall(f"call_{turn.turn}_{len(self.replies)}_{at}", **call)
                     for at, call in enumerate(reply["calls"])]
            return ModelReply("", tuple(calls), stop="tools")
        return ModelReply(with_rolls(reply["text"], request))

    def close(self) -> None:
        """Nothing."""


def shared_prefix(before: str, text: str) -> str:
    """The longest text that both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False))
    return text[: sum(1 for _ in pairs)]


def request_text(request: ModelRequest) -> str:
    """All that is sent of a request, in the order in which a provider's cache reads it."""
    parts = [json.dumps([tool.name, tool.description, dict(tool.parameters)])
             for tool in request.tools]
    for message in request.messages:
        if isinstance(message, ToolExchange):
            parts += [message.text, *(f"{call.name} {call.arguments}" for call in message.calls),
                      *(result.content for result in message.results)]
        else:
            parts.append(f"{message.role}\n{message.content}")
    return "\n\n".join(parts)


def with_rolls(text: str, request: ModelRequest) -> str:
    """An answer whose rolls are those that tools have made."""
    exchanges = [message for message in request.messages if isinstance(message, ToolExchange)]
    made = [json.loads(result.content) for exchange in exchanges
            for call, result in zip(exchange.calls, exchange.results, strict=True)
            if call.name == "roll_dice"]
    place = text.find(FIELD)
    if not made or place < 0:
        return text
    start = text.index("[", place)
    length = json.JSONDecoder().raw_decode(text[start:])[1]
    rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in made)
    return f"{text[:start]}[\n    {rows}\n  ]{text[start + length:]}"


def run_billed(settings: Settings, file: Path, turns: int = 20, *,
               progress: Progress | None = None) -> Report:
    """What the first ``turns`` of the transcript in ``file`` cost, a row a turn.

    Raises:
        IndexLoadError, EncoderError: the version cannot be served, and so not be measured.
    """
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    played = [line for line in lines if line["turn"] <= turns]
    model = Transcript()
    settings = replace(settings, mvp_site_campaign_usd=None)
    assembler = PromptAssembler.open(settings)  # without a release nothing would be retrieved
    with CampaignStore.from_url("sqlite://") as store, TurnHandler.open(
        settings, model=model, store=store, assembler=assembler
    ) as handler:
        for line in played:
            text, *options = line["args"]
            given = dict(zip(options[::2], options[1::2], strict=True))
            model.begin(line["turn"], line["replies"])
            result = handler.handle(TurnRequest(
                given["--campaign"], text, given.get("--mode", "story"),
                given.get("--audience", "player"), seed=SEED,
            ))
            model.turns[-1].fallback = result.fallback
            if progress:
                progress("turns", len(model.turns), len(played))
    return _report(model.turns, file, handler)


def _report(turns: Sequence[BilledTurn], file: Path, handler: TurnHandler) -> Report:
    mean = {name: float(np.mean([getattr(turn, name) for turn in turns]))
            for name in ("requests", "sent", "cached", "billed", "prefix", "header_history")}
    rows = [{**asdict(turn), "billed": round(turn.billed)} for turn in turns]
    heads = ("turn", "requests", "sent", "cached", "prefix", "header and history", "billed",
             "fallback")
    cells = tuple(
        (str(row["turn"]), str(row["requests"]), f"{row['sent']:,}", f"{row['cached']:,}",
         f"{row['prefix']:,}", f"{row['header_history']:,}", f"{row['billed']:,}",
         row["fallback"] or "") for row in rows
    )
    values = {"transcript": str(file), "package": str(PACKAGE),
              "version": handler.assembler.version, "turns": rows, "mean": mean}
    return Report(values, (
        f"{file} with {PACKAGE}, version {handler.assembler.version}",
        Table(heads, cells),
        (f"mean a turn: {mean['sent']:,.0f} sent, {mean['cached'] / mean['sent']:.0%} cached, "
         f"{mean['billed']:,.0f} billed; prefix {mean['prefix']:,.0f} of "
         f"{mean['header_history']:,.0f} in header and history"),
    ))
