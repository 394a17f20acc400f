"""Evidence: what the lanes and the hints say of every passage for one turn."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.encoder import Encoder
from ..retrieval.fusion import Fusion, Scores
from ..retrieval.index import HybridIndex
from ..retrieval.text import terms
from .hints import Hints

PREVIOUS_WEIGHT: Final = 0.5
_log = logging.getLogger("mvp_site.retrieval")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Scores by passage, each in [0, 1] and before any bonus.

    ``fused`` is what the floor is held against. ``failed`` names the lanes that failed, with the
    error; a failed lane's scores are None.
    """

    fused: Scores
    lexical: Scores | None
    dense: Scores | None
    resembling: tuple[tuple[str, float], ...] = ()
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def lanes(self) -> str:
        """Which floor applies: ``both``, ``lexical`` or ``dense``."""
        if self.failed:
            return "lexical" if self.dense is None else "dense"
        return "both"


class LanesFailed(Exception):
    """Both lanes failed; there is no evidence at all."""


def gather(index: HybridIndex, hints: Hints, encoder: Encoder, fusion: Fusion, text: str,
           vector: npt.NDArray[np.float32] | None = None, facets: Collection[str] = (),
           previous: tuple[str, npt.NDArray[np.float32]] | None = None) -> Evidence:
    """The evidence for ``text``, encoded here unless its ``vector`` is given.

    ``previous`` is the turn before, with its vector, where this turn leans on it: each passage
    then scores as the better of this turn and half of that one, in both lanes.

    Raises:
        LanesFailed: neither lane gave scores.
    """
    failed: dict[str, str] = {}
    dense = lexical = called = None
    resembling: list[tuple[int, float]] = []
    try:
        if vector is None:
            vector = encoder.encode([text])[0]
        dense = fusion.dense_scale(index.dense.scores(vector))
        resembling = hints.resembling(vector)
        if previous is not None:
            before = fusion.dense_scale(index.dense.scores(previous[1]))
            dense = np.maximum(dense, PREVIOUS_WEIGHT * before)
            resembling += [(r, PREVIOUS_WEIGHT * s) for r, s in hints.resembling(previous[1])]
        called = hints.scores(resembling, facets)
    except Exception as error:  # noqa: BLE001 - whatever breaks one lane leaves the other
        failed["dense"] = f"{type(error).__name__}: {error}"
        dense = called = None
        _log.exception("the dense lane failed; the turn goes on without it")
    try:
        lexical = fusion.lexical_scale(index.lexical.scores(terms(text))[0])
        if previous is not None:
            before = fusion.lexical_scale(index.lexical.scores(terms(previous[0]))[0])
            lexical = np.maximum(lexical, PREVIOUS_WEIGHT * before)
    except Exception as error:  # noqa: BLE001
        failed["lexical"] = f"{type(error).__name__}: {error}"
        lexical = None
        _log.exception("the lexical lane failed; the turn goes on without it")
    if dense is None and lexical is None:
        raise LanesFailed("; ".join(f"{lane}: {why}" for lane, why in sorted(failed.items())))
    return Evidence(
        fusion.fuse(lexical, dense, called), lexical, dense,
        tuple((hints.ids[row], round(strength, 4)) for row, strength in resembling), failed,
    )
