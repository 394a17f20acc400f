"""``unless`` and ``follows``: words that keep a text out of a turn, or bring it in. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..text.names import fold, stands_in, words
from .chunks import Chunk

_UNSPACED: Final = re.compile("[\u2e80-\U0010ffff]")
"""A letter of a script that puts no blanks between words."""


@dataclass(frozen=True, slots=True)
class PhraseText:
    """A text to be looked into for phrases: whole words, singular or plural, in any case."""

    folded: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> PhraseText:
        """The text, folded."""
        return cls(fold(text), words(text))

    def names(self, phrase: str) -> bool:
        """Whether the phrase stands in it; any part of a word in a script without blanks."""
        if _UNSPACED.search(phrase):
            return fold(phrase) in self.folded
        return stands_in(words(phrase), self.words)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The chunks of a release that have conditions, by number, with their phrases."""

    unless: tuple[tuple[int, tuple[tuple[str, ...], ...]], ...] = ()
    follows: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def barred(self, texts: Sequence[str]) -> frozenset[int]:
        """The chunks that what was said keeps out: it names all phrases of one group."""
        if not self.unless:
            return frozenset()
        turn = PhraseText.of("\n".join(texts))
        return frozenset(number for number, groups in self.unless
                         if any(all(map(turn.names, group)) for group in groups))

    def brought(self, texts: Sequence[str], there: Collection[int]) -> Iterator[int]:
        """The chunks beside those ``there`` that a printed text names, in the archive's order."""
        if self.follows and texts:
            printed = PhraseText.of("\n".join(texts))
            yield from (number for number, phrases in self.follows
                        if number not in there and any(map(printed.names, phrases)))


def conditions(chunks: Sequence[Chunk]) -> Conditions:
    """The conditions of a release's chunks."""
    return Conditions(
        tuple((number, chunk.unless) for number, chunk in enumerate(chunks) if chunk.unless),
        tuple((number, chunk.follows) for number, chunk in enumerate(chunks) if chunk.follows),
    )
