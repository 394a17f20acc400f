"""JSON by its content, whatever a file is called, read as careless tools write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..text.normalising import clean
from ..text.strict_json import MAX_DEPTH, JsonError, check, parse_at


def json_value(text: str, label: str, *, stated: bool = False,
               ) -> tuple[Any, tuple[str, ...]] | None:
    """The value that a text is, with notes on what was replaced in it; None where it is prose.

    Line ends inside strings are read; a NUL and half a surrogate pair become U+FFFD, and a note
    names the place. ``stated`` says that the file is named as JSON: prose may begin with a value.

    Raises:
        JsonError: it is damaged, has a key twice, or is nested deeper than 64 levels.
    """
    if not (stated or re.match(r"\s*(?:\{\s*[\"}]|(?:\[\s*)+[\]{\"])", text)):
        return None
    replaced: list[str] = []
    try:
        value, end = parse_at(text, len(text) - len(text.lstrip()), label, loose=True)
    except JsonError:
        if not stated and not text.rstrip().endswith(("}", "]")):
            return None
        raise
    if rest := text[end:].strip():
        if not stated and not rest.startswith(("{", "[")):
            return None
        raise JsonError(f"{label} is not JSON: there is more behind its end, at {rest[:20]!r}")
    try:
        check(value, label)
    except JsonError:  # most often what no text may hold
        try:
            value = _whole(value, "", replaced, 0)
        except RecursionError:
            raise JsonError(f"{label} is nested deeper than {MAX_DEPTH} levels") from None
    return value, tuple(f"{label}: {place} has a character that is no text: it was replaced"
                        for place in replaced)


def _whole(value: Any, place: str, replaced: list[str], depth: int) -> Any:
    """The value without what no text may hold; ``replaced`` gets the places."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        text = clean(value)
        if text != value:
            replaced.append(place or "it")
        return text
    if isinstance(value, Mapping):
        return {_whole(key, place, replaced, depth): _whole(part, f"{place}.{key}".lstrip("."),
                                                            replaced, depth + 1)
                for key, part in value.items()}
    if isinstance(value, list):
        return [_whole(part, f"{place}.{at}".lstrip("."), replaced, depth + 1)
                for at, part in enumerate(value)]
    return value


def objects_in(value: Any, place: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object in a value with its place, outer ones first."""
    if isinstance(value, Mapping):
        yield place, value
        parts: Any = value.items()
    else:
        parts = enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from objects_in(part, f"{place}.{key}".lstrip("."))
