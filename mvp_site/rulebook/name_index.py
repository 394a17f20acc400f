"""Where names stand in a book: as its titles, in its titles, and in its texts.

Names and texts are compared by their :func:`~mvp_site.text.names.words`. A title that is set
for an alphabetical list ("Lantern, hooded", "Rope, hempen (50 feet)") is also found by the name as
people say it ("hooded lantern", "hempen rope"). A name is *mentioned* where its words stand next to
each other.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..text.names import name_spans, names_of, words
from .sections import Sections

Numbers = npt.NDArray[np.int64]
FILE: Final = "words.txt"
_LONGEST: Final = 8
"""Titles of more words are found by what they share with a query, not as a name in it."""


class TitleIndex:
    """The titles of one book."""

    def __init__(self, sections: Sections) -> None:
        self._by_key: dict[str, list[int]] = {}
        for number, section in enumerate(sections):
            for name in names_of(section.title):
                self._by_key.setdefault(" ".join(name), []).append(number)

    def titled(self, name: Sequence[str]) -> Sequence[int]:
        """The sections whose title is ``name``."""
        return self._by_key.get(" ".join(name), ()) if name else ()

    def contains(self, name: Sequence[str]) -> bool:
        """Whether some title has the words of ``name`` next to each other."""
        return bool(name) and any(f" {' '.join(name)} " in f" {key} " for key in self._by_key)

    def words(self) -> Iterator[str]:
        """Each word of a title once."""
        return iter(dict.fromkeys(word for key in self._by_key for word in key.split()))

    def named_in(self, text: Sequence[str]) -> list[tuple[str, ...]]:
        """The titles that stand in ``text``, the longest at each place, none twice."""
        spans = longest_names(text, self._by_key)
        return list(dict.fromkeys(tuple(text[start:end]) for start, end in spans))


def longest_names(text: Sequence[str], names: Container[str]) -> list[tuple[int, int]]:
    """Where ``names`` stand in ``text``, as :func:`name_spans` has it."""
    return name_spans(text, names.__contains__, _LONGEST)


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

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_word)

    def mentioning(self, name: Sequence[str]) -> Numbers:
        """The numbers of the sections whose text has the words ``name``, ascending."""
        numbers = min((self._by_word.get(word, []) for word in name), key=len, default=[])
        if len(name) > 1:
            phrase = f" {' '.join(name)} "
            numbers = [number for number in numbers if phrase in self._lines[number]]
        return np.asarray(numbers, np.int64)

    def dump(self) -> dict[str, bytes]:
        """The index as files."""
        return {FILE: "\n".join(self._lines).encode()}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> WordIndex:
        """The index from the files of :meth:`dump`."""
        return cls(files[FILE].decode().split("\n"))
