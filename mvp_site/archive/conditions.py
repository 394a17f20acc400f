"""``unless`` and ``follows``: words that keep a text out of a turn, or bring it in. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ..text.names import stands_in, words
from .chunks import Chunk


@dataclass(frozen=True, slots=True)
class Conditions:
    """The chunks of a release that have conditions, by number, with their phrases."""

    unless: tuple[tuple[int, tuple[tuple[str, ...], ...]], ...] = ()
    follows: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def barred(self, texts: Sequence[str]) -> frozenset[int]:
        """The chunks that what was said keeps out: it names all phrases of one group."""
        if not self.unless:
            return frozenset()
        turn = words("\n".join(texts))
        return frozenset(number for number, groups in self.unless
                         if any(all(_stands(phrase, turn) for phrase in group)
                                for group in groups))

    def brought(self, texts: Sequence[str], there: Collection[int]) -> Iterator[int]:
        """The chunks beside those ``there`` that a printed text names, in the archive's order."""
        if self.follows and texts:
            printed = words("\n".join(texts))
            yield from (number for number, phrases in self.follows if number not in there
                        and any(_stands(phrase, printed) for phrase in phrases))


def conditions(chunks: Sequence[Chunk]) -> Conditions:
    """The conditions of a release's chunks."""
    return Conditions(
        tuple((number, chunk.unless) for number, chunk in enumerate(chunks) if chunk.unless),
        tuple((number, chunk.follows) for number, chunk in enumerate(chunks) if chunk.follows),
    )


def _stands(phrase: str, text: Sequence[str]) -> bool:
    """Whether a phrase stands in the words of a text, of scripts without spaces anywhere."""
    return stands_in(words(phrase), text)
