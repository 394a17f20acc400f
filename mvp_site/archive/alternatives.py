"""Alternatives: names of which somebody has one, such as classes, read off an archive's headings.

Headings beside each other that begin with short names (Barbarian, Bard, Cleric) are alternatives
of one another, and groups that share two names are one. Which group counts is said by what a
character is: where the state names a ranger, the text under other classes is for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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

    def of_others(self, own: Iterable[str], text: str) -> npt.NDArray[np.bool_] | None:
        """Whether each passage is about an alternative that neither ``own`` nor ``text`` names.

        None where ``own``, what a state says that characters are, names none.
        """
        state = _plain(" ".join(own))
        chosen = [group for group in self.groups if any(f" {name} " in state for name in group)]
        words = state + _plain(text)
        others = {name for group in chosen for name in group if f" {name}" not in words}
        if not others:
            return None
        return np.asarray([bool(names & others) and not names - others for names in self.names])


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
    groups: list[set[str]] = []
    for group in (group for group in beside.values() if len(group) >= _GROUP):
        while alike := [other for other in groups if len(other & group) >= _SHARED]:
            group = group.union(*alike)  # noqa: PLW2901 (it grows until nothing else is alike)
            groups = [other for other in groups if other not in alike]
        groups.append(group)
    grouped = set().union(*groups)
    return Alternatives(tuple(map(frozenset, groups)), tuple(names & grouped for names in headed))


def _name(title: str) -> str:
    lead = _LEAD.match(title)
    name = _plain(lead[0]).strip() if lead else ""
    return name if len(name.split()) <= _WORDS else ""


def _plain(text: str) -> str:
    words = re.findall(r"[^\W_]+", text.casefold())
    return f" {' '.join(words)} "
