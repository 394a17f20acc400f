"""Alternatives: names of which somebody has one, such as classes, read off an archive's headings.

Headings beside each other that begin with short names (Barbarian, Bard, Cleric) are alternatives
of one another, and groups that share two names are one. Which group counts is said by what a
character is: where the state names a ranger, the text under other classes is for others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .chunks import Chunk

_LEAD: Final = re.compile(r"[^:(–—]+")
_WORDS: Final = 2
"""The most words of a name."""
_GROUP: Final = 3
"""The fewest names that are alternatives."""
_SHARED: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """The ``groups`` of names, and the ``names`` that head each passage."""

    groups: tuple[frozenset[str], ...]
    names: tuple[frozenset[str], ...]
    _groups_of: Mapping[str, Sequence[int]]
    _headed: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, groups: Iterable[Iterable[str]], names: Iterable[frozenset[str]]) -> Alternatives:
        """Of the groups, and the names that head each passage, as far as a group has them."""
        sets = tuple(map(frozenset, groups))
        groups_of = _places(sets)
        grouped = tuple(frozenset(groups_of.keys() & headed) for headed in names)
        return cls(sets, grouped, groups_of, _places(grouped))

    def of_others(self, own: Iterable[str], text: str) -> npt.NDArray[np.bool_] | None:
        """Whether each passage is about an alternative that neither ``own`` nor ``text`` names.

        None where ``own``, what a state says that characters are, names none.
        """
        state = _plain(" ".join(own))
        chosen = {number for run in _runs(state) for number in self._groups_of.get(run, ())}
        words = state + _plain(text)
        others = {name for number in chosen for name in self.groups[number]
                  if f" {name}" not in words}
        if not others:
            return None
        about = np.zeros(len(self.names), np.bool_)
        for passage in {passage for name in others for passage in self._headed.get(name, ())}:
            about[passage] = self.names[passage] <= others
        return about


def alternatives(chunks: Sequence[Chunk]) -> Alternatives:
    """The alternatives of an archive."""
    beside: dict[tuple[str, ...], set[str]] = {}
    headed: list[frozenset[str]] = []
    for chunk in chunks:
        for piece in chunk.pieces:
            names = [_name(title) for title in piece.path]
            headed.append(frozenset(filter(None, names)))
            for depth, name in enumerate(names):
                if name:
                    beside.setdefault((chunk.file, *piece.path[:depth]), set()).add(name)
    groups: dict[int, set[str]] = {}
    groups_of: defaultdict[str, set[int]] = defaultdict(set)
    for number, group in enumerate(group for group in beside.values() if len(group) >= _GROUP):
        shared = Counter(other for name in group for other in groups_of[name])
        while alike := [other for other, count in shared.items() if count >= _SHARED]:
            for other in alike:
                group |= groups.pop(other)  # noqa: PLW2901 (it grows until nothing else is alike)
                for name in group:
                    groups_of[name].discard(other)
            shared = Counter(other for name in group for other in groups_of[name])
        groups[number] = group
        for name in group:
            groups_of[name].add(number)
    return Alternatives.of(groups.values(), headed)


def _places(sets: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """Where each name stands."""
    places: dict[str, list[int]] = {}
    for number, names in enumerate(sets):
        for name in names:
            places.setdefault(name, []).append(number)
    return places


def _runs(text: str) -> set[str]:
    """The runs of words in a text that may be names."""
    words = text.split()
    return {" ".join(words[at : at + count]) for count in range(1, _WORDS + 1)
            for at in range(len(words))}


def _name(title: str) -> str:
    lead = _LEAD.match(title)
    name = _plain(lead[0]).strip() if lead else ""
    return name if len(name.split()) <= _WORDS else ""


def _plain(text: str) -> str:
    words = re.findall(r"[^\W_]+", text.casefold())
    return f" {' '.join(words)} "
