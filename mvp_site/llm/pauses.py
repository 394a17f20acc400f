"""How long a provider may make a turn wait before a request is tried again.

The SDKs pause as the provider asks, one for up to two minutes, the other for weeks. A player is
waiting: a longer pause than one request may take is not kept, and the turn is told so at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf, isfinite
from typing import Any


def asked_pause(headers: Mapping[str, str]) -> float | None:
    """The seconds that a response asks to wait, infinity for nonsense; None where it asks none."""
    for header, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        value = headers.get(header)
        if value is None:
            continue
        try:
            seconds = float(value) / divisor
        except ValueError:
            seconds = _until(value)
        return seconds if isfinite(seconds) else inf
    return None


def _until(date: str) -> float:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return 0.0  # the SDKs cannot read it either, and pause as they would without it
    return (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def impatient(longest: float) -> Callable[[Any], None]:
    """A response hook that forbids the SDK a retry which would wait more than ``longest`` seconds.

    Both SDKs obey ``x-should-retry``.
    """

    def forbid(response: Any) -> None:
        pause = asked_pause(response.headers)
        if pause is not None and pause > longest:
            response.headers["x-should-retry"] = "false"

    return forbid


def impatient_async(longest: float) -> Callable[[Any], Awaitable[None]]:
    """:func:`impatient` for an async client."""
    forbid = impatient(longest)

    async def forbid_async(response: Any) -> None:
        forbid(response)

    return forbid_async
