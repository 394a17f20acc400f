"""Text to the levels that it names: "3rd", "Level 5", "1st–4th", "at 6th, 10th, and 14th level".

A level of a character or class is told from a spell's, a slot's or a creature's by the words
around it. Levels are 0 (a cantrip's) to :data:`HIGHEST`.
"""

from __future__ import annotations

import re
from typing import Final

from ...retrieval.names import fold

HIGHEST: Final = 30
CANTRIP: Final = "cantrip"

_WORDS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18,
    "nineteenth": 19, "twentieth": 20,
}
_ORDINAL: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(_WORDS)})"
_ONE: Final = re.compile(rf"{_ORDINAL}(?![\w'])")
_CELL: Final = re.compile(
    rf"(?:levels?\s+)?({_ORDINAL}|\d{{1,2}})(?:\s*(?:-|to|through|\+|and)\s*(?:{_ORDINAL}|\d{{1,2}})?)?"
    r"(?:[\s-]*(?:levels?|or higher|or above))*\.?"
)
_LIST: Final = (
    rf"{_ORDINAL}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s+or\s+|\s*/\s*|\s+through\s+)(?:again\s+)?"
    rf"(?:at\s+)?(?:the\s+)?{_ORDINAL})*"
)
_BRACKET: Final = r"(?:\s\([^()]{1,20}\))?"
_NUMBERS: Final = (
    rf"\d{{1,2}}(?![\w'-])\+?(?:{_BRACKET}(?:,\s(?:and\s)?|\sand\s|\sor\s|\s?/\s?)"
    r"(?:again\sat\s)?\d{1,2}(?![\w'-])\+?)*"
)
_MAGIC_AFTER: Final = r"| \(\d+ slots?| (?:[^\W\d_]+ )?(?:spells?|slots?|cantrips?)\b"
_NAMED: Final = re.compile(
    rf"(?<![\w'])(?:(?P<ordinals>{_LIST})\s+(?:[^\W\d_]+\s+)?levels?(?![\w'-]{_MAGIC_AFTER})"
    rf"|levels?\s(?P<numbers>{_NUMBERS}))"
)
"""Levels in a sentence: "at 3rd, 5th, and 9th level", "fighter level 11", "level 5"."""
_LINK: Final = r"[\s(*_:]*(?:(?:at|the|a|an|your)\s+)?(?:(?!of\b|spell|slot)[^\W\d_]+\s+){0,2}$"
_SURELY: Final = re.compile(
    r"\b(?:reach(?:es|ed|ing)?|attain(?:s|ed)?|by|until|prerequisites?|starting|beginning|again)"
    rf"{_LINK}"
)
_LIKELY: Final = re.compile(rf"\b(?:at|from|upon|gain(?:s|ed)?|hit){_LINK}")
"""What stands before a level at which something is gained; after the second magic may be meant."""
_OF_MAGIC: Final = re.compile(
    r"\b(?:slots?|cast|casts|casting|hit points|scrolls?|spells? of)\b"
)
_LOOK_BACK: Final = 60
_EXAMPLE: Final = re.compile(r"\bfor (?:example|instance)\b")
_FIGURES: Final = re.compile(r"\d+")
_IN_BRACKETS: Final = re.compile(r"\([^()]*\)")
_TAG: Final = re.compile(
    rf"(?P<first>{_ORDINAL})[\s-]level\s+(?:[^\W\d_]+\W+){{0,6}}feature"
    rf"|feature,?\s+(?:at\s+)?(?:(?P<second>{_ORDINAL})[\s-]level|level\s+(?P<third>\d{{1,2}}))"
    r"|level\s+(?P<fourth>\d{1,2})\W+(?:[^\W\d_]+\W+){0,6}feature"
)
_TITLE: Final = re.compile(
    rf"(?:(?:at\s)?(?P<ordinal>{_ORDINAL})[\s-]level|level\s(?P<number>\d{{1,2}}))"
    r"\s?(?:[:.)\u2013\u2014-]\s?|$|(?=\())", re.IGNORECASE
)
_TITLE_END: Final = re.compile(
    rf"\s?[(\[,:\u2013\u2014-]\s?(?:(?P<ordinal>{_ORDINAL})[\s-]level|level\s(?P<number>\d{{1,2}}))\+?"
    r"[\s)\].:]*$", re.IGNORECASE
)


def ordinal(level: int) -> str:
    """``level`` as a rulebook writes it: "1st", "12th"; 0 is "cantrip"."""
    if level == 0:
        return CANTRIP
    ending = "th" if 10 <= level % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(level % 10, "th")
    return f"{level}{ending}"


def cell_level(text: str) -> int | None:
    """The level that a table's cell names, the first of a range ("5th-10th"); None without one."""
    found = _CELL.fullmatch(fold(text).strip("*_. "))
    return _number(found[1]) if found else None


def is_ordinal(text: str) -> bool:
    """Whether ``text`` opens with an ordinal: "3rd", not "3"."""
    return _ONE.match(fold(text)) is not None


def title_level(title: str) -> tuple[int, str] | None:
    """The level that a heading opens or ends with, and what is left of it; None without one.

    "Level 3: Frenzy" and "Frenzy (3rd level)" are both (3, "Frenzy").
    """
    title = " ".join(title.split())
    found = _TITLE.match(title) or _TITLE_END.search(title)
    level = _number((found["ordinal"] or found["number"]).lower()) if found else None
    if found is None or level is None:
        return None
    return level, f"{title[: found.start()]}{title[found.end() :]}".strip(" .:()\u2013\u2014-")


def tag_level(line: str) -> int | None:
    """The level of a line like "3rd-level Champion feature" or "Wizard feature, 2nd level"."""
    text = fold(line).strip("*_() ")
    if "feature" not in text or len(text) > 100 or text.endswith("."):
        return None
    found = _TAG.search(text)
    return _number(next(filter(None, found.groups()))) if found else None


def gained_levels(sentence: str) -> tuple[int, ...]:
    """The levels of a character at which ``sentence`` says that something is gained or grows.

    A level of spells, slots or creatures is none: "using a slot of 3rd level", "3rd-level spell".
    """
    text = fold(sentence)
    if "level" not in text or _EXAMPLE.search(text):
        return ()
    found: list[int] = []
    chained = False
    last = 0
    for match in _NAMED.finditer(text):
        before = text[max(last, match.start() - _LOOK_BACK) : match.start()]
        clause = before[max(before.rfind(mark) for mark in ",;:") + 1 :]
        chained = not match.start() or _SURELY.search(before) is not None or (
            (chained or _LIKELY.search(before) is not None) and not _OF_MAGIC.search(clause)
        )
        if chained:
            pieces = (
                _ONE.findall(match["ordinals"]) if match["ordinals"]
                else _FIGURES.findall(_IN_BRACKETS.sub("", match["numbers"]))
            )
            found += [level for piece in pieces if (level := _number(piece)) is not None]
        last = match.end()
    return tuple(dict.fromkeys(found))


def _number(text: str) -> int | None:
    """The number of an ordinal in figures or words, None past :data:`HIGHEST`."""
    if text in _WORDS:
        return _WORDS[text]
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    level = int(digits) if digits.isascii() and digits.isdigit() else HIGHEST + 1
    return level if level <= HIGHEST else None
