"""Where every word of a book stands, so that no query reads its text again.

A name is *mentioned* where its words stand next to each other, compared as
:func:`~mvp_site.retrieval.names.words` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.names import words
from .sections import Sections

Numbers = npt.NDArray[np.int64]
FILE: Final = "words.txt"


class WordIndex:
    """The words of the sections' texts, a line a section, a space before and behind each word."""

    __slots__ = ("_by_word", "_lines")

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._by_word: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            for word in dict.fromkeys(line.split()):
                self._by_word.setdefault(word, []).append(number)

    @classmethod
    def build(cls, sections: Sections) -> WordIndex:
        """The index of the sections' contents; linear in their length."""
        return cls([f" {' '.join(words(section.content))} " for section in sections])

    def __contains__(self, word: object) -> bool:
        return word in self._by_word

    def mentioning(self, name: Sequence[str]) -> Numbers:
        """The numbers of the sections whose text has the words ``name``, ascending."""
        found = min((self._by_word.get(word, []) for word in name), key=len, default=[])
        if len(name) > 1:
            wanted = f" {' '.join(name)} "
            found = [number for number in found if wanted in self._lines[number]]
        return np.asarray(found, np.int64)

    def dump(self) -> dict[str, bytes]:
        """The index as files."""
        return {FILE: "\n".join(self._lines).encode()}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> WordIndex:
        """The index from the files of :meth:`dump`."""
        return cls(files[FILE].decode().split("\n"))
