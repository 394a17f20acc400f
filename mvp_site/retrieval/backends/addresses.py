"""Addresses of engines as logs and errors may show them."""

from __future__ import annotations

from urllib.parse import urlsplit


def shown(uri: str) -> str:
    """``uri`` without user, password and query, for logs and errors."""
    if "://" not in uri:
        return uri
    try:
        parts = urlsplit(uri)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        return uri.partition("://")[0] + "://…"
