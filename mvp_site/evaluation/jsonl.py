"""Sets of questions as JSON lines: shipped ones, and others in files of the same form."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import jsonschema

from ..errors import SettingsError

T = TypeVar("T")


def read_set(shipped: str, file: Path | None, parsed: Callable[[Any], T]) -> tuple[str, list[T]]:
    """The name of a set and what its lines hold, blank ones left out.

    The set is ``file``, or where there is none the one that stands beside this module under the
    path ``shipped``. ``parsed`` makes of a line's JSON what the set holds.

    Raises:
        SettingsError: the set cannot be read, or ``parsed`` raised ValueError or
            ``ValidationError`` for a line; the message names the line.
    """
    name, text = (shipped, _shipped(shipped)) if file is None else (str(file), _read(file))
    found: list[T] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append(parsed(json.loads(line)))
            except (ValueError, jsonschema.ValidationError) as error:
                raise SettingsError(f"{name}, line {number}: {_told(error)}") from None
    return name, found


def _told(error: ValueError | jsonschema.ValidationError) -> str:
    if isinstance(error, jsonschema.ValidationError):
        place = ".".join(map(str, error.absolute_path))
        return f"{place}: {error.message}" if place else error.message
    return f"it is no JSON ({error})" if isinstance(error, json.JSONDecodeError) else str(error)


def _shipped(name: str) -> str:
    try:
        return resources.files(__package__).joinpath(name).read_text("utf-8")
    except FileNotFoundError:
        raise SettingsError(f"the set {name} is not in this installation") from None


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} is not UTF-8 at byte {error.start}") from None
