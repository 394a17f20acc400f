"""Numbers in a question to criteria: "CR 5 or lower", "under 50 gp", "between level 1 and 3"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...retrieval.names import words
from ..reading.kinds import KIND_WORDS
from ..reading.values import dimension
from .criteria import Comparison, Criterion
from .criteria_question import Found, Question
from .criteria_words import (
    FIELD_WORDS,
    LENGTHS,
    RANGE_JOINS,
    TIMES,
    amount,
    comparison_before,
    comparison_behind,
)

PARTED: Final = frozenset({"speed", "senses"})
"""Fields that list parts with a number each: "fly 60 ft.", "darkvision 120 ft."."""
_LONGEST_KIND: Final = 2
_TIMED: Final = frozenset({"duration", "casting time"})
_PRICED: Final = frozenset({"cost", "weight"})
_ORDINALS: Final = ("st", "nd", "rd", "th")
_BETWEEN: Final = "between"
_LOOK_BACK: Final = 6


def read_number(question: Question, at: int, last: Criterion | None) -> Found | None:
    """[field] [comparison] number [unit or field] [comparison], or a range of two numbers.

    ``last`` is the criterion that ends right before, if one does.
    """
    opening, sign, here = _opening(question, at)
    token = question.token(here)
    value = amount(token) if token.text else None
    if value is None:
        return None
    unit, length = question.unit_at(here + 1)
    here += 1 + length
    field, here = _measured(question, opening, unit, here)
    if opening and field != opening and _names_kind(question, at):
        return None  # "weapons under 1 gp": a thing and its price, not the field of that name
    if not field or (token.text.endswith(_ORDINALS) and field != "level"):
        return None
    part = ""
    if last is not None and last.field == field and field in PARTED:
        part = last.values[0]
    upper, length = _upper(question, here, field)
    if upper and (sign in {">=", None}):
        number, upper_unit = upper
        criteria = (
            Criterion(field, ">=", (_said(value, unit or upper_unit),), "", part=part),
            Criterion(field, "<=", (_said(number, upper_unit or unit),), "", part=part),
        )
        return Found(criteria, here + length - at, continues=bool(part))
    if sign is None:
        sign, length = comparison_behind(question.tokens, here)
        here += length
    criterion = Criterion(field, sign or "=", (_said(value, unit),), "", part=part)
    return Found((criterion,), here - at, continues=bool(part))


def read_part(question: Question, at: int, last: Criterion) -> Found | None:
    """The number of a part that was named right before: "darkvision 120 feet"."""
    if last.field not in PARTED:
        return None
    here = question.after_links(at)
    sign, length = comparison_before(question.tokens, here)
    here += length
    value = amount(question.token(here)) if question.text(here) else None
    unit, length = question.unit_at(here + 1)
    if value is None or (unit and unit not in LENGTHS):
        return None
    if question.text(here).endswith(_ORDINALS):
        return None
    here += 1 + length
    behind, length = comparison_behind(question.tokens, here)
    here += length
    said = replace(
        last, operator=sign or behind or "=", values=(_said(value, unit),), part=last.values[0]
    )
    return Found((said,), here - at, continues=True)


def _opening(question: Question, at: int) -> tuple[str | None, Comparison | None, int]:
    """The field and the comparison in front of a number, and where the number should stand."""
    sign, here = comparison_before(question.tokens, at)
    if sign:
        field = FIELD_WORDS.get(question.text(at))  # "cheaper than"
        here += at
    else:
        field, here = question.field_at(at)
        here += at
        if field:
            sign, _ = comparison_before(question.tokens, here)
            here = here if sign else question.after_links(here)
        here += question.text(here) == _BETWEEN
        sign, length = comparison_before(question.tokens, here)
        here += length
    if not field:  # "at least level 3"
        field, length = question.field_at(here)
        here += length
    return field, sign, here


def _measured(
    question: Question, field: str | None, unit: str, here: int
) -> tuple[str | None, int]:
    """The field that a number is of, by its unit or by the words behind it, and where these end."""
    by_unit = dimension(unit)
    if by_unit and field not in _PRICED:
        field = by_unit
    if field in _TIMED and unit not in TIMES:
        return None, here
    behind, length = question.field_at(here)
    if behind and (not field or (behind == field and not unit)):
        field, here = behind, here + length
    if not field and unit in TIMES and "duration" in question.vocabulary.by_field:
        field = "duration"
    return field, here


def _upper(
    question: Question, at: int, field: str
) -> tuple[tuple[str, str] | None, int]:
    """The upper end of a range, its number and unit, and the tokens up to its end."""
    join = question.text(at)
    if join not in RANGE_JOINS or (join == "and" and not _said_between(question, at)):
        return None, 0
    named, length = question.field_at(at + 1)
    here = at + 1 + length
    value = amount(question.token(here)) if question.text(here) else None
    if value is None or (named and named != field):
        return None, 0
    unit, length = question.unit_at(here + 1)
    here += 1 + length
    behind, length = question.field_at(here)
    return (value, unit), here + (length if behind == field else 0) - at


def _said_between(question: Question, at: int) -> bool:
    return any(question.text(back) == _BETWEEN for back in range(max(at - _LOOK_BACK, 0), at))


def _said(value: str, unit: str) -> str:
    return f"{value} {unit}".strip()


def _names_kind(question: Question, at: int) -> bool:
    return any(
        " ".join(words(question.phrase(at, length))) in KIND_WORDS
        for length in question.longest(at, _LONGEST_KIND)
    )
