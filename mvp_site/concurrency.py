"""Locks, worker threads and event loops."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_Place = Future[None]

THREADS: Final = 8


class NamedLocks:
    """As many locks as names are in use just now: a name that nobody holds costs nothing.

    Each name has a queue, whose first place holds the lock; it is handed on in the order in which
    coroutines, of whatever event loops, asked for it, so that nobody waits for ever. A lock is not
    re-entrant.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[_Place]] = {}
        self._guard = threading.Lock()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Wait for the lock of ``name``, and hold it for the block.

        A caller who is cancelled leaves the queue.
        """
        place = self._join(name)
        try:
            await asyncio.wrap_future(place)
            yield
        finally:
            self._leave(name, place)

    def _join(self, name: str) -> _Place:
        place = _Place()
        with self._guard:
            queue = self._queues.setdefault(name, deque())
            queue.append(place)
            if queue[0] is place:
                _grant(place)
        return place

    def _leave(self, name: str, place: _Place) -> None:
        with self._guard:
            queue = self._queues[name]
            is_first = queue[0] is place
            queue.remove(place)
            if not queue:
                del self._queues[name]
            elif is_first:
                _grant(queue[0])


def _grant(place: _Place) -> None:
    # A place that was cancelled but has not left yet hands the lock on when it does.
    if place.set_running_or_notify_cancel():
        place.set_result(None)


class BlockingThreads:
    """Worker threads for calls that would block an event loop.

    They are not the loop's default threads, which may all be waiting for the lock that the caller
    holds.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="mvp-site-turn")
        self.closed = False

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What ``call`` returns. A caller who is cancelled still waits until it has ended.

        So no call goes on after its caller has released a lock.
        """
        running = asyncio.wrap_future(
            self._threads.submit(copy_context().run, partial(call, *args, **kwargs))
        )
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            while not running.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({running})
            if not running.cancelled():
                running.exception()  # read it, or asyncio logs that nobody did
            raise

    def close(self) -> None:
        """Wait for the calls that are under way, and end the threads."""
        self.closed = True
        self._threads.shutdown()


@contextmanager
def ended(pieces: Iterator[T]) -> Iterator[Iterator[T]]:
    """``pieces`` for the block; a generator is closed at its end, not some time later."""
    try:
        yield pieces
    finally:
        if close := getattr(pieces, "close", None):
            close()


@asynccontextmanager
async def ended_async(pieces: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """The same for an asynchronous generator."""
    try:
        yield pieces
    finally:
        if close := getattr(pieces, "aclose", None):
            await close()


@contextmanager
def own_loop() -> Iterator[Callable[[Coroutine[Any, Any, T]], T]]:
    """What runs coroutines, one after the other, on an event loop that ends with the block.

    The loop runs in this thread, or beside it where the thread runs a loop already, which is then
    blocked meanwhile.
    """
    runner = asyncio.Runner()
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with runner:
            yield runner.run
        return
    with ThreadPoolExecutor(1, thread_name_prefix="mvp-site-loop") as thread:
        context = copy_context()
        try:
            yield lambda coroutine: thread.submit(context.run, runner.run, coroutine).result()
        finally:
            thread.submit(runner.close).result()


def events_of(stream: AsyncIterator[T]) -> Iterator[T]:
    """What comes of ``stream``, for a caller who has no event loop, or may block the one it has.

    Who stops early ends the stream by closing this one.
    """
    async def following() -> T | None:
        return await anext(stream, None)

    async def end() -> None:
        async with ended_async(stream):
            pass

    with own_loop() as run:
        try:
            while (event := run(following())) is not None:
                yield event
        finally:
            run(end())
