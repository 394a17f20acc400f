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

    def dropped(self, reason: DropReason) -> DroppedChunk:
        """Its line in the ledger, where it is not printed."""
        return DroppedChunk(
            self.id, reason, shown(self.evidence), shown(self.lexical), shown(self.dense)
        )


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
    """What may be printed for one turn; ties go by the archive's order."""
    order = np.maximum.reduceat(evidence.order, release.first_piece)
    above = release.audience_rank > AUDIENCES.index(audience)
    hidden = [number for number in _top(order) if above[number]]
    # Hidden chunks must not push visible ones out of the candidates.
    visible = [number for number in _top(np.where(above, -1, order)) if not above[number]]
    found = _candidates(release, evidence, hidden + visible, mode, query_domain(text))
    withheld, seen = found[: len(hidden)], found[len(hidden) :]
    dropped = [candidate.dropped("audience") for candidate in withheld]
    passed: list[Candidate] = []
    for candidate in seen:
        if candidate.evidence >= floor and candidate.evidence > 0:
            passed.append(candidate)
        else:
            dropped.append(candidate.dropped("below_floor"))
    top = max([candidate.evidence for candidate in seen], default=0.0)
    if not passed:
        filtered = any(candidate.evidence >= floor for candidate in withheld)
        reason: SparseReason = "filtered" if filtered else "below_floor" if top > 0 else "no_hits"
        return Retrieved((), (), tuple(dropped), reason, floor, top)
    passed.sort(key=lambda c: (-c.score, c.number))
    chosen: list[Candidate] = []
    families: set[str] = set()
    for candidate in passed:
        family = release.chunks[candidate.number].duplicate_of or candidate.id
        if family in families:
            dropped.append(candidate.dropped("duplicate"))
            continue
        families.add(family)
        chosen.append(candidate)
    return Retrieved(
        tuple(chosen[:SELECTED]), tuple(chosen[SELECTED:]), tuple(dropped), None, floor, top
    )


def _candidates(release: Release, evidence: Evidence, numbers: Sequence[int], mode: str,
                domain: str | None) -> list[Candidate]:
    """These chunks as candidates; zeros for a lane that failed."""
    columns = (evidence.fused, evidence.order, evidence.lexical, evidence.dense)
    table = np.array([evidence.fused * 0 if held is None else held for held in columns])
    found: list[Candidate] = []
    for number in numbers:
        chunk = release.chunks[number]
        fused, order, lexical, dense = table[:, release.spans[number]].tolist()
        most = max(order)
        at = order.index(most)
        bonus = MODE_BONUS * (chunk.mode == mode)
        bonus += DOMAIN_BONUS * (domain is not None and chunk.domain == domain)
        bonus += VERSION_BONUS * (chunk.version == release.version)
        found.append(Candidate(
            number, chunk.id, max(fused), most + bonus, lexical[at], dense[at], tuple(order)
        ))
    return found


def _top(scores: Scores) -> list[int]:
    """The candidates by their scores; of those with the same score the first."""
    best_first: list[int] = (-scores).argsort(kind="stable")[:CANDIDATES].tolist()
    return best_first
