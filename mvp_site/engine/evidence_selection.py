"""The evidence that an answer is made of: weighed, and put within a budget of tokens.

Pure, and without a call of a model (design 5).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from ..archive.delimiters import CONTEXT_END, CUT, context_open, escape
from ..assembly.budget import with_cuts
from ..text.names import stands_in, title_key, words
from ..text.normalising import content_words
from ..text.tokens import count_tokens, printed_tokens
from .citations import evidence_numbers
from .final_prompt import HEADINGS, VERSION, evidence_block, numbered_passage, place, place_segment
from .joining import Results, asked_names, is_asked, printed_relations
from .types import DOMAINS, AssembledContext, Decision, Domain, Evidence, Question, Relation

_BREAKS: Final = (
    ("\n\n", re.compile(r"\n[^\S\n]*\n\s*")), ("\n", re.compile(r"\n")),
    (" ", re.compile(r"(?<=[.!?;])\s+")),
)
PART: Final = 3
"""What is larger than one part in so many of the room is looked at in smaller parts."""
FAIR: Final = 0.4
"""The part of the budget that the needed domains share evenly, before the rest is filled."""
NOTES: Final = 0.06
"""The part of the budget that is kept for how the evidence goes together."""
LONGEST: Final = 3
"""Before all have had their turn, a passage takes at most one part in so many of the budget."""
FLAT: Final = 80
"""Tokens that each passage counts beside its own, where worth is held against tokens."""
DOUBT: Final = 0.4
"""What a domain counts that is not needed, as far as one can tell: routers err."""
PRIMARY: Final = 0.6
"""What answers: the evidence that is worth at least this part of the best."""
LIFTED: Final = 0.8
"""What evidence of a thing is worth at least beside the best of it in another domain."""
MOST: Final = 8
"""The most pieces that count as what answers, and the most relations."""
NAMED: Final = 0.4
"""The part of the confidence that hangs on whether what the question names was found."""
NEWER: Final = 0.2
"""What newer notes gain where the question is how things stand."""
USUALLY_NEWER: Final = 0.1
"""What they gain otherwise."""
_CURRENT: Final = frozenset({
    "character_status", "future_implications", "quest_tracking", "unresolved_mysteries",
})
_WIDE: Final = 888
"""A number that takes as much room as any."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """Evidence with its worth, as it would be printed, and the tokens of that."""

    whole: Evidence
    worth: float
    trimmed: Evidence
    tokens: int


def assemble_context(results: Results, question: Question, decisions: Sequence[Decision],
                     max_tokens: int, relations: Sequence[Relation]) -> AssembledContext:
    """The evidence that answers, within ``max_tokens`` o200k tokens of whatever is printed.

    Each needed domain has a fair part of them before the rest goes to what is worth most for its
    tokens; a long passage is trimmed rather than left out. Of ``relations`` those stand in it whose
    evidence is printed, of two domains or more.
    """
    worth = _worth(results, question, decisions, relations)
    chosen = sorted(_chosen(results, worth, question, decisions, max_tokens - _frame()),
                    key=lambda piece: (-worth[piece.id], piece.id))
    primary = [evidence for evidence in chosen[:MOST]
               if worth[evidence.id] >= PRIMARY * worth[chosen[0].id]]
    evidence = (*_by_domain(primary), *_by_domain(chosen[len(primary):]))
    numbers = evidence_numbers(evidence)
    notes: list[str] = []
    joined: list[Relation] = []
    tokens = count_tokens(evidence_block(evidence, notes))
    for relation in islice(printed_relations(relations, evidence), MOST):
        cited = "".join(f"[{numbers[piece_id]}]" for piece_id in relation.evidence)
        line = f"{relation.note} {cited}"
        if (more_tokens := count_tokens(evidence_block(evidence, [*notes, line]))) <= max_tokens:
            tokens = more_tokens
            notes.append(line)
            joined.append(relation)
    return AssembledContext(
        evidence, tuple(notes), _confidence(evidence, question, decisions),
        tuple(evidence for domain in DOMAINS for evidence in results.get(domain, ())
              if evidence.id not in numbers),
        tuple(joined), tokens,
    )


def _worth(results: Results, question: Question, decisions: Sequence[Decision],
           relations: Sequence[Relation]) -> dict[str, float]:
    """What each piece of evidence is worth, by its id.

    A domain counts by the chance that it is needed, and newer notes gain where the question is how
    things stand. Of a thing that the question names and several domains have, the best piece of
    each counts nearly as much as the best of all.
    """
    weights = {decision.domain: DOUBT + (1 - DOUBT) * decision.chance for decision in decisions}
    current = any(decision.is_needed and decision.intention in _CURRENT for decision in decisions)
    newer = NEWER if current else USUALLY_NEWER
    by_id = {evidence.id: evidence for result in results.values() for evidence in result}
    sessions = sorted({evidence.session or 0 for evidence in by_id.values()})
    fresh = {number: at / len(sessions) for at, number in enumerate(sessions)}
    worth = {
        piece.id: weights.get(piece.domain, 1.0) * piece.relevance
        * (1 + newer * fresh[piece.session or 0]) for piece in by_id.values()
    }
    names_asked = asked_names(question, decisions)
    for relation in relations:
        if is_asked(title_key(relation.name), names_asked):
            ids = sorted(relation.evidence, key=lambda piece_id: (worth[piece_id], piece_id))
            least = LIFTED * worth[ids[-1]]
            for piece_id in {by_id[piece_id].domain: piece_id for piece_id in ids}.values():
                worth[piece_id] = max(worth[piece_id], least)
    return worth


def _chosen(results: Results, worth: Mapping[str, float], question: Question,
            decisions: Sequence[Decision], room: int) -> list[Evidence]:
    """The evidence that is printed, trimmed where it is long."""
    if sum(map(bool, results.values())) > 1:
        room -= int(room * NOTES)
    needed = [row.domain for row in decisions if row.is_needed and results.get(row.domain)]
    share = int(room * FAIR / max(len(needed), 1))
    query_words = content_words(question.text)

    def offer(piece: Evidence, most: int) -> _Offer:
        printed = piece
        if _cost(piece) + _head(piece) > most:
            room_left = most - _cost(replace(piece, text="-")) - _head(piece)
            printed = replace(piece, text=trimmed(piece.text, query_words, room_left))
        return _Offer(piece, worth[piece.id], printed, _cost(printed))

    offers = [offered for result in results.values() for piece in result
              if (offered := offer(piece, min(room // LONGEST, share))).trimmed.text]
    offers.sort(key=lambda offer: (-offer.worth, offer.whole.id))
    chosen: dict[str, _Offer] = {}
    open_: set[tuple[Domain, str]] = set()

    def take(offers: Sequence[_Offer], within: int) -> int:
        """What is left of so many tokens when those that fit are taken."""
        for candidate in offers:
            where = place(candidate.whole)
            tokens = candidate.tokens + (0 if where in open_ else _head(candidate.whole))
            if candidate.whole.id not in chosen and tokens <= within:
                chosen[candidate.whole.id] = candidate
                open_.add(where)
                within -= tokens
        return within

    for domain in needed:
        room -= share - take([offer for offer in offers if offer.whole.domain == domain], share)
    room = take(sorted(offers, key=lambda offer: -offer.worth / (offer.tokens + FLAT)), room)
    for taken in offers:
        if taken.whole.id in chosen and taken.trimmed is not taken.whole:
            wider = offer(taken.whole, taken.tokens + room)
            if taken.tokens < wider.tokens <= taken.tokens + room:
                chosen[taken.whole.id] = wider
                room -= wider.tokens - taken.tokens
    return [offer.trimmed for offer in chosen.values()]


def _cost(piece: Evidence) -> int:
    """The o200k tokens of a piece of evidence, however it is printed."""
    text = numbered_passage(_WIDE, piece)
    return max(printed_tokens(escape(text)), printed_tokens(text)) + 1


def _head(piece: Evidence) -> int:
    """The tokens of what stands around the pieces of a place."""
    where = place(piece)
    segment = place_segment(where, "-").text
    return max(printed_tokens(segment), 2 * printed_tokens(f"### {where[1]}") + 2)


def _frame() -> int:
    """The tokens of headings, in both parts, and of the element around all."""
    return 2 * sum(printed_tokens(f"## {HEADINGS[domain]}") + 1 for domain in DOMAINS) \
        + printed_tokens(f"{context_open(VERSION)}\n{CONTEXT_END}")


def _by_domain(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The same with what is of one domain together, the domain of the best first."""
    order = list(dict.fromkeys(piece.domain for piece in evidence))
    return sorted(evidence, key=lambda piece: order.index(piece.domain))


def _confidence(evidence: Sequence[Evidence], question: Question, decisions: Sequence[Decision],
                ) -> float:
    """How surely the evidence answers, in [0, 1].

    It is the mean, over the needed domains, of the relevance of the best piece, 0 where there is
    none. By up to :data:`NAMED` of it is taken off for names of the question that are nowhere.
    """
    best: dict[Domain, float] = {}
    for piece in evidence:
        best[piece.domain] = max(best.get(piece.domain, 0.0), piece.relevance)
    scores = [best.get(decision.domain, 0.0) for decision in decisions if decision.is_needed] or [
        max((best.get(row.domain, 0.0) * row.chance for row in decisions), default=0.0)
    ]
    names = {words(named.name) for decision in decisions for named in decision.entities} \
        - {words(question.character)}
    missing = len(unknown_names(evidence, question, decisions))
    return round(sum(scores) / len(scores) * (1 - NAMED * missing / max(len(names), 1)), 4)


def unknown_names(evidence: Sequence[Evidence], question: Question, decisions: Sequence[Decision],
                  ) -> tuple[str, ...]:
    """The names of the question, but for the asker's, that no evidence or source has."""
    word_lists = [words(" ".join((piece.title, piece.citation, piece.text, *piece.names)))
                  for piece in evidence]
    names = {words(named.name): named.name for decision in decisions for named in decision.entities}
    names.pop(words(question.character), None)
    return tuple(spelling for name, spelling in names.items()
                 if not any(stands_in(name, word_list) for word_list in word_lists))


def trimmed(text: str, query_words: Collection[str], tokens: int) -> str:
    """``text`` within so many o200k tokens; '' where nothing of it fits.

    The first part stays, then those with most of ``query_words`` (of
    :func:`~mvp_site.text.normalising.content_words`), all in order, ``[...]`` in place of others.
    """
    if printed_tokens(text) <= tokens:
        return text
    parts = list(_parts(text, tokens // PART))
    cut = printed_tokens(CUT) + 1
    lines: list[int] = []
    room = tokens - cut
    for at in sorted(range(len(parts)), key=lambda at: (
            at != 0, -len(content_words(parts[at][1]).intersection(query_words)), at)):
        cost = printed_tokens(parts[at][1]) + 1 + cut
        if cost <= room:
            lines.append(at)
            room -= cost
    laid = [("\n", CUT) if at is None else parts[at] for at in with_cuts(sorted(lines), len(parts))]
    return "".join(f"{lead if at else ''}{sentence}" for at, (lead, sentence) in enumerate(laid)) \
        if lines else ""


def _parts(text: str, most: int, breaks: Sequence[tuple[str, re.Pattern[str]]] = _BREAKS,
           ) -> Iterator[tuple[str, str]]:
    """The parts of a text, each behind what joins it to the one before."""
    (joint, pattern), *finer = breaks
    for at, part in enumerate(pattern.split(text)):
        smaller = list(_parts(part, most, finer)) \
            if finer and printed_tokens(part) > most else [("", part)]
        yield joint if at else "", smaller[0][1]
        yield from smaller[1:]
