"""What is like what: texts by their vectors, kinds by their fields. Nothing is encoded.

The likeness of two entities is a weighted mean: of the cosine between the means of their texts'
windows, of what people want them for (:mod:`.calls`), and of how alike each of their fields is. The
card repeats the fields, so it stands for the text only where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..content.types import EntityType, fields_of
from ..retrieval.collection import Numbers, Scores, Value
from ..retrieval.filters import FieldKind
from .release import EntityRelease

ROLE: Final = 0.8
FIELD: Final = 0.05
"""What co-occurrence and each field are worth beside the texts, which are worth 1."""
LACKING: Final = 0.5
"""How alike two are in what both lack: less than in what both have."""
_LEAST: Final = 1e-6
_WITHOUT: Final = frozenset({"slug", "name", "document"})


def likeness(release: EntityRelease, type_: EntityType, reference: int, numbers: Numbers,
             cosine: Scores) -> Scores:
    """Scores in (0, 1] of the numbers' entities; ``cosine`` is that of their texts."""
    values = release.document_store.values
    start, end = release.document_store.span(type_)
    total, most = cosine, 1.0
    if len(numbers) == end - start:
        calls_alike = release.calls.alike(reference, start, end, cosine)
        if calls_alike is not None:
            total, most = total + ROLE * calls_alike, most + ROLE
    for field in fields_of(type_):
        if field.name not in _WITHOUT:
            others = [values[number].get(field.name) for number in numbers]
            alike = _alike(field.kind, values[reference].get(field.name), others)
            total, most = total + FIELD * alike, most + FIELD
    clipped: Scores = np.clip(total / most, _LEAST, 1.0)
    return clipped


def _alike(kind: FieldKind, mine: Value | None, others: Sequence[Value | None]) -> Scores:
    """How alike each of ``others`` is, in [0, 1]; each value is looked at once.

    Numbers by their distance in standard deviations, the rest by the part that both have.
    """
    spread = 1.0
    if kind is FieldKind.NUMBER and (numbers := [entry for entry in others if entry is not None]):
        spread = float(np.std(np.asarray(numbers, np.float64))) or 1.0
    likenesses = {entry: _one_alike(mine, entry, spread) for entry in set(others)}
    return np.array([likenesses[entry] for entry in others], np.float32)


def _one_alike(mine: Any, other: Any, spread: float) -> float:
    if mine is None or other is None:
        return LACKING * (mine is other)
    if isinstance(mine, float):
        return float(np.exp(-abs(mine - other) / spread))
    ours, theirs = (set(side) if isinstance(side, tuple) else {side} for side in (mine, other))
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else LACKING
