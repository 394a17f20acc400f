"""Modes of a version's own: what ``modes.toml`` beside the header says of each.

::

    [combat]
    header = "You are the referee. Every reply holds `round` and `points`."
    always = ["fighting.md"]
    search = ["fighting.md", "weapons.md"]
    who = "player"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ..errors import ArchiveError
from ..text.strict_json import JsonError
from ..text.typos import near
from ..types import MODES as BUILT_IN
from ..types import Audience

MODES: Final = "modes.toml"


@dataclass(frozen=True, slots=True)
class OwnMode:
    """A mode that a version declares.

    ``header`` stands behind the core header, byte for byte. The files or sections of ``always`` are
    printed in every turn; those of ``search`` are searched, by default all. ``who`` is the least
    audience that may use the mode; what one who may use it may not see is left out.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    header: str = ""
    always: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    who: Audience = "player"


_MODES: Final = TypeAdapter(dict[str, OwnMode])
T = TypeVar("T")


def toml_as(adapter: TypeAdapter[T], content: bytes, label: str, keys: str) -> T:
    """The content of a TOML file as ``adapter`` has it; ``keys`` tells what may stand there.

    Raises:
        JsonError: it does not parse, or something in it is wrong.
    """
    try:
        return adapter.validate_python(tomllib.loads(content.decode("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise JsonError(f"{label}: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise JsonError(f"{label}: {place}: {first['msg']}; {keys}") from None


def read_modes(content: bytes, label: str) -> dict[str, OwnMode]:
    """The modes in a file, by name.

    Raises:
        JsonError: it does not parse, or a mode is wrong.
    """
    modes = toml_as(_MODES, content, label, "a mode has header, always, search, who")
    for name in modes:
        if name in BUILT_IN:
            raise JsonError(f"{label}: the mode {name} is built in; take another name")
    return modes


def modes_of(beside: Mapping[str, bytes]) -> dict[str, OwnMode]:
    """A version's own modes, of what stands beside its header."""
    return read_modes(beside[MODES], MODES) if MODES in beside else {}


def check_names(beside: Mapping[str, bytes], texts: Mapping[str, str]) -> None:
    """Raise :class:`ArchiveError` where a mode names no file or heading of ``texts``, by file."""
    names: set[Any] = {name for file in texts for name in (file, file.removesuffix(".md"))} | {
        heading.strip().casefold() for text in texts.values()
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    for name, mode in modes_of(beside).items():
        for file in (*mode.always, *mode.search):
            if file not in names and file.rpartition(" > ")[2].strip().casefold() not in names:
                nearest = "".join(f"; did you mean {other}?" for other in near(file, names, 1))
                raise ArchiveError(f"{MODES}: the mode {name} names {file}, and the version has "
                                   f"no such file or heading{nearest}")
