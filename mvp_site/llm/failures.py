"""What an SDK raised, as one of our errors: what happened, and what mends it.

A message never holds the key, the prompt or the provider's own words, which may quote both: only
the status, the provider's code for the cause, and the kind of trouble.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf, isfinite
from typing import Any, Final

from ..errors import ModelError, ModelRequestError, ModelUnavailableError
from .wire import DamagedAnswerError

_WORD: Final = re.compile(r"[a-z]{1,24}(_[a-z]{1,24}){0,5}\Z")

_CHECK_REQUEST: Final = (
    "check the model's name in MVP_SITE_LLM, lower MVP_SITE_CONTEXT_TOKENS or "
    "MVP_SITE_ANSWER_TOKENS where it is too long, and set MVP_SITE_LLM_TOOLS=0 where the model "
    "knows no tools"
)
# What a status means, and what mends it. The rest of 4xx is told as 400 is.
_REFUSED: Final = {
    400: ("does not accept the request", _CHECK_REQUEST),
    401: ("refuses the key", "check {key}"),
    402: ("wants to be paid", "look at the account's billing"),
    403: ("may not be used with this key", "check {key} and what its account may use"),
    404: ("is not there", "check the model's name in MVP_SITE_LLM, and {url}"),
    405: ("is not there", "check {url}"),
    413: ("finds the request too large", "lower MVP_SITE_CONTEXT_TOKENS"),
}
_AGAIN: Final = {
    429: ("takes no more requests now",
          "try again later, or look at the account's limits and credit"),
    500: ("has a fault of its own", "try again later"),
    503: ("is overloaded", "try again later"),
    529: ("is overloaded", "try again later"),
}
_LATER: Final = frozenset({408, 409, 425, 499})
"""Further statuses that say "not now" rather than "not so"."""
# A stream has begun with status 200: its errors are named, as the statuses would be.
_NAMED: Final = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402,
    "permission_error": 403, "not_found_error": 404, "request_too_large": 413,
    "rate_limit_error": 429, "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True)
class Provider:
    """A model's name, its SDK, the HTTP library under it, and the variables of its settings.

    ``timeout`` is in seconds.
    """

    name: str
    sdk: Any
    http: Any
    key: str
    url: str
    timeout: float


def failure(error: Exception, provider: Provider) -> ModelError:
    """The error to raise for ``error``, met while ``provider`` was asked."""
    sdk, http, name = provider.sdk, provider.http, provider.name
    if isinstance(error, sdk.APIStatusError):
        return _refusal(error, error.status_code, provider)
    if isinstance(error, sdk.APIConnectionError | http.TransportError):
        return ModelUnavailableError(f"{name} {_disconnection(error, provider)}")
    if isinstance(error, sdk.APIError) and not isinstance(error, sdk.APIResponseValidationError):
        return _refusal(error, 200, provider)  # told in the middle of a stream
    if isinstance(error, UnicodeEncodeError):
        return ModelRequestError(
            f"{name} cannot be sent this request: it holds half of a surrogate pair, which is no "
            "character; give text that is valid Unicode"
        )
    reason = f"the SDK failed with {type(error).__name__}"
    if isinstance(error, DamagedAnswerError):
        reason = str(error)
    elif isinstance(error, ValueError | RecursionError):
        reason = "it is not JSON"
    return ModelUnavailableError(
        f"{name} sent a damaged answer ({reason}): try again; where it stays so, check that "
        f"{provider.url} names a server of this API"
    )


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


def _disconnection(error: Exception, provider: Provider) -> str:
    sdk, http, url = provider.sdk, provider.http, provider.url
    causes: list[BaseException] = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    cases = {
        (http.ConnectError, http.ConnectTimeout):
            f"cannot be reached: check the network, and {url}",
        (sdk.APITimeoutError, http.TimeoutException):
            f"was silent for {provider.timeout:g} seconds: try again, or raise "
            "MVP_SITE_LLM_TIMEOUT",
        (http.RemoteProtocolError, http.ReadError):
            "broke its connection before the answer was whole: try again",
    }
    for kinds, text in cases.items():
        if any(isinstance(cause, kinds) for cause in causes):
            return text
    root = next((cause for cause in causes if not isinstance(cause, sdk.APIError)), error)
    return f"cannot be talked to ({type(root).__name__}): check the network, and {url}"


def _refusal(error: Any, status: int, provider: Provider) -> ModelError:
    words = _words(error.body)
    code = words[0] if words else ""
    named = f"HTTP {status}{code and f', {code}'}"
    if status < 300:
        named = f"{code or 'an error'} in its stream"
        status = next((_NAMED[word] for word in words if word in _NAMED), 500)
    elif status < 400:
        status = 404  # it has moved, and not to where the SDK could follow
    again = status in _LATER or status in _AGAIN or status >= 500
    reason, mend = _AGAIN.get(status, _AGAIN[500]) if again else _REFUSED.get(status, _REFUSED[400])
    if status in _LATER:
        reason = "did not take the request in time"
    pause = asked_pause(error.response.headers) if hasattr(error, "response") else None
    if again and pause is not None and pause > provider.timeout:
        mend += f"; it asks for a pause of {pause:.0f} seconds, longer than MVP_SITE_LLM_TIMEOUT"
    kind = ModelUnavailableError if again else ModelRequestError
    return kind(
        f"{provider.name} {reason} ({named}): {mend.format(key=provider.key, url=provider.url)}"
    )


def _words(body: Any) -> list[str]:
    """The provider's words for the cause, the narrower first, where they are of a known form."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(inner, dict):
        return []
    codes = (inner.get("code"), inner.get("type"))
    return [word for word in codes if isinstance(word, str) and _WORD.match(word)]
