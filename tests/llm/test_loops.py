"""One async client for each event loop, closed with it."""

from __future__ import annotations

import asyncio
import gc
import threading

from mvp_site.llm.loops import LoopClients


class Client:
    """A client that notes on which loop it was closed."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.closed_on: asyncio.AbstractEventLoop | None = None

    async def close(self) -> None:
        await asyncio.sleep(0)
        assert self.closed_on is None
        self.closed_on = asyncio.get_running_loop()

    @property
    def well_closed(self) -> bool:
        return self.closed_on is self.loop


def test_a_loop_has_one_and_closes_it() -> None:
    clients = LoopClients(Client)

    async def several() -> set[Client]:
        found = await asyncio.gather(*(clients.get() for _ in range(5)))
        assert await clients.get() in found
        return set(found)

    first, second = asyncio.run(several()), asyncio.run(several())
    assert len(first) == len(second) == 1
    assert first.isdisjoint(second)
    assert all(client.well_closed for client in first | second)
    asyncio.run(several())
    assert len(clients._held) == 1  # loops that ended are forgotten


def test_loops_in_threads_have_their_own() -> None:
    clients = LoopClients(Client)
    found: list[Client] = []
    together = threading.Barrier(4)

    async def take() -> None:
        await asyncio.to_thread(together.wait)
        found.append(await clients.get())
        await asyncio.to_thread(together.wait)

    threads = [threading.Thread(target=asyncio.run, args=(take(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 4
    assert all(client.well_closed for client in found)


def test_aclose_waits() -> None:
    clients = LoopClients(Client)

    async def play() -> None:
        await clients.aclose()
        client = await clients.get()
        await clients.aclose()
        assert client.well_closed
        assert await clients.get() is not client

    asyncio.run(play())


def test_close_reaches_a_loop_of_another_thread() -> None:
    clients = LoopClients(Client)
    ready, done = threading.Event(), threading.Event()
    found: list[Client] = []

    async def serve() -> None:
        found.append(await clients.get())
        ready.set()
        await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    ready.wait()
    clients.close()
    done.set()
    thread.join()
    assert found[0].well_closed


def test_close_within_the_loop_and_after_it() -> None:
    clients = LoopClients(Client)

    async def play() -> Client:
        client: Client = await clients.get()
        clients.close()
        return client

    client = asyncio.run(play())
    assert client.well_closed
    clients.close()
    gc.collect()


def test_a_loop_that_rests_closes_at_its_end() -> None:
    clients = LoopClients(Client)
    with asyncio.Runner() as runner:
        client = runner.run(clients.get())
        clients.close()
        assert client.closed_on is None
    assert client.well_closed
