"""Quantities in words: "CR under 5", "2nd to 4th level", "a range of 60 feet or more".

A number stands beside its noun or unit, before it or behind it, with what bounds it on either
side: at least, up to, over, under, "or higher", "or less", "at most", "between … and …". The
nouns are marked in the text first, so that the same few patterns read them all.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from ...retrieval.filters import AnyOf, Clause, Range
from .numerals import COUNTED, NUMBER, value

__all__ = ["COUNTED", "MOST", "NUMBER", "STEP", "Noun", "Said", "Unit", "patterns", "quantities"]

_EACH: Final = re.compile(NUMBER)
_LEAST: Final = (
    r"at (?:the very )?least|minimum(?: of)?|min|(?:no|not) (?:less|lower|fewer|below|under)"
    r"(?: than)?|starting at|>=|=>|≥"
)
_MOST: Final = (
    r"at (?:the very )?most|maximum(?: of)?|max|up to|(?:no|not) (?:more|higher|greater|above|over)"
    r"(?: than)?|(?:gained|got|had|learn(?:ed|t)|available|unlocked|reached) by|<=|=<|≤"
)
_OVER: Final = (
    r"over|above|more than|(?:higher|greater|better|stronger|heavier|farther|further|longer|"
    r"faster) than|beyond|exceeding|>"
)
_UNDER: Final = (
    r"under|below|(?:less|lower|fewer|cheaper|lighter|weaker|shorter|slower) than|sub-|<"
)
_ABOUT: Final = r"(?:(?P<about>about|around|roughly|approximately|nearly|almost|circa|~)\s*)?"
_BEFORE: Final = (
    rf"(?:(?P<least>{_LEAST})|(?P<most>{_MOST})|(?P<over>{_OVER})|(?P<under>{_UNDER}))\s*"
)
_OR: Final = r"\s*(?:,\s*)?(?:or|and)\s+(?:even\s+)?"
_NO_NUMBER: Final = rf"(?!\s*(?:of\s+)?{NUMBER})"
"""Behind "CR 5" in "CR 5 at most 20 hit points" the bound is of what follows."""
_MORE: Final = (
    rf"(?:{_OR}(?:higher|more|above|greater|better|up|over|stronger|heavier|farther|further|longer|"
    rf"faster)|,?\s+(?:at (?:the very )?least|minimum|min){_NO_NUMBER})"
)
_LESS: Final = (
    rf"(?:{_OR}(?:lower|less|below|under|fewer|down|weaker|cheaper|lighter|shorter|slower)|"
    rf",?\s+(?:at (?:the very )?most|maximum|max|tops){_NO_NUMBER}|"
    r",?\s+(?:(?:and|but)\s+)?(?:no|not) (?:more|higher)(?: than that)?(?!\s+than))"
)
_AFTER: Final = rf"(?:(?P<up>\+|{_MORE})|(?P<down>{_LESS}))?"
_LAST: Final = rf"(?:(?P<first>\+|{_MORE})|(?P<last>{_LESS}))?"
_UNITS: Final = (
    r"(?:levels?|lvls?|crs?|ac|armou?r|hps?|hit|xp|gp|sp|cp|gold|silver|copper|pounds?|lbs?|"
    r"feet|foot|ft|minutes?|hours?|targets?|creatures?|people|enemies|allies|strength|dexterity|"
    r"constitution|intelligence|wisdom|charisma)"
)
_TO: Final = r"\s*(?:-|to|through)\s*|\s+(?P<either>or)\s+"
_OF_NOUN: Final = rf"\s+and\s+(?!{NUMBER}\s*{_UNITS}\b)"
"""Behind "level 2" a further level; but "AC 15 and 100 hit points" are two things."""
_OF_ORDINAL: Final = r"(?<=st|nd|rd|th)\s+and\s+"
_NEAR: Final = 32
_FAR: Final = 72
"""How far from its noun a number may stand, with the bound between or a list of others."""
_MARK: Final = 0xE000
_NOUN: Final = "[\ue000-\ue00f]+"
_MARKS: Final = re.compile(_NOUN)
_COLUMNS: Final = {"single": (0.0, 9.0), "double": (10.0, 99.0), "triple": (100.0, 999.0)}
_DIGITS: Final = re.compile(
    rf"(?<!\w)(?:(single|double|triple)[\s-]digits?\s+{_NOUN}|"
    rf"{_NOUN}\s+in\s+(?:the\s+)?(single|double|triple)[\s-]digits)(?!\w)"
)
STEP: Final = 0.01
"""How far "under" and "over" are from the number itself, where it need not be whole."""
MOST: Final = 1e9
"""A greater number is not meant for one."""


class Unit(StrEnum):
    """What stands with the numbers of a noun, beside the noun."""

    NONE = ""
    FEET = "feet"
    DIE = "die"


class Said(NamedTuple):
    """A quantity and where it stands in the text."""

    clause: Clause
    start: int
    end: int


class Noun(NamedTuple):
    """Nouns of one field; of one that is ``bounded`` no bare number in front ("DC 15 Wisdom")."""

    pattern: re.Pattern[str]
    unit: Unit = Unit.NONE
    bounded: bool = False


def patterns(*nouns: str, unit: Unit = Unit.NONE, bounded: bool = False) -> Noun:
    """What finds a field's nouns or units, which may differ in worth; they have no groups."""
    each = "|".join(f"({noun})" for noun in nouns)
    return Noun(re.compile(rf"(?<![a-z])(?:{each})(?![a-z])"), unit, bounded)


def quantities(text: str, field: str, found_by: Noun, *, worth: float | Sequence[float] = 1.0,
               whole: bool = False) -> Iterator[Said]:
    """The quantities in a folded text as clauses on ``field``, a unit being ``worth`` so much."""
    worths = (worth,) if isinstance(worth, int | float) else worth
    marked = found_by.pattern.sub(_marked, _MARKS.sub(_blank, text))
    for pattern, start, end in _where(marked, _compiled(found_by.unit)):
        for match in pattern.finditer(marked, start, end):
            said = match.groupdict()
            noun = worths[ord(said["noun"][0]) - _MARK]
            low, high = ((said[end], said[of]) for end, of in (("low", "own"), ("high", "inner")))
            numbers = [
                round(value(number) * (worths[ord(of[0]) - _MARK] if of else noun), 4)
                for number, of in (low, high, *((one, None) for one in _listed(said)))
                if number
            ]
            if max(numbers) > MOST:
                continue
            clause = _clause(field, numbers, said, 1.0 if whole else STEP)
            if not isinstance(clause, AnyOf) or not (
                said["about"] or (found_by.bounded and "first" in said)
            ):
                yield Said(clause, *match.span())
    if "digit" in marked:
        for match in _DIGITS.finditer(marked):
            yield Said(Range(field, *_COLUMNS[match[1] or match[2]]), *match.span())


@cache
def _compiled(unit: Unit) -> tuple[re.Pattern[str], ...]:
    """What finds quantities of marked nouns: the noun first, then the number first."""
    between, before = r"(?P<between>between)\s+", rf"{_BEFORE}|from\s+"
    feet = die = measured = ""
    if unit is Unit.FEET:
        feet = r"(?:[\s-]*(?:feet|foot|ft)(?!\w)\.?)"
        # A mile is no foot; and "30 darkvision" is nothing that is said.
        feet, measured = rf"{feet}?(?![\s-]*(?:miles?|yards?|minutes?|hours?|days?)\b)", "(?<=[t.])"
    elif unit is Unit.DIE:
        die = r"(?:an?\s+)?(?:1?d(?=\d))?"

    def span(listed: str, own: str) -> str:
        to = rf"(?(between)\s+and\s+|(?:{_TO}|{listed}))"
        several = rf"(?P<several>(?:,\s*{NUMBER}){{1,8}},?\s+(?:or|and)\s+{NUMBER})"
        return (
            rf"{die}(?P<low>{NUMBER}){feet}(?:{several}{feet}|"
            rf"{own}{to}(?:(?P<inner>{_NOUN})\s*)?{die}(?P<high>{NUMBER}){feet})?"
        )

    led = before.replace(_MOST, f"{_MOST}|by").replace(_OVER, f"{_OVER}|after")
    led = led.replace(_UNDER, f"{_UNDER}|before")
    noun, own = f"(?P<noun>{_NOUN})", rf"(?:\s*(?P<own>{_NOUN}))?"
    first = span(_OF_NOUN, "(?P<own>(?!))?")
    return (
        re.compile(
            rf"(?<!\w){_ABOUT}(?:{led}|{between})?{noun}[\s:-]*(?:(?:of|is|=)\s*)?"
            rf"{first}{_AFTER}(?!\w)"
        ),
        re.compile(
            r"(?<!about )(?<!around )(?<!roughly )(?<!nearly )(?<!almost )(?<![\ue000-\ue00f])"
            rf"{noun}\s+(?:(?:that\s+)?(?:is|of|are)\s+)?(?:{between}|from\s+)?"
            rf"{_ABOUT}(?:{_BEFORE})?{first}{_AFTER}(?!\w)"
        ),
        re.compile(
            rf"(?<!\w){_ABOUT}(?:{before}|{between})?"
            rf"{span(_OF_ORDINAL, own)}{measured}{_AFTER}[\s-]*(?:of\s+)?{noun}{_LAST}(?!\w)"
        ),
    )


def _where(marked: str, found_by: Sequence[re.Pattern[str]],
           ) -> Iterator[tuple[re.Pattern[str], int, int]]:
    """The patterns that may match, and from where to where, by where nouns and numbers stand."""
    numbers = [match.start() for match in COUNTED.finditer(marked)]
    nouns = [match.span() for match in _MARKS.finditer(marked)]
    *noun_first, number_first = found_by
    ends = [end for _, end in nouns if _within(numbers, end, end + _NEAR)]
    if ends:
        until = _word_end(marked, ends[-1] + _FAR)
        yield from ((pattern, max(ends[0] - _NEAR, 0), until) for pattern in noun_first)
    starts = [start for start, _ in nouns if _within(numbers, start - _FAR, start - 1)]
    if starts:
        first = numbers[bisect_left(numbers, starts[0] - _FAR)]
        until = _word_end(marked, starts[-1] + _NEAR)
        yield number_first, max(first - _NEAR, 0), until


def _within(places: Sequence[int], low: int, high: int) -> bool:
    """Whether one of the ascending places lies between, both included."""
    at = bisect_left(places, low)
    return at < len(places) and places[at] <= high


def _word_end(text: str, place: int) -> int:
    """The end of the word at a place, so that no word is read in part."""
    end = text.find(" ", place)
    return len(text) if end < 0 else end


def _marked(match: re.Match[str]) -> str:
    return chr(_MARK + (match.lastindex or 1) - 1) * len(match[0])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _listed(said: Mapping[str, str | None]) -> list[str]:
    return _EACH.findall(said["several"] or "")


def _clause(field: str, numbers: Sequence[float], said: Mapping[str, str | None], step: float,
            ) -> Clause:
    low, high = min(numbers), max(numbers)
    more = said["up"] or said.get("first")
    less = said["down"] or said.get("last")
    if said["several"] or (said["either"] and not (more or less)):
        return AnyOf(field, tuple(sorted(set(numbers))))
    if said["high"]:
        return Range(field, low, high)
    if said["over"] or said["under"]:
        end = round(low + step, 4) if said["over"] else round(low - step, 4)
        return Range(field, end, None) if said["over"] else Range(field, None, end)
    if said["least"] or more:
        return Range(field, low, None)
    if said["most"] or less:
        return Range(field, None, low)
    return AnyOf(field, (low,))
