"""One collection of passages, whatever keeps it: what is asked of it, and what it gives.

A passage is a number; its vectors are one or more windows, its terms those of the lexical lane,
its fields typed and folded as filters compare them. Whatever finds them, both lanes' scores are
exact and absolute: the cosine of a passage's best window, and the part of the query's weight that
its terms carry. :class:`~.index.HybridIndex` is one in this process, :mod:`.backends` has others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias

import numpy as np

from ..types import AUDIENCES, Audience
from . import columns, dense, lexical
from .encoder import Vector, Vectors
from .filters import AnyOf, Condition, FieldKind, FilterField, Range

Value: TypeAlias = columns.Value
Numbers: TypeAlias = dense.Numbers
Scores: TypeAlias = lexical.Scores
STANDARD: Final = (
    FilterField("source", FieldKind.TEXT, "where it stands: a book, a file, a campaign"),
    FilterField("audience", FieldKind.NUMBER, "who may see it, as a rank"),
)
"""The fields that any collection may have; :func:`standard` gives their values."""


def standard(source: str, audience: Audience = "player") -> dict[str, Value]:
    """The standard fields of a passage, by which a :class:`SearchRequest` chooses."""
    return {"source": source, "audience": float(AUDIENCES.index(audience))}


@dataclass(frozen=True, slots=True, eq=False)
class IndexedPassage:
    """A passage as an engine keeps it.

    ``number`` is unique in the collection; within a ``type`` numbers ascend in the order in
    which its passages are listed. ``vectors`` has shape (windows, dimension), at least one row.
    """

    number: int
    type: str
    terms: tuple[str, ...]
    vectors: Vectors
    fields: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class SearchRequest:
    """What is looked for: passages of ``types`` that fulfil every condition, nearest first.

    ``vector`` is a unit vector, None for a search by words alone; without ``terms`` too, all that
    fulfils the conditions is a hit. ``also`` are passages to score in any case, as far as they
    fulfil them. ``limit`` is how many each lane has to find at least, where there are as many.
    Of types, sources and ``audience`` what is None leaves all; with one of the last two, a passage
    without that field is never found.
    """

    types: tuple[str, ...] | None = None
    vector: Vector | None = None
    terms: tuple[str, ...] = ()
    where: Condition = ()
    also: tuple[int, ...] = ()
    limit: int = 512
    sources: tuple[str, ...] | None = None
    audience: Audience | None = None

    @property
    def condition(self) -> Condition:
        """``where`` with what sources and audience ask of the standard fields."""
        clauses = self.where
        if self.sources is not None:
            clauses += (AnyOf("source", self.sources),)
        if self.audience is not None:
            clauses += (Range("audience", None, float(AUDIENCES.index(self.audience))),)
        return clauses


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Passages by ascending number with both lanes' scores; ``lexical`` is in [0, 1)."""

    numbers: Numbers
    cosine: Scores
    lexical: Scores

    def of_all(self, passages: int) -> tuple[Scores, Scores]:
        """Both lanes' scores of each of so many passages; 0 for those that are no hit."""
        if len(self.numbers) == passages:
            return self.cosine, self.lexical
        scores = np.zeros((2, passages), np.float32)
        scores[:, self.numbers] = self.cosine, self.lexical
        return scores[0], scores[1]

    def of(self, numbers: Numbers) -> tuple[Scores, Scores]:
        """Both lanes' scores of these passages; 0 for those that are no hit."""
        return (placed(self.numbers, self.cosine, numbers),
                placed(self.numbers, self.lexical, numbers))


def placed(numbers: Numbers, scores: Scores, asked: Numbers) -> Scores:
    """The scores of the passages ``asked``; 0 for those that are not among ``numbers``."""
    result = np.zeros(len(asked), np.float32)
    if len(numbers):
        places = np.minimum(np.searchsorted(numbers, asked), len(numbers) - 1)
        hits = numbers[places] == asked
        result[hits] = scores[places[hits]]
    return result


class Collection(Protocol):
    """One collection of passages. Thread-safe.

    Raises from every method:
        BackendError: the engine cannot be reached or refuses; never an empty result instead.
    """

    passages: int
    """How many there are."""

    def search(self, query: SearchRequest) -> Hits:
        """What the query finds in either lane, and its ``also``, scored exactly."""

    def vectors(self, number: int) -> Vectors:
        """The windows' vectors of one passage, shape (windows, dimension)."""

    def close(self) -> None:
        """Let go of connections and files."""


def lexical_of(collection: Collection, query: SearchRequest, terms: tuple[str, ...],
               numbers: Numbers,
               ) -> Scores:
    """The lexical scores, by other ``terms``, of passages that ``query`` has found."""
    hits = collection.search(
        replace(query, vector=None, terms=terms, also=tuple(numbers.tolist()))
    )
    return hits.lexical[np.searchsorted(hits.numbers, numbers)]
