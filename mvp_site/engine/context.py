"""The context assembler: evidence of several domains, weighed, joined, and put within a budget.

Pure, and without a call of a model (design 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..archive.delimiters import CONTEXT_END, context_open
from ..retrieval.names import stands_in, title_key, words
from ..retrieval.tokens import count_tokens, printed_tokens
from ..sessions.intentions import SessionIntention
from .final_prompt import HEADINGS, VERSION, evidence_block, numbered
from .trimming import trimmed
from .types import (
    DOMAINS,
    AssembledContext,
    ContentPriority,
    Decision,
    Domain,
    Evidence,
    Question,
    Relation,
)

Results = Mapping[Domain, Sequence[Evidence]]
FAIR: Final = 0.6
"""The part of the budget that the needed domains share evenly, before the rest is filled."""
NOTES: Final = 0.08
"""The part of the budget that is kept for how the evidence goes together."""
LONGEST: Final = 3
"""Before all have had their turn, a passage takes at most one part in so many of the budget."""
FLAT: Final = 80
"""Tokens that each passage costs beside its own, when worth is held against tokens."""
PRIMARY: Final = 0.6
"""What answers: evidence worth at least this part of the best of its domain, and of all."""
MOST_PRIMARY: Final = 8
LIFTED: Final = 0.8
"""What evidence of a thing is worth at least, beside the best of the same thing elsewhere."""
MOST_RELATIONS: Final = 8
CITED: Final = 2
"""How many places of a domain a relation names."""
NAMED: Final = 0.4
"""The part of the confidence that hangs on whether what the question names was found."""
_JOINED: Final[dict[Domain, str]] = {
    "character": "on the sheet: {}", "rulebook": "its rule: {}",
    "session_notes": "in past sessions: {}", "books": "in the books: {}",
}
_NOW: Final = frozenset({
    SessionIntention.CHARACTER_STATUS, SessionIntention.FUTURE_IMPLICATIONS,
    SessionIntention.QUEST_TRACKING, SessionIntention.UNRESOLVED_MYSTERIES,
})
"""Intentions that ask how things stand: what is newer counts more."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """Evidence with what it is worth, as it would be printed, and what that costs in tokens."""

    whole: Evidence
    worth: float
    shown: Evidence
    tokens: int

    @property
    def value(self) -> tuple[float, str]:
        """Sorts by worth for its tokens, the best first."""
        return -self.worth / (self.tokens + FLAT), self.whole.id


class ContextAssembler:
    """Puts the evidence of all domains together. It keeps nothing."""

    def prioritize_content(self, results: Results, question: Question,  # noqa: ARG002 (design 5)
                           decisions: Sequence[Decision]) -> ContentPriority:
        """What each domain counts: the chance that it is needed; and what newer notes gain."""
        weights = {f"{one.domain}_weight": chance(one) for one in decisions}
        now = any(one.is_needed and one.intention in _NOW for one in decisions)
        return ContentPriority(**weights, **({"recency_bonus": 0.2} if now else {}))

    def format_character_content(self, evidence: Sequence[Evidence],
                                 numbers: Mapping[str, int]) -> str | None:
        """What sheets say; None where there is nothing. ``numbers`` are by ids of evidence."""
        return _formatted("character", evidence, numbers)

    def format_rulebook_content(self, evidence: Sequence[Evidence],
                                numbers: Mapping[str, int]) -> str | None:
        """What the rules say."""
        return _formatted("rulebook", evidence, numbers)

    def format_session_content(self, evidence: Sequence[Evidence],
                               numbers: Mapping[str, int]) -> str | None:
        """What notes of sessions say, in the order in which the sessions were played."""
        told = sorted(evidence, key=lambda one: (one.session or 0, numbers[one.id]))
        return _formatted("session_notes", told, numbers)

    def format_books_content(self, evidence: Sequence[Evidence],
                             numbers: Mapping[str, int]) -> str | None:
        """What books say."""
        return _formatted("books", evidence, numbers)

    def synthesize_cross_domain_relationships(
            self, results: Results, question: Question, decisions: Sequence[Decision],
    ) -> tuple[Relation, ...]:
        """What evidence of two or more domains names, first what the question names.

        The asker's own name joins nothing: the whole sheet is about it.
        """
        own = title_key(question.character)
        shown: dict[str, str] = {}
        about: dict[str, dict[Domain, list[Evidence]]] = {}
        for domain in DOMAINS:
            for one in results.get(domain, ()):
                for name in one.names:
                    if (key := title_key(name)) and key != own:
                        shown.setdefault(key, name)
                        there = about.setdefault(key, {}).setdefault(domain, [])
                        if one not in there:
                            there.append(one)
        joined = {key: places for key, places in about.items() if len(places) > 1}
        asked = _asked(question, decisions)

        def rank(key: str) -> tuple[bool, float, str]:
            return (not _names(key, asked),
                    -sum(places[0].relevance for places in joined[key].values()), key)

        return tuple(
            Relation(shown[key], tuple(one.id for there in joined[key].values() for one in there),
                     _note(shown[key], joined[key]))
            for key in sorted(joined, key=rank)
        )

    def assemble_context(self, results: Results, question: Question,
                         decisions: Sequence[Decision], max_tokens: int) -> AssembledContext:
        """The evidence that answers, within ``max_tokens`` o200k tokens of whatever is printed.

        Each needed domain has a fair part of them before the rest goes to what is worth most for
        its tokens; a long passage is trimmed rather than left out.
        """
        worth = self._worth(results, question, decisions)
        said = frozenset(word for one in _asked(question, decisions) for word in one)
        room = max_tokens - _frame()
        chosen = _chosen(results, worth, _needed(results, decisions),
                         room - int(room * NOTES), said)
        best = max((worth[one.id] for one in chosen), default=0.0)
        chosen.sort(key=lambda one: (-worth[one.id], one.id))
        primary = [one for one in chosen if worth[one.id] >= PRIMARY * best][:MOST_PRIMARY]
        supporting = chosen[len(primary):]
        evidence = (*_by_domain(primary), *_by_domain(supporting))
        numbers = {one.id: number for number, one in enumerate(evidence, 1)}
        relations = self.synthesize_cross_domain_relationships(
            {domain: tuple(one for one in evidence if one.domain == domain) for domain in DOMAINS},
            question, decisions,
        )[:MOST_RELATIONS]
        whole = self._formats(evidence, numbers)
        context = AssembledContext(
            primary_content="\n\n".join(filter(None, self._formats(primary, numbers).values())),
            supporting_content="\n\n".join(
                filter(None, self._formats(supporting, numbers).values())
            ),
            character_data=whole["character"], rules_content=whole["rulebook"],
            session_context=whole["session_notes"], books_content=whole["books"],
            synthesis_notes=(),
            confidence_score=_confidence(evidence, question, decisions),
            evidence=evidence,
            left_out=tuple(one for domain in DOMAINS for one in results.get(domain, ())
                           if one.id not in numbers),
        )
        return _noted(context, relations, numbers, max_tokens)

    def _formats(self, evidence: Sequence[Evidence], numbers: Mapping[str, int],
                 ) -> dict[Domain, str | None]:
        formats = {
            "character": self.format_character_content, "rulebook": self.format_rulebook_content,
            "session_notes": self.format_session_content, "books": self.format_books_content,
        }
        return {domain: formats[domain]([one for one in evidence if one.domain == domain], numbers)
                for domain in dict.fromkeys((*(one.domain for one in evidence), *DOMAINS))}

    def _worth(self, results: Results, question: Question, decisions: Sequence[Decision],
               ) -> dict[str, float]:
        """What each piece of evidence is worth, by its id; what belongs to another is lifted."""
        priority = self.prioritize_content(results, question, decisions)
        sessions = sorted({one.session for one in results.get("session_notes", ())
                           if one.session is not None})
        fresh: dict[int | None, float] = {number: at / len(sessions) for at, number in enumerate(sessions, 1)}
        found = {
            one.id: getattr(priority, f"{domain}_weight") * one.relevance
            * (1 + priority.recency_bonus * fresh.get(one.session, 0.0))
            for domain, there in results.items() for one in there
        }
        asked = _asked(question, decisions)
        held = {one.id: one for there in results.values() for one in there}
        for relation in self.synthesize_cross_domain_relationships(results, question, decisions):
            if _names(title_key(relation.name), asked):
                ids = sorted(relation.evidence, key=lambda one: (-found[one], one))
                least = LIFTED * found[ids[0]]
                firsts = {held[one].domain: one for one in reversed(ids)}
                found |= {one: max(found[one], least) for one in firsts.values()}
        return found


def chance(decision: Decision) -> float:
    """The chance, in [0, 1], that a domain is needed."""
    return decision.confidence if decision.is_needed else 1 - decision.confidence


def cost(one: Evidence) -> int:
    """The o200k tokens of a piece of evidence, however it is printed."""
    return max(printed_tokens(numbered(_WIDE, one)), printed_tokens(_item(_WIDE, one)) + 1)


_WIDE: Final = 888
"""A number that takes as much room as any."""


def _chosen(results: Results, worth: Mapping[str, float], needed: Sequence[Domain], room: int,
            said: frozenset[str]) -> list[Evidence]:
    """The evidence that is printed, trimmed where it is long."""
    share = int(room * FAIR / max(len(needed), 1))
    most = min(room // LONGEST, share)
    offers = {
        domain: sorted((offer for one in there
                        if (offer := _offer(one, worth[one.id], most, said))),
                       key=lambda offer: (-offer.worth, offer.whole.id))
        for domain, there in results.items()
    }
    chosen: dict[str, _Offer] = {}

    def take(those: Iterable[_Offer], within: int) -> int:
        for one in those:
            if one.whole.id not in chosen and one.tokens <= within:
                chosen[one.whole.id] = one
                within -= one.tokens
        return within

    for domain in needed:
        room -= share - take(offers[domain], share)
    rest = sorted((one for there in offers.values() for one in there), key=lambda one: one.value)
    room = take(rest, room)
    for one in sorted(chosen.values(), key=lambda one: (-one.worth, one.whole.id)):
        if one.shown is not one.whole:
            wider = _offer(one.whole, one.worth, one.tokens + room, said)
            if wider is not None and wider.tokens > one.tokens:
                chosen[one.whole.id] = wider
                room -= wider.tokens - one.tokens
    return [one.shown for one in chosen.values()]


def _offer(one: Evidence, worth: float, most: int, said: frozenset[str]) -> _Offer | None:
    """Evidence within ``most`` tokens; None where nothing of it fits."""
    tokens = cost(one)
    if tokens <= most:
        return _Offer(one, worth, one, tokens)
    frame = cost(replace(one, text="-"))
    shown = replace(one, text=trimmed(one.text, said, most - frame))
    tokens = cost(shown)
    return _Offer(one, worth, shown, tokens) if shown.text and tokens <= most else None


def _needed(results: Results, decisions: Sequence[Decision]) -> list[Domain]:
    """The needed domains that have evidence."""
    return [one.domain for one in decisions if one.is_needed and results.get(one.domain)]


def _asked(question: Question, decisions: Sequence[Decision]) -> list[tuple[str, ...]]:
    """The words of the question, and of each name that a router found in it."""
    return [words(question.text),
            *(words(named.name) for one in decisions for named in one.entities)]


def _names(key: str, asked: Sequence[Sequence[str]]) -> bool:
    return any(stands_in(key.split(), one) for one in asked)


def _note(name: str, places: Mapping[Domain, Sequence[Evidence]]) -> str:
    told = (
        _JOINED[domain].format("; ".join(dict.fromkeys(one.citation for one in there[:CITED])))
        for domain, there in places.items()
    )
    return f"{name}: {'; '.join(told)}"


def _noted(context: AssembledContext, relations: Sequence[Relation], numbers: Mapping[str, int],
           max_tokens: int) -> AssembledContext:
    """The context with as many relations as fit, and the tokens of what is printed."""
    context = replace(context, tokens=_tokens(context))
    for one in relations:
        cited = "".join(f"[{numbers[each]}]" for each in one.evidence)
        wider = replace(context, relations=(*context.relations, one),
                        synthesis_notes=(*context.synthesis_notes, f"{one.note} {cited}"))
        if (tokens := _tokens(wider)) <= max_tokens:
            context = replace(wider, tokens=tokens)
    return context


def _tokens(context: AssembledContext) -> int:
    """The tokens of the evidence in the form that takes more room."""
    readable = "\n\n".join(filter(None, (
        context.primary_content, context.supporting_content, "\n".join(context.synthesis_notes),
    )))
    return max(count_tokens(evidence_block(context)), count_tokens(readable))


def _frame() -> int:
    """The tokens of headings, in both parts, and of the element around all."""
    return 2 * sum(printed_tokens(_heading(domain)) + 1 for domain in DOMAINS) \
        + printed_tokens(f"{context_open(VERSION)}\n{CONTEXT_END}")


def _by_domain(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The same with what is of one domain together, the domain of the best first."""
    order = list(dict.fromkeys(one.domain for one in evidence))
    return sorted(evidence, key=lambda one: order.index(one.domain))


def _formatted(domain: Domain, evidence: Sequence[Evidence], numbers: Mapping[str, int],
               ) -> str | None:
    if not evidence:
        return None
    return "\n\n".join((_heading(domain), *(_item(numbers[one.id], one) for one in evidence)))


def _heading(domain: Domain) -> str:
    return f"## {HEADINGS[domain]}"


def _item(number: int, one: Evidence) -> str:
    return f"[{number}] {one.citation}\n{one.text.strip()}"


def _confidence(evidence: Sequence[Evidence], question: Question, decisions: Sequence[Decision],
                ) -> float:
    """How surely the evidence answers, in [0, 1]: the mean over the needed domains.

    Of each it is the relevance of its best piece, 0 where it has none. Where names of the question
    are in no evidence it is less, by :data:`NAMED` where none is.
    """
    best: dict[Domain, float] = {}
    for one in evidence:
        best[one.domain] = max(best.get(one.domain, 0.0), one.relevance)
    sure = [best.get(one.domain, 0.0) for one in decisions if one.is_needed] or [
        max((best.get(one.domain, 0.0) * chance(one) for one in decisions), default=0.0)
    ]
    said = [words(f"{one.title} {one.text} {' '.join(one.names)}") for one in evidence]
    own = words(question.character)
    names = {key: words(named.name) for one in decisions for named in one.entities
             if (key := title_key(named.name)) and words(named.name) != own}
    found = sum(any(stands_in(name, one) for one in said) for name in names.values())
    named = found / len(names) if names else 1.0
    return round(sum(sure) / len(sure) * (1 - NAMED + NAMED * named), 4)
