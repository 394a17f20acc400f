"""The values that a file of JSON or YAML holds, or in words why it is not read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ..content.schemas import shown
from ..retrieval.audience import says_audience
from ..retrieval.text import clean
from ..yaml_values import TWICE, RefusedError, read_yaml

MAX_FILE: Final = 16 * 2**20
"""Bytes of a file."""
HEAD_LINES: Final = 10
NO_SECRETS: Final = (
    "is not read: everybody may see every entity; keep secrets out of this folder, as text of the "
    "prompt archive"
)


def values_of(path: Path) -> list[Any]:
    """The values of a file: one of JSON, any number of YAML.

    Raises:
        RefusedError: it cannot be read, or is not what its name says.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise RefusedError(f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE:
        raise RefusedError(f"is larger than {MAX_FILE // 2**20} MiB; divide it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError(f"is not UTF-8 at byte {error.start}; save it as UTF-8") from None
    for line in text.split("\n", HEAD_LINES)[:HEAD_LINES]:
        if line.lstrip().startswith("#") and says_audience(line):
            raise RefusedError(f"{shown(line.strip()[:80])} {NO_SECRETS}")
    try:
        return [_json(text)] if path.suffix.lower() == ".json" else read_yaml(text)
    except json.JSONDecodeError as error:
        raise RefusedError(
            f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise RefusedError("is nested too deeply") from None
    except ValueError:  # Python reads integers of 4300 digits at most
        raise RefusedError("has a number of too many digits") from None


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RefusedError(TWICE.format(shown(clean(key))))
        found[key] = value
    return found


def _no_constant(name: str) -> None:
    raise RefusedError(f"is not JSON: {name} is no number of JSON")
