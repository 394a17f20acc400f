"""What people say when they want an entity, to the words that the entities have.

The utterances about rules and those about entities, which are about needs, looks and uses:
"who could have replaced the mayor and be wearing his face?"
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import query_expansion, utterances
from ..retrieval.names import names_of
from ..retrieval.utterances import Topic

LATER: Final = 0.05
LEAST: Final = 0.5
"""What each name costs that stands before an entity's in an utterance's rules words, and the least
that is left."""
FEW: Final = 20
"""A type that fewer utterances call for is searched with all of them."""
_BETWEEN: Final = re.compile(r"[,;:.()]|\bor\b|\band\b")


def texts(table: Sequence[Topic]) -> list[str]:
    """All texts of a table of utterances, and all that is off topic."""
    return query_expansion.texts(table, utterances.load_off_topic("entities"))


def called(table: Sequence[Topic], names: Sequence[str]) -> npt.NDArray[np.float32]:
    """How far each topic calls for each entity by its name, shape (topics, names), in [0, 1].

    A part of the rules words between commas that is a name calls for what has it, the first in
    full.
    """
    numbers: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        for said in names_of(name):
            numbers.setdefault(" ".join(said), []).append(number)
    out = np.zeros((len(table), len(names)), np.float32)
    for row, topic in enumerate(table):
        value = 1.0
        for part in _BETWEEN.split(topic.rules):
            named = [" ".join(said) for said in names_of(part) if said]
            if found := [n for said in named for n in numbers.get(said, ())]:
                out[row, found] = np.maximum(out[row, found], value)
                value = max(value - LATER, LEAST)
    return out


def by_type(called_for: npt.NDArray[np.float32], spans: Mapping[str, tuple[int, int]],
            ) -> dict[str, list[int]]:
    """The utterances that call for an entity of each type; of a type that few call for, all.

    A search in one type is not led astray by what people say of others.
    """
    every = list(range(len(called_for)))
    out: dict[str, list[int]] = {}
    for type_, (start, end) in spans.items():
        rows = np.flatnonzero(called_for[:, start:end].max(axis=1, initial=0.0) > 0)
        out[type_] = rows.tolist() if len(rows) >= FEW else every
    return out
