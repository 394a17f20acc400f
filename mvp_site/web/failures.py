"""Failures as answers: JSON for the API, a page for people; never more than the caller may know."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Final

from werkzeug.exceptions import HTTPException

from ..errors import MvpSiteError
from ..operations import failures
from ..operations.failures import failure
from ..text.strict_json import JsonError

_log = logging.getLogger("mvp_site.web")

_OF_STATUS: Final = {
    400: "invalid_request", 404: "not_found", 405: "method_not_allowed", 413: "too_large",
    415: "not_json", 429: "too_many_requests",
}
_TEXTS: Final = {
    404: "there is nothing at this address",
    405: "this address does not take that method; it takes {allowed}",
    413: "the request is larger than this server takes: send at most {limit} bytes",
    429: "too many requests from this address: wait a minute, then go on",
}


class RequestError(Exception):
    """A request that is refused: its status, kind, what is wrong, and what mends it."""

    def __init__(self, status: int, kind: str, message: str, *,
                 headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.failure = HttpFailure(status, kind, message, headers or {})


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """What a refused or failed request is answered with."""

    status: int
    kind: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)


def failure_of(error: BaseException, *, entitled: bool, limit: int = 0) -> HttpFailure:
    """The answer to ``error``. ``entitled`` callers get messages that name folders and settings.

    ``limit`` is the largest body, in bytes. What nobody foresaw is logged with its traceback, and
    the answer says nothing of it.
    """
    if isinstance(error, RequestError):
        return error.failure
    if isinstance(error, JsonError):
        return HttpFailure(400, "invalid_json", str(error))
    if isinstance(error, HTTPException) and (error.code or 500) < 500:
        return _of_http(error, limit)
    if isinstance(error, MvpSiteError):
        return _of_package(error, entitled)
    _log.error("a request failed", exc_info=error)
    return HttpFailure(500, "internal", "something went wrong here; the server's log says what")


def error_body(failure: HttpFailure) -> dict[str, dict[str, str]]:
    """What programs get of a failure."""
    return {"error": {"kind": failure.kind, "message": failure.message}}


def _of_http(error: HTTPException, limit: int) -> HttpFailure:
    status = error.code or 400
    text = _TEXTS.get(status, (error.description or error.name).strip())
    headers = {
        name: value for name, value in error.get_headers()
        if name.lower() in {"allow", "retry-after", "location"}
    }
    allowed = headers.get("Allow", "others")
    return HttpFailure(status, _OF_STATUS.get(status, "invalid_request"),
                       text.format(limit=limit, allowed=allowed), headers)


KINDS: Final = tuple(dict.fromkeys((
    *_OF_STATUS.values(), *(kind for _, _, kind in failures.KINDS), "invalid_json",
    "token_required", "token_wrong", "not_local", "cross_site", "campaign_busy",
    "too_many_attempts", "internal", "busy",
)))
"""Every ``kind`` that an error of this app can have."""


def _of_package(error: MvpSiteError, entitled: bool) -> HttpFailure:
    status, kind, message = failure(error, entitled=entitled)
    if status != 503:
        return HttpFailure(status, kind, message)
    _log.warning("%s: %s", type(error).__name__, error)
    return HttpFailure(status, kind, message, {"Retry-After": "30"})
