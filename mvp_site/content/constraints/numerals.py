"""Numbers as people write them: "1,800", "1/4", "a quarter", "3rd", "seventy-five", "10k"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ...text.vocabulary import NUMBERS, ORDINALS

_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL: Final = {
    **{word: float(number) for words in (NUMBERS, ORDINALS) for number, word in enumerate(words)},
    **{word: 10.0 * number for number, word in enumerate(_TENS, 2)},
}
_PARTS: Final = {
    **dict.fromkeys(("half", "half a", "a half", "one half"), 0.5),
    **dict.fromkeys(("quarter", "a quarter", "one quarter", "one fourth"), 0.25),
    "one eighth": 0.125,
}
_LARGE: Final = {"hundred": 100.0, "thousand": 1000.0}


def _any(words: Iterable[str]) -> str:
    """The words as alternatives, the longest first, a space being a hyphen as well."""
    return "|".join(sorted(words, key=len)[::-1]).replace(" ", r"[\s-]")


_BELOW_TEN: Final = _any((*NUMBERS[1:10], *ORDINALS[1:10]))
_DIGITS: Final = (
    r"(?:\d+[/\u2044]\d+|(?:\d+(?:,\d{3})+|\d+(?:\.\d+)?)(?:\s?k(?!\w)|\s(?:hundred|thousand))?)"
    r"(?:st|nd|rd|th)?"
)
"""A folded text has ½ as 1, the fraction slash and 2."""
NUMBER: Final = (
    rf"(?:{_DIGITS}|{_any(_PARTS)}|(?:{_any(_TENS)})[\s-](?:{_BELOW_TEN})|(?:an?\s)?{_any(_LARGE)}"
    rf"|(?:{_any(_SMALL)})(?:\s(?:{_any(_LARGE)}))?)"
)
_ENDING: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")


def value(text: str) -> float:
    """The number that a match of :data:`NUMBER` says."""
    plain = _ENDING.sub("", " ".join(text.replace("-", " ").split()).replace(",", ""))
    if plain in _PARTS:
        return _PARTS[plain]
    *small, last = plain.removesuffix("k").split()
    times = 1000.0 if plain.endswith("k") else _LARGE.get(last, 1.0)
    words = [word for word in (*small, last) if word not in {"a", "an", *_LARGE}]
    return times * (sum(map(_small, words)) if words else 1.0)


def _small(word: str) -> float:
    if word in _SMALL:
        return _SMALL[word]
    above, _, below = word.replace("\u2044", "/").partition("/")
    return float(above) / max(float(below or 1), 1.0)
