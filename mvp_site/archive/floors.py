"""Floors: the evidence under which a hit is none, calibrated on shipped off-topic probes.

For both lanes together and for each alone, the floor is the score that a set part of the off-topic
probes stays under with their best passage. It is kept in the manifest. The probes are harder than
what players stray into (two thirds sound like the game), hence a part well under all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..retrieval.encoder import Vectors
from ..retrieval.text import normalise
from .evidence import Sources, gather

REFUSED: Final = 0.8
"""The part of the off-topic probes that a floor refuses."""
UNCALIBRATED: Final = 0.25


@dataclass(frozen=True, slots=True)
class Floors:
    """Floors in [0, 1] for both lanes together and for each alone."""

    both: float
    dense: float
    lexical: float

    def as_dict(self) -> dict[str, Any]:
        """The floors as plain numbers, for a manifest."""
        return asdict(self)


def _known(vector: npt.NDArray[np.float32], _text: str) -> npt.NDArray[np.float32]:
    return vector


def calibrate(sources: Sources, probes: Sequence[str], vectors: Vectors,
              topics: Sequence[float]) -> Floors:
    """The floors for an index, from the best evidence of each off-topic probe.

    ``topics`` are the probes' topicality as judged without having seen them.
    """
    if not probes:
        return Floors(UNCALIBRATED, UNCALIBRATED, UNCALIBRATED)
    both: list[float] = []
    dense: list[float] = []
    lexical: list[float] = []
    for text, vector, topic in zip(probes, vectors, topics, strict=True):
        found = gather(sources, partial(_known, vector), normalise(text), topic=topic)
        both.append(float(found.fused.max()))
        hints = sources.hints.scores(sources.hints.resembling(vector))
        dense.append(float(sources.fusion.fuse(None, found.dense, hints, topic).max()))
        lexical.append(float(sources.fusion.fuse(found.lexical, None).max()))
    return Floors(*(round(float(np.quantile(v, REFUSED)), 4) for v in (both, dense, lexical)))
