"""What people say when they want an entity, to the words that the entities have.

The sayings of the rules (:mod:`~..retrieval.talk`) and those of ``sayings/*.toml``, which are about
needs, looks, uses and roles: "who could have replaced the mayor and be wearing his face?"
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import talk
from ..retrieval.names import names_of
from ..retrieval.situations import Situation

FOLDER: Final = "sayings"
OFF_TOPIC: Final = "off_topic.txt"
LATER: Final = 0.05
LEAST: Final = 0.5
"""What each name costs that stands before an entity's in a saying's rules words, and the least
that is left."""
FEW: Final = 20
"""A type that fewer sayings call for is searched with all of them."""
_BETWEEN: Final = re.compile(r"[,;:.()]|\bor\b|\band\b")


@cache
def own_sayings() -> tuple[Situation, ...]:
    """The sayings about entities alone."""
    return talk.with_more((), resources.files(__package__).joinpath(FOLDER))


def sayings() -> tuple[Situation, ...]:
    """All sayings that entities are found by, by id."""
    table = {entry.id: entry for entry in (*talk.sayings(), *own_sayings())}
    return tuple(table[name] for name in sorted(table))


@cache
def own_off_topic() -> tuple[str, ...]:
    """What nobody looks for in such a game, though some of it sounds like it."""
    text = resources.files(__package__).joinpath(OFF_TOPIC).read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def texts(table: Sequence[Situation]) -> list[str]:
    """All texts of a table of sayings, and all that is off topic."""
    return talk.texts(table, own_off_topic())


def called(table: Sequence[Situation], names: Sequence[str]) -> npt.NDArray[np.float32]:
    """How far each saying calls for each entity by its name, shape (sayings, names), in [0, 1].

    A part of the rules words between commas that is a name calls for what has it, the first in
    full.
    """
    numbers: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        for said in names_of(name):
            numbers.setdefault(" ".join(said), []).append(number)
    out = np.zeros((len(table), len(names)), np.float32)
    for row, saying in enumerate(table):
        value = 1.0
        for part in _BETWEEN.split(saying.rules):
            named = [" ".join(said) for said in names_of(part) if said]
            if found := [n for said in named for n in numbers.get(said, ())]:
                out[row, found] = np.maximum(out[row, found], value)
                value = max(value - LATER, LEAST)
    return out


def by_type(called_for: npt.NDArray[np.float32], spans: Mapping[str, tuple[int, int]],
            ) -> dict[str, list[int]]:
    """The sayings that call for an entity of each type; of a type that few call for, all.

    A search in one type is not led astray by what people say of others.
    """
    every = list(range(len(called_for)))
    out: dict[str, list[int]] = {}
    for type_, (start, end) in spans.items():
        rows = np.flatnonzero(called_for[:, start:end].max(axis=1, initial=0.0) > 0)
        out[type_] = rows.tolist() if len(rows) >= FEW else every
    return out
