"""Quantities in words: "CR under 5", "2nd to 4th level", "at least 100 hit points".

A number stands beside its noun or unit, before it or behind it, with what bounds it on either
side: at least, up to, over, under, "or higher", "or less", "between … and …".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..retrieval.filters import AnyOf, Clause, Range

_WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
)
_ORDINALS: Final = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth", "twentieth",
)
_SPOKEN: Final = {
    **{word: float(number) for number, word in enumerate(_WORDS)},
    **{word: float(number) for number, word in enumerate(_ORDINALS)},
    "half": 0.5, "half a": 0.5, "a half": 0.5, "one half": 0.5, "one-half": 0.5,
    "quarter": 0.25, "a quarter": 0.25, "one quarter": 0.25, "one-quarter": 0.25,
    "one fourth": 0.25, "one-fourth": 0.25, "one eighth": 0.125, "one-eighth": 0.125,
}
_DIGITS: Final = r"\d+[/\u2044]\d+|\d+(?:,\d{3})+|\d+(?:\.\d+)?"
"""A folded text has ½ as 1, the fraction slash and 2."""
NUMBER: Final = (
    rf"(?:{_DIGITS}|{'|'.join(sorted(_SPOKEN, key=len)[::-1])})(?:st|nd|rd|th)?"
)
_EACH: Final = re.compile(NUMBER)
_LEAST: Final = (
    r"at least|minimum(?: of)?|min|no (?:less|lower|fewer) than|"
    r"not (?:less|below|under)(?: than)?|starting at|>=|≥"
)
_MOST: Final = (
    r"at most|maximum(?: of)?|max|up to|no (?:more|higher|greater) than|"
    r"not (?:more|above|over)(?: than)?|<=|≤"
)
_OVER: Final = r"over|above|more than|(?:higher|greater|better|stronger|heavier) than|beyond|>"
_UNDER: Final = r"under|below|(?:less|lower|fewer|cheaper|lighter|weaker) than|<"
_BEFORE: Final = (
    rf"(?:(?P<least>{_LEAST})|(?P<most>{_MOST})|(?P<over>{_OVER})|(?P<under>{_UNDER}))\s*"
)
_MORE: Final = r"(?:higher|more|above|greater|better|up|over|stronger|heavier)"
_LESS: Final = r"(?:lower|less|below|under|fewer|down|weaker|cheaper|lighter)"
_AFTER: Final = (
    rf"(?:(?P<up>\+|\s*(?:or|and)\s+{_MORE})|(?P<down>\s*(?:or|and)\s+{_LESS}))?"
)
_LAST: Final = rf"(?:(?P<first>\s*(?:or|and)\s+{_MORE})|(?P<last>\s*(?:or|and)\s+{_LESS}))?"
_UNITS: Final = (
    r"(?:levels?|lvls?|crs?|ac|armou?r|hps?|hit|xp|gp|sp|cp|gold|silver|copper|pounds?|lbs?)"
)
_TO: Final = r"\s*(?:-|to|through)\s*|\s+(?P<either>or)\s+"
_OF_NOUN: Final = rf"\s+and\s+(?!{NUMBER}\s*{_UNITS}\b)"
"""Behind "level 2" a further level; but "AC 15 and 100 hit points" are two things."""
_OF_ORDINAL: Final = r"(?<=st|nd|rd|th)\s+and\s+"
_ENDING: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
STEP: Final = 0.01
"""How far "under" and "over" are from the number itself, where it need not be whole."""


MOST: Final = 1e9
"""A greater number is not meant for one."""


class Said(NamedTuple):
    """A quantity and where it stands in the text."""

    clause: Clause
    start: int
    end: int


def patterns(noun: str) -> tuple[re.Pattern[str], ...]:
    """What finds quantities of a noun or unit: noun first, then number first."""
    between, before = r"(?P<between>between)\s+", rf"{_BEFORE}|from\s+"

    def span(listed: str) -> str:
        to = rf"(?(between)\s+and\s+|(?:{_TO}|{listed}))"
        several = rf"(?P<several>(?:,\s*{NUMBER}){{1,8}},?\s+(?:or|and)\s+{NUMBER})"
        return rf"(?P<low>{NUMBER})(?:{several}|{to}(?:{noun}\s*)?(?P<high>{NUMBER}))?"

    return (
        re.compile(
            rf"(?<!\w)(?:{before}|{between})?{noun}[\s:-]*(?:(?:of|is|=)\s*)?"
            rf"{span(_OF_NOUN)}{_AFTER}(?!\w)"
        ),
        re.compile(
            rf"(?<!\w){noun}\s+(?:(?:that\s+)?(?:is|of|are)\s+)?(?:{between}|from\s+)?"
            rf"(?:{_BEFORE})?{span(_OF_NOUN)}{_AFTER}(?!\w)"
        ),
        re.compile(
            rf"(?<!\w)(?:{before}|{between})?{span(_OF_ORDINAL)}{_AFTER}[\s-]*{noun}{_LAST}(?!\w)"
        ),
    )


def quantities(text: str, field: str, found_by: Sequence[re.Pattern[str]], *, worth: float = 1.0,
               whole: bool = False) -> Iterator[Said]:
    """The quantities in a folded text as clauses on ``field``, a unit being ``worth`` so much."""
    for pattern in found_by:
        for match in pattern.finditer(text):
            said = match.groupdict()
            values = [said["low"], said["high"], *_EACH.findall(said["several"] or "")]
            numbers = [round(_value(value) * worth, 4) for value in values if value]
            if max(numbers) <= MOST:
                yield Said(_clause(field, numbers, said, 1.0 if whole else STEP), *match.span())


def _clause(field: str, numbers: Sequence[float], said: Mapping[str, str | None], step: float,
            ) -> Clause:
    low, high = min(numbers), max(numbers)
    if said["several"] or (said["either"] and not (said["up"] or said["down"])):
        return AnyOf(field, tuple(sorted(set(numbers))))
    if said["high"]:
        return Range(field, low, high)
    if said["over"] or said["under"]:
        end = round(low + step, 4) if said["over"] else round(low - step, 4)
        return Range(field, end, None) if said["over"] else Range(field, None, end)
    if said["least"] or said["up"] or said.get("first"):
        return Range(field, low, None)
    if said["most"] or said["down"] or said.get("last"):
        return Range(field, None, low)
    return AnyOf(field, (low,))


def _value(said: str) -> float:
    plain = _ENDING.sub("", said).replace(",", "")
    if plain in _SPOKEN:
        return _SPOKEN[plain]
    above, _, below = plain.replace("\u2044", "/").partition("/")
    return float(above) / max(float(below or 1), 1.0)
