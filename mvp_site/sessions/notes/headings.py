"""What a heading or the first words of a text say: the part that is meant, and who may read it.

People call parts by other names, number them, decorate them and misspell them. What seems meant
for the DM alone is taken so: a secret shown cannot be taken back.
"""

from __future__ import annotations

import re
from typing import Final

from ...text.dm_marks import marked_lines
from ...text.dm_words import PATTERNS, reserved, reserved_by_name
from ...text.names import fold, title_key
from ...text.typos import Keys, closest
from ..intentions import NOTE_PARTS

DM_PARTS: Final = frozenset(
    key for key, part in NOTE_PARTS.items() if part.get("audience", "player") != "player"
)
_NOTE: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_BREAK: Final = re.compile(r"(?<=[.:;,!?])\s+|\n\s*")
_STANDING: Final = re.compile(r"(?:^|(?<=[:;,] ))hidden\W*$", re.IGNORECASE)
_AND: Final = re.compile(r"\s*(?:&|/|\+|,|\band\b)\s*")
_KEYS: Final = {
    title_key(name): key
    for key, part in reversed(NOTE_PARTS.items())
    for name in (key.replace("_", " "), *part["also"], part["heading"])
}
_TYPOS: Final = Keys(sorted(_KEYS))


def exact_part(title: str) -> str | None:
    """The part whose heading ``title`` is, in any decoration or with a typo; else None."""
    key = title_key(_NOTE.sub(" ", fold(title)))
    return _KEYS.get(key) or _KEYS.get(closest(key, _TYPOS) or "")


def part_of(title: str) -> str | None:
    """The part that a heading means: that it is, or several, the first; None for one of its own."""
    several = [exact_part(part) for part in _AND.split(_NOTE.sub(" ", fold(title)))]
    return exact_part(title) or (several[0] if all(several) else None)


def hides(title: str, whole: bool = False) -> bool:
    """Whether a heading says that what stands below it is for the DM alone.

    ``whole`` is a session's title, which may speak of secrets and be told.
    """
    plain = fold(title)
    if PATTERNS["note_heading"].search(plain) or reserved_by_name(title):
        return True
    return not whole and (
        bool(PATTERNS["note_secret_heading"].search(plain) or reserved(title))
        or part_of(title) in DM_PARTS)


def hidden_text(line: str) -> bool:
    """Whether a line of text says that it is for the DM alone."""
    return bool(PATTERNS["note_text"].search(fold(line)))


def opens_hidden(line: str) -> bool:
    """Whether it says so with its first words."""
    match = PATTERNS["note_text"].search(fold(line))
    return bool(match and not match.start())


def reserves(text: str) -> bool:
    """Whether a text, or what stands in one, says that it is for the DM alone.

    What ends with "hidden" tells how somebody stands ("conditions: prone, hidden").
    """
    text = _STANDING.sub("", text)
    return bool(hidden_text(text) or any(map(opens_hidden, _BREAK.split(text)))
                or marked_lines(text))


def hidden_columns(header: str) -> bool:
    """Whether a table's header names a column that is the DM's."""
    return bool(PATTERNS["note_column"].search(f"|{fold(header).strip('|')}|"))
