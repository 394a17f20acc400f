"""Invented games that an encoder can learn from: sections of their rules, and who needs them.

Each is a folder of Markdown files with a file ``says.jsonl``: what people say when they need a
section, by its title. They are of genres and mechanics of their own, so that the encoder learns how
rules are asked for and played, and not the words of one game.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Final

import msgspec

from ..errors import ArchiveError
from ..retrieval.index import Passage
from ..rulebook.markdown import parse_rulebook

SAYS: Final = "says.jsonl"


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    section: str
    kind: str
    says: str


def read_games(folder: Path) -> tuple[tuple[Passage, ...], ...]:
    """The games in ``folder``, by name: the passages of each, with what is said for them.

    Raises:
        ArchiveError: a line cannot be read, or names no section of its game.
    """
    return tuple(_read_game(path.parent) for path in sorted(folder.glob(f"*/{SAYS}")))


def _read_game(folder: Path) -> tuple[Passage, ...]:
    says: defaultdict[str, list[str]] = defaultdict(list)
    for number, text in enumerate((folder / SAYS).read_text("utf-8").splitlines(), 1):
        try:
            line = msgspec.json.decode(text, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ArchiveError(f"{folder / SAYS}, line {number}: {error}") from None
        says[line.section].append(line.says)
    passages = tuple(
        Passage(f"{path.name}#{section.id}", section.path, section.content,
                also=tuple(says.pop(section.title, ())))
        for path in sorted(folder.glob("*.md")) if path.name != "README.md"
        for section in parse_rulebook(path.read_text("utf-8"))
    )
    if says:
        raise ArchiveError(f"{folder / SAYS}: there is no section {min(says)!r}")
    return passages
