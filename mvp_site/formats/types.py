"""What a format is, and what is looked at to recognise one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Kind = Literal["prompts", "sheets", "entities", "notes", "books"]
"""What a file is for: the command that reads it goes by this."""
Extent = Literal["read whole", "read in part", "refused"]
COMMANDS: Final[Mapping[Kind, str]] = {
    "prompts": "mvp-site archive import", "sheets": "mvp-site characters import",
    "entities": "a folder of your own entities", "notes": "mvp-site sessions import",
    "books": "mvp-site library scan",
}
"""What reads files of a kind."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A file to be recognised: its bytes, its text ('' for none), and its value if it is JSON.

    ``name`` is for messages alone; no format is known by it.
    """

    name: str
    content: bytes = b""
    text: str = ""
    value: Any = None

    def has(self, *keys: str) -> bool:
        """Whether the value is an object with all of these keys."""
        return isinstance(self.value, Mapping) and self.value.keys() >= {*keys}


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files: how one is recognised, and what becomes of it.

    ``name`` is a phrase with its article, as in "a NovelAI story". ``recognised`` is pure, quick
    and true of no other format's files. ``read`` gives what the importer of the kind takes
    (prompts: :class:`~.lore.Lore`); it is None where the kind's own package reads the file, and
    where it is refused. ``used`` says what is read of it, ``aside`` what is kept and not used, or
    why it is refused.
    """

    name: str
    kind: Kind
    recognised: Callable[[Sample], bool]
    used: str = ""
    aside: str = ""
    extent: Extent = "read whole"
    read: Callable[[Sample], Any] | None = None
