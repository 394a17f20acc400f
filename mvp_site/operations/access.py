"""Whether a request comes from this machine: what every server of ours decides by.

With a token (``MVP_SITE_DM_TOKEN``), whoever shows it may do and see everything. Without one a
server answers this machine alone, and everybody on it may do everything. A request counts as this
machine's only if its address is a loopback address, its Host header names one too (a page on the
internet can make a browser ask for its own name at 127.0.0.1, DNS rebinding), and no proxy has
handed it on.
"""

from __future__ import annotations

import hmac
import ipaddress
import math
import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

from limits import parse
from limits.storage import storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

MAX_BODY: Final = 1024 * 1024
"""Bytes of a request."""
ATTEMPTS: Final = "10/minute"
"""How often an address may show a wrong token."""

_PROXY_HEADERS: Final = frozenset({
    "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip",
    "cf-connecting-ip", "x-original-host", "x-host",
})


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


def not_local(address: str, host: str, headers: Iterable[str]) -> str | None:
    """Why a request is not from this machine, or None where it is.

    ``address`` is the client's, ``host`` the Host header, ``headers`` the names of all of them.
    """
    if not is_loopback(address):
        return "this request comes from another machine"
    for name in headers:
        if name.lower() in _PROXY_HEADERS or name.lower().startswith("x-forwarded"):
            return f"this request was handed on by a proxy (header {name.title()})"
    if not names_loopback(host):
        return "this request's Host header names another machine"
    return None


def is_forged(site: str | None, origin: str | None, host: str) -> bool:
    """Whether another site's page made a browser send a request to ``host``.

    Browsers say so in the headers Sec-Fetch-Site and Origin; other programs send neither.
    """
    if site not in {None, "same-origin", "none"}:
        return True
    try:
        return origin is not None and urlsplit(origin).netloc.lower() != host.lower()
    except ValueError:
        return True


def is_loopback(address: str) -> bool:
    """Whether ``address`` is one of this machine's own; a name is none."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None)
    return bool((mapped or ip).is_loopback)


def names_loopback(host: str) -> bool:
    """Whether a Host header is ``localhost`` or a loopback address, with any port."""
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not name or parts.username is not None or parts.path or parts.query or parts.fragment:
        return False
    return name == "localhost" or is_loopback(name)
