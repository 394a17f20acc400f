"""What is done beside an event loop or within a block, and has ended when the caller leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 8


class Asides:
    """A few threads of their own for calls that would block an event loop.

    Not the loop's default ones: those may all be waiting for the very lock that the caller holds.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="mvp-site-turn")

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What ``call`` gives. A caller who is cancelled leaves when it has ended.

        So nothing goes on behind a lock that was given back.
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
                running.exception()  # nobody is left to hear of it
            raise

    def close(self) -> None:
        """Wait for the calls that are under way, and end the threads."""
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
