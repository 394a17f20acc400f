"""Turns as server-sent events on an event loop, for Starlette, FastAPI and other ASGI servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from functools import partial
from typing import Any, Final

from ..concurrency import ended_async
from ..operations.player_view import StreamFilter, for_asker
from ..turns.handler import TurnEvent, TurnHandler
from ..turns.types import TurnRequest, TurnResult
from ..web.failures import error_body, failure_of
from ..web.streaming import ALIVE, frame

SILENCE: Final = 10.0
"""Seconds without an event after which there is a comment."""


async def events(handler: TurnHandler, turn: TurnRequest, *, entitled: bool = False,
                 ) -> AsyncIterator[bytes]:
    """The bytes of ``text/event-stream`` for a turn: the events of the API's own streams.

    ``entitled`` says that who reads may see what is the DM's. What fails is the last event,
    ``error``. Who stops reading leaves the campaign as it was.
    """
    stream_filter = StreamFilter(entitled=entitled)
    async with ended_async(handler.astream(turn)) as stream, ended_async(_alive(stream)) as heard:
        try:
            async for event in heard:
                if event is None:
                    yield ALIVE
                elif isinstance(event, TurnResult):
                    yield frame(("result", for_asker(event, entitled)), _dumps)
                else:
                    for message in stream_filter(event):
                        yield frame(message, _dumps)
        except Exception as error:  # noqa: BLE001 - the status is sent: all is told in the stream
            failure = failure_of(error, entitled=entitled, limit=0)
            yield frame(("error", error_body(failure)), _dumps)


async def _alive(stream: AsyncIterator[TurnEvent]) -> AsyncIterator[TurnEvent | None]:
    """What comes of ``stream``, and None after each silence."""
    async def next_() -> TurnEvent | None:
        return await anext(stream, None)

    while True:
        step = asyncio.create_task(next_())
        try:
            while not (await asyncio.wait({step}, timeout=SILENCE))[0]:
                yield None
            if (event := step.result()) is None:
                return
            yield event
        finally:
            if not step.done():
                step.cancel()
                with suppress(asyncio.CancelledError):
                    await step


def _plain(value: object) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value,
                                                                   type) else dict(value)  # type: ignore[call-overload]


_dumps: Final = partial(json.dumps, default=_plain)
