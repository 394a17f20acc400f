"""The candidates of a turn: the best chunks, and whether any of them may be printed.

Two questions: whether to print anything (if the best evidence of what the caller may see reaches
the floor), and what to print first (by score). Every candidate is accounted for.
There are twelve for the default budget of 1,500 tokens, and more for a greater one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.collection import Scores
from ..retrieval.ranking import Ranking, rounded
from ..types import AUDIENCES, DroppedChunk, DropReason, SparseReason
from .release import EXCLUSIVE_MODES, ArchiveRelease

CANDIDATES: Final = 12
TOKENS_EACH: Final = 125
"""Tokens of a budget for which there is one more candidate."""
WITHHELD: Final = frozenset({"audience", "redacted"})
"""Reasons for which not even the headings of a candidate are told."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with the best evidence of its pieces, in [0, 1].

    ``number`` is its place in the release, ``section`` the heading path of its best piece,
    ``pieces`` the score of each of its pieces.
    """

    number: int
    id: str
    section: str
    evidence: float
    lexical: float
    dense: float
    pieces: tuple[float, ...]

    def dropped(self, reason: DropReason) -> DroppedChunk:
        """Its line in the ledger, where it is not printed."""
        return DroppedChunk(
            self.id, reason, rounded(self.evidence), rounded(self.lexical), rounded(self.dense),
            "" if reason in WITHHELD else self.section,
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidates that may be printed, best first, and the others with their reasons."""

    selected: tuple[Candidate, ...]
    dropped: tuple[DroppedChunk, ...]
    sparse_reason: SparseReason | None
    floor: float
    best: float
    beyond: float = 0.0
    """The score of the best visible chunk that is no candidate."""


def select(release: ArchiveRelease, ranking: Ranking, audience: str, floor: float, *,
           budget: int = 0, searched: npt.NDArray[np.bool_] | None = None,
           closed_modes: Collection[str] = (), barred: Collection[int] = ()) -> Selection:
    """What may be printed for one turn within ``budget``; ties go by the archive's order.

    Where ``searched`` is given, pieces that it is false of are not there. Chunks of
    ``closed_modes`` are dropped, and so are the ``barred`` ones.
    """
    columns = (ranking.evidence, ranking.scores, ranking.lexical, ranking.dense)
    pieces = release.turn_index.collection.passages  # a row for each; zeros for a lane that failed
    table = np.array([ranking.by_number(column, pieces) for column in columns])
    if searched is not None:
        table[:, ~searched] = -1
    order = np.maximum.reduceat(table[1], release.first_piece)
    above = release.audience_rank > AUDIENCES.index(audience)
    count = candidates_of(budget)
    shut_out = np.zeros(len(above), np.bool_)
    shut_out[[*barred]] = True
    closed = above | np.isin(release.only_for,
                             [*map(EXCLUSIVE_MODES.index, closed_modes)]) | shut_out
    hidden = [number for number in _top(order, count) if closed[number] and order[number] >= 0]
    # Closed chunks must not push open ones out of the candidates.
    shut = np.where(closed, -1, order)
    visible = [number for number in _top(shut, count) if shut[number] >= 0]
    rest = np.delete(shut, visible)
    withheld, candidates = (_candidates(release, table, numbers) for numbers in (hidden, visible))
    dropped = [candidate.dropped("audience" if above[candidate.number] else
                                 "unless" if shut_out[candidate.number] else "mode")
               for candidate in withheld]
    top = float(np.maximum.reduceat(table[0], release.first_piece)[~closed].max(initial=0))
    if top < floor or top <= 0:
        dropped += [candidate.dropped("below_floor") for candidate in candidates]
        filtered = any(candidate.evidence >= floor for candidate in withheld)
        reason: SparseReason = "filtered" if filtered else "below_floor" if top > 0 else "no_hits"
        return Selection((), tuple(dropped), reason, floor, top)
    chosen: list[Candidate] = []
    families: set[str] = set()
    for candidate in candidates:
        family = release.chunks[candidate.number].duplicate_of or candidate.id
        if family in families:
            dropped.append(candidate.dropped("duplicate"))
            continue
        families.add(family)
        chosen.append(candidate)
    beyond = float(rest.max(initial=0))
    return Selection(tuple(chosen), tuple(dropped), None, floor, top, beyond)


def candidates_of(budget: int) -> int:
    """How many candidates there are for a ``budget`` of tokens, where there are as many chunks."""
    return max(CANDIDATES, budget // TOKENS_EACH)


def _candidates(release: ArchiveRelease, table: Scores, numbers: Sequence[int]) -> list[Candidate]:
    """These chunks as candidates."""
    return [_candidate(release, number, table[:, release.spans[number]]) for number in numbers]


def _candidate(release: ArchiveRelease, number: int, table: Scores) -> Candidate:
    evidence, scores, lexical, dense = table.tolist()
    best = scores.index(max(scores))
    chunk = release.chunks[number]
    return Candidate(number, chunk.id, " > ".join(chunk.pieces[best].path), max(evidence),
                     lexical[best], dense[best], tuple(scores))


def unsearched(release: ArchiveRelease, number: int) -> Candidate:
    """A chunk as a candidate that nothing was found of."""
    columns = np.zeros((4, len(release.chunks[number].pieces)), np.float32)
    return _candidate(release, number, columns)


def _top(scores: Scores, count: int) -> list[int]:
    """The best ``count`` by their scores; of those with the same score the first."""
    places = np.flatnonzero(scores > 0)
    if len(places) < count:
        places = np.arange(len(scores))
    best_first: list[int] = places[(-scores[places]).argsort(kind="stable")[:count]].tolist()
    return best_first
