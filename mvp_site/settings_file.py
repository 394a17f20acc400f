"""The settings file: TOML whose keys are the fields of the settings, and its template."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from .errors import SettingsError

NAME: Final = "mvp-site.toml"
_HEAD: Final = """\
# Settings of mvp-site. Take the # off a line and change its value. A variable of the environment of
# the same name in capitals (PROMPT_VERSION) wins. Folders are relative to this file; "" is unset.
"""
_TAIL: Final = """
# These may stand here too, but their place is the environment, which nobody commits.
"""


def read(path: Path, known: Collection[str]) -> Mapping[str, Any]:
    """What the file has of the keys ``known``; what is blank counts as unset.

    Raises:
        SettingsError: it cannot be read, is no TOML, or has another key; a near one is named.
    """
    try:
        state = path.stat()
        values = _parsed(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise SettingsError(
            f"the settings file {path} cannot be read ({error.strerror}): set MVP_SITE_SETTINGS to "
            "one that can, or unset it"
        ) from None
    except ValueError as error:  # of TOML, or of UTF-8
        raise SettingsError(f"the settings file {path} is no TOML: {error}") from None
    for key in values:
        if key not in known:
            from .text.typos import near  # noqa: PLC0415 - it brings rapidfuzz, for a mistake alone

            meant = "".join(f"; did you mean {one}?" for one in near(key, known, 1))
            raise SettingsError(f"{path}: {key!r} is no setting{meant}")
    return {key: value for key, value in values.items() if str(value).strip()}


@lru_cache(1)  # it is asked for each setting
def _parsed(path: Path, _mtime: int, _size: int) -> Mapping[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def template(settings: type, given: Collection[str] = ()) -> str:
    """The file with each field of ``settings`` on a line, commented out but for those ``given``."""
    lines: dict[bool, list[str]] = {True: [], False: []}
    for one in fields(settings):
        default = one.metadata["default"]
        value = str(default) if isinstance(default, Path) else "" if default is None else default
        mark = "" if one.name in given else "# "
        lines[one.repr].append(
            f"{mark}{one.name} = {json.dumps(value)}  # {one.metadata['about']}\n"
        )
    return "".join([_HEAD, "\n", *lines[True], _TAIL, *lines[False]])
