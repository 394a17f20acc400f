"""What is like what: kind, role, size and shape by their fields, texts by their vectors.

The likeness of two entities is a weighted mean: of how alike each of their fields is, of what
people want them for (:mod:`.calls`), and of the cosine between the means of their texts' windows.
``alike`` in ``entity_types.toml`` has the weights. The card repeats the fields, so it stands for
the text only where there is none. Nothing is encoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..content.types import DESCRIPTIONS, EntityType, fields_of
from ..retrieval.collection import Numbers, Scores, Value
from ..retrieval.filters import FieldKind
from ..text.vocabulary import SIZES
from .release import EntityRelease

TEXTS: Final = "texts"
CALLS: Final = "calls"
_USUAL: Final = {TEXTS: 1.0, CALLS: 0.8}
_FIELD: Final = 0.05
"""What texts, co-occurrence and each field weigh in a type without weights of its own."""
LACKING: Final = 0.5
"""How alike two are in what both lack: less than in what both have."""
DIFFERENT: Final = 0.4
"""How alike two values are that are not the same: a cone of fire and a line of lightning are both
areas that harm."""
_LEAST: Final = 1e-6
_WITHOUT: Final = frozenset({"slug", "name", "document"})


def likeness(release: EntityRelease, type_: EntityType, reference: int, numbers: Numbers,
             cosine: Scores) -> Scores:
    """Scores in (0, 1] of the numbers' entities; ``cosine`` is that of their texts."""
    values = release.document_store.values
    start, end = release.document_store.span(type_)
    own = DESCRIPTIONS[type_].alike
    weights = own or _USUAL
    total, most = np.float32(weights[TEXTS]) * cosine, weights[TEXTS]
    if len(numbers) == end - start:
        calls_alike = release.calls.alike(reference, start, end, cosine)
        if calls_alike is not None:
            total, most = total + weights[CALLS] * calls_alike, most + weights[CALLS]
    for field in fields_of(type_):
        weight = weights.get(field.name, 0.0 if own else _FIELD)
        if field.name not in _WITHOUT and weight:
            others = [values[number].get(field.name) for number in numbers]
            alike = _alike(field.kind, values[reference].get(field.name), others)
            total, most = total + weight * alike, most + weight
    clipped: Scores = np.clip(total / most, _LEAST, 1.0)
    return clipped


def _alike(kind: FieldKind, mine: Value | None, others: Sequence[Value | None]) -> Scores:
    """How alike each of ``others`` is, in [0, 1]; each value is looked at once.

    Numbers by their distance in standard deviations, sizes by their steps, the rest by the part
    that both have.
    """
    spread = 1.0
    if kind is FieldKind.NUMBER and (numbers := [entry for entry in others if entry is not None]):
        spread = float(np.std(np.asarray(numbers, np.float64))) or 1.0
    likenesses = {entry: _one_alike(mine, entry, spread) for entry in set(others)}
    return np.array([likenesses[entry] for entry in others], np.float32)


def _one_alike(mine: Any, other: Any, spread: float) -> float:
    if mine in {None, ()} or other in {None, ()}:
        return LACKING * bool(mine == other)
    if isinstance(mine, bool):
        return float(mine is other)
    if isinstance(mine, float):
        return float(np.exp(-abs(mine - other) / spread))
    if mine in SIZES and other in SIZES:
        return max(1 - abs(SIZES.index(mine) - SIZES.index(other)) / 2, 0.0)
    ours, theirs = (set(side) if isinstance(side, tuple) else {side} for side in (mine, other))
    return DIFFERENT + (1 - DIFFERENT) * len(ours & theirs) / len(ours | theirs)
