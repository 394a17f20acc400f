"""Floors: the evidence under which a hit is none, calibrated on shipped off-topic probes.

For both lanes together and for each alone, the floor is the score that all but a small part of
the off-topic probes stay under with their best passage. It is kept in the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from ..retrieval.encoder import Encoder, Vectors
from ..retrieval.fusion import Fusion
from ..retrieval.index import HybridIndex
from .evidence import gather
from .hints import Hints

REFUSED: Final = 0.95
"""The part of the off-topic probes that a floor refuses."""


@dataclass(frozen=True, slots=True)
class Floors:
    """Floors in [0, 1] for both lanes together and for each alone."""

    both: float
    dense: float
    lexical: float

    def as_dict(self) -> dict[str, Any]:
        """The floors as plain numbers, for a manifest."""
        return asdict(self)


def calibrate(index: HybridIndex, hints: Hints, encoder: Encoder, fusion: Fusion,
              probes: Sequence[str], vectors: Vectors, refused: float = REFUSED) -> Floors:
    """The floors for an index, from the best evidence of each off-topic probe."""
    if not probes:
        return Floors(0.25, 0.25, 0.25)
    both: list[float] = []
    dense: list[float] = []
    lexical: list[float] = []
    share = fusion.dense + fusion.lexical
    for text, vector in zip(probes, vectors, strict=True):
        found = gather(index, hints, encoder, fusion, text, vector)
        assert found.dense is not None and found.lexical is not None
        both.append(float(found.fused.max()))
        dense.append(share * float(found.dense.max()))
        lexical.append(share * float(found.lexical.max()))
    return Floors(*(round(float(np.quantile(v, refused)), 4) for v in (both, dense, lexical)))
