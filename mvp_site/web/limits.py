"""Limits: how often an address may ask, and how often it may be wrong about the token."""

from __future__ import annotations

import ipaddress
import math
import time
from typing import Final

from flask import Flask, current_app, request
from flask_limiter import Limiter
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from werkzeug.wrappers import Request

from .failures import RequestError

API: Final = "MVP_SITE_API_LIMIT"
PAGES: Final = "MVP_SITE_PAGE_LIMIT"
ATTEMPTS: Final = "MVP_SITE_ATTEMPT_LIMIT"
DEFAULTS: Final = {API: "120/minute", PAGES: "240/minute", ATTEMPTS: "10/minute"}


def client_key(address: str | None) -> str:
    """What an address counts as: itself, or its /64 network where it is IPv6."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return address or "unknown"
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found)


def _current_key() -> str:
    return client_key(request.remote_addr)


def install(app: Flask) -> Limiter:
    """A limiter for ``app`` that counts in memory, in a window that moves with time.

    Two counters an address are all that this strategy keeps, and they go when they are old.
    """
    limiter = Limiter(_current_key, storage_uri="memory://", strategy="sliding-window-counter")
    limiter.init_app(app)
    return limiter


def wait_of(limiter: Limiter) -> int:
    """Seconds until the limit that the request under way met lets it through again."""
    limit = limiter.current_limit
    return max(1, math.ceil(limit.reset_at - time.time())) if limit else 60


def api_limit() -> str:
    """The API's limit, from the app's configuration."""
    return str(current_app.config[API])


def page_limit() -> str:
    """The pages' limit, from the app's configuration."""
    return str(current_app.config[PAGES])


class Attempts:
    """Counts wrong tokens by address; nothing else counts."""

    def __init__(self, limit: str) -> None:
        self._limit: RateLimitItem = parse(limit)
        self._counts = SlidingWindowCounterRateLimiter(MemoryStorage())

    def check(self, asking: Request) -> None:
        """Refuse to look at a token from an address that was wrong too often.

        Raises:
            RequestError: 429, with the seconds to wait.
        """
        key = client_key(asking.remote_addr)
        if self._counts.test(self._limit, key):
            return
        reset = self._counts.get_window_stats(self._limit, key).reset_time
        wait = max(1, math.ceil(reset - time.time()))
        raise RequestError(
            429, "too_many_attempts",
            f"too many wrong tokens from this address: try again in {wait} seconds",
            headers={"Retry-After": str(wait)},
        )

    def failed(self, asking: Request) -> None:
        """Count a wrong token."""
        self._counts.hit(self._limit, client_key(asking.remote_addr))
