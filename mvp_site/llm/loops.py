"""One client of an async SDK for each event loop.

Connections belong to the loop that opened them, while a model belongs to the whole process: a
server keeps one loop for days, a script may start one a turn. A loop's client is closed by the
loop's own end (``asyncio.run`` closes what async generators hold), or before it by ``aclose``.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary


class LoopClients:
    """The clients, each made when its loop first asks. Safe to use from several threads."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._held: WeakKeyDictionary[
            asyncio.AbstractEventLoop, tuple[AsyncGenerator[Any, None], Any]
        ] = WeakKeyDictionary()
        self._closing: set[asyncio.Task[None]] = set()

    async def get(self) -> Any:
        """The running loop's client."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [held for held in self._held if held.is_closed()]:
                del self._held[ended]
            if loop in self._held:
                return self._held[loop][1]
        holder = self._hold()
        client = await anext(holder)  # nothing is awaited in it: no other task comes between
        with self._lock:
            self._held[loop] = (holder, client)
        return client

    async def _hold(self) -> AsyncGenerator[Any, None]:
        client = self._make()
        try:
            yield client
        finally:
            await client.close()

    async def aclose(self) -> None:
        """Close the running loop's client."""
        with self._lock:
            holder, _ = self._held.pop(asyncio.get_running_loop(), (None, None))
        if holder is not None:
            await holder.aclose()

    def close(self) -> None:
        """Have every loop that runs close its client soon; one that does not, when it ends."""
        with self._lock:
            running = [(loop, held) for loop, (held, _) in self._held.items() if loop.is_running()]
        for loop, holder in running:
            with suppress(RuntimeError):  # it has ended in the meantime
                loop.call_soon_threadsafe(self._start_close, loop, holder)

    def _start_close(self, loop: asyncio.AbstractEventLoop,
                     holder: AsyncGenerator[Any, None]) -> None:
        # Kept in `_held` as well: a loop that ends before the task begins closes what is left.
        task = loop.create_task(_closed(holder))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _closed(holder: AsyncGenerator[Any, None]) -> None:
    await holder.aclose()
