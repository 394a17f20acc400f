r"""Strict JSON: UTF-8, no key twice in an object, no NaN, no text or number that nothing can hold.

Everything that reads JSON from people and programs reads it here. What this product wrote itself
is checked by its checksums instead. Pure.

:func:`write` gives one text for one value, which every database keeps as it is: keys are sorted,
nothing is indented, and characters stand as they are. Two that a database may refuse do not: a NUL
is written ``\u0000``, as JSON asks, and a code point of half a surrogate pair ``\ud83d``.
:func:`read_written` gives back the very code points, also where two halves stand side by side and
another reader of JSON would join them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

MAX_DEPTH: Final = 64
"""How many objects and lists may stand inside each other."""
MAX_WRITTEN_DEPTH: Final = 200
MAX_DIGITS: Final = 300
"""Digits of an integer that is written, so that each can be a float as well."""
_TOO_LARGE: Final = 10**MAX_DIGITS
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# An escape counts when the backslashes before it are pairs, so that they escape each other.
_ESCAPED: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u(d[89a-f][0-9a-f]{2})")
_NAMES: Final = {
    dict: "an object", list: "a list", tuple: "a list", str: "a string", int: "a number",
    float: "a number", bool: "true or false",
}


class JsonError(ValueError):
    """A text is not strict JSON; the message says what is wrong with it, after ``what``.

    ``at`` is the place in the text, where one is known.
    """

    at: int | None = None


def parse(text: bytes | str, label: str = "the body") -> Any:
    """The JSON value of ``text``; messages call the text ``label``.

    Raises:
        JsonError: it is not UTF-8 or not JSON, has a key twice in one object, or NaN.
    """
    with _refused(label):
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(decoded, parse_constant=_refuse, object_pairs_hook=_object)


def parse_at(text: str, start: int, label: str = "the body", *, loose: bool = False,
             ) -> tuple[Any, int]:
    """The JSON value that begins at ``start``, and where it ends; raises as :func:`parse` does.

    A ``loose`` one may have line ends and tabs inside strings, as edited by hand.
    """
    with _refused(label):
        return (_LOOSE if loose else _DECODER).raw_decode(text, start)


def check(value: Any, label: str = "the body") -> None:
    """Refuse what JSON allows and nothing behind us can hold.

    Raises:
        JsonError: there is a NUL character, half a surrogate pair, a number beyond floats, or
            nesting deeper than :data:`MAX_DEPTH`.
    """
    for depth, node in _walk(value):
        if depth > MAX_DEPTH:
            raise JsonError(f"{label} is nested deeper than {MAX_DEPTH} levels")
        if isinstance(node, str):
            if "\0" in node:
                raise JsonError(f"{label} has a NUL character (\\u0000) in the string "
                                f"{short(node)}; leave it out")
            if not node.isascii() and any("\ud800" <= char <= "\udfff" for char in node):
                raise JsonError(f"{label} has half a surrogate pair in the string {short(node)}; "
                                "send whole text")
        elif isinstance(node, float) and not math.isfinite(node):
            raise JsonError(f"{label} has a number that is too large")


def read_object(text: bytes | str, label: str = "the body") -> dict[str, Any]:
    """The object that ``text`` is, parsed and checked.

    Raises:
        JsonError: it is not strict JSON, or no object.
    """
    value = parse(text, label)
    if not isinstance(value, dict):
        raise JsonError(f"{label} is {named(value)}; it must be a JSON object")
    check(value, label)
    return value


def write(value: object, label: str) -> str:
    """The one text of ``value``; mappings count as objects and tuples as lists.

    Raises:
        JsonError: the value is not JSON (the message says where), is nested deeper than
            :data:`MAX_WRITTEN_DEPTH`, or has an integer of more than :data:`MAX_DIGITS` digits.
    """
    text = json.dumps(
        _plain(value, label, 0),
        ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"),
    )
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def read_written(text: object, kind: type = object) -> Any:
    """The value that :func:`write` wrote as ``text``, which is of ``kind``.

    Raises:
        JsonError: the text is not such JSON; the message says why.
    """
    if not isinstance(text, str):
        raise JsonError(f"{type(text).__name__}, not text")
    if "\\ud" in text:
        text = _ESCAPED.sub(lambda match: match[1] + chr(int(match[2], 16)), text)
    try:
        value = _WRITTEN.decode(text)
    except (ValueError, RecursionError) as error:
        raise JsonError(str(error)) from None
    if not isinstance(value, kind):
        raise JsonError(f"no JSON {'object' if kind is dict else 'string'}")
    return value


def shown(value: object, most: int = 120) -> str:
    """``value`` as Python writes it, for a message, not too long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer longer than Python writes, or deep nesting
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= most else f"{text[:most]}…"


def named(value: object) -> str:
    """The kind of a JSON value, for a message."""
    return _NAMES.get(type(value), "null")


def short(value: object) -> str:
    """``value`` as a message may repeat it."""
    render = repr if isinstance(value, str) else str
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return render(text if len(text) <= 40 else f"{text[:40]}…")


@contextmanager
def _refused(label: str) -> Iterator[None]:
    """Turn every error of a parser into one that names ``label``."""
    try:
        yield
    except JsonError as error:
        raise JsonError(f"{label} {error}") from None
    except UnicodeDecodeError as error:
        raise JsonError(f"{label} is not UTF-8: byte {error.start} is wrong") from None
    except json.JSONDecodeError as error:
        refused = JsonError(
            f"{label} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        )
        refused.at = error.pos
        raise refused from None
    except RecursionError:
        raise JsonError(f"{label} is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:  # Python reads integers of 4300 digits at most
        raise JsonError(f"{label} has a number of too many digits") from None


def _refuse(name: str) -> Any:
    raise JsonError(f"is not JSON: {name} is no JSON number; write a number or null")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise JsonError(f"has the key {short(twice)} twice in one object")
    return members


_DECODER, _LOOSE = (
    json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_object, strict=strict)
    for strict in (True, False)
)


def _walk(value: Any) -> Iterator[tuple[int, Any]]:
    """Each value with its depth, keys too; without recursion, so that no depth can hurt."""
    pending: list[tuple[int, Any]] = [(0, value)]
    while pending:
        depth, node = pending.pop()
        yield depth, node
        if isinstance(node, Mapping):
            pending.extend((depth + 1, part) for part in (*node.keys(), *node.values()))
        elif isinstance(node, list):
            pending.extend((depth + 1, part) for part in node)


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS + 1:
        raise ValueError(f"an integer of more than {MAX_DIGITS} digits")
    return int(digits)


_WRITTEN: Final = json.JSONDecoder(parse_int=_integer)


def _plain(value: object, path: str, depth: int) -> object:
    """``value``, which stands at ``path``, in the types that ``json`` writes without loss."""
    if depth > MAX_WRITTEN_DEPTH:
        raise _unwritten(path, f"nested deeper than {MAX_WRITTEN_DEPTH} levels")
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise _unwritten(path, f"an integer of more than {MAX_DIGITS} digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _unwritten(path, f"{value} is no JSON number")
        return float(value)
    if isinstance(value, Mapping):
        plain: dict[str, object] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise _unwritten(path, f"the key {shown(key)} is no string")
            plain[key] = _plain(item, f"{path}.{key:.80}", depth + 1)
        return plain
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(value)]
    raise _unwritten(path, f"{type(value).__name__} is no JSON value")


def _unwritten(path: str, label: str) -> JsonError:
    where = path if len(path) <= 300 else f"{path[:300]}…"
    return JsonError(
        f"{where} cannot be stored: {label}. Use objects with string keys, lists, strings, finite "
        "numbers, booleans and null"
    )
