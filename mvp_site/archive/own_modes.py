"""What a version declares of its own turns, in TOML beside its header.

``modes.toml`` has modes of its own::

    [combat]
    header = "You are the referee. Every reply holds `round` and `points`."
    always = ["fighting.md"]
    search = ["fighting.md", "weapons.md"]
    who = "player"

``signals.toml`` says where the game's state tells of combat, rest or a place::

    combat = ["encounter.active", "scene.mode=fight"]
    rest = ["party.camp"]
    place = ["scene.kind", "scene.name"]
    class = ["party.*.class"]

A path leads through objects, and by ``*`` through all that one or a list has. Combat and rest are
where a path's value is the one behind ``=``, or without one true, a number above zero, or anything
that is not empty; the words of a place say what kind it is. A class is what somebody of the game
is: passages on others rank lower.

``placeholders.toml`` names places in a text that a runner's code fills (``{{WEATHER}}``), each with
the text that stands there in a turn that gives none::

    WEATHER = "The sky is grey."
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from ..errors import ArchiveError
from ..text.strict_json import JsonError
from ..text.typos import near
from ..types import MODES as BUILT_IN
from ..types import Audience

MODES_FILE: Final = "modes.toml"
PLACEHOLDERS: Final = "placeholders.toml"
SIGNALS: Final = "signals.toml"
_PLACE: Final = re.compile(r"\{\{[ \t]*([^\W\d][\w.-]*)[ \t]*\}\}")


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


@dataclass(frozen=True, slots=True)
class SignalPaths:
    """The paths of a state that say something of a turn."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", populate_by_name=True)

    combat: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    place: tuple[str, ...] = ()
    classes: Annotated[tuple[str, ...], Field(alias="class")] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """A version's modes by name, what its states tell, and texts of placeholders by name."""

    modes: Mapping[str, OwnMode] = field(default_factory=dict)
    signals: SignalPaths | None = None
    placeholders: Mapping[str, str] = field(default_factory=dict)


_FORMS: Final[Mapping[str, tuple[TypeAdapter[Any], str]]] = {
    MODES_FILE: (TypeAdapter(dict[str, OwnMode]), "a mode has header, always, search, who"),
    PLACEHOLDERS: (TypeAdapter(dict[str, str]), 'it has lines like WEATHER = "The sky is grey."'),
    SIGNALS: (TypeAdapter(SignalPaths),
              "it has combat, rest, place and class, each a list of paths"),
}
FILES: Final = tuple(_FORMS)


def read_declared(file: str, content: bytes, label: str) -> Any:
    """What the content of one of :data:`FILES` declares; errors call it ``label``.

    Raises:
        JsonError: it does not parse, or something in it is wrong.
    """
    adapter, keys = _FORMS[file]
    try:
        values = adapter.validate_python(tomllib.loads(content.decode("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise JsonError(f"{label}: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise JsonError(f"{label}: {place}: {first['msg']}; {keys}") from None
    for name in BUILT_IN if file == MODES_FILE else ():
        if name in values:
            raise JsonError(f"{label}: the mode {name} is built in; take another name")
    return values


def declared(beside: Mapping[str, bytes]) -> Declared:
    """What a version declares, of what stands beside its header."""
    modes, placeholders, signals = (
        read_declared(file, beside[file], file) if file in beside else None for file in FILES)
    return Declared(modes or {}, signals, placeholders or {})


def check_names(beside: Mapping[str, bytes], texts: Mapping[str, str]) -> None:
    """Raise :class:`ArchiveError` where a mode names no file or heading of ``texts``, by file."""
    names: set[Any] = {name for file in texts for name in (file, file.removesuffix(".md"))} | {
        heading.strip().casefold() for text in texts.values()
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    for name, mode in declared(beside).modes.items():
        for file in (*mode.always, *mode.search):
            if file not in names and file.rpartition(" > ")[2].strip().casefold() not in names:
                nearest = "".join(f"; did you mean {other}?" for other in near(file, names, 1))
                raise ArchiveError(f"{MODES_FILE}: the mode {name} names {file}, and the version "
                                   f"has no such file or heading{nearest}")


def named(text: str) -> list[str]:
    """The names of the placeholders in a text, in order, each once."""
    return [*dict.fromkeys(_PLACE.findall(text))] if "{{" in text else []


def filled(text: str, texts: Mapping[str, str]) -> str:
    """A text with its placeholders filled; those that ``texts`` does not have stay as they are."""
    if not texts or "{{" not in text:
        return text
    return _PLACE.sub(lambda match: texts.get(match[1], match[0]), text)
