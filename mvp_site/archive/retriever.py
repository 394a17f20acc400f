"""From evidence to candidates: the twelve best chunks, bonuses, the six that may be printed.

Design 1, retrieval strategy. The floor is held against evidence before bonuses; bonuses only
reorder what passed it. Every chunk among the :data:`CONSIDERED` best is accounted for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..types import AUDIENCES, DroppedChunk, DropReason, SparseReason
from .evidence import Evidence
from .release import Release
from .tagging import query_domain

CONSIDERED: Final = 24
CANDIDATES: Final = 12
SELECTED: Final = 6
MODE_BONUS: Final = 0.01
DOMAIN_BONUS: Final = 0.01
VERSION_BONUS: Final = 0.01


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with its evidence in [0, 1] and its score after bonuses.

    ``number`` is its place in the release, ``pieces`` how each of its pieces ranks.
    """

    number: int
    id: str
    evidence: float
    score: float
    lexical: float
    dense: float
    pieces: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The selected candidates, best first, those behind them, and the others with their reasons.

    ``reserve`` are candidates that passed the floor but not the selection: the next to print
    where a selected one does not fit.
    """

    selected: tuple[Candidate, ...]
    reserve: tuple[Candidate, ...]
    dropped: tuple[DroppedChunk, ...]
    sparse_reason: SparseReason | None
    floor: float
    best: float


def select(release: Release, evidence: Evidence, text: str, mode: str, audience: str,
           floor: float) -> Retrieved:
    """What may be printed for one turn; ties are broken by id, so that the order is total."""
    best = np.maximum.reduceat(evidence.fused, release.first_piece)
    order = np.maximum.reduceat(evidence.order, release.first_piece)
    considered = _top(order, release, CONSIDERED)
    rank = AUDIENCES.index(audience)
    lexical, dense = _by_chunk(release, evidence.lexical), _by_chunk(release, evidence.dense)
    dropped: list[DroppedChunk] = []

    def drop(number: int, reason: DropReason) -> None:
        dropped.append(DroppedChunk(
            release.chunks[number].id, reason, round(float(best[number]), 4),
            round(float(lexical[number]), 4), round(float(dense[number]), 4),
        ))

    visible: list[int] = []
    hidden = 0
    for number in considered:
        if release.audience_rank[number] > rank:
            drop(number, "audience")
            hidden += best[number] >= floor
        else:
            visible.append(number)
    if len(visible) < CANDIDATES and len(considered) < len(best):
        # Hidden chunks must not push visible ones out of the candidates.
        masked = np.where(release.audience_rank > rank, np.float32(-1), order)
        visible = [n for n in _top(masked, release, CANDIDATES) if masked[n] >= 0]
    passed = [n for n in visible if best[n] >= floor and best[n] > 0]
    for number in visible:
        if number not in passed:
            drop(number, "below_floor")
    top = float(best[visible].max()) if visible else 0.0
    if not passed:
        reason: SparseReason = "filtered" if hidden else "below_floor" if top > 0 else "no_hits"
        return Retrieved((), (), tuple(dropped), reason, floor, top)
    domain = query_domain(text)
    candidates = sorted(
        (
            _candidate(release, evidence, n, float(best[n]), mode, domain)
            for n in passed[:CANDIDATES]
        ),
        key=lambda c: (-c.score, c.id),
    )
    chosen: list[Candidate] = []
    words: set[str] = set()
    for candidate in candidates:
        chunk = release.chunks[candidate.number]
        family = chunk.duplicate_of or chunk.id
        if family in words:
            drop(candidate.number, "duplicate")
            continue
        words.add(family)
        chosen.append(candidate)
    for number in passed[CANDIDATES:]:
        drop(number, "outranked")
    return Retrieved(
        tuple(chosen[:SELECTED]), tuple(chosen[SELECTED:]), tuple(dropped), None, floor, top
    )


def _by_chunk(release: Release, scores: np.ndarray | None) -> np.ndarray:
    """The best score of each chunk's pieces; zeros for a lane that failed."""
    if scores is None:
        return np.zeros(len(release.first_piece), np.float32)
    best: np.ndarray = np.maximum.reduceat(scores, release.first_piece)
    return best


def _top(best: np.ndarray, release: Release, count: int) -> list[int]:
    """The ``count`` chunks of the best scores, by (-score, id)."""
    count = min(count, len(best))
    least = np.partition(best, len(best) - count)[len(best) - count]
    above = np.flatnonzero(best >= least)
    ranked = sorted(
        (-score, release.chunks[n].id, n)
        for n, score in zip(above.tolist(), best[above].tolist(), strict=True)
    )
    return [n for _, _, n in ranked[:count]]


def _candidate(release: Release, evidence: Evidence, number: int, best: float, mode: str,
               domain: str | None) -> Candidate:
    chunk = release.chunks[number]
    start = int(release.first_piece[number])
    pieces = evidence.order[start : start + len(chunk.pieces)]
    at = start + int(pieces.argmax())
    bonus = MODE_BONUS * (chunk.mode == mode) + DOMAIN_BONUS * (chunk.domain == domain)
    bonus += VERSION_BONUS * (chunk.version == release.version)
    return Candidate(
        number, chunk.id, best, float(pieces.max()) + bonus,
        float(evidence.lexical[at]) if evidence.lexical is not None else 0.0,
        float(evidence.dense[at]) if evidence.dense is not None else 0.0,
        tuple(pieces.tolist()),
    )
