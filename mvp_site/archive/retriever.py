"""From evidence to candidates: the twelve best chunks, bonuses, the six that may be printed.

Design 1, retrieval strategy. The floor is held against evidence before bonuses; bonuses only
reorder what passed it. Every chunk among the twelve best is accounted for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval.fusion import Scores, shown
from ..types import AUDIENCES, DroppedChunk, DropReason, SparseReason
from .evidence import Evidence
from .release import Release
from .tagging import query_domain

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


_FUSED, _ORDER, _LEXICAL, _DENSE = range(4)
_Pieces = list[list[float]]
"""What is known of each piece of a chunk: its evidence, order, lexical and dense scores."""


def select(release: Release, evidence: Evidence, text: str, mode: str, audience: str,
           floor: float) -> Retrieved:
    """What may be printed for one turn; ties go by the archive's order."""
    order = np.maximum.reduceat(evidence.order, release.first_piece)
    visible, rank = _top(order, CANDIDATES), AUDIENCES.index(audience)
    hidden = [n for n in visible if AUDIENCES.index(release.chunks[n].audience) > rank]
    if hidden:
        # Hidden chunks must not push visible ones out of the candidates.
        above = release.audience_rank > rank
        shown_to = np.where(above, np.float32(-1), order)
        visible = [number for number in _top(shown_to, CANDIDATES) if not above[number]]
    scores = _scores(release, evidence, hidden + visible)
    best = {number: _most(pieces, _FUSED) for number, pieces in scores.items()}
    dropped: list[DroppedChunk] = []

    def drop(number: int, reason: DropReason) -> None:
        pieces = scores[number]
        dropped.append(DroppedChunk(
            release.chunks[number].id, reason, shown(best[number]),
            shown(_most(pieces, _LEXICAL)), shown(_most(pieces, _DENSE)),
        ))

    for number in hidden:
        drop(number, "audience")
    passed = [n for n in visible if best[n] >= floor and best[n] > 0]
    if len(passed) < len(visible):
        for number in visible:
            if number not in passed:
                drop(number, "below_floor")
    top = max((best[n] for n in visible), default=0.0)
    if not passed:
        filtered = any(best[n] >= floor for n in hidden)
        reason: SparseReason = "filtered" if filtered else "below_floor" if top > 0 else "no_hits"
        return Retrieved((), (), tuple(dropped), reason, floor, top)
    domain = query_domain(text)
    candidates = [
        _candidate(release, n, best[n], scores[n], mode, domain) for n in passed
    ]
    candidates.sort(key=lambda c: (-c.score, c.number))
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
    return Retrieved(
        tuple(chosen[:SELECTED]), tuple(chosen[SELECTED:]), tuple(dropped), None, floor, top
    )


def _scores(release: Release, evidence: Evidence, numbers: Sequence[int]) -> dict[int, _Pieces]:
    """The scores of these chunks' pieces; zeros for a lane that failed."""
    columns = (evidence.fused, evidence.order, evidence.lexical, evidence.dense)
    table = np.array([evidence.fused * 0 if held is None else held for held in columns]).T
    return {number: table[release.spans[number]].tolist() for number in numbers}


def _most(pieces: _Pieces, column: int) -> float:
    return max([piece[column] for piece in pieces])


def _top(best: Scores, count: int) -> list[int]:
    """The ``count`` chunks of the best scores; of those with the same score the first."""
    best_first: list[int] = np.argsort(-best, kind="stable")[:count].tolist()
    return best_first


def _candidate(release: Release, number: int, best: float, pieces: _Pieces, mode: str,
               domain: str | None) -> Candidate:
    chunk = release.chunks[number]
    order = tuple([piece[_ORDER] for piece in pieces])
    most = max(order)
    at = pieces[order.index(most)]
    bonus = MODE_BONUS * (chunk.mode == mode) + DOMAIN_BONUS * (chunk.domain == domain)
    bonus += VERSION_BONUS * (chunk.version == release.version)
    return Candidate(
        number, chunk.id, best, most + bonus, at[_LEXICAL], at[_DENSE], order
    )
