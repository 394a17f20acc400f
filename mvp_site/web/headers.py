"""Security headers: what a browser may do with what this app sends."""

from __future__ import annotations

from typing import Final

from werkzeug.datastructures import Headers

POLICY: Final = "; ".join((
    "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'",
    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
))
"""No inline script or style, nothing from elsewhere, and no page may frame ours."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def secure(headers: Headers, *, static: bool) -> None:
    """Add them to ``headers``; only ``static`` files may be kept, and are asked for anew."""
    for name, value in HEADERS.items():
        headers[name] = value
    headers["Cache-Control"] = "no-cache" if static else "no-store"
