"""Wrong tokens, counted by the address that sent them: who shows too many waits."""

from __future__ import annotations

import hmac
import ipaddress
import math
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from limits import parse
from limits.storage import storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

ATTEMPTS: Final = "10/minute"
"""How often an address may show a wrong token."""


class TokenAttempts:
    """Counts wrong tokens by address, in a window that moves with time.

    ``storage_uri`` and ``storage_options`` say where (:func:`.request_counts.storage_of`).
    """

    def __init__(self, limit: str = ATTEMPTS, storage_uri: str = "memory://",
                 storage_options: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._limit = parse(limit)
        self._counts = SlidingWindowCounterRateLimiter(
            storage_from_string(storage_uri, **storage_options))

    def wait(self, key: str) -> int:
        """Seconds until a token from an address is looked at again; 0 where it is at once."""
        if self._counts.test(self._limit, key):
            return 0
        return seconds_until(self._counts.get_window_stats(self._limit, key).reset_time)

    def is_right(self, sent: bytes, token: bytes, key: str) -> bool:
        """Whether the ``token`` was ``sent``; another counts against the address ``key``."""
        right = hmac.compare_digest(token, sent)
        if not right:
            self._counts.hit(self._limit, key)
        return right


def client_key(address: str | None) -> str:
    """What an address counts as: itself, or its /64 network where it is IPv6."""
    try:
        ip = ipaddress.ip_address(address or "")
    except ValueError:
        return address or "unknown"
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(ip) >> 64 << 64, 64)))
    return str(ip)


def seconds_until(time_: float) -> int:
    """Whole seconds from now on, at least one."""
    return max(1, math.ceil(time_ - time.time()))
