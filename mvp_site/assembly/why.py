"""Why a passage is not in a turn's prompt: what it missed, by how much, and what would bring it.

Nothing is ranked here: the turn's own ranking is read, and a turn with a word more goes the whole
way that the turn went. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from ..archive.candidates import TOKENS_EACH, candidates_of, select
from ..archive.chunks import Chunk
from ..archive.front_matter import WHOLE_FILE
from ..archive.passages import passages
from ..archive.release import ArchiveRelease, only_for
from ..retrieval.collection import Scores, SearchRequest
from ..retrieval.encoder import Vector
from ..retrieval.ranking import Ranking, rounded
from ..text.normalising import clean, normalise, terms_of
from ..types import AUDIENCES, MissedBar, MissingWords, WhenLine, Why
from .account import family, fillings, nearest_line, shared_words
from .budget import least_share
from .plan import RankedPlan, Redactor, RetrievalPlan, redacted
from .request import RetrievalRequest, closed_modes, names_nothing
from .scope import BETWEEN, Scoped, pieces_of

WORDS: Final = 3
"""How many words of a passage are added at most; each time it is a whole retrieval."""
_WEIGHED: Final = 40
"""Of so many of its words the weight is looked at, the heading's first."""
_LINE_CHARS: Final = 200
_BUDGETS: Final = 200
"""The most budgets that are tried."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_LIFTED: Final = frozenset({"floor", "candidates", "share", "budget"})
"""The bars that another word, or a line, can lift a passage over."""


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """A request for ``text`` as it was answered, of which is asked why.

    ``trial`` answers the same request with another query.
    """

    release: ArchiveRelease
    text: str
    request: RetrievalRequest
    retrieval: RankedPlan
    scope: Scoped
    budget: int
    vector: Vector | None
    redactors: Sequence[Redactor]
    trial: Callable[[str], RankedPlan]


def why(turn: Answered, name: str) -> Why:
    """Where the passage called ``name`` stands: a chunk's id, a title or a file.

    Of several passages of that name it is the one that ranks best.

    Raises:
        UnknownSectionError: there is none; the message names what comes near.
    """
    release, ranking = turn.release, turn.retrieval.ranking
    places = pieces_of(release, name, AUDIENCES[-1])
    if ranking is None:
        reason = MissedBar(turn.retrieval.plan.sparse_reason or "", "", "")
        return replace(_standing(turn, *places[0]), missed=(reason,))
    rows = [int(release.first_piece[number]) + index for number, index in places]
    table = _Table(turn, ranking)
    best = int(table.scores[rows].argmax())
    (number, index), row = places[best], rows[best]
    standing = replace(
        _standing(turn, number, index), rank=table.rank(number, table.scores),
        ranked=len(table.play), candidates=candidates_of(turn.budget),
        score=rounded(max(float(table.scores[row]), 0.0)),
        evidence=rounded(max(float(ranking.by_number(ranking.evidence, table.pieces)[row]), 0.0)),
        parts={part: round(float(ranking.by_number(values, table.pieces)[row]), 4)
               for part, values in ranking.parts.items()},
    )
    if standing.printed:
        return standing
    missed = tuple(_missed(turn, table, number, index))
    standing = replace(standing, missed=missed)
    if not {bar.bar for bar in missed} & _LIFTED:
        return standing
    return replace(
        standing, missing=tuple(_tried(turn, table, number, index)),
        line=_line(turn, number, index),
    )


class _Table:
    """Every chunk's place in a turn: those in ``play``, and the reasons of those that are not."""

    def __init__(self, turn: Answered, ranking: Ranking) -> None:
        self._release = release = turn.release
        self.pieces = release.manifest.passages
        self._searched = turn.scope.searched
        self.scores = self.scores_of(ranking)
        # The very choice of the turn, but that every chunk is a candidate and none too weak.
        chosen = select(
            release, ranking, turn.request.audience, 0.0, searched=self._searched,
            budget=TOKENS_EACH * len(release.chunks), closed_modes=closed_modes(turn.request.mode),
        )
        self.reasons = {dropped.id: dropped.reason for dropped in chosen.dropped}
        weak = {name for name, reason in self.reasons.items() if reason == "below_floor"}
        self.play = [candidate.number for candidate in chosen.selected] or [
            number for number, chunk in enumerate(release.chunks) if chunk.id in weak]

    def scores_of(self, ranking: Ranking) -> Scores:
        """The score of each piece, -1 for those that are not searched."""
        scores = ranking.by_number(ranking.scores, self.pieces)
        return scores if self._searched is None else np.where(self._searched, scores, -1)

    def by_chunk(self, scores: Scores) -> Scores:
        """The best score of each chunk in play, in the order of ``play``."""
        best: Scores = np.maximum.reduceat(scores, self._release.first_piece)[self.play]
        return best

    def rank(self, number: int, scores: Scores) -> int | None:
        """A chunk's place among those in play, from 1; None where it is none of them."""
        if number not in self.play:
            return None
        best = self.by_chunk(scores)
        own = best[self.play.index(number)]
        ahead = (best > own) | ((best == own) & (np.asarray(self.play) < number))
        return 1 + int(np.count_nonzero(ahead))


def _standing(turn: Answered, number: int, index: int) -> Why:
    """What a passage is, and what of the turn it has."""
    chunk = turn.release.chunks[number]
    passage = passages([chunk])[index]
    row = int(turn.release.first_piece[number]) + index
    return Why(
        chunk.id, chunk.file, BETWEEN.join(chunk.pieces[index].path),
        _printed(turn.retrieval.plan, chunk, index),
        words=tuple(shared_words(turn.request.query, [passage],
                                 turn.release.turn_index.language)),
        when="" if turn.vector is None else nearest_line(turn.release, passage, row, turn.vector),
    )


def _printed(plan: RetrievalPlan, chunk: Chunk, index: int) -> bool:
    section = BETWEEN.join(chunk.pieces[index].path)
    return any(printed.id == chunk.id and section in printed.sections for printed in plan.chunks)


def _missed(turn: Answered, table: _Table, number: int, index: int) -> Iterator[MissedBar]:
    """What kept a passage from being printed, in the order in which it is looked at."""
    release, request, plan = turn.release, turn.request, turn.retrieval.plan
    chunk, row = release.chunks[number], int(release.first_piece[number]) + index
    reason, score = table.reasons.get(chunk.id), float(table.scores[row])
    if reason == "audience":
        yield MissedBar("audience", request.audience, chunk.audience)
        return
    if number in request.barred:
        yield MissedBar("unless", "the turn", "; ".join(map(" and ".join, chunk.unless)))
        return
    if score < 0:
        names = {"only": request.scope.only, "without": request.scope.without}
        yield MissedBar("scope", chunk.file, "; ".join(
            f"{kind}: {', '.join(given)}" for kind, given in names.items() if given))
        return
    if reason == "duplicate":
        twin = next(other for other in table.play
                    if family(release, other) == family(release, number))
        yield MissedBar("duplicate", chunk.id, release.chunks[twin].id)
        return
    if number not in table.play:
        yield MissedBar(reason or "", request.mode, only_for(chunk))
        return
    if not redacted(chunk, turn.redactors)[index].text:
        yield MissedBar("redacted", "", "")
        return
    if not (floor := plan.best >= plan.floor and plan.best > 0):
        yield MissedBar("floor", rounded(plan.best), rounded(plan.floor))
    best, count = -np.sort(-table.by_chunk(table.scores)), candidates_of(turn.budget)
    rank = table.rank(number, table.scores) or 0
    if not (candidate := rank <= count):
        yield MissedBar(
            "candidates", rounded(float(best[rank - 1])), rounded(float(best[count - 1])))
    least = least_share(turn.budget) * float(best[0])
    if score < least:
        yield MissedBar("share", rounded(score), rounded(least))
    elif floor and candidate and (needs := _needs(turn, number, index)) is not None:
        yield MissedBar("budget", turn.budget, needs)


def _needs(turn: Answered, number: int, index: int) -> int | None:
    """The least budget above the turn's that prints a passage; None where none of those tried."""
    tried = fillings(turn.release, turn.retrieval.selected, turn.redactors,
                     turn.retrieval.pinned, turn.budget)
    return next((budget for budget, candidates, filled in islice(tried, _BUDGETS)
                 if any(candidates[order].number == number and index in indices
                        for order, indices in filled.printed.items())), None)


def _tried(turn: Answered, table: _Table, number: int, index: int) -> Iterator[MissingWords]:
    """Words that the passage has and the turn lacks, one more each time until they bring it."""
    chunk = turn.release.chunks[number]
    row = int(turn.release.first_piece[number]) + index
    words = _weightiest(turn, number, index)[:WORDS]
    for count in range(1, len(words) + 1):
        retrieval = turn.trial(" ".join((turn.request.query, *words[:count])))
        if retrieval.ranking is None:
            return
        scores = table.scores_of(retrieval.ranking)
        printed = _printed(retrieval.plan, chunk, index)
        yield MissingWords(tuple(words[:count]), table.rank(number, scores) or 0,
                           rounded(float(scores[row])), printed)
        if printed:
            return


def _weightiest(turn: Answered, number: int, index: int) -> list[str]:
    """Words of a passage that the turn lacks, the one first with which words say most for it."""
    chunk = turn.release.chunks[number]
    row = int(turn.release.first_piece[number]) + index
    text = redacted(chunk, turn.redactors)[index].text
    language = turn.release.turn_index.language
    own = tuple(terms_of(turn.request.query, language))
    words: dict[tuple[str, ...], str] = {}
    for word in _WORD.findall(normalise(" ".join((*chunk.pieces[index].path, text)))):
        terms = tuple(terms_of(word, language))
        if terms and not {*terms} <= {*own}:
            words.setdefault(terms, word)
    collection, total = turn.release.turn_index.collection, turn.release.manifest.passages

    def weight(terms: tuple[str, ...]) -> float:
        hits = collection.search(SearchRequest(terms=(*own, *terms), also=(row,)))
        return float(hits.of_all(total)[1][row])

    first = [*words][:_WEIGHED]
    return [words[terms] for terms in sorted(first, key=weight, reverse=True)]


def _line(turn: Answered, number: int, index: int) -> WhenLine | None:
    """The turn as a line of the passage's; None where it names nothing of its own."""
    line = " ".join(clean(turn.text).split())[:_LINE_CHARS]
    if turn.request.leaned or names_nothing(line):
        return None
    chunk = turn.release.chunks[number]
    path = chunk.pieces[index].path
    return WhenLine(chunk.file, path[-1] if path else WHOLE_FILE, line)
