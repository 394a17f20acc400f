"""What an engine that keeps passages can do, and the values it takes and gives.

A passage is a number; its vectors are one or more windows, its terms those of the lexical lane,
its fields typed and folded as filters compare them. Whatever engine finds the candidates, both
lanes' scores of each are exact and on the same absolute scale: the cosine of its best window and
the part of the query's weight that its terms carry (:mod:`~..lexical`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import columns
from ..encoder import Vectors
from ..filters import Condition

Value: TypeAlias = columns.Value
Numbers: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A passage as an engine keeps it.

    ``number`` is unique in the collection; within a ``group`` numbers ascend in the order in
    which its passages are listed. ``vectors`` has shape (windows, dimension), at least one row.
    """

    number: int
    group: str
    terms: tuple[str, ...]
    vectors: Vectors
    fields: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What is looked for: passages of the groups that fulfil ``where``, nearest first.

    ``vector`` is a unit vector, or None for a search by words alone; ``terms`` may be empty.
    ``also`` are passages to score in any case, as far as they are of the groups and fulfil
    ``where``. ``limit`` is how many each lane has to find at least, where there are as many.
    """

    groups: tuple[str, ...]
    vector: npt.NDArray[np.float32] | None
    terms: tuple[str, ...] = ()
    where: Condition = ()
    also: tuple[int, ...] = ()
    limit: int = 256


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Passages by ascending number with both lanes' scores; ``lexical`` is in [0, 1)."""

    numbers: Numbers
    cosine: Scores
    lexical: Scores


class Backend(Protocol):
    """One collection of passages. Thread-safe.

    Raises from every method:
        BackendError: the engine cannot be reached or refuses; never an empty result instead.
    """

    def candidates(self, wanted: Wanted) -> Candidates:
        """The passages that both lanes find, and those of ``also``."""
        ...

    def matching(self, groups: Sequence[str], where: Condition) -> Numbers:
        """Every passage of the groups that fulfils ``where``, by ascending number."""
        ...

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage, shape (windows, dimension)."""
        ...

    def close(self) -> None:
        """Let go of connections and files."""
        ...
