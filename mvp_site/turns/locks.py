"""Locks by name: turns of one campaign wait for each other, turns of others do not."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager

_Place = Future[None]


class NamedLocks:
    """As many locks as names are in use just now: a name that nobody holds costs nothing.

    Each name has a queue, whose first place holds the lock; it is handed on in the order in which
    threads and coroutines asked for it, so that nobody waits for ever. A lock is not re-entrant.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[_Place]] = {}
        self._guard = threading.Lock()

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Wait for the lock of ``name``, and hold it for the block."""
        place = self._join(name)
        try:
            place.result()
            yield
        finally:
            self._leave(name, place)

    @asynccontextmanager
    async def ahold(self, name: str) -> AsyncIterator[None]:
        """The same without blocking the event loop; who is cancelled leaves the queue."""
        place = self._join(name)
        try:
            await asyncio.wrap_future(place)
            yield
        finally:
            self._leave(name, place)

    def __len__(self) -> int:
        with self._guard:
            return len(self._queues)

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
            held = queue[0] is place
            queue.remove(place)
            if not queue:
                del self._queues[name]
            elif held:
                _grant(queue[0])


def _grant(place: _Place) -> None:
    # A place that was cancelled but has not left yet hands the lock on when it does.
    if place.set_running_or_notify_cancel():
        place.set_result(None)
