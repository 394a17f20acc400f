"""A misspelt name to the one title it must be, or to none.

The cut-off is by word, since it is by words that names differ ("wall of ice" is no misspelt "wall
of fire"). The longer of two words allows, in edits of one letter or one swap of neighbours
(optimal string alignment):

===============  ==========================================================================
up to 3 letters  none
4 letters        none, or one beside another word that agrees ("arcane lok")
5 letters        a swap ("rouge"), or one edit beside another word that agrees
6 to 8 letters   one
9 letters on     two, and two in the whole name
===============  ==========================================================================

Short words standing alone are where real ones are a letter apart ("rage", "range"). The first
letter, or the first two swapped, must agree, and so must every number; a last d, r, s or y makes
another form of a word ("range", "ranger"). Where two titles are as close, neither is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations, permutations, product, repeat
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

MAX_EDITS: Final = 2
EDITS: Final = ((3, 1), (5, 2), (11, 3))
"""From how many letters on a whole name may differ in how many letters."""
_SHORTEST: Final = 4
_SWAP: Final = 5
_ONE: Final = 6
_TWO: Final = 9


def respaced(keys: Iterable[str]) -> dict[str, str | None]:
    """Title keys by their letters without spaces; None where two have the same letters."""
    respelt: dict[str, str | None] = {}
    for key in keys:
        letters = key.replace(" ", "")
        respelt[letters] = None if letters in respelt else key
    return respelt


class Keys:
    """Names that others may misspell, by first letter and length.

    One of a name's first two letters is that of what it misspells.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        self._by_letter: dict[tuple[str, int], list[str]] = {}
        for key in keys:
            self._by_letter.setdefault((key[:1], len(key)), []).append(key)

    def near(self, name: str) -> list[str]:
        """Those that ``name`` may misspell; of the others it misspells none."""
        return [
            key for letter in dict.fromkeys(name[:2])
            for length in range(len(name) - MAX_EDITS, len(name) + MAX_EDITS + 1)
            for key in self._by_letter.get((letter, length), ())
        ]


class Misspellings:
    """Of many names those that may be misspelt ones of each other; built in line with their number.

    Words are near if some of their letters may be left out of both so that the same is left
    (Garbe's symmetric deletion); names, if as many words are the same or near.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = {tuple(key.split()) for key in keys}
        self._near: dict[str, set[str]] = {}
        by_letter: dict[str, list[str]] = {}
        for word in {word for key in self._keys for word in key if len(word) >= _SHORTEST - 1}:
            for letter in {word[0], min(word[:2])}:
                by_letter.setdefault(letter, []).append(word)
        for words in by_letter.values():
            first: dict[str, str] = {}
            more: dict[str, set[str]] = {}
            for word in words:
                for rest in _rests(word):
                    if (other := first.setdefault(rest, word)) is not word:
                        more.setdefault(rest, {other}).add(word)
            for word, other in chain.from_iterable(map(permutations, more.values(), repeat(2))):
                if _same_word(word, other, beside=True):
                    self._near.setdefault(word, set()).add(other)

    def near(self, name: str) -> list[str]:
        """Those that ``name``, one of them, may misspell; it misspells none of the others."""
        parts = tuple(name.split())
        places = [place for place, word in enumerate(parts) if word in self._near]
        changed: set[tuple[str, ...]] = set()
        for chosen in chain.from_iterable(
                combinations(places, count) for count in range(1, MAX_EDITS + 1)):
            for others in product(*(self._near[parts[place]] for place in chosen)):
                by_place = dict(zip(chosen, others, strict=True))
                changed.add(tuple(by_place.get(n, word) for n, word in enumerate(parts)))
        return [" ".join(key) for key in sorted(changed & self._keys)]


def _rests(word: str) -> list[str]:
    """A word, and what is left of it without as many letters as may be wrong in it."""
    rests = [word[:at] + word[at + 1 :] for at in range(len(word))]
    if len(word) >= _TWO:
        rests += [rest[:at] + rest[at + 1 :] for skipped, rest in enumerate(rests)
                  for at in range(skipped, len(rest))]
    return [word, *rests]


def closest(name: str, keys: Iterable[str] | Keys) -> str | None:
    """The one of ``keys`` that ``name`` misspells, or None.

    All are title keys (:func:`mvp_site.text.names.title_key`); ``name`` is none of ``keys``.
    """
    matches = within(name, keys.near(name) if isinstance(keys, Keys) else list(keys))
    near = sorted((distance, key) for key, distance in matches.items() if misspells(name, key))
    if not near or (len(near) > 1 and near[1][0] == near[0][0]):
        return None
    return near[0][1]


def within(name: str, keys: Sequence[str]) -> dict[str, float]:
    """Those of ``keys`` that differ from ``name`` in two letters at most, and in how many.

    They are more than those that it may misspell.
    """
    matches = process.extract(name, keys, scorer=OSA.distance, score_cutoff=MAX_EDITS, limit=None)
    return {key: distance for key, distance, _ in matches}


def misspells(name: str, key: str) -> bool:
    """Whether every word of ``name`` is the same word of ``key`` or within its cut-off."""
    ours, theirs = name.split(), key.split()
    if len(ours) != len(theirs):
        return False
    pairs = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    beside = len(pairs) == 1 and any(
        word in theirs and len(word) >= _SHORTEST for word in ours if word != pairs[0][0]
    )
    return all(_same_word(*pair, beside) for pair in pairs)


def _same_word(ours: str, theirs: str, beside: bool) -> bool:
    length = max(len(ours), len(theirs))
    if length < _SHORTEST or any(map(str.isdigit, ours + theirs)):
        return False
    if ours[0] != theirs[0] and ours[:2] != theirs[1::-1]:
        return False
    if _stems(ours) & _stems(theirs):
        return False
    edits = OSA.distance(ours, theirs)
    if length < _ONE:
        swap = length == _SWAP and sorted(ours) == sorted(theirs)
        return edits == 1 and (swap or beside)
    return edits <= (1 if length < _TWO else MAX_EDITS)


def _stems(word: str) -> set[str]:
    return {word, word[:-1]} if word.endswith(("d", "r", "s", "y")) else {word}


def near(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """Those of ``names`` that ``name`` may have been meant for, the nearest first: a hint."""
    matches = process.extract(name[:100], list(names), limit=limit, score_cutoff=65)
    return [match for match, _, _ in matches]


def misspelt_names(name: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """Whole names that ``name`` is near, the nearest first: places and how many letters differ.

    How many may differ goes by :data:`EDITS`; letters count as :func:`closest` counts them.
    """
    most = max((edits for letters, edits in EDITS if len(name) >= letters), default=0)
    matches = process.extract(name, names, scorer=OSA.distance, score_cutoff=most, limit=3)
    return [(place, int(distance)) for _, distance, place in matches] if most else []
