"""Named locks: one holder a name, in the order of asking, and nothing left behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from mvp_site.turns.concurrency import NamedLocks


def waiting(locks: NamedLocks, name: str, many: int) -> None:
    """Return when so many stand in the queue of a name."""
    until(lambda: len(locks._queues.get(name, ())) >= many)


def until(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(20_000):
        if holds():
            return
        pause.wait(0.001)
    pytest.fail("it never came")


def test_one_holder_at_a_time_in_the_order_of_asking() -> None:
    locks, order = NamedLocks(), list[int]()

    def enter(number: int) -> None:
        with locks.hold("a"):
            order.append(number)

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(20)]
    with locks.hold("a"):
        for number, thread in enumerate(threads):
            thread.start()
            waiting(locks, "a", number + 2)
    for thread in threads:
        thread.join()
    assert order == list(range(20))
    assert len(locks._queues) == 0


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit])
def test_an_error_gives_the_lock_back(error: type[BaseException]) -> None:
    locks = NamedLocks()
    with pytest.raises(error), locks.hold("a"):
        raise error
    assert len(locks._queues) == 0
    with locks.hold("a"):
        pass


def test_threads_and_coroutines_stand_in_one_queue() -> None:
    locks, order = NamedLocks(), list[str]()

    def enter(name: str) -> None:
        with locks.hold("a"):
            order.append(name)

    async def aenter(name: str) -> None:
        async with locks.ahold("a"):
            order.append(name)
            await asyncio.to_thread(waiting, locks, "a", 1)

    async def both() -> None:
        with ThreadPoolExecutor(8) as threads:
            async with locks.ahold("a"):
                tasks: list[object] = []
                for number in range(6):
                    if number % 2:
                        tasks.append(asyncio.create_task(aenter(f"task {number}")))
                    else:
                        tasks.append(asyncio.wrap_future(threads.submit(enter, f"thread {number}")))
                    while len(locks._queues["a"]) < number + 2:
                        await asyncio.to_thread(waiting, locks, "a", number + 2)
            await asyncio.gather(*tasks)  # type: ignore[call-overload]

    asyncio.run(both())
    assert order == ["thread 0", "task 1", "thread 2", "task 3", "thread 4", "task 5"]
    assert len(locks._queues) == 0


def test_a_waiter_that_is_cancelled_leaves_the_queue() -> None:
    locks = NamedLocks()

    async def wait() -> None:
        async with locks.ahold("a"):
            pytest.fail("it was cancelled before")

    async def main() -> None:
        with locks.hold("a"):
            tasks = [asyncio.create_task(wait()) for _ in range(3)]
            await asyncio.sleep(0)
            assert len(locks._queues["a"]) == 4
            for task in tasks:
                task.cancel()
            for task in tasks:
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert len(locks._queues["a"]) == 1
        assert len(locks._queues) == 0
        async with locks.ahold("a"):
            pass

    asyncio.run(main())
    assert len(locks._queues) == 0


@pytest.mark.parametrize("threaded", [True, False])
def test_a_waiter_that_is_cancelled_when_its_turn_has_come_hands_it_on(threaded: bool) -> None:
    locks, got = NamedLocks(), list[str]()

    async def wait(name: str) -> None:
        async with locks.ahold("a"):
            got.append(name)

    async def main() -> None:
        holder = locks.hold("a")
        holder.__enter__()
        doomed, other = asyncio.create_task(wait("doomed")), asyncio.create_task(wait("other"))
        await asyncio.sleep(0)
        if threaded:
            thread = threading.Thread(target=holder.__exit__, args=(None, None, None))
            thread.start()
            thread.join()  # the lock is the doomed one's, which has not heard of it yet
        else:
            holder.__exit__(None, None, None)
        doomed.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doomed
        await other

    asyncio.run(main())
    assert got == ["other"]
    assert len(locks._queues) == 0
