"""What is like what: texts by their vectors, kinds by their facets. Nothing is encoded.

The likeness of two entities is a weighted mean: of the cosine between the means of their texts'
windows, of what people want them for (:mod:`.cooccurrence`), and of how alike their facets are
(:data:`.weights.FACETS`): level, school and damage of spells, type, size and challenge of
monsters, and so on. A facet that both lack is alike by half. The card repeats the facets, so it
stands for the text only where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..content.types import SIZES, EntityType
from ..retrieval.backends.protocol import Numbers, Scores, Value
from .cooccurrence import Cooccurrence
from .document_store import DocumentStore
from .weights import FACETS, Facet, Measure, Weights

_BITS: Final = 64
_NONE: Final = -1
LACKING: Final = 0.5
"""How alike two are in what both lack: less than in what both have."""
_FLOOR: Final = 0.05
Column = npt.NDArray[Any]


class Likeness:
    """The facets of a document store as arrays, and the likeness of what has them."""

    def __init__(self, store: DocumentStore, cooccurrence: Cooccurrence | None, weights: Weights,
                 ) -> None:
        self._cooccurrence = cooccurrence
        self._weights = weights
        self._spans = dict(store.spans)
        self._columns: dict[tuple[str, str], Column] = {
            (type_, facet.field): _column(facet, store.values[start:end])
            for type_, (start, end) in store.spans.items()
            for facet in FACETS.get(EntityType(type_), ())
        }

    def of(self, type_: EntityType, reference: int, numbers: Numbers, cosine: Scores) -> Scores:
        """Scores in (0, 1) of the numbers' entities; ``cosine`` is that of their texts."""
        start, end = self._spans[type_]
        total, most = cosine, 1.0
        rows = slice(None) if len(numbers) == end - start else numbers - start
        if self._cooccurrence is not None and len(numbers) == end - start:
            wanted = self._cooccurrence.like(reference, start, end, cosine)
            if wanted is not None:
                total, most = total + self._weights.role * wanted, most + self._weights.role
        for facet in FACETS.get(type_, ()):
            column = self._columns[type_, facet.field]
            alike = _alike(facet, column[rows], column[reference - start])
            total, most = total + facet.weight * alike, most + facet.weight
        return self._weights.likeness(total / most)


def _column(facet: Facet, values: list[Mapping[str, Value]]) -> Column:
    held: list[Value | None] = [entry.get(facet.field) for entry in values]
    if facet.measure is Measure.STEP:
        held = [SIZES.index(one) if one in SIZES else None for one in held]
    if facet.measure in {Measure.NEAR, Measure.RATIO, Measure.STEP}:
        return np.array([np.nan if one is None else float(str(one)) for one in held], np.float32)
    codes: dict[Value, int] = {}
    if facet.measure is Measure.SAME:
        return np.array(
            [_NONE if one is None else codes.setdefault(one, len(codes)) for one in held], np.int64
        )
    # Sets as bits; of a field with more than 64 values some share a bit, which only makes two
    # sets look a little more alike than they are.
    bits = np.zeros(len(held), np.uint64)
    for row, one in enumerate(held):
        for text in (one,) if isinstance(one, str) else one if isinstance(one, tuple) else ():
            bits[row] |= np.uint64(1 << (codes.setdefault(text, len(codes)) % _BITS))
    return bits


def _alike(facet: Facet, column: Column, reference: Any) -> Scores:
    if facet.measure is Measure.SAME:
        worth = LACKING if reference == _NONE else 1.0
        return np.asarray(worth * (column == reference), np.float32)
    if facet.measure is Measure.SHARED:
        both = np.bitwise_count(column & reference).astype(np.float32)
        either = np.bitwise_count(column | reference).astype(np.float32)
        return np.asarray(np.where(either > 0, both / np.maximum(either, 1), LACKING), np.float32)
    if np.isnan(reference):
        return np.asarray(LACKING * np.isnan(column), np.float32)
    if facet.measure is Measure.RATIO:
        apart = np.abs(np.log(np.maximum(column, _FLOOR)) - np.log(max(float(reference), _FLOOR)))
    else:
        apart = np.abs(column - reference)
    return np.asarray(np.nan_to_num(np.exp(-apart / facet.scale), nan=0.0), np.float32)
