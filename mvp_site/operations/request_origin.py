"""Whether a request comes from this machine: what every server of ours decides by.

With a token (``MVP_SITE_DM_TOKEN``), whoever shows it may do and see everything. Without one a
server answers this machine alone, and everybody on it may do everything. A request counts as this
machine's only if its address is a loopback address, its Host header names one too (a page on the
internet can make a browser ask for its own name at 127.0.0.1, DNS rebinding), and no proxy has
handed it on.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

MAX_BODY: Final = 1024 * 1024
"""Bytes of a request."""

_PROXY_HEADERS: Final = frozenset({
    "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip",
    "cf-connecting-ip", "x-original-host", "x-host",
})


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
