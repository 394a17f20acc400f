"""Words to criteria: "CR 5 or lower", "3rd-level evocation", "rare, without attunement".

What a word may be the value of is read from the facts of the book
(:mod:`~..reading.vocabulary`), so that nothing here knows a school, a class or a property by
name. Of several fields that have the value, that one counts which the words beside it name, then
the one that most things of the kind asked for have it in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..reading.fact_book import FactBook
from .criteria import Criterion, meeting, of_kind
from .criteria_numbers import read_number, read_part
from .criteria_question import RARELY, Found, Question
from .criteria_values import kind_at, read_in_context, read_labelled, read_word
from .criteria_words import CONTEXTS, HAVING, NEGATIONS, Token, tokens

_OR: Final = frozenset({"or", "/"})
_JOINS: Final = _OR | {"and", ",", "&", ";"}
_GAP: Final = "…"
_LISTED: Final = frozenset({"is", "mentions"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What words say: the ``criteria`` in their order, and the words ``unread`` that are none.

    ``unread`` is not an error: such words are searched for by their meaning.
    """

    criteria: tuple[Criterion, ...] = ()
    unread: tuple[str, ...] = ()


def read_criteria(texts: Sequence[str], facts: FactBook) -> Reading:
    """The criteria that ``texts`` state of the things in ``facts``, each once.

    Where no kind of thing is named, the criteria may leave only one, and are read again with it.
    """
    split = [tokens(text) for text in texts]
    kinds = frozenset(
        kind for found in split
        for at in range(len(found))
        if (kind := kind_at(Question(found, facts.vocabulary, frozenset()), at)[0])
    )
    reading = _read(split, facts, kinds)
    implied = frozenset() if kinds else _implied(reading.criteria, facts)
    return _read(split, facts, implied) if implied else reading


def _read(split: Iterable[Sequence[Token]], facts: FactBook, kinds: frozenset[str]) -> Reading:
    of_kinds = frozenset(number for kind in kinds for number in of_kind(facts, kind))
    criteria: list[Criterion] = []
    unread: list[str] = []
    for found in split:
        reader = _Reader(Question(found, facts.vocabulary, of_kinds), facts)
        reader.read()
        criteria += reader.criteria
        unread += reader.unread
    return Reading(tuple(dict.fromkeys(criteria)), tuple(dict.fromkeys(unread)))


def _implied(criteria: Sequence[Criterion], facts: FactBook) -> frozenset[str]:
    """The kind whose things alone have most fields of ``criteria``; none where it is open."""
    found = Counter(
        kind for criterion in criteria if (kind := facts.vocabulary.kind_of.get(criterion.field))
    ).most_common(2)
    if not found or (len(found) > 1 and found[0][1] == found[1][1]):
        return frozenset()
    return frozenset({found[0][0]})


class _Reader:
    """Reads the tokens of one text from left to right."""

    def __init__(self, question: Question, facts: FactBook) -> None:
        self._question = question
        self._facts = facts
        self._negated = False
        self._between: list[str] = []
        self.criteria: list[Criterion] = []
        self.unread: list[str] = []

    def read(self) -> None:
        """Fills ``criteria`` and ``unread``."""
        at = 0
        while at < len(self._question.tokens):
            found = self._next(at)
            if found is None:
                self._pass(self._question.tokens[at])
                at += 1
                continue
            self._state(at, found)
            at += found.length
            self._negated, self._between = False, []
            following = read_part(self._question, at, self.criteria[-1])
            if following:
                self._state(at, following)
                at += following.length

    def _next(self, at: int) -> Found | None:
        last = self.criteria[-1] if self.criteria and not self._between else None
        joined = bool(self._between) and _JOINS.issuperset(self._between)
        self._question.joined = self.criteria[-1].field if self.criteria and joined else ""
        return (
            read_number(self._question, at, last)
            or read_in_context(self._question, at, self._negated)
            or read_labelled(self._question, at, self._negated)
            or read_word(self._question, at, self._negated)
        )

    def _pass(self, token: Token) -> None:
        """A token that is no criterion: it denies the next one, says nothing, or is unread."""
        self._between.append(token.text)
        if token.text in NEGATIONS:
            self._negated = True
        elif not self._says_nothing(token):
            self.unread.append(token.text)
            self._negated, self._between = False, [_GAP]

    def _says_nothing(self, token: Token) -> bool:
        if token.is_filler or token.text in HAVING or token.key in CONTEXTS:
            return True
        named = self._question.vocabulary.field_of((token.key,), token.text)
        return bool(self.criteria) and named == self.criteria[-1].field

    def _state(self, at: int, found: Found) -> None:
        said = self._question.phrase(at, found.length)
        negated = self._negated or found.negated
        if found.continues:
            before = self.criteria.pop()
            said, negated = f"{before.words} {said}", negated or before.negated
        for criterion in found.criteria:
            stated = replace(criterion, words=said, negated=negated)
            last = self.criteria[-1] if self.criteria else None
            if last is not None and self._means_either(last, stated):
                self.criteria[-1] = replace(
                    last, values=(*last.values, *stated.values),
                    words=f"{last.words} {' '.join(self._between)} {said}",
                )
            else:
                self.criteria.append(stated)

    def _means_either(self, last: Criterion, new: Criterion) -> bool:
        """Whether two values of a field are joined so that one of them is enough.

        "Or" says it; "and" means it where next to nothing has both ("rare and very rare rings").
        """
        joins = frozenset(self._between)
        if (
            last.field != new.field or last.operator != new.operator
            or new.operator not in _LISTED or last.negated != new.negated
            or not joins or not joins <= _JOINS
        ):
            return False
        if joins & _OR:
            return True
        first, second = meeting(self._facts, last), meeting(self._facts, new)
        return len(first & second) < RARELY * len(first | second)
