"""A question's words as the book has them: table slang, and misspelt words of titles.

Only what the book itself does not know is taken for something else, so that nothing which could
be meant as it stands is touched. Slang of several words ("attack of opportunity") is looked up as
it stands.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterable
from typing import Final

from ..utterances import FOLDER
from .names import fold, words
from .typos import Keys, closest

VARIATIONS: Final[dict[str, str]] = tomllib.loads(
    FOLDER.joinpath("short_forms.toml").read_text("utf-8")
)
"""What players call things, folded as :func:`~.names.fold` does, and the names they stand for.

Only a whole entity is looked up, never a word inside one: "lock" alone is most often the class,
"arcane lock" is not.
"""
SHORTEST: Final = 5
"""The shortest word that is looked at as a misspelt one."""
MOST: Final = 8
"""How many words of one question are taken for others."""
LOOKED: Final = 16
"""How many that the book does not know are looked at; each costs a look at all its titles."""
_WORD: Final = re.compile(r"([^\W\d_]+(?:'[^\W\d_]+)*)")
_LONGEST: Final = max(len(name.split()) for name in VARIATIONS)
_OPENINGS: Final = frozenset(name.split()[0] for name in VARIATIONS)


class Spelling:
    """Reads the words of questions to one book, which has the words that are known.

    What is ``spoken`` at tables is no typo, but may be slang.
    """

    def __init__(self, known_words: Container[str], titles: Iterable[str],
                 spoken: Container[str] = ()) -> None:
        self._known, self._spoken = known_words, spoken
        self._title_words = frozenset(titles)
        self._titles = Keys(sorted(self._title_words))

    def read(self, text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """``text`` folded, in the book's words; with it what was taken for what."""
        parts = _WORD.split(fold(text))
        corrections: dict[str, str] = {}
        at, looked = 1, 0
        while at < len(parts) and len(corrections) < MOST:
            length = 0
            if parts[at] in _OPENINGS or "'" in parts[at]:
                lengths = range(_LONGEST, 0, -1)
                length = next((n for n in lengths if self._is_slang(parts, at, n)), 0)
            if length:
                joined = "".join(parts[at : at + 2 * length - 1])
                corrections[joined] = VARIATIONS[_key(joined)]
                parts[at : at + 2 * length - 1] = [corrections[joined]]
            elif (looked < LOOKED and len(parts[at]) >= SHORTEST and not self._knows(parts[at])
                  and words(parts[at])[0] not in self._spoken):
                looked += 1
                if near := closest(words(parts[at])[0], self._titles):
                    corrections[parts[at]] = parts[at] = near
            at += 2
        return "".join(parts), tuple(corrections.items())

    def _is_slang(self, parts: list[str], at: int, length: int) -> bool:
        joined = "".join(parts[at : at + 2 * length - 1])
        if len(parts[at : at + 2 * length - 1 : 2]) < length or _key(joined) not in VARIATIONS:
            return False
        return length > 1 or not self._knows(joined)

    def _knows(self, word: str) -> bool:
        if word in self._known or word in self._title_words:
            return True  # as most are, without looking for a singular
        key = words(word)[0]
        return key in self._known or key in self._title_words


def _key(word: str) -> str:
    key = " ".join(word.split())
    return key if key in VARIATIONS else key.removesuffix("'s")
