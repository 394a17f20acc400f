"""Parsing: JSON as the contract takes it, in bounded time and depth.

Stricter than Python's parser: no key twice, no NaN or infinity, and no text that cannot be stored
(U+0000, half of a surrogate pair).
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from .context import quoted

MAX_DEPTH: Final = 64

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NEAR: Final = 30


class _RefusedError(ValueError):
    """What is JSON, or nearly, and is not taken."""


def parsed(text: str, start: int) -> tuple[dict[str, Any] | None, int, str]:
    """The object that begins at ``start``, where it ends, and why it is not taken ('': it is).

    The end is -1 where it is not known.
    """
    try:
        answer, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        near = text[max(start, error.pos - _NEAR) : error.pos + _NEAR]
        ends = ", where the answer ends" if error.pos >= len(text) else ""
        return None, -1, (f"does not parse: {error.msg} at line {error.lineno} column "
                          f"{error.colno}{ends}, near {quoted(near)}")
    except _RefusedError as error:
        return None, -1, str(error)
    except (RecursionError, MemoryError):
        return None, -1, f"is nested deeper than {MAX_DEPTH} levels"
    except ValueError:  # Python's own bound on the digits of an integer
        return None, -1, "holds a number of thousands of digits"
    problem = _unfit(answer)
    return (None, end, problem) if problem else (answer, end, "")


def _unfit(answer: dict[str, Any]) -> str:
    """Why a parsed object is not taken: too deep, or a text that cannot be stored."""
    pending: list[tuple[Any, int]] = [(answer, 1)]
    while pending:
        value, depth = pending.pop()
        if depth > MAX_DEPTH:
            return f"is nested deeper than {MAX_DEPTH} levels"
        if isinstance(value, dict):
            pending.extend((part, depth + 1) for pair in value.items() for part in pair)
        elif isinstance(value, list):
            pending.extend((below, depth + 1) for below in value)
        elif isinstance(value, str) and ("\0" in value or _LONE_SURROGATE.search(value)):
            return f"has a text with U+0000 or half of a surrogate pair: {quoted(value)}"
    return ""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RefusedError(f"has the key {quoted(key)} twice in one object")
            seen.add(key)
    return found


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _RefusedError(f"holds a number out of range: {quoted(digits)}")
    return value


def _no_constant(name: str) -> None:
    raise _RefusedError(f"holds {name}, which JSON does not have; write a number or null")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_finite, parse_constant=_no_constant
)
