"""Evidence: what the lanes, the hints and the topic say of every passage for one turn."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.domain_classifier import DomainClassifier
from ..retrieval.encoder import failure
from ..retrieval.fusion import Fusion, Scores, shown
from ..retrieval.index import HybridIndex
from ..retrieval.intent_model import IntentModel
from ..retrieval.text import terms_of

PREVIOUS_WEIGHT: Final = 0.5
Vector = npt.NDArray[np.float32]
Encode = Callable[[str], Vector]
_log = logging.getLogger("mvp_site.retrieval")


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What evidence is gathered from."""

    index: HybridIndex
    hints: IntentModel
    topicality: DomainClassifier
    fusion: Fusion


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Scores by passage, in [0, 1].

    ``fused`` is the evidence that the floor is held against; ``order`` is it with the hints'
    bonus, and ranks. ``failed`` names the lanes that failed, with the error; a failed lane's
    scores are None. ``resembling`` are the situations the turn resembles, with their shares.
    """

    fused: Scores
    order: Scores
    lexical: Scores | None
    dense: Scores | None
    topic: float | None = None
    resembling: tuple[tuple[str, float], ...] = ()
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def lanes(self) -> str:
        """Which floor applies: ``both``, ``lexical`` or ``dense``."""
        if self.failed:
            return "lexical" if self.dense is None else "dense"
        return "both"


class LanesFailedError(Exception):
    """Both lanes failed; there is no evidence at all. ``failed`` says why, by lane."""

    def __init__(self, failed: dict[str, str]) -> None:
        super().__init__("; ".join(f"{lane}: {why}" for lane, why in sorted(failed.items())))
        self.failed = failed


@dataclass(frozen=True, slots=True, eq=False)
class _Meaning:
    """What a turn's vector says."""

    dense: Scores
    hints: Scores
    topic: float
    resembling: list[tuple[int, float]]


def gather(sources: Sources, encode: Encode, text: str, *, facets: Collection[str] = (),
           previous: str | None = None, topic: float | None = None) -> Evidence:
    """The evidence for ``text``, which is normalised.

    ``encode`` gives the unit vector of a text. ``previous`` is the text of the turn before, where
    this turn leans on it: each passage then scores as the better of this turn and half of that
    one, in both lanes. ``topic`` stands in for the topicality of the vector.

    Raises:
        LanesFailedError: neither lane gave scores.
    """
    failed: dict[str, str] = {}
    fusion = sources.fusion
    meaning: _Meaning | None = None
    lexical: Scores | None = None
    try:
        before = encode(previous) if previous else None
        meaning = _meaning(sources, encode(text), facets, before)
    except Exception as error:  # noqa: BLE001 - whatever breaks one lane leaves the other
        failed["dense"] = failure(error, f"{text} {previous or ''}")
        _log.error("the dense lane failed (%s); the turn goes on without it", failed["dense"])
    try:
        lexical = fusion.lexical_scale(sources.index.lexical.scores(terms_of(text))[0])
        if previous:
            last = fusion.lexical_scale(sources.index.lexical.scores(terms_of(previous))[0])
            lexical = np.maximum(lexical, PREVIOUS_WEIGHT * last)
    except Exception as error:  # noqa: BLE001 - see above
        failed["lexical"] = failure(error, f"{text} {previous or ''}")
        _log.error("the lexical lane failed (%s); the turn goes on without it", failed["lexical"])
    if meaning is None:
        if lexical is None:
            raise LanesFailedError(failed)
        fused = fusion.fuse(lexical, None)
        return Evidence(fused, fused, lexical, None, failed=failed)
    about = meaning.topic if topic is None else topic
    if lexical is not None:
        about = max(about, fusion.lexical_topic * float(lexical.max()))
    fused = fusion.fuse(lexical, meaning.dense, meaning.hints, about)
    return Evidence(
        fused, fused + fusion.hints_bonus * meaning.hints, lexical, meaning.dense, about,
        tuple((sources.hints.ids[row], shown(share)) for row, share in meaning.resembling),
        failed,
    )


def _meaning(sources: Sources, vector: Vector, facets: Collection[str], previous: Vector | None,
             ) -> _Meaning:
    fusion, hints = sources.fusion, sources.hints
    dense = fusion.dense_scale(sources.index.dense.scores(vector))
    resembling = hints.resembling(vector)
    topic = sources.topicality.score(vector)
    if previous is not None:
        before = fusion.dense_scale(sources.index.dense.scores(previous))
        dense = np.maximum(dense, PREVIOUS_WEIGHT * before)
        resembling = [(row, (1 - PREVIOUS_WEIGHT) * share) for row, share in resembling] + [
            (row, PREVIOUS_WEIGHT * share) for row, share in hints.resembling(previous)
        ]
        topic = max(topic, sources.topicality.score(previous))
    return _Meaning(dense, hints.scores(resembling, facets), topic, resembling)
