"""Values in a question to criteria: "school: evocation", "immune to fire", "rare or better"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...retrieval.names import words
from ..reading.kinds import KIND_WORDS, MAGIC_ITEM, SPELL
from ..reading.values import RANKS, is_true
from ..reading.vocabulary import KIND
from .criteria import Criterion
from .criteria_numbers import PARTED
from .criteria_question import Found, Question
from .criteria_words import (
    CONTEXTS,
    DAMAGE,
    HAVING,
    NEGATIONS,
    TRUTHS,
    comparison_before,
    comparison_behind,
)

LONGEST_KIND: Final = 2
_EXPLICIT: Final = frozenset({":", "=", "is"})
_MARKS: Final = frozenset({":", "="})
_ENDS: Final = frozenset({"", ",", ";"})
_ASKED: Final = HAVING - {"that"}
_ALWAYS_FLAGS: Final = frozenset({"attunement"})
"""A field whose values say more than yes or no, and which is asked for like one of those."""
_CANTRIP: Final = "cantrip"


def kind_at(question: Question, at: int) -> tuple[str, int]:
    """The kind of thing that is named at ``at``, and by how many tokens; '' and 0 for none."""
    for length in question.longest(at, LONGEST_KIND):
        kind = KIND_WORDS.get(" ".join(words(question.phrase(at, length))))
        if kind:
            return kind, length
    return "", 0


def read_labelled(question: Question, at: int, negated: bool) -> Found | None:
    """A field and its value: "school: evocation", "casting time of 1 bonus action", "ritual"."""
    field, length = question.field_at(at)
    if not field:
        return None
    start = at + length
    here = question.after_links(start)
    links = {question.text(place) for place in range(start, here)}
    denied = question.text(here) in NEGATIONS
    value, length = question.value_of(field, here + denied)
    if value:
        return Found((value,), here + denied + length - at, negated or denied)
    if field in question.vocabulary.flags or field in _ALWAYS_FLAGS:
        said = question.text(here) if links & _EXPLICIT else ""
        end = here + 1 if said in TRUTHS else start
        no = said in TRUTHS and is_true(said) is False
        return Found((Criterion(field, "is", ("yes",), ""),), end - at, negated or no)
    if question.text(here - 1) in _MARKS and here > start:
        end = here
        while question.text(end) not in _ENDS:
            end += 1
        if end > here:
            said = question.phrase(here, end - here)
            return Found((Criterion(field, "mentions", (said,), ""),), end - at, negated)
    asked = negated or not _ASKED.isdisjoint({question.text(at - 1), question.text(at - 2)})
    if asked and question.value_at(at)[0] is None and not kind_at(question, at)[0]:
        return Found((Criterion(field, "exists", (), ""),), start - at, negated)
    return None


def read_in_context(question: Question, at: int, negated: bool) -> Found | None:
    """A value in the fields that a word before it tells: "immune to fire", "deals fire damage"."""
    fields = CONTEXTS.get(question.token(at).key)
    if fields is None or question.field_at(at)[1] > 1:
        return None
    here = question.after_links(at + 1)
    while question.token(here).key in CONTEXTS:
        here = question.after_links(here + 1)
    value, length = question.value_at(here, fields)
    if value is None:
        return None
    end = here + length
    return Found((value,), end + question.damage_behind(end) - at, negated)


def read_word(question: Question, at: int, negated: bool) -> Found | None:
    """A kind of thing, or a value of whatever field has it, by which has more words."""
    kind, taken = kind_at(question, at)
    value, length = question.value_at(at)
    if value and length > taken:
        return _value(question, at, value, length, negated)
    if not taken:
        return _cantrip(question, at, negated)
    if kind == MAGIC_ITEM and taken == 1 and not _names_things(question, at + 1):
        return None
    return Found((Criterion(KIND, "is", (kind,), ""),), taken, negated)


def _value(
    question: Question, at: int, value: Criterion, length: int, negated: bool
) -> Found:
    end = at + length
    named, more = question.field_at(end)
    if named == value.field and named not in PARTED:
        end += more
    if value.field.startswith(DAMAGE):
        end += question.damage_behind(end)
    if value.field in RANKS and value.operator == "is":
        sign, more = comparison_behind(question.tokens, end)
        for back in (1, 2, 3):
            found, size = comparison_before(question.tokens, at - back) if at >= back else (None, 0)
            if found and size == back:
                sign = sign or found
        if sign:
            value = replace(value, operator=sign)
            end += more
    return Found((value,), end - at, negated)


def _cantrip(question: Question, at: int, negated: bool) -> Found | None:
    """A cantrip is a spell of level 0, also where the book writes that as a number."""
    if question.token(at).key != _CANTRIP:
        return None
    level = Criterion("level", "=", (_CANTRIP,), "")
    return Found((level, Criterion(KIND, "is", (SPELL,), "")), 1, negated)


def _names_things(question: Question, at: int) -> bool:
    """Whether what stands at ``at`` is a kind or a type of things: "magic" is said of it."""
    value, _ = question.value_at(at, ("type",))
    return value is not None or bool(kind_at(question, at)[0])
