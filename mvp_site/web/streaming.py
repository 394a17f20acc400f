"""Answers that are told as they come: server-sent events, with a sign of life while nothing comes.

An event's value stands as JSON on one line, with all that is not ASCII escaped: no text can end it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any, Final

Event = tuple[str, Any]

EVENT_STREAM: Final = "text/event-stream"
HEADERS: Final = {"X-Accel-Buffering": "no"}
"""What tells a proxy to hand each event on at once."""
ALIVE: Final = b":\n\n"
"""A comment: it keeps a connection open, and finds out that it has been closed."""
LOOK: Final = 1.0
"""Seconds between two looks at whether the client has gone, while nothing comes."""
SILENCE: Final = 10
"""After so many looks there is a comment."""


def frame(event: Event, dumps: Callable[[Any], str]) -> bytes:
    """The bytes of an event. ``dumps`` gives JSON in ASCII, on one line."""
    return f"event: {event[0]}\ndata: {dumps(event[1])}\n\n".encode("ascii")


class EventStream:
    """The bytes of ``events``, of which ``first`` has been taken.

    Each of the others is asked for when the one before has been sent, so that nothing goes on for
    a client who has ``gone``; a thread waits for it, and :meth:`close` ends the events there too.
    ``failed`` makes the last event of what they raise.
    """

    def __init__(self, first: Event, events: Iterator[Event], *, dumps: Callable[[Any], str],
                 failed: Callable[[Exception], Event], is_gone: Callable[[], bool]) -> None:
        self._first, self._events = first, events
        self._dumps, self._failed, self._gone = dumps, failed, is_gone
        self._context = copy_context()
        self._thread = ThreadPoolExecutor(1, "mvp-site-stream")

    def __iter__(self) -> Iterator[bytes]:
        event: Event | None = self._first
        while event is not None:
            yield frame(event, self._dumps)
            if self._gone():
                return
            future = self._thread.submit(self._context.run, self._next)
            silent = 0
            while not wait({future}, LOOK).done:
                if self._gone():
                    return
                silent += 1
                if silent % SILENCE == 0:
                    yield ALIVE
            try:
                event = future.result()
            except Exception as error:  # noqa: BLE001 - the status is sent: all is told in the stream
                yield frame(self._failed(error), self._dumps)
                return

    def _next(self) -> Event | None:
        return next(self._events, None)

    def close(self) -> None:
        """End the events where they are, after the one that is being waited for."""
        end: Callable[[], None] = getattr(self._events, "close", lambda: None)
        self._thread.submit(self._context.run, end)
        self._thread.shutdown(wait=False)
