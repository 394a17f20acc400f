"""Bodies of requests: one JSON object as its schema says, or a message that says what is wrong."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from werkzeug.wrappers import Request

from .failures import RequestError

MAX_DEPTH: Final = 64
"""How many objects and lists may stand inside each other."""

_KINDS: Final = {
    "object": "an object", "array": "a list", "string": "a string", "integer": "a whole number",
    "number": "a number", "boolean": "true or false", "null": "null",
}


_BOUNDS: Final = {
    "minLength": ("characters", "at least"), "maxLength": ("characters", "at most"),
    "minimum": ("", "at least"), "maximum": ("", "at most"), "maxItems": ("entries", "at most"),
}


def read_object(request: Request, validator: Draft202012Validator) -> dict[str, Any]:
    """The JSON object that ``request`` carries, valid under ``validator``.

    Raises:
        RequestError: 415 for another type of content, 400 for anything wrong with it.
        RequestEntityTooLarge: the body is over the app's limit.
    """
    _check_type(request)
    value = parse(request.get_data(cache=False))
    if not isinstance(value, dict):
        raise _invalid(f"the body is {_named(value)}; send a JSON object")
    check_values(value)
    if (error := first_error(validator, value)) is not None:
        raise RequestError(400, "invalid_request", describe(error))
    return value


def _check_type(request: Request) -> None:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != "application/json" or charset not in {"utf-8", "utf8"}:
        raise RequestError(
            415, "not_json",
            "send the body as 'Content-Type: application/json', in UTF-8; this request says "
            f"{request.headers.get('Content-Type', 'nothing')[:80]!r}",
        )
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise RequestError(
            415, "not_json", f"send the body as it is, without Content-Encoding {encoding[:40]!r}"
        )


def parse(body: bytes) -> Any:
    """The JSON value of ``body``, strictly: UTF-8, no duplicate keys, no NaN or Infinity.

    Raises:
        RequestError: 400.
    """
    try:
        return json.loads(
            body.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_object
        )
    except UnicodeDecodeError as error:
        raise _invalid(f"the body is not UTF-8: byte {error.start} is wrong") from None
    except json.JSONDecodeError as error:
        raise _invalid(
            f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise _invalid(_too_deep()) from None
    except ValueError:  # Python reads integers of 4300 digits at most
        raise _invalid("the body has a number of too many digits") from None


def _refuse_constant(name: str) -> Any:
    raise _invalid(f"the body is not JSON: {name} is no JSON number")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise _invalid(f"the body has the key {_short(twice)} twice in one object")
    return found


def check_values(value: Any) -> None:
    """Refuse what JSON allows and nothing behind us can hold.

    Raises:
        RequestError: 400, for NUL characters, lone surrogates, numbers beyond floats, and nesting
            deeper than :data:`MAX_DEPTH`.
    """
    for depth, found in _walk(value):
        if depth > MAX_DEPTH:
            raise _invalid(_too_deep())
        if isinstance(found, str):
            if "\0" in found:
                raise _invalid("the body has a NUL character (\\u0000) in a string; leave it out")
            if not found.isascii() and any("\ud800" <= char <= "\udfff" for char in found):
                raise _invalid("the body has half a surrogate pair in a string; send whole text")
        elif isinstance(found, float) and not math.isfinite(found):
            raise _invalid("the body has a number that is too large")


def _walk(value: Any) -> Iterator[tuple[int, Any]]:
    """Each value with its depth, keys too; without recursion, so that no depth can hurt."""
    pending: list[tuple[int, Any]] = [(0, value)]
    while pending:
        depth, found = pending.pop()
        yield depth, found
        if isinstance(found, Mapping):
            pending.extend((depth + 1, part) for part in (*found.keys(), *found.values()))
        elif isinstance(found, list):
            pending.extend((depth + 1, part) for part in found)


def first_error(validator: Draft202012Validator, value: Any) -> ValidationError | None:
    """The error that stands first in ``value``, or None where it is valid.

    A body may have hundreds of thousands: some are enough to find the first of.
    """
    errors = islice(validator.iter_errors(value), 1_000)
    return min(errors, default=None, key=lambda error: (
        [str(part) for part in error.absolute_path], error.validator != "type",
        str(error.validator),
    ))


def describe(error: ValidationError) -> str:
    """What ``error`` says, in words, naming the field and never quoting much of it."""
    where, found = _path(error.absolute_path), error.instance
    limit = cast(Any, error.validator_value)
    rule = str(error.validator)
    if rule == "required":
        missing = next(name for name in limit if name not in cast(Any, found))
        return f"`{where}{'.' if where else ''}{missing}` is missing"
    if rule == "additionalProperties":
        known = sorted(cast(Any, error.schema).get("properties", {}))
        extra = next(name for name in sorted(cast(Any, found)) if name not in known)
        return f"unknown field {_short(extra)}; the fields are {', '.join(known)}"
    return f"`{where}` {_wrong(rule, limit, found)}"


def _wrong(rule: str, limit: Any, found: Any) -> str:
    """What is wrong with a value that breaks ``rule``, and what it must be."""
    if rule == "type":
        wanted = [limit] if isinstance(limit, str) else limit
        kinds = " or ".join(_KINDS[kind] for kind in wanted if kind != "null")
        return f"is {_named(found)}; it must be {kinds}"
    if rule == "enum":
        return f"is {_short(found)}; it must be one of {', '.join(map(str, limit))}"
    if rule == "pattern":
        return f"has characters that it may not have; it must match {limit}"
    if rule in _BOUNDS:
        what, bound = _BOUNDS[rule]
        size = f"has {len(found)} {what}" if what else "is out of range"
        return f"{size}; {'it must have' if what else 'it must be'} {bound} {limit}"
    return f"does not fit its schema ({rule})"


def _path(parts: Sequence[str | int]) -> str:
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part[:40]}"
    return text


def _named(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    kinds = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    return _KINDS[kinds.get(type(value), "null")]


def _short(value: Any) -> str:
    """``value`` as a message may repeat it."""
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def _too_deep() -> str:
    return f"the body is nested deeper than {MAX_DEPTH} levels"


def _invalid(message: str) -> RequestError:
    return RequestError(400, "invalid_json", message)
