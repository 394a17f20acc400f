"""Strict JSON: UTF-8, no key twice in an object, no NaN, no text or number that nothing can hold.

Everything that reads JSON from people and programs reads it here. What this product wrote itself
is checked by its checksums instead. Pure.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

MAX_DEPTH: Final = 64
"""How many objects and lists may stand inside each other."""
_NAMES: Final = {
    dict: "an object", list: "a list", tuple: "a list", str: "a string", int: "a number",
    float: "a number", bool: "true or false",
}


class JsonError(ValueError):
    """A text is not strict JSON; the message says what is wrong with it, after ``what``.

    ``at`` is the place in the text, where one is known.
    """

    at: int | None = None


def parse(text: bytes | str, what: str = "the body") -> Any:
    """The JSON value of ``text``; messages call the text ``what``.

    Raises:
        JsonError: it is not UTF-8 or not JSON, has a key twice in one object, or NaN.
    """
    with _refused(what):
        said = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(said, parse_constant=_refuse, object_pairs_hook=_object)


def parse_at(text: str, start: int, what: str = "the body") -> tuple[Any, int]:
    """The JSON value that begins at ``start``, and where it ends; raises as :func:`parse` does."""
    with _refused(what):
        return _DECODER.raw_decode(text, start)


def check(value: Any, what: str = "the body") -> None:
    """Refuse what JSON allows and nothing behind us can hold.

    Raises:
        JsonError: there is a NUL character, half a surrogate pair, a number beyond floats, or
            nesting deeper than :data:`MAX_DEPTH`.
    """
    for depth, found in _walk(value):
        if depth > MAX_DEPTH:
            raise JsonError(f"{what} is nested deeper than {MAX_DEPTH} levels")
        if isinstance(found, str):
            if "\0" in found:
                raise JsonError(f"{what} has a NUL character (\\u0000) in a string; leave it out")
            if not found.isascii() and any("\ud800" <= char <= "\udfff" for char in found):
                raise JsonError(f"{what} has half a surrogate pair in a string; send whole text")
        elif isinstance(found, float) and not math.isfinite(found):
            raise JsonError(f"{what} has a number that is too large")


def read_object(text: bytes | str, what: str = "the body") -> dict[str, Any]:
    """The object that ``text`` is, parsed and checked.

    Raises:
        JsonError: it is not strict JSON, or no object.
    """
    value = parse(text, what)
    if not isinstance(value, dict):
        raise JsonError(f"{what} is {named(value)}; it must be a JSON object")
    check(value, what)
    return value


def named(value: object) -> str:
    """The kind of a JSON value, for a message."""
    return _NAMES.get(type(value), "null")


def short(value: object) -> str:
    """``value`` as a message may repeat it."""
    said = repr if isinstance(value, str) else str
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return said(text if len(text) <= 40 else f"{text[:40]}…")


@contextmanager
def _refused(what: str) -> Iterator[None]:
    """Turn every error of a parser into one that names ``what``."""
    try:
        yield
    except JsonError as error:
        raise JsonError(f"{what} {error}") from None
    except UnicodeDecodeError as error:
        raise JsonError(f"{what} is not UTF-8: byte {error.start} is wrong") from None
    except json.JSONDecodeError as error:
        refused = JsonError(
            f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        )
        refused.at = error.pos
        raise refused from None
    except RecursionError:
        raise JsonError(f"{what} is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:  # Python reads integers of 4300 digits at most
        raise JsonError(f"{what} has a number of too many digits") from None


def _refuse(name: str) -> Any:
    raise JsonError(f"is not JSON: {name} is no JSON number")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise JsonError(f"has the key {short(twice)} twice in one object")
    return found


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_object)


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
