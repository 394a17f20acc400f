"""Named locks: one holder a name, in the order of asking, and nothing left behind; loops for who has none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar

import pytest

from mvp_site.concurrency import NamedLocks, events_of, own_loop


def until(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(20_000):
        if holds():
            return
        pause.wait(0.001)
    pytest.fail("it never came")


def test_one_holder_at_a_time_in_the_order_of_asking_whatever_the_loop() -> None:
    locks, order, let = NamedLocks(), list[int](), threading.Event()

    async def enter(number: int) -> None:
        async with locks.hold("a"):
            order.append(number)
            while not let.is_set():
                await asyncio.sleep(0.001)

    async def two(number: int) -> None:
        first = asyncio.create_task(enter(number))
        await asyncio.sleep(0)
        await asyncio.gather(first, enter(number + 1))

    threads = [threading.Thread(target=lambda number=number: asyncio.run(two(number))) for number in range(0, 12, 2)]
    for number, thread in enumerate(threads):
        thread.start()
        until(lambda many=2 * number + 2: len(locks._queues.get("a", ())) >= many)  # type: ignore[misc]
    let.set()
    for thread in threads:
        thread.join()
    assert order == list(range(12))
    assert len(locks._queues) == 0


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, asyncio.CancelledError])
def test_an_error_or_a_waiter_that_is_cancelled_gives_the_lock_back(error: type[BaseException]) -> None:
    locks = NamedLocks()

    async def enter(then: Exception | type[BaseException]) -> None:
        async with locks.hold("a"):
            raise then

    async def main() -> None:
        async with locks.hold("a"):
            tasks = [asyncio.create_task(enter(AssertionError("it was cancelled before"))) for _ in range(3)]
            await asyncio.sleep(0)
            assert len(locks._queues["a"]) == 4
            for task in tasks:
                task.cancel()
            assert [type(ended) for ended in await asyncio.gather(*tasks, return_exceptions=True)] == [asyncio.CancelledError] * 3
            assert len(locks._queues["a"]) == 1
        await enter(error)

    with pytest.raises(error):
        asyncio.run(main())
    assert len(locks._queues) == 0


@pytest.mark.parametrize("threaded", [True, False])
def test_a_waiter_that_is_cancelled_when_its_turn_has_come_hands_it_on(threaded: bool) -> None:
    locks, got, let = NamedLocks(), list[str](), threading.Event()

    async def wait(name: str) -> None:
        async with locks.hold("a"):
            got.append(name)

    async def holding(entered: threading.Event) -> None:
        async with locks.hold("a"):
            entered.set()
            assert await asyncio.to_thread(let.wait, 20)

    async def main() -> None:
        entered = threading.Event()
        thread = threading.Thread(target=lambda: asyncio.run(holding(entered)))
        if threaded:
            thread.start()
            assert entered.wait(20)
        else:
            holder = asyncio.create_task(holding(entered))
            await asyncio.sleep(0)
        doomed, other = asyncio.create_task(wait("doomed")), asyncio.create_task(wait("other"))
        await asyncio.sleep(0)
        let.set()
        if threaded:
            thread.join()  # the lock is the doomed one's, which has not heard of it yet
        else:
            await holder
        doomed.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doomed
        await other

    asyncio.run(main())
    assert got in (["other"], ["doomed", "other"])
    assert len(locks._queues) == 0


# Loops for who has none

WHERE: ContextVar[str] = ContextVar("where", default="nowhere")


@pytest.mark.parametrize("running", [False, True])
def test_a_coroutine_runs_for_a_caller_with_or_without_a_loop(running: bool) -> None:
    async def ask() -> str:
        await asyncio.sleep(0)
        return WHERE.get()

    def asked() -> str:
        WHERE.set("here")
        with own_loop() as run:
            return run(ask())

    async def main() -> str:
        return asked()

    assert (asyncio.run(main()) if running else asked()) == "here"


@pytest.mark.parametrize("running", [False, True])
def test_a_stream_goes_no_further_than_it_is_read_and_ends_with_its_reader(running: bool) -> None:
    told: list[str] = []

    async def count() -> AsyncIterator[int]:
        try:
            for number in range(1, 5):
                told.append(f"{number}")
                yield number
        finally:
            await asyncio.sleep(0)
            told.append("ended")

    def read() -> None:
        events = events_of(count())
        assert [next(events), next(events)] == [1, 2]
        events.close()  # type: ignore[attr-defined]
        assert told == ["1", "2", "ended"]

    async def main() -> None:
        read()

    asyncio.run(main()) if running else read()
    assert list(events_of(count())) == [1, 2, 3, 4]
