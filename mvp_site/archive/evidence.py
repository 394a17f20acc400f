"""Evidence: what the lanes and the topic say of every passage for one turn.

And floors: the evidence that the best hit of a turn must reach, else nothing is printed. They are
calibrated on shipped off-topic probes. For both lanes together and for each alone, the floor is the
score that a set part of the probes stays under with their best passage. It is kept in the manifest.
The probes are harder than what players stray into (two thirds sound like the game), hence a part
well under all of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np

from ..retrieval.collection import Collection, Query
from ..retrieval.encoder import Vector, Vectors, failure
from ..retrieval.fusion import Fusion, Scores
from ..retrieval.query_expansion import QueryExpansion
from ..retrieval.text import normalise, terms_of

ASIDE: Final = 0.5
"""What a passage is worth that belongs to the turn before or to the state."""
REFUSED: Final = 0.8
"""The part of the off-topic probes that a floor refuses."""
UNCALIBRATED: Final = 0.25
T = TypeVar("T")
Encode = Callable[[str], Vector]
_log = logging.getLogger("mvp_site.retrieval")


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What evidence is gathered from."""

    index: Collection
    expansion: QueryExpansion
    fusion: Fusion


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Scores by passage, in [0, 1].

    ``evidence`` is what the floor is held against; ``order`` ranks, and knows of the
    state and of utterances, of which ``called`` is what similar ones call for.
    ``failed`` names the lanes that failed, with the error; a failed lane's scores are None.
    """

    evidence: Scores
    order: Scores
    lexical: Scores | None
    dense: Scores | None
    topic: float | None = None
    failed: dict[str, str] = field(default_factory=dict)
    called: Scores | None = None

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


def gather(sources: Sources, encode: Encode, text: str, *, previous: str | None = None,
           state: Sequence[str] = (), topic: float | None = None) -> Evidence:
    """The evidence for ``text``, which is normalised.

    ``encode`` gives the unit vector of a text. ``previous`` is the text of the turn before, where
    this turn leans on it: each passage then scores as the better of this turn and half of that
    one, in both lanes. ``state`` are words for what the game's state says: a passage ranks as the
    better of the turn and half of these, but they are no evidence that the turn is about anything.
    ``topic`` stands in for the topicality of the vector.

    Raises:
        LanesFailedError: neither lane gave scores.
    """
    fusion, index = sources.fusion, sources.index
    own = [text, previous] if previous else [text]
    texts = [*own, *state]
    told = " ".join(texts)
    terms = [tuple(terms_of(one)) for one in texts]
    nothing = [None] * len(texts)
    failed: dict[str, str] = {}

    def meant() -> tuple[list[Vector], float]:
        vectors = [encode(one) for one in texts]
        return vectors, max(sources.expansion.topic(vector) for vector in vectors[: len(own)])

    def searched(vectors: Sequence[Vector | None], terms: Sequence[tuple[str, ...]]) -> Scores:
        """Both lanes' scores, shape (texts, 2, passages)."""
        asked = (Query(vector=one, terms=said) for one, said in zip(vectors, terms, strict=True))
        return np.array([index.search(query).of_all(index.passages) for query in asked])

    vectors, about = _lane("dense", meant, told, failed) or (nothing, None)
    near: Scores | None
    words: Scores | None
    try:
        near = words = searched(vectors, terms)
    except Exception:  # noqa: BLE001 - which of the lanes failed is found out here
        near = _lane("dense", lambda: searched(vectors, [()] * len(texts)), told, failed)
        words = _lane("lexical", lambda: searched(nothing, terms), told, failed)
    near = None if near is None or "dense" in failed else fusion.dense_scale(near[:, 0])
    words = None if words is None else fusion.lexical_scale(words[:, 1])
    if near is None and words is None:
        raise LanesFailedError(failed)
    dense = None if near is None else _better(near[: len(own)])
    lexical = None if words is None else _better(words[: len(own)])
    if dense is None:
        about = None
    if about is not None:
        about = about if topic is None else topic
        if lexical is not None:
            about = max(about, fusion.lexical_topic * float(lexical.max()))
    scores = fusion.fuse(lexical, dense)
    lanes = zip(nothing if words is None else words, nothing if near is None else near, strict=True)
    asides = [fusion.fuse(*held) for held in [*lanes][len(own) :]]
    order, called = scores, None
    if not failed and vectors[0] is not None:
        called = np.float32(fusion.called) * sources.expansion.called(vectors[0], index)
        order = scores + called
    return Evidence(
        fusion.evidence(scores, about), _better([order, *asides]), lexical, dense, about, failed,
        called,
    )


def _lane(name: str, scores: Callable[[], T], told: str, failed: dict[str, str]) -> T | None:
    """What a lane gives; None where it fails, with the error in ``failed``."""
    try:
        return scores()
    except Exception as error:  # noqa: BLE001 - whatever breaks one lane leaves the other
        failed[name] = failure(error, told)
        _log.error("the %s lane failed (%s); the turn goes on without it", name, failed[name])
        return None


def _better(scores: Iterable[Scores]) -> Scores:
    """The scores of this turn, or half of another text's where that is more."""
    now, *asides = scores
    for aside in asides:
        now = np.maximum(now, ASIDE * aside)
    return now


@dataclass(frozen=True, slots=True)
class Floors:
    """Floors in [0, 1] for both lanes together and for each alone."""

    both: float
    dense: float
    lexical: float


FEWEST: Final = 15
"""Of fewer passages no floor is calibrated: it would let nearly every turn through. Instead,"""
SHIPPED: Final = Floors(0.3, 0.37, 0.15)
"""these are used, fitted on small parts of two authors' archives and on three small projects
(docs/evaluation.md)."""


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
        said = normalise(text)
        found = gather(sources, {said: vector}.__getitem__, said, topic=topic)
        both.append(float(found.evidence.max()))
        alone = sources.fusion.fuse(None, found.dense)
        dense.append(float(sources.fusion.evidence(alone, topic).max()))
        lexical.append(float(sources.fusion.fuse(found.lexical, None).max()))
    return Floors(*(round(float(np.quantile(v, REFUSED)), 4) for v in (both, dense, lexical)))
