"""What an SDK raised, as one of our errors: the provider's own words first, then what mends it.

A message holds neither a key nor a piece of the prompt: words that quote one are left out.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from ..errors import ModelError, ModelRequestError, ModelUnavailableError
from .protocol import ModelRequest

MOST_WORDS: Final = 300
"""Characters of a provider's message that are shown."""
QUOTED: Final = 24
"""So many characters that stand in the prompt too are a quotation of it."""

_CHECK_REQUEST: Final = (
    "check the model's name in MVP_SITE_LLM, lower MVP_SITE_CONTEXT_TOKENS or "
    "MVP_SITE_ANSWER_TOKENS where it is too long, set MVP_SITE_LLM_TOOLS=0 where the model "
    "knows no tools, and see what `mvp-site llm check` finds"
)
_PLACE: Final = "check the model's name in MVP_SITE_LLM, and MVP_SITE_LLM_BASE_URL"
_LATER: Final = "try again later"
# The library's categories of errors, the narrower first: what happened, and what mends it. Those of
# the second row pass by themselves.
_REFUSED: Final = {
    "ModelAuthenticationError": ("refuses the key", "check {key} and what its account may use"),
    "ModelNotFoundError": ("has no such model or address", _PLACE),
    "ModelContextWindowExceededError": (
        "finds the request too large", "lower MVP_SITE_CONTEXT_TOKENS"),
    "ModelQuotaExceededError": ("wants to be paid", "look at the account's billing"),
    "ModelRequestRejectedError": ("does not accept the request", _CHECK_REQUEST),
}
_PASSING: Final = {
    "ModelRateLimitError": ("takes no more requests now",
                            f"{_LATER}, or look at the account's limits and credit"),
    "ModelUnavailableError": ("is overloaded", _LATER),
    "ModelServerError": ("has a fault of its own", _LATER),
}
_BY_STATUS: Final = {413: "ModelContextWindowExceededError", 405: "ModelNotFoundError"}
_NOT_NOW: Final = frozenset({408, 409, 425, 499})
"""Further statuses that say "not now" rather than "not so"."""


class DamagedAnswerError(ValueError):
    """An answer that is not what the protocol promises; the message says what was found."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A model's name, the variable of its key, seconds of silence, and what no message may hold."""

    name: str
    key: str
    timeout: float
    secrets: tuple[str, ...] = ()


def passes(error: Exception, pause: float) -> float | None:
    """The seconds after which the request may be sent again, ``pause`` unless the provider asks.

    None where it would not help.
    """
    from pydantic_ai import exceptions as library

    if isinstance(error, library.ModelConnectionError) or _kind(error) in _PASSING:
        retry_after = getattr(error, "retry_after", None)
        return pause if retry_after is None else float(retry_after)
    return None


def rejects(error: Exception) -> bool:
    """Whether the request may be at fault; some servers call what they do not know their own."""
    return _kind(error) in {"ModelRequestRejectedError", "ModelServerError"}


def failure(error: Exception, provider: Provider, request: ModelRequest) -> ModelError:
    """The error to raise for ``error``, met while ``provider`` was asked."""
    from pydantic_ai import exceptions as library

    name = provider.name
    if isinstance(error, ModelError):
        return error
    if isinstance(error, library.ModelConnectionError):
        return ModelUnavailableError(f"{name} {_disconnection(error, provider)}")
    if isinstance(error, library.ModelAPIError):
        return _refusal(error, provider, request)
    if isinstance(error, UnicodeEncodeError):
        return ModelRequestError(
            f"{name} cannot be sent this request: it holds half of a surrogate pair, which is no "
            "character; give text that is valid Unicode"
        )
    if isinstance(error, library.UserError):
        return ModelRequestError(f"{name} cannot be sent this request: {error!s:.{MOST_WORDS}}")
    reason = str(error) if isinstance(error, DamagedAnswerError) else type(error).__name__
    if isinstance(error, library.UnexpectedModelBehavior):
        reason = "it has neither a text nor a call"
    return ModelUnavailableError(
        f"{name} sent a damaged answer ({reason}): try again; where it stays so, check that "
        "MVP_SITE_LLM_BASE_URL names a server of this API"
    )


def _disconnection(error: Any, provider: Provider) -> str:
    from pydantic_ai import exceptions as library

    if error.phase in {"connect", "pool"}:
        return "cannot be reached: check the network, and MVP_SITE_LLM_BASE_URL"
    if isinstance(error, library.ModelTimeoutError):
        return (f"was silent for {provider.timeout:g} seconds: try again, or raise "
                "MVP_SITE_LLM_TIMEOUT")
    return "broke its connection before the answer was whole: try again"


def _kind(error: Exception) -> str:
    """The name of the error's category; '' for what is none of the provider's."""
    names = [kind.__name__ for kind in type(error).__mro__]
    status = getattr(error, "status_code", None)
    category = next((name for name in names if name in _REFUSED or name in _PASSING), "")
    if category in {"", "ModelRequestRejectedError"} and "ModelAPIError" in names:
        passing = status is None or status in _NOT_NOW or status >= 500
        rejected = "ModelNotFoundError" if status and status < 400 else "ModelRequestRejectedError"
        category = category or ("ModelServerError" if passing else rejected)
    narrow = _BY_STATUS.get(status or 0, category)
    return narrow if category == "ModelRequestRejectedError" else category


def _refusal(error: Any, provider: Provider, request: ModelRequest) -> ModelError:
    kind = _kind(error)
    reason, mend = (_REFUSED | _PASSING)[kind]
    status = getattr(error, "status_code", None)
    message, details = _words(error)
    if _quotes(message, provider, request):
        message = ""
    named = [*([f"HTTP {status}"] if status else []), *details]
    named = [word for word in named if not _quotes(word, provider, request)]
    if error.in_stream:
        named.append("in its stream")
    if kind in _PASSING and error.retry_after and error.retry_after > provider.timeout:
        mend += (f"; it asks for a pause of {error.retry_after:.0f} seconds, longer than "
                 "MVP_SITE_LLM_TIMEOUT")
    if suggested := getattr(error, "suggested_model_id", None):
        mend += f"; did you mean {suggested}?"
    aside = f" ({', '.join(named)})" if named else ""
    mend = mend.format(key=provider.key)
    message_text = f"says {message!r}{aside}: it {reason}; {mend}" if message else (
        f"{reason}{aside}: {mend}")
    return (ModelUnavailableError if kind in _PASSING else ModelRequestError)(
        f"{provider.name} {message_text}")


def _quotes(words: str, provider: Provider, request: ModelRequest) -> bool:
    """Whether ``words`` hold a key, or a piece of what was sent."""
    if any(secret in words for secret in provider.secrets):
        return True
    pieces = {words[at : at + QUOTED] for at in range(len(words) - QUOTED + 1)}
    return any(piece in text for text in request.texts for piece in pieces)


def _words(error: Any) -> tuple[str, list[str]]:
    """The provider's message, and its words for the place and the cause."""
    body = error.body
    if body is None and error.in_stream:
        body = {"message": error.message}
    if isinstance(body, str):
        with suppress(ValueError):
            body = json.loads(body)
    fields: dict[str, Any] = {}
    _gather(body, fields)
    message = next((fields[key] for key in ("message", "msg", "detail", "error")
                    if isinstance(fields.get(key), str)), "")
    place = fields.get("param") or ".".join(map(str, fields.get("loc") or ()))
    code = error.provider_error_code or error.provider_error_type or fields.get("code")
    kind = error.provider_error_type or fields.get("type")
    details = dict.fromkeys(filter(None, (
        place and f"param {place}", code and f"code {code}" if code != kind else "", kind)))
    return " ".join(message.split())[:MOST_WORDS], list(details)


def _gather(value: Any, fields: dict[str, Any]) -> None:
    """The fields of an error's JSON, the innermost first: providers wrap them in their own ways."""
    if isinstance(value, list):
        for part in value[:3]:
            _gather(part, fields)
    elif isinstance(value, dict):
        for part in value.values():
            _gather(part, fields)
        for key, part in value.items():
            fields.setdefault(key, part)
