r"""Canonical JSON: one text for one value, which every engine keeps as it is.

Keys are sorted, nothing is indented, and characters stand as they are, with two exceptions that a
database may refuse: a NUL is written ``\u0000``, as JSON asks, and a code point of half a
surrogate pair ``\ud83d``. Reading gives back the very code points, also where two halves stand
side by side and another reader of JSON would join them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from ..errors import InvalidTurnError, StoreError

MAX_DEPTH: Final = 200
MAX_DIGITS: Final = 300
"""Digits of an integer, so that each can be a float as well."""

_SHOWN: Final = 120
_TOO_LARGE: Final = 10**MAX_DIGITS
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# An escape counts when the backslashes before it are pairs, so that they escape each other.
_ESCAPED: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u(d[89a-f][0-9a-f]{2})")

def encode(value: object, name: str) -> str:
    """The canonical JSON of ``value``. ``name`` is what messages call it.

    Mappings count as objects and tuples as lists.

    Raises:
        InvalidTurnError: the value is not JSON (the message says where), is nested deeper than
            200 levels, or has an integer of more than 300 digits.
    """
    text = json.dumps(
        _plain(value, name, 0),
        ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"),
    )
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def decode(text: object, name: str) -> Any:
    """The value that :func:`encode` wrote as ``text``.

    Raises:
        StoreError: the text is not such JSON, so something else has written to the database.
    """
    if not isinstance(text, str):
        raise damaged(name, f"{type(text).__name__}, not text")
    if "\\ud" in text:
        text = _ESCAPED.sub(lambda found: found[1] + chr(int(found[2], 16)), text)
    try:
        return json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise damaged(name, str(error)) from None


def damaged(name: str, why: str) -> StoreError:
    """The error for what something else has written to the database."""
    return StoreError(
        f"{name} is damaged in the database ({why}): restore it from a backup or an export"
    )


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS + 1:
        raise ValueError(f"an integer of more than {MAX_DIGITS} digits")
    return int(digits)


def decode_object(text: object, name: str) -> dict[str, Any]:
    """As :func:`decode`, of a JSON object."""
    value = decode(text, name)
    if not isinstance(value, dict):
        raise damaged(name, "no JSON object")
    return value


def decode_text(text: object, name: str) -> str:
    """As :func:`decode`, of a string."""
    value = decode(text, name)
    if not isinstance(value, str):
        raise damaged(name, "no JSON string")
    return value


def shown(value: object) -> str:
    """``value`` for a message, not too long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer longer than Python writes, or deep nesting
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _plain(value: object, path: str, depth: int) -> object:
    """``value``, which stands at ``path``, in the types that ``json`` writes without loss."""
    if depth > MAX_DEPTH:
        raise _refusal(path, f"nested deeper than {MAX_DEPTH} levels")
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise _refusal(path, f"an integer of more than {MAX_DIGITS} digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _refusal(path, f"{value} is no JSON number")
        return float(value)
    if isinstance(value, Mapping):
        plain: dict[str, object] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise _refusal(path, f"the key {shown(key)} is no string")
            plain[key] = _plain(item, f"{path}.{key:.80}", depth + 1)
        return plain
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(value)]
    raise _refusal(path, f"{type(value).__name__} is no JSON value")


def _refusal(path: str, what: str) -> InvalidTurnError:
    where = path if len(path) <= 300 else f"{path[:300]}…"
    return InvalidTurnError(
        f"{where} cannot be stored: {what}. Use objects with string keys, lists, strings, finite "
        "numbers, booleans and null"
    )
