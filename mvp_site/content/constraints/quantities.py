"""Quantities in words: "CR under 5", "2nd to 4th level", "a range of 60 feet or more".

A number stands beside its noun or unit, before it or behind it, with what bounds it on either
side: at least, up to, over, under, "or higher", "or less", "at most", "between … and …". A text is
first read as a string of signs, one a word (:data:`_SIGNS`); two patterns over the signs are the
grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

from ...retrieval.filters import AnyOf, Clause, Range
from .numerals import NUMBER, value

Unit: TypeAlias = Literal["", "feet", "die"]
"""What stands with the numbers of a noun, beside the noun."""
STEP: Final = 0.01
"""How far "under" and "over" are from the number itself, where it need not be whole."""
MOST: Final = 1e9
"""A greater number is not meant for one."""
_MARK: Final = 0xE000
_NOUN: Final = "[\ue000-\ue00f]+"
_MARKS: Final = re.compile(_NOUN)
_FEET: Final = r"(?:[\s-]*(?:feet|foot|ft)(?!\w)\.?)"
_GREATER: Final = (
    "higher|greater|better|stronger|heavier|farther|further|longer|faster|bigger|larger|rarer|"
    "more rare"
)
_LESSER: Final = (
    "lower|fewer|cheaper|lighter|weaker|shorter|slower|smaller|lesser|worse|less rare|more common|"
    "commoner"
)
_NO: Final = r"(?:(?:and|but)\s+)?(?:no|not)"
_SIGNS: Final = {
    "U": rf"(?<!\s)\+|(?:or|and)\s+(?:even\s+)?(?:{_GREATER}|more|above|up|over)\b",
    "D": rf"(?:or|and)\s+(?:even\s+)?(?:{_LESSER}|less|below|down|under)\b|"
         rf"{_NO} (?:more|higher)(?: than that)?(?! than)\b|tops\b",
    "l": rf"(?:at (?:the very )?least|minimum(?: of)?|min|{_NO} (?:{_LESSER}|less|below|under)"
         r"(?: than)?|starting at)\b|>=|=>|≥",
    "m": rf"(?:at (?:the very )?most|maximum(?: of)?|max|up to|{_NO} (?:{_GREATER}|more|above|"
         r"over)(?: than)?|(?:gained|got|had|learn(?:ed|t)|available|unlocked|reached) by)\b|<=|"
         r"=<|≤",
    "o": rf"(?:over|above|(?:{_GREATER}|more) than|beyond|exceeding)\b|>",
    "u": rf"(?:under|below|(?:{_LESSER}|less) than)\b|sub-|<",
    "a": r"(?:about|around|roughly|approximately|nearly|almost|circa)\b|~",
    "b": r"between\b", "f": r"from\b", "t": r"(?:to|through)\b", "r": r"or\b", "e": r"and\b",
    "y": r"by\b", "p": r"after\b", "q": r"before\b", "s": r"(?:that )?(?:is|of|are)\b|=",
    "x": r"(?:levels?|lvls?|crs?|ac|armou?r|hps?|hit|xp|gp|sp|cp|gold|silver|copper|pounds?|lbs?|"
         r"feet|foot|ft|minutes?|hours?|targets?|creatures?|people|enemies|allies|strength|"
         r"dexterity|constitution|intelligence|wisdom|charisma)\b",
    "z": r"an?\b", "c": ",", "h": "[-:]", "w": r"\w+|[^\s\w]",
}
"""What each sign stands for; the first that fits is taken. ``N`` is a noun, ``n`` a number, ``i``
one with the ending of an ordinal, ``F`` one with feet; ``x`` a unit of another field ("AC 15 and
100 hit points" are two things), ``z`` an article, ``w`` any other word."""
_Z: Final = "[niF]"
_LIST: Final = rf"(?P<listed>(?:c{_Z}){{1,8}}c?[re]{_Z})"
_AFTER: Final = rf"(?:c?(?:(?P<up>U|l(?!s?{_Z}))|(?P<down>D|m(?!s?{_Z}))))?"
"""Behind "CR 5" in "CR 5 at most 20 hit points" the bound is of what follows."""
_NOUN_FIRST: Final = re.compile(
    rf"a?(?:(?P<led>[lmoufypq])|(?P<b>b))?(?P<noun>N)h*s?(?:(?P<between>b)|f)?a?"
    rf"(?P<bound>[lmou])?{_Z}(?:{_LIST}|"
    rf"(?P<to>(?(b)e|(?(between)e|(?:[htr]|e(?={_Z}(?![xN])))))N?){_Z})?{_AFTER}"
)
_NUMBER_FIRST, _FEET_FIRST = (re.compile(
    rf"a?(?:(?P<led>[lmouf])|(?P<b>b))?{_Z}"
    rf"(?:{_LIST}|(?P<to>N?(?(b)e|(?:[htr]|(?<=i)e))N?){_Z})?{measured}{_AFTER}h?s?(?P<noun>N)"
    r"(?:c?(?:(?P<more>U|l)|(?P<less>D|m)))?"
) for measured in ("", "(?<=F)"))
_BESIDE: Final = re.compile(rf"^(?:an?\s+)?1?d(?=\d)|{_FEET}$")
_BOUNDS: Final = {
    **dict.fromkeys("op", (1, None)), **dict.fromkeys("uq", (None, -1)), "l": (0, None),
    **dict.fromkeys("my", (None, 0)),
}
"""Of a sign before a number the ends of the range, in steps from the number."""


class StatedQuantity(NamedTuple):
    """A quantity and where it stands in the text."""

    clause: Clause
    start: int
    end: int


class Noun(NamedTuple):
    """What finds a field's nouns or units, and how its numbers are said.

    ``worths`` are what each unit is worth. Of a field that is ``bounded`` no bare number in front
    is said ("DC 15 Wisdom"); ``whole`` numbers have no parts.
    """

    pattern: re.Pattern[str]
    unit: Unit = ""
    bounded: bool = False
    whole: bool = False
    worths: tuple[float, ...] = (1.0,)


def noun(phrases: Sequence[str], unit: Unit = "", bounded: bool = False, whole: bool = False,
         worths: Sequence[float] = (1.0,)) -> Noun:
    """The noun or units of a field, as regular expressions without groups."""
    each = "|".join(f"({phrase})" for phrase in phrases)
    return Noun(re.compile(rf"(?<![a-z])(?:{each})(?![a-z])"), unit, bounded, whole, tuple(worths))


def quantities(text: str, field: str, noun: Noun) -> Iterator[StatedQuantity]:
    """The quantities in a folded text as clauses on ``field``."""
    marked = noun.pattern.sub(_marked, _MARKS.sub(" ", text))
    words, signs = signs_of(marked, _reader(noun.unit))
    for pattern in (_NOUN_FIRST, _FEET_FIRST if noun.unit == "feet" else _NUMBER_FIRST):
        for match in pattern.finditer(signs):
            numbers = []
            for place in range(*match.span()):
                if signs[place] in _Z:
                    own = place + 1 if signs[place + 1 : place + 2] == "N" else match.start("noun")
                    worth = noun.worths[ord(words[own][0][0]) - _MARK]
                    numbers.append(round(value(_BESIDE.sub("", words[place][0])) * worth, 4))
            clause = _clause(field, numbers, match, 1.0 if noun.whole else STEP)
            inexact = "a" in match[0] or (noun.bounded and pattern is not _NOUN_FIRST)
            if max(numbers) <= MOST and not (isinstance(clause, AnyOf) and inexact):
                yield StatedQuantity(clause, words[match.start()].start(),
                                     words[match.end() - 1].end())


def signs_of(text: str, reader: re.Pattern[str]) -> tuple[list[re.Match[str]], str]:
    """The words of a text, and the sign of each."""
    words = list(reader.finditer(text))
    return words, "".join(match.lastgroup or "" for match in words)


def reader_of(signs: Mapping[str, str]) -> re.Pattern[str]:
    """What reads the words of a text as ``signs``, and as those that stand beside any number."""
    every = {**signs, **_SIGNS}
    return re.compile("|".join(f"(?P<{sign}>{pattern})" for sign, pattern in every.items()))


def bounds(match: re.Match[str], numbers: Sequence[float], step: float,
           ) -> tuple[float | None, float | None] | None:
    """The least and the greatest of the numbers that are meant; None where they are exact.

    ``match`` is of signs, and names them: ``to`` between two numbers, ``led`` or ``bound`` before
    them, ``up`` and ``down``, or ``more`` and ``less``, behind them.
    """
    groups = {"bound": None, "more": None, "less": None, **match.groupdict()}
    low, high = min(numbers), max(numbers)
    if groups["to"]:
        return low, high
    up, down = groups["up"] or groups["more"], groups["down"] or groups["less"]
    sign = groups["led"] or groups["bound"] or ("l" if up else "m" if down else "")
    least, most = _BOUNDS.get(sign, (None, None))
    if least is most:
        return None
    return (None if least is None else round(low + least * step, 4),
            None if most is None else round(low + most * step, 4))


def _clause(field: str, numbers: Sequence[float], match: re.Match[str], step: float) -> Clause:
    ends = bounds(match, numbers, step)
    behind = any(match.groupdict().get(name) for name in ("up", "down", "more", "less"))
    either = "r" in (match["to"] or "") and not behind
    if ends is None or match["listed"] or either:
        return AnyOf(field, tuple(sorted(set(numbers))))
    return Range(field, *ends)


@cache
def _reader(unit: Unit) -> re.Pattern[str]:
    number = rf"(?:(?:an?\s+)?1?d(?=\d))?{NUMBER}" if unit == "die" else NUMBER
    signs = {"N": _NOUN}
    if unit == "feet":
        # A mile is no foot; and "30 darkvision" is nothing that is said.
        signs["W"] = rf"{number}[\s-]*(?:miles?|yards?|minutes?|hours?|days?)\b"
        signs["F"] = number + _FEET
    signs["i"] = rf"{number}(?<=st|nd|rd|th)(?<!thousand)(?!\w)"
    signs["n"] = rf"{number}(?!\w)"
    return reader_of(signs)


def _marked(match: re.Match[str]) -> str:
    return chr(_MARK + (match.lastindex or 1) - 1) * len(match[0])
