"""The asynchronous twin: the same results, an event loop that runs on, and nothing left when it is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from mvp_site.errors import ModelRequestError, ModelUnavailableError
from mvp_site.llm.protocol import ModelRequest
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns import assembling
from mvp_site.turns import handler as handler_module
from mvp_site.turns.handler import TurnHandler
from mvp_site.turns.types import TurnResult
from tests.scripted import Scripted

from .conftest import MakeHandler
from .game import CAMPAIGN, Replying, ask, broken, calling, counted, first, roll_call, said

SCRIPTS: dict[str, list[Any]] = {
    "at once": [said(counted(1))],
    "mended": [said(broken()), said(counted(1))],
    "contract": ["no", "no"],
    "away": [ModelUnavailableError("down"), counted(1)],
    "away twice": [ModelUnavailableError("down")] * 2,
    "refused": [ModelRequestError("no key")],
    "rolled": [calling(), calling(roll_call("1d8", None)), broken(), counted(1)],
    "endless": [calling()] * 16,
    "empty": ["", counted(1)],
    "cut off in the middle": [{"text": counted(1)[:200], "error": "unavailable"}, counted(1)],
}


def plain(result: TurnResult) -> TurnResult:
    """A result without what differs from turn to turn: its id and its times."""
    event = {name: value for name, value in result.telemetry.items() if name not in {"ms", "cached"}}
    event["turn"] = {name: value for name, value in event["turn"].items() if name not in {"id", "ms"}}
    event["turn"]["attempts"] = [{**attempt, "seconds": 0} for attempt in event["turn"]["attempts"]]
    attempts = tuple(replace(attempt, seconds=0.0) for attempt in result.attempts)
    return replace(result, turn_id="", campaign_id="", attempts=attempts, telemetry=event)


async def last(events: Any) -> TurnResult:
    found = [event async for event in events]
    assert isinstance(found[-1], TurnResult)
    return found[-1]


def taken(handler: TurnHandler, way: str, request: Any) -> TurnResult:
    """The result of a turn by one way to take it."""
    if way == "handle":
        return handler.handle(request)
    if way == "stream":
        *_, result = handler.stream(request)
        assert isinstance(result, TurnResult)
        return result
    return asyncio.run(taking(handler, way, request))


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_way_gives_the_same(make_handler: MakeHandler, store: CampaignStore, script: str) -> None:
    results = [taken(make_handler(Scripted(SCRIPTS[script])), way, first(campaign_id=way))
               for way in ("handle", "stream", "ahandle", "astream")]
    assert [plain(result) for result in results] == [plain(results[0])] * 4
    for result in results:
        assert store.turn(result.turn_id).answer == result.text
        assert store.load(result.campaign_id).version == 2


def taking(handler: TurnHandler, way: str, request: Any) -> Coroutine[Any, Any, TurnResult]:
    return handler.ahandle(request) if way == "ahandle" else last(handler.astream(request))


WAYS = pytest.mark.parametrize("way", ["ahandle", "astream"])


class Held:
    """A step of the handler that waits in its thread for ``gate``, or fails after it."""

    def __init__(self) -> None:
        self.entered, self.gate = threading.Event(), threading.Event()

    def __call__(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def holding(*args: Any, **kwargs: Any) -> Any:
            self.entered.set()
            assert self.gate.wait(20)
            return call(*args, **kwargs)

        return holding

    async def begun(self) -> None:
        while not self.entered.is_set():
            await asyncio.sleep(0)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Held]:
    """What holds ``assemble``, ``check_answer`` or ``commit``; ``instead`` is done then in its place."""

    def hold(step: str, instead: Callable[..., Any] | None = None) -> Held:
        holder, module = Held(), assembling if step == "check_answer" else handler_module
        monkeypatch.setattr(module, step, holder(instead or getattr(module, step)))
        return holder

    return hold


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(30):
            await main()

    asyncio.run(bounded())


# --- the event loop -----------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["assemble", "check_answer", "commit"])
@WAYS
def test_the_loop_runs_on_while_the_handler_works(make_handler: MakeHandler, held: Callable[..., Held], step: str, way: str) -> None:
    """What reads, checks and writes waits in a thread for something that the loop does."""
    handler, holder = make_handler(Replying()), held(step)

    async def main() -> None:
        turn = asyncio.create_task(taking(handler, way, first()))
        await holder.begun()
        assert not turn.done()
        holder.gate.set()
        assert (await turn).fallback is None

    run(main)


def test_threads_that_wait_on_the_loops_executor_stop_nothing(make_handler: MakeHandler, store: CampaignStore) -> None:
    """All of its threads wait for the campaign that a coroutine holds, which needs a thread to go on."""
    model = Replying()
    handler = make_handler(model)

    async def main() -> None:
        model.agate, model.aentered = asyncio.Event(), asyncio.Event()
        turn = asyncio.create_task(handler.ahandle(first()))
        await model.aentered.wait()
        waiting = [asyncio.create_task(asyncio.to_thread(handler.handle, ask(seed=None))) for _ in range(40)]
        while len(handler._locks._queues[CAMPAIGN]) < 5:
            await asyncio.sleep(0)
        model.agate.set()
        await asyncio.gather(turn, *waiting)

    run(main)
    assert store.load(CAMPAIGN).state["custom_campaign_state"] == {"counter": 41}


# --- cancelled ----------------------------------------------------------------------------------


@WAYS
def test_cancelled_while_the_model_is_asked(make_handler: MakeHandler, store: CampaignStore, way: str) -> None:
    model = Replying()
    handler = make_handler(model)

    async def main() -> None:
        model.agate, model.aentered = asyncio.Event(), asyncio.Event()
        turn = asyncio.create_task(taking(handler, way, first()))
        await model.aentered.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert len(handler._locks._queues) == 0
        assert model.streams_closed == (way == "astream")
        model.agate.set()
        assert (await handler.ahandle(first())).fallback is None

    run(main)
    assert store.load(CAMPAIGN).version == 2


@pytest.mark.parametrize("step", ["assemble", "commit"])
def test_cancelled_while_the_handler_works(make_handler: MakeHandler, store: CampaignStore, held: Callable[..., Held], step: str) -> None:
    """The lock is kept until the thread has ended: the next turn must not come between, nor conflict."""
    handler, holder = make_handler(Replying()), held(step)

    async def main() -> None:
        turn = asyncio.create_task(handler.ahandle(first("one")))
        await holder.begun()
        following = asyncio.create_task(handler.ahandle(first("two")))
        for _ in range(3):
            turn.cancel()
            await asyncio.sleep(0)
        assert not turn.done()
        assert len(handler._locks._queues) == 1
        holder.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert (await following).fallback is None

    run(main)
    expected = ["one", "two"] if step == "commit" else ["two"]
    assert [one.user_input for one in store.history(CAMPAIGN)] == expected


def test_closing_waits_for_what_is_being_written(make_handler: MakeHandler, store: CampaignStore, held: Callable[..., Held], monkeypatch: pytest.MonkeyPatch) -> None:
    handler, holder = make_handler(Replying()), held("commit")
    order: list[str] = []
    monkeypatch.setattr(store, "close", lambda: order.append("closed"))
    closing = threading.Event()

    def close() -> None:
        assert holder.entered.wait(20)
        closing.set()
        handler.close()

    async def main() -> None:
        turn = asyncio.create_task(handler.ahandle(first()))
        while not closing.is_set():
            await asyncio.sleep(0)
        assert order == []
        holder.gate.set()
        assert (await turn).fallback is None

    thread = threading.Thread(target=close)
    thread.start()
    run(main)
    thread.join()
    assert order == ["closed"]
    assert store.load(CAMPAIGN).version == 2


@pytest.mark.parametrize("pieces", [[], [counted(1)], [counted(1), said(counted(1)), "and another thing"]], ids=["nothing", "text alone", "more after the reply"])
def test_a_stream_of_a_model_that_ends_without_a_reply_is_a_failed_attempt(make_handler: MakeHandler, pieces: list[Any]) -> None:
    class Wordless(Replying):
        async def astream(self, request: ModelRequest) -> AsyncIterator[Any]:
            for piece in pieces:
                yield piece

    result = taken(make_handler(Wordless()), "stream", first())
    assert result.fallback == "model"
    assert [attempt.error for attempt in result.attempts] == ["replying:test ended its stream without a reply: try again"] * 2
