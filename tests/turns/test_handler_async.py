"""The asynchronous twin: the same results, an event loop that runs on, and nothing left when it is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from mvp_site.errors import (
    CampaignConflictError,
    InvalidTurnError,
    ModelRequestError,
    ModelUnavailableError,
    NotEntitledError,
)
from mvp_site.llm.protocol import ModelReply, ModelRequest
from mvp_site.llm.scripted import ScriptedModel
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns import handler as handler_module
from mvp_site.turns.handler import Narrative, TurnHandler
from mvp_site.turns.types import TurnResult

from .conftest import MakeHandler
from .game import (
    CAMPAIGN,
    Replying,
    ask,
    broken,
    calling,
    count_up,
    counted,
    first,
    roll_call,
    said,
)

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


def four_ways(make: Callable[[], TurnHandler], request: Any) -> list[TurnResult]:
    """The results of a turn by each way to take it."""
    results = []
    for way in ("handle", "stream", "ahandle", "astream"):
        handler, mine = make(), replace(request, campaign_id=way)
        if way == "handle":
            results.append(handler.handle(mine))
        elif way == "stream":
            *_, result = handler.stream(mine)
            assert isinstance(result, TurnResult)
            results.append(result)
        elif way == "ahandle":
            results.append(asyncio.run(handler.ahandle(mine)))
        else:
            results.append(asyncio.run(last(handler.astream(mine))))
    return results


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_way_gives_the_same(make_handler: MakeHandler, store: CampaignStore, script: str) -> None:
    results = four_ways(lambda: make_handler(ScriptedModel.from_replies(SCRIPTS[script])), first())
    assert [plain(result) for result in results] == [plain(results[0])] * 4
    for result in results:
        assert store.turn(result.turn_id).answer == result.text
        assert store.load(result.campaign_id).version == 2


@pytest.mark.parametrize(
    ("request_", "error"),
    [(first("god: x"), NotEntitledError), (first(mode="admin"), InvalidTurnError), (first(state={"x": {1}}), InvalidTurnError)],  # type: ignore[arg-type]
    ids=["god", "mode", "state"],
)
def test_errors_are_raised_alike(make_handler: MakeHandler, store: CampaignStore, request_: Any, error: type[Exception]) -> None:
    handler = make_handler(Replying())
    for take in (lambda: asyncio.run(handler.ahandle(request_)), lambda: asyncio.run(last(handler.astream(request_)))):
        with pytest.raises(error):
            take()
    assert store.campaigns() == ()


def test_a_conflict_is_raised(make_handler: MakeHandler, store: CampaignStore) -> None:
    make_handler(Replying()).handle(first())

    def meanwhile(request: ModelRequest) -> ModelReply:
        make_handler(Replying()).handle(ask())
        return count_up(request)

    with pytest.raises(CampaignConflictError):
        asyncio.run(make_handler(Replying(meanwhile)).ahandle(ask()))
    assert store.load(CAMPAIGN).version == 3


# --- the event loop -----------------------------------------------------------------------------


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(30):
            await main()

    asyncio.run(bounded())


def test_the_loop_runs_on_while_the_model_is_asked(make_handler: MakeHandler) -> None:
    model = Replying()
    handler = make_handler(model)

    async def main() -> None:
        model.agate, model.aentered = asyncio.Event(), asyncio.Event()
        turn = asyncio.create_task(handler.ahandle(first()))
        await model.aentered.wait()
        for _ in range(100):
            await asyncio.sleep(0)
        assert not turn.done()
        model.agate.set()
        assert (await turn).fallback is None

    run(main)


@pytest.mark.parametrize("step", ["begin", "check", "finish"])
@pytest.mark.parametrize("way", ["ahandle", "astream"])
def test_the_loop_runs_on_while_the_handler_works(make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch, step: str, way: str) -> None:
    """What reads, checks and writes waits in a thread for something that the loop does."""
    model = Replying()
    handler = make_handler(model)
    entered, gate = threading.Event(), threading.Event()

    def held(call: Callable[..., Any]) -> Callable[..., Any]:
        def holding(*args: Any, **kwargs: Any) -> Any:
            entered.set()
            assert gate.wait(20)
            return call(*args, **kwargs)

        return holding

    if step == "check":
        monkeypatch.setattr("mvp_site.turns.opening.check", held(handler_module.begin.__globals__["check"]))
    else:
        monkeypatch.setattr(handler_module, step, held(getattr(handler_module, step)))

    async def main() -> None:
        turn = asyncio.create_task(handler.ahandle(first()) if way == "ahandle" else last(handler.astream(first())))
        while not entered.is_set():
            await asyncio.sleep(0)
        assert not turn.done()
        gate.set()
        assert (await turn).fallback is None

    run(main)


def test_turns_of_many_campaigns_at_once(make_handler: MakeHandler, store: CampaignStore) -> None:
    handler = make_handler(Replying())

    async def play(campaign: str) -> None:
        await handler.ahandle(first(campaign_id=campaign))
        for _ in range(4):
            await handler.ahandle(ask(campaign_id=campaign, seed=None))

    async def main() -> None:
        await asyncio.gather(*(play(f"c{number}") for number in range(12)))

    run(main)
    assert {store.load(f"c{number}").version for number in range(12)} == {6}


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
        await turn
        await asyncio.gather(*waiting)

    run(main)
    assert store.load(CAMPAIGN).state["custom_campaign_state"] == {"counter": 41}


# --- cancelled ----------------------------------------------------------------------------------


def test_cancelled_while_waiting_for_the_lock(make_handler: MakeHandler, store: CampaignStore) -> None:
    model = Replying()
    handler = make_handler(model)

    async def main() -> None:
        model.agate, model.aentered = asyncio.Event(), asyncio.Event()
        holder = asyncio.create_task(handler.ahandle(first("holder")))
        await model.aentered.wait()
        doomed = [asyncio.create_task(handler.ahandle(ask("doomed"))) for _ in range(3)]
        patient = asyncio.create_task(handler.ahandle(ask("patient")))
        while len(handler._locks._queues[CAMPAIGN]) < 5:
            await asyncio.sleep(0)
        for task in doomed:
            task.cancel()
        for task in doomed:
            with pytest.raises(asyncio.CancelledError):
                await task
        model.agate.set()
        await holder
        await patient

    run(main)
    assert len(handler._locks) == 0
    assert [one.user_input for one in store.history(CAMPAIGN)] == ["holder", "patient"]


@pytest.mark.parametrize("way", ["ahandle", "astream"])
def test_cancelled_while_the_model_is_asked(make_handler: MakeHandler, store: CampaignStore, way: str) -> None:
    model = Replying()
    handler = make_handler(model)

    async def main() -> None:
        model.agate, model.aentered = asyncio.Event(), asyncio.Event()
        turn = asyncio.create_task(handler.ahandle(first()) if way == "ahandle" else last(handler.astream(first())))
        await model.aentered.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert len(handler._locks) == 0
        assert model.streams_closed == (way == "astream")
        model.agate.set()
        assert (await handler.ahandle(first())).fallback is None

    run(main)
    assert store.load(CAMPAIGN).version == 2


@pytest.mark.parametrize("step", ["begin", "finish"])
def test_cancelled_while_the_handler_works(
    make_handler: MakeHandler, store: CampaignStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The lock is kept until the thread has ended: the next turn must not come between, nor conflict."""
    handler = make_handler(Replying())
    entered, gate = threading.Event(), threading.Event()
    real = getattr(handler_module, step)

    def held(*args: Any, **kwargs: Any) -> Any:
        entered.set()
        assert gate.wait(20)
        return real(*args, **kwargs)

    monkeypatch.setattr(handler_module, step, held)

    async def main() -> None:
        turn = asyncio.create_task(handler.ahandle(first("one")))
        while not entered.is_set():
            await asyncio.sleep(0)
        following = asyncio.create_task(handler.ahandle(first("two")))
        for _ in range(3):
            turn.cancel()
            await asyncio.sleep(0)
        assert not turn.done()
        assert len(handler._locks) == 1
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert (await following).fallback is None

    run(main)
    assert len(handler._locks) == 0
    expected = ["one", "two"] if step == "finish" else ["two"]
    assert [one.user_input for one in store.history(CAMPAIGN)] == expected


def test_an_error_after_the_caller_left_is_nobodys(make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    handler = make_handler(Replying())
    entered, gate = threading.Event(), threading.Event()

    def fail(*args: Any, **kwargs: Any) -> Any:
        entered.set()
        assert gate.wait(20)
        raise RuntimeError("too late")

    monkeypatch.setattr(handler_module, "finish", fail)

    async def main() -> None:
        problems: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: problems.append(context))
        turn = asyncio.create_task(handler.ahandle(first()))
        while not entered.is_set():
            await asyncio.sleep(0)
        turn.cancel()
        await asyncio.sleep(0)
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await turn
        del turn
        assert problems == []

    run(main)


def test_a_consumer_of_a_stream_that_stops_early(make_handler: MakeHandler, store: CampaignStore) -> None:
    model = Replying()
    handler = make_handler(model)
    handler.handle(first())
    before = store.load(CAMPAIGN)

    async def main() -> None:
        events = handler.astream(ask())
        async for event in events:
            if isinstance(event, Narrative):
                break
        await events.aclose()  # type: ignore[attr-defined]
        assert len(handler._locks) == 0
        assert model.streams_closed == 1
        assert store.load(CAMPAIGN) == before
        assert (await handler.ahandle(ask())).fallback is None

    run(main)


def test_closing_waits_for_what_is_being_written(make_handler: MakeHandler, store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    handler = make_handler(Replying())
    entered, gate = threading.Event(), threading.Event()
    real = handler_module.finish

    def held(*args: Any, **kwargs: Any) -> Any:
        entered.set()
        assert gate.wait(20)
        return real(*args, **kwargs)

    monkeypatch.setattr(handler_module, "finish", held)
    order: list[str] = []
    monkeypatch.setattr(store, "close", lambda: order.append("closed"))

    def close() -> None:
        assert entered.wait(20)
        closing.set()
        handler.close()

    async def main() -> None:
        turn = asyncio.create_task(handler.ahandle(first()))
        turn.add_done_callback(lambda _: order.append("done"))
        while not closing.is_set():
            await asyncio.sleep(0)
        assert order == []
        gate.set()
        assert (await turn).fallback is None

    closing = threading.Event()
    thread = threading.Thread(target=close)
    thread.start()
    run(main)
    thread.join()
    assert sorted(order) == ["closed", "done"]
    assert store.load(CAMPAIGN).version == 2
