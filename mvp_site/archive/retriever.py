"""From evidence to candidates: the twelve best chunks, bonuses, the six that may be printed.

Design 1, retrieval strategy. The floor is held against evidence before bonuses; bonuses only
reorder what passed it. Every chunk among the :data:`CONSIDERED` best is accounted for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval.fusion import Scores
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
    # The best that each chunk's pieces have of each, and a column of it for those in question.
    best = np.maximum.reduceat(_table(evidence), release.first_piece, axis=1)
    order = best[1]
    considered = _top(order, release, CONSIDERED)
    above = release.audience_rank > AUDIENCES.index(audience)
    hidden = [n for n in considered if above[n]]
    visible = [n for n in considered if not above[n]] if hidden else considered
    if len(visible) < CANDIDATES and len(considered) < len(order):
        # Hidden chunks must not push visible ones out of the candidates.
        masked = np.where(above, np.float32(-1), order)
        visible = [n for n in _top(masked, release, CANDIDATES) if masked[n] >= 0]
    columns = best[:, hidden + visible].astype(np.float64)
    held = dict(zip(hidden + visible, columns[0].tolist(), strict=True))
    rounded = dict(zip(hidden + visible, columns.round(4).T.tolist(), strict=True))
    dropped: list[DroppedChunk] = []

    def drop(number: int, reason: DropReason) -> None:
        score, _, lexical, dense = rounded[number]
        dropped.append(DroppedChunk(release.chunks[number].id, reason, score, lexical, dense))

    for number in hidden:
        drop(number, "audience")
    passed = [n for n in visible if held[n] >= floor and held[n] > 0]
    if len(passed) < len(visible):
        for number in visible:
            if number not in passed:
                drop(number, "below_floor")
    top = max((held[n] for n in visible), default=0.0)
    if not passed:
        filtered = any(held[n] >= floor for n in hidden)
        reason: SparseReason = "filtered" if filtered else "below_floor" if top > 0 else "no_hits"
        return Retrieved((), (), tuple(dropped), reason, floor, top)
    domain = query_domain(text)
    candidates = [
        _candidate(release, evidence, n, held[n], mode, domain) for n in passed[:CANDIDATES]
    ]
    candidates.sort(key=lambda c: (-c.score, c.id))
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


def _table(evidence: Evidence) -> Scores:
    """Evidence, order, lexical and dense scores as rows; zeros for a lane that failed."""
    zeros = np.zeros_like(evidence.fused)
    lexical = zeros if evidence.lexical is None else evidence.lexical
    dense = zeros if evidence.dense is None else evidence.dense
    return np.array((evidence.fused, evidence.order, lexical, dense))


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
    pieces = evidence.order[start : start + len(chunk.pieces)].tolist()
    most = max(pieces)
    at = start + pieces.index(most)
    bonus = MODE_BONUS * (chunk.mode == mode) + DOMAIN_BONUS * (chunk.domain == domain)
    bonus += VERSION_BONUS * (chunk.version == release.version)
    return Candidate(
        number, chunk.id, best, most + bonus,
        float(evidence.lexical[at]) if evidence.lexical is not None else 0.0,
        float(evidence.dense[at]) if evidence.dense is not None else 0.0,
        tuple(pieces),
    )
