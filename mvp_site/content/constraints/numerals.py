"""Numbers as people write them: "1,800", "1/4", "a quarter", "3rd", "seventy-five", "10k"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
_ORDINALS: Final = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth", "twentieth",
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL: Final = {
    **{word: float(number) for words in (_UNITS, _ORDINALS) for number, word in enumerate(words)},
    **{word: 10.0 * number for number, word in enumerate(_TENS, 2)},
}
_PARTS: Final = {
    **dict.fromkeys(("half", "half a", "a half", "one half"), 0.5),
    **dict.fromkeys(("quarter", "a quarter", "one quarter", "one fourth"), 0.25),
    "one eighth": 0.125,
}
_LARGE: Final = {"hundred": 100, "thousand": 1000}
_AND: Final = frozenset({"and", "a", "an"})


def _any(words: Iterable[str]) -> str:
    """The words as alternatives, the longest first, a space being a hyphen as well."""
    return "|".join(sorted(words, key=len)[::-1]).replace(" ", r"[\s-]")


_BELOW_TEN: Final = _any((*_UNITS[1:10], *_ORDINALS[1:10]))
_WORD: Final = rf"(?:(?:{_any(_TENS)})[\s-](?:{_BELOW_TEN})|{_any(_SMALL)})"
_WORDS: Final = (
    rf"(?:{_any(_PARTS)}|(?:an?|{_WORD})\s(?:hundred|thousand)(?:\sthousand)?"
    rf"(?:\s{_WORD}\shundred)?(?:(?:\sand)?\s{_WORD}(?!\s(?:hundred|thousand)))?|"
    rf"{_WORD}(?:\sand\sa\shalf)?)"
)
_DIGITS: Final = (
    r"(?:\d+[/\u2044]\d+|(?:\d+(?:,\d{3})+|\d+(?:\.\d+)?)(?:\s?k(?!\w)|\s(?:hundred|thousand))?)"
    r"(?:st|nd|rd|th)?"
)
"""A folded text has ½ as 1, the fraction slash and 2."""
NUMBER: Final = rf"(?:{_DIGITS}|{_WORDS})"
_ENDING: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_THOUSANDS: Final = re.compile(r"(?<=\d) ?k$")


def value(text: str) -> float:
    """The number that a match of :data:`NUMBER` says."""
    text = " ".join(text.replace("-", " ").split())
    plain = _THOUSANDS.sub(" thousand", _ENDING.sub("", text).replace(",", ""))
    if plain in _PARTS:
        return _PARTS[plain]
    whole, half, _ = plain.partition(" and a half")
    total, run = (0.5 if half else 0.0), 0.0
    for word in whole.split():
        if word in _LARGE:
            run = (run or 1.0) * _LARGE[word]
            if word == "thousand":
                total, run = total + run, 0.0
        elif word not in _AND:
            run += _SMALL[word] if word in _SMALL else _of_digits(word)
    return total + run


def _of_digits(digits: str) -> float:
    above, _, below = digits.replace("\u2044", "/").partition("/")
    return float(above) / max(float(below or 1), 1.0)
