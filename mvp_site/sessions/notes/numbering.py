"""Which session notes are of, and when it was played: by a title, a key or a file's name."""

from __future__ import annotations

import datetime
import re
from typing import Final

_SESSION: Final = re.compile(
    r"(?<![^\W_])(?:session|sess|sitting|episode|ep|game|adventure)s?"
    r"(?:[\s_.:#-]|\b(?:no|nr|number)\b)*0*([1-9]\d{0,3})(?![^\W_])", re.IGNORECASE,
)
_WRONG: Final = re.compile(
    r"(?<![^\W_])(?:session|episode|game)s?(?:\s+#?[-\u2212]\d+|\s*#?0+)(?![^\W_])", re.IGNORECASE,
)
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)
_ORDINAL: Final = re.compile(
    rf"\b(?:(\d{{1,4}})(?:st|nd|rd|th)|({'|'.join(_ORDINALS)}))\s+session\b", re.IGNORECASE,
)
_ALONE: Final = re.compile(r"(?<![^\W_])s?0*([1-9]\d{0,3})(?![^\W_])", re.IGNORECASE)
_DATE: Final = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_REST: Final = re.compile(r"\(\s*\)|\[\s*\]|^\s*#?\d+\s*[-–—:.]")


def number_in(text: str, name: bool = False) -> int | None:
    """The session's number that ``text`` says ("Session 3", "game 12"), 1 to 9999; else None.

    Of the ``name`` of a file its only number will do, a date left out ("2026-03-07 s03").
    """
    if found := _SESSION.search(text):
        return int(found[1])
    alone = set(_ALONE.findall(_DATE.sub(" ", text))) if name else set()
    return int(alone.pop()) if len(alone) == 1 else None


def unnumbered(text: str) -> str:
    """What ``text`` says as a session's number and is none: "Session -2", "session 0"; else ''."""
    found = _WRONG.search(text)
    return found[0] if found else ""


def numbers_in(text: str) -> set[int]:
    """The numbers of the sessions that a question names: "session 3", "the third session"."""
    named = {int(found[1]) for found in _SESSION.finditer(text)}
    return named | {
        int(number) if number else _ORDINALS.index(word.lower()) + 1
        for number, word in _ORDINAL.findall(text)
    }


def date_in(text: str) -> datetime.date | None:
    """The first date that ``text`` says, as 2026-03-07, or None."""
    found = _DATE.search(text)
    try:
        return datetime.date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None


def subtitle(title: str) -> str:
    """What a session's title says beside its number and date; '' where that is nothing."""
    rest = _DATE.sub("", _SESSION.sub("", title, count=1))
    return _REST.sub("", rest).strip(" \t:-–—|,.#·")
