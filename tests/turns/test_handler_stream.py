"""Streams: stages in order, the narrative in pieces, the result last, and an early end that leaves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from mvp_site.errors import ModelUnavailableError
from mvp_site.llm.protocol import ModelReply, ModelRequest
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.asking import Stage
from mvp_site.turns.handler import Narrative, TurnEvent, TurnHandler
from mvp_site.turns.types import TurnRequest, TurnResult
from tests.scripted import Scripted

from .conftest import MakeHandler
from .game import (
    CAMPAIGN,
    ROLLED,
    Replying,
    ask,
    broken,
    calling,
    counted,
    first,
    raising,
    said,
)


def events(handler: TurnHandler, request: TurnRequest, way: str) -> list[TurnEvent]:
    if way == "stream":
        return list(handler.stream(request))

    async def gathered() -> list[TurnEvent]:
        return [event async for event in handler.astream(request)]

    return asyncio.run(gathered())


def told(found: list[TurnEvent]) -> list[str]:
    """The stages, and what is narrated between them as one word."""
    names: list[str] = []
    for event in found:
        name = event.name if isinstance(event, Stage) else "…" if isinstance(event, Narrative) else "result"
        if not (name == "…" and names[-1:] == ["…"]):
            names.append(name)
    return names


def shown(found: list[TurnEvent]) -> str:
    """The narrative as a consumer has it at the end, who takes back what a stage takes back."""
    text = ""
    for event in found:
        if isinstance(event, Narrative):
            text += event.text
        elif isinstance(event, Stage) and event.name in {"rolled", "failed", "rejected"}:
            text = ""
    return text


WAYS = pytest.mark.parametrize("way", ["stream", "astream"])


@WAYS
@pytest.mark.parametrize(
    ("replies", "expected"),
    [([counted(1)], ["assembled", "asked", "…", "accepted", "result"]),
     ([broken(), counted(1)], ["assembled", "asked", "…", "rejected", "asked", "…", "accepted", "result"]),
     (["no", "no"], ["assembled", "asked", "rejected", "asked", "rejected", "result"]),
     ([calling(), counted(1, dice_rolls=ROLLED)], ["assembled", "asked", "rolled", "…", "accepted", "result"]),
     ([calling(text=counted(1)), counted(1, dice_rolls=ROLLED)], ["assembled", "asked", "…", "rolled", "…", "accepted", "result"]),
     ([ModelUnavailableError("down"), counted(1)], ["assembled", "asked", "failed", "asked", "…", "accepted", "result"]),
     ([{"text": counted(1)[:400], "error": "unavailable"}, counted(1)],
      ["assembled", "asked", "…", "failed", "asked", "…", "accepted", "result"]),
     ([{"text": counted(1), "error": "request"}], ["assembled", "asked", "…", "failed", "result"]),
     (["", counted(1)], ["assembled", "asked", "failed", "asked", "…", "accepted", "result"])],
    ids=["at once", "mended", "contract", "rolled", "told and rolled", "away", "broke off", "refused", "empty"],
)
def test_stages_and_narrative_in_order(make_handler: MakeHandler, replies: list[Any], expected: list[str], way: str) -> None:
    found = events(make_handler(Scripted(replies)), first(), way)
    assert told(found) == expected
    result = found[-1]
    assert isinstance(result, TurnResult)
    assert sum(isinstance(event, TurnResult) for event in found) == 1
    if result.fallback is None:
        assert shown(found) == result.response["narrative"]
    else:
        assert shown(found) == ""
    numbers = [event.attempt for event in found if not isinstance(event, TurnResult)]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    "after", ["assembled", "asked", "narrative", "rejected", "rolled", "accepted"],
)
def test_a_consumer_that_stops_early_leaves_the_campaign_as_it_was(make_handler: MakeHandler, store: CampaignStore, after: str) -> None:
    replies = {"rejected": ["no"], "rolled": [calling()]}.get(after, [])
    model = Replying(raising(counted(1), *replies, counted(2), counted(2)))
    handler = make_handler(model)
    handler.handle(first())
    before, turns = store.load(CAMPAIGN), store.turns()
    stream = handler.stream(ask())
    for event in stream:
        if (event.name if isinstance(event, Stage) else "narrative") == after:  # type: ignore[union-attr]
            break
    assert len(handler._locks._queues) == 1
    stream.close()  # type: ignore[attr-defined]
    assert len(handler._locks._queues) == 0
    assert store.load(CAMPAIGN) == before
    assert store.turns() == turns
    assert model.streams_closed == len(model.requests) - 1
    assert handler.handle(ask()).fallback is None


@WAYS
@pytest.mark.parametrize("ending", ["nothing", "text alone", "more after the reply"])
def test_a_stream_of_a_model_that_ends_without_a_reply_is_a_failed_attempt(make_handler: MakeHandler, way: str, ending: str) -> None:
    class Wordless(Replying):
        def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
            self.requests.append(request)
            if ending != "nothing":
                yield counted(1)
            if ending == "more after the reply":
                yield said(counted(1))
                yield "and another thing"

        async def astream(self, request: ModelRequest) -> Any:
            for piece in self.stream(request):
                yield piece

    found = events(make_handler(Wordless()), first(), way)
    result = found[-1]
    assert isinstance(result, TurnResult)
    assert result.fallback == "model"
    assert [attempt.error for attempt in result.attempts] == ["replying:test ended its stream without a reply: try again"] * 2
