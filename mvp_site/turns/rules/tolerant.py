"""A tolerant reading of JSON: comments, commas before a bracket, line breaks within strings.

What has these and nothing else amiss reads in one way alone. That is made sure of: an own reading,
which takes them out and is then as strict as ever, and that of ``json_repair``, which guesses, must
give the same object. ``json_repair`` sees numbers for strings: a comma and a colon within one
("Mirtul 4, 20:41") it takes for its end and another key.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import Any, Final

from ...text.json_values import same
from ...text.strict_json import JsonError, check, parse_at

_STRING: Final = r'"(?:[^"\\]|\\.)*(?:"|\Z)'  # an end in any case: what has none is read once
_PARTS: Final = re.compile(rf"{_STRING}|//[^\n]*|#[^\n]*|/\*(?:.*?\*/|.*)|[{{}}\[\]]", re.DOTALL)
_COMMA: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CONTROL: Final = re.compile(r"[\n\r\t]")


def read_tolerantly(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """The object at ``start``, a brace, and where it ends; None where readings differ."""
    from json_repair import loads  # noqa: PLC0415 - only few answers need it

    end, depth = len(text), 0
    pieces: list[str] = []
    behind = start
    for part in _PARTS.finditer(text, start):
        pieces.append(text[behind : part.start()])
        behind = part.end()
        if part[0] in "{}[]":
            depth += 1 if part[0] in "{[" else -1
            pieces.append(part[0])
        elif part[0][0] == '"':
            pieces.append(_CONTROL.sub(lambda match: _ESCAPES[match[0]], part[0]))
        if not depth:
            end = behind
            break
    cleaned = _COMMA.sub(lambda match: match[0] if match[0] != "," else "", "".join(pieces))
    try:
        answer, stop = parse_at(cleaned, 0)
        check(answer)
        agreed = same(loads(_masked(text[start:end])), json.loads(_masked(cleaned)))
    except (JsonError, ValueError, RecursionError):
        return None
    return (answer, end) if agreed and isinstance(answer, dict) and not cleaned[stop:] else None


def _masked(text: str) -> str:
    """``text`` with the number of each string in its place."""
    numbers = count()
    return _PARTS.sub(
        lambda part: f'"{next(numbers)}"' if part[0][0] == '"' else part[0], text
    )
