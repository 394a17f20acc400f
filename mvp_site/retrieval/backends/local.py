"""The local engine: FAISS and bm25s in this process, filters by columns.

Passages of one group stand next to each other, so a search of a group compares a slice. Up to
:data:`~..dense.EXACT_WINDOWS` windows that fulfil the filter every one is compared; of more, the
graph finds the nearest among them (:mod:`~..dense`), and what it found is scored exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..columns import Columns
from ..dense import DenseLane
from ..encoder import Vectors
from ..filters import Condition
from ..lexical import LexicalLane
from .protocol import Candidates, Numbers, Scores, Wanted

ALL: Final = 4_096
"""Up to so many passages that fulfil the filter, all of them are candidates."""
Spans = Mapping[str, tuple[int, int]]


class LocalBackend:
    """A collection held in memory; ``spans`` has each group's first number and the one after."""

    def __init__(self, lexical: LexicalLane, dense: DenseLane, columns: Columns, spans: Spans,
                 ) -> None:
        self._lexical = lexical
        self._dense = dense
        self._columns = columns
        self._spans = dict(spans)

    @classmethod
    def load(cls, files: Mapping[str, bytes], columns: Columns, spans: Spans) -> LocalBackend:
        """The collection from the files of both lanes."""
        return cls(LexicalLane.load(files, columns.count), DenseLane.load(files, columns.count),
                   columns, spans)

    def candidates(self, wanted: Wanted) -> Candidates:
        """The passages that both lanes find, and those of ``also``, scored exactly."""
        lexical = self._lexical.scores(wanted.terms)[0] if wanted.terms else None
        found = [
            self._in_span(wanted, start, end, lexical)
            for start, end in self._spans_of(wanted.groups)
        ]
        if not found:
            nothing = np.empty(0, np.float32)
            return Candidates(np.empty(0, np.int64), nothing, nothing)
        return Candidates(
            np.concatenate([part.numbers for part in found]),
            np.concatenate([part.cosine for part in found]),
            np.concatenate([part.lexical for part in found]),
        )

    def matching(self, groups: Sequence[str], where: Condition) -> Numbers:
        """Every passage of the groups that fulfils ``where``, by ascending number."""
        found = [
            np.flatnonzero(self._columns.mask(where, start, end)) + start
            for start, end in self._spans_of(groups)
        ]
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage."""
        return self._dense.of_passages(number, number + 1)

    def close(self) -> None:
        """Nothing to let go of."""

    def _spans_of(self, groups: Sequence[str]) -> list[tuple[int, int]]:
        """The groups' spans in the order of their passages."""
        return sorted({self._spans[group] for group in groups if group in self._spans})

    def _in_span(self, wanted: Wanted, start: int, end: int, lexical: Scores | None) -> Candidates:
        words = np.zeros(end - start, np.float32) if lexical is None else lexical[start:end]
        where, vector = wanted.where, wanted.vector
        allowed = self._columns.mask(where, start, end) if where else None
        count = end - start if allowed is None else int(np.count_nonzero(allowed))
        if count > ALL:
            numbers = self._found(wanted, start, end, allowed, words)
        else:
            numbers = np.arange(end - start) if allowed is None else np.flatnonzero(allowed)
        cosine = np.zeros(len(numbers), np.float32)
        if vector is not None:
            cosine = self._dense.of(vector, numbers + start)
        return Candidates(numbers + start, cosine, words[numbers])

    def _found(self, wanted: Wanted, start: int, end: int,
               allowed: npt.NDArray[np.bool_] | None, words: Scores) -> Numbers:
        """The nearest in each lane among many, relative to ``start``, and those of ``also``."""
        held = [np.asarray(
            [n - start for n in wanted.also
             if start <= n < end and (allowed is None or allowed[n - start])], np.int64
        )]
        if wanted.vector is not None:
            near = self._dense.nearest(wanted.vector, wanted.limit, start, end, allowed)
            held.append(near - start)
        held.append(_highest(words if allowed is None else words * allowed, wanted.limit))
        return np.unique(np.concatenate(held))


def _highest(scores: Scores, count: int) -> Numbers:
    """Where the ``count`` highest of ``scores`` stand, those above 0 alone, in no order."""
    found = np.flatnonzero(scores)
    if len(found) > count:
        found = found[np.argpartition(-scores[found], count - 1)[:count]]
    return found


def spans_of(groups: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Each group's first passage and the one after its last.

    Raises:
        ValueError: a group stands in two places.
    """
    spans: dict[str, tuple[int, int]] = {}
    for number, group in enumerate(groups):
        start, end = spans.get(group, (number, number))
        if end != number:
            raise ValueError(f"the passages of {group} do not stand next to each other")
        spans[group] = (start, number + 1)
    return spans
