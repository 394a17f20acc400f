"""Where every word of a book stands, so that no query reads its text again.

A name is *mentioned* where its words stand next to each other, compared as :mod:`~.names` does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import arrays
from ..retrieval.names import words
from .sections import Sections

Numbers = npt.NDArray[np.int64]
FILES: Final = ("words.json", "words_at.npy", "words_starts.npy", "words_sections.npy")
_NONE: Final = np.empty(0, np.int64)


class WordIndex:
    """The places of each word; a section's words are numbered on from those before it.

    Between two sections a number is left out, so that no name reaches from one into the next.
    """

    __slots__ = ("_at", "_bounds", "_numbers", "_starts")

    def __init__(self, vocabulary: Mapping[str, int], at: npt.NDArray[np.int32],
                 starts: Numbers, bounds: Numbers) -> None:
        self._numbers = vocabulary
        self._at = at
        self._starts = starts
        self._bounds = bounds

    @classmethod
    def build(cls, sections: Sections) -> WordIndex:
        """The index of the sections' contents; linear in their length."""
        vocabulary: dict[str, int] = {}
        sequence: list[int] = []
        places: list[int] = []
        bounds: list[int] = []
        place = 0
        for section in sections:
            bounds.append(place)
            for word in words(section.content):
                sequence.append(vocabulary.setdefault(word, len(vocabulary)))
                places.append(place)
                place += 1
            place += 1
        held = np.asarray(sequence, np.int64)
        order = np.argsort(held, kind="stable")
        starts = np.zeros(len(vocabulary) + 1, np.int64)
        np.cumsum(np.bincount(held, minlength=len(vocabulary)), out=starts[1:])
        at = np.asarray(places, np.int32)[order]
        return cls(vocabulary, at, starts, np.asarray(bounds, np.int64))

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def mentioning(self, name: Sequence[str]) -> Numbers:
        """The numbers of the sections whose text has the words ``name``, ascending."""
        if not name:
            return _NONE
        found: npt.NDArray[np.int32] | None = None
        for offset, word in enumerate(name):
            number = self._numbers.get(word)
            if number is None:
                return _NONE
            at = self._at[self._starts[number] : self._starts[number + 1]] - offset
            found = at if found is None else np.intersect1d(found, at, assume_unique=True)
            if not len(found):
                return _NONE
        assert found is not None
        numbers = np.searchsorted(self._bounds, found, side="right") - 1
        first = np.empty(len(numbers), np.bool_)  # the places ascend, and so do the sections
        first[0] = True
        np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
        return numbers[first]

    def dump(self) -> dict[str, bytes]:
        """The index as files."""
        return {
            FILES[0]: json.dumps(list(self._numbers), ensure_ascii=False).encode(),
            FILES[1]: arrays.to_bytes(self._at),
            FILES[2]: arrays.to_bytes(self._starts),
            FILES[3]: arrays.to_bytes(self._bounds),
        }

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> WordIndex:
        """The index from the files of :meth:`dump`."""
        names: list[str] = json.loads(files[FILES[0]])
        return cls(
            {name: number for number, name in enumerate(names)},
            arrays.from_bytes(files[FILES[1]]), arrays.from_bytes(files[FILES[2]]),
            arrays.from_bytes(files[FILES[3]]),
        )
