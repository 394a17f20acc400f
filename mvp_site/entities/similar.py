"""What is like what: texts by their vectors, kinds by their fields. Nothing is encoded.

The likeness of two entities is a weighted mean: of the cosine between the means of their texts'
windows, of what people want them for (:mod:`.cooccurrence`), and of how alike their fields are
(:data:`.weights.LIKENESS`): level, school and damage of spells, type, size and challenge of
monsters, and so on. A field that both lack is alike by half. The card repeats the fields, so it
stands for the text only where there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..content.types import SIZES, EntityType
from ..retrieval.collection import Numbers, Scores, Value
from .release import Release
from .weights import LIKENESS, Alike, Measure

LACKING: Final = 0.5
"""How alike two are in what both lack: less than in what both have."""
_FLOOR: Final = 0.05


def likeness(release: Release, type_: EntityType, reference: int, numbers: Numbers,
             cosine: Scores) -> Scores:
    """Scores in (0, 1) of the numbers' entities; ``cosine`` is that of their texts."""
    weights, values = release.manifest.weights, release.document_store.values
    start, end = release.document_store.span(type_)
    total, most = cosine, 1.0
    if release.cooccurrence is not None and len(numbers) == end - start:
        wanted = release.cooccurrence.like(reference, start, end, cosine)
        if wanted is not None:
            total, most = total + weights.role * wanted, most + weights.role
    for field in LIKENESS.get(type_, ()):
        mine = values[reference].get(field.name)
        alike = _alike(field, mine, [values[number].get(field.name) for number in numbers])
        total, most = total + field.weight * alike, most + field.weight
    return weights.likeness(total / most)


def _alike(field: Alike, mine: Value | None, others: Sequence[Value | None]) -> Scores:
    """How alike each of ``others`` is, in [0, 1]; each value is looked at once."""
    known = {one: _one_alike(field, mine, one) for one in set(others)}
    return np.array([known[one] for one in others], np.float32)


def _one_alike(field: Alike, mine: Any, other: Any) -> float:
    if field.measure is Measure.SHARED:
        ours, theirs = ({one} if isinstance(one, str) else set(one or ()) for one in (mine, other))
        return len(ours & theirs) / len(ours | theirs) if ours or theirs else LACKING
    if field.measure is Measure.STEP:
        mine, other = (SIZES.index(one) if one in SIZES else None for one in (mine, other))
    if mine is None or other is None:
        return LACKING * (mine is other)
    if field.measure is Measure.SAME:
        return float(mine == other)
    if field.measure is Measure.RATIO:
        mine, other = (math.log(max(one, _FLOOR)) for one in (mine, other))
    return math.exp(-abs(mine - other) / field.scale)
