"""The account of a retrieval, for who asks why: words, lines, utterances, and every budget. Pure.

Nothing is retrieved for it: it is read off the evidence that the plan was made from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Final

from ..archive.candidates import Candidate
from ..archive.passages import passages
from ..archive.release import ArchiveRelease
from ..archive.turn_ranking import CALLED, STATE
from ..retrieval import topic_files
from ..retrieval.dense import inner_products
from ..retrieval.encoder import Vector
from ..retrieval.index import Passage, passage_terms
from ..text.languages import Language
from ..text.normalising import terms_of
from ..types import Account, Considered, Step
from .budget import Filled, fill, ranked
from .plan import Pinned, RankedPlan, Redactor, always_printed, costs, offered, redacted
from .request import RetrievalRequest

STEPS: Final = 1_000
"""The most budgets that are tried."""
_LEAST: Final = 1e-6


def account(release: ArchiveRelease, request: RetrievalRequest, retrieval: RankedPlan,
            vector: Vector | None, budget: int, redactors: Sequence[Redactor]) -> Account:
    """How the passages of ``retrieval`` were chosen within ``budget``.

    ``vector`` is that of the request's query, None where the dense lane failed.
    """
    planned = retrieval.plan
    steps = _steps(release, retrieval.selected, redactors)
    numbers = {chunk.id: number for number, chunk in enumerate(release.chunks)}
    families = {family(release, hit.number): hit.id for hit in retrieval.selected}
    reasons = {dropped_chunk.id: dropped_chunk.reason for dropped_chunk in planned.dropped}
    rows = []
    for name in (*(chunk.id for chunk in planned.chunks), *reasons):
        at = numbers[name]
        twin = families.get(family(release, at), "") if reasons.get(name) == "duplicate" else ""
        over = (step.tokens for step in steps if step.tokens > budget and name in step.ids)
        needs = next(over, None) if reasons.get(name) == "over_budget" else None
        rows.append(_considered(
            release, request, retrieval, vector, at, redactors=redactors, needs=needs, twin=twin))
    utterance, means = _utterance(release, vector) if any(hit.called for hit in rows) else ("", "")
    return Account(tuple(rows), steps, utterance, means)


def _considered(release: ArchiveRelease, request: RetrievalRequest, retrieval: RankedPlan,
                vector: Vector | None, number: int, *, redactors: Sequence[Redactor],
                needs: int | None, twin: str) -> Considered:
    chunk, span, ranking = release.chunks[number], release.spans[number], retrieval.ranking
    assert ranking is not None
    pieces = release.turn_index.collection.passages
    best = int(ranking.by_number(ranking.scores, pieces)[span].argmax())
    at = span.start + best
    indexed = passages([chunk])
    called, by_state = (float(ranking.by_number(ranking.parts.get(name), pieces)[at])
                        for name in (CALLED, STATE))
    return Considered(
        chunk.id, " > ".join(chunk.pieces[best].path),
        "\n\n".join(piece.text for piece in redacted(chunk, redactors) if piece.text),
        tuple(shared_words(request.query, indexed, release.turn_index.language)),
        "" if vector is None else nearest_line(release, indexed[best], at, vector),
        round(called, 4), by_state > _LEAST, needs, twin,
    )


def family(release: ArchiveRelease, number: int) -> str:
    """The id that a chunk and its near-duplicates share."""
    chunk = release.chunks[number]
    return chunk.duplicate_of or chunk.id


def shared_words(text: str, indexed: Sequence[Passage], language: Language) -> Iterator[str]:
    """The words of ``text`` that the passages have, once each."""
    terms = {term for passage in indexed for term in passage_terms(passage, 1, language)}
    for word in dict.fromkeys(text.split()):
        if terms.intersection(terms_of(word, language)):
            yield word.strip(".,;:!?\"'()[]“”‘’…")


def nearest_line(release: ArchiveRelease, passage: Passage, number: int, vector: Vector) -> str:
    """The author's line whose window is the passage's nearest; '' where its text is nearer."""
    windows = release.turn_index.collection.vectors(number)
    own = len(windows) - len(passage.also)  # the lines' windows are the last
    best = int(inner_products(windows, vector).argmax())
    return passage.also[best - own] if passage.also and 0 <= own <= best else ""


def _utterance(release: ArchiveRelease, vector: Vector | None) -> tuple[str, str]:
    """What people say that is most like the query, and the words of rules that it means."""
    expansion = release.turn_index.expansion
    meaning = None if vector is None else expansion.meaning(vector)
    if vector is None or meaning is None:
        return "", ""
    topic = int(meaning.topics[0])
    means = expansion.rules[topic]
    phrases = next((topic.says for topic in topic_files.situations() if topic.rules == means), ())
    nearest = expansion.nearest(vector, topic)
    return (phrases[nearest], means) if nearest < len(phrases) else ("", means)


def _steps(release: ArchiveRelease, selected: Sequence[Candidate], redactors: Sequence[Redactor],
           ) -> tuple[Step, ...]:
    """What every budget prints, from none on, as far as what is printed changes."""
    steps = (
        Step(budget, tuple(candidates[place].id for place in sorted(filled.printed)))
        for budget, candidates, filled in islice(fillings(release, selected, redactors), STEPS)
    )
    return tuple(next(same) for _, same in groupby(steps, key=lambda step: step.ids))


def fillings(release: ArchiveRelease, selected: Sequence[Candidate], redactors: Sequence[Redactor],
             pinned: Pinned | None = None, budget: int | None = 0,
             ) -> Iterator[tuple[int, list[Candidate], Filled]]:
    """Each budget from one on that prints something else, with what of which candidates."""
    candidates, offers = offered(release, selected, redactors)
    always = always_printed(candidates, offers, pinned or {})
    places, around = ranked(offers), costs(release)
    while budget is not None:
        filled = fill(offers, places, budget, around, always)
        yield budget, candidates, filled
        budget = filled.more
