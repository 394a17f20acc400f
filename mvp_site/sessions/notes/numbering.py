"""Which session notes are of, and when it was played: by a title, a key or a file's name."""

from __future__ import annotations

import datetime
import re
from typing import Final

_NUMBERS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty".split()  # noqa: SIM905 - reads best as text
)
_SESSION: Final = re.compile(
    r"(?<![^\W_])(?:session|sess|sitting|episode|ep|game|adventure)s?"
    r"(?:[\s_.:#-]|\b(?:no|nr|number)\b)*"
    rf"(?:0*([1-9]\d{{0,3}})|({'|'.join(_NUMBERS)}))(?![^\W_])", re.IGNORECASE,
)
_ALONE: Final = re.compile(r"(?<![^\W_])s?0*([1-9]\d{0,3})(?![^\W_])", re.IGNORECASE)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun",
                  "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = rf"(?:{'|'.join(_MONTHS)})[a-z]*"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE: Final = re.compile(
    rf"(?<!\d)(?:(\d{{4}})[-/._](\d{{1,2}})[-/._](\d{{1,2}})|({_DAY})(?: of)? ({_MONTH})\.?,? (\d{{4}})|"
    rf"({_MONTH})\.? ({_DAY}),? (\d{{4}}))(?!\d)", re.IGNORECASE,
)


def number_in(text: str, name: bool = False) -> int | None:
    """The session's number that ``text`` says ("Session 3", "game twelve"), 1 to 9999; else None.

    Of the ``name`` of a file its only number will do, a date left out ("2026-03-07 s03").
    """
    if found := _SESSION.search(text):
        return int(found[1]) if found[1] else _NUMBERS.index(found[2].lower()) + 1
    alone = set(_ALONE.findall(_DATE.sub(" ", text))) if name else set()
    return int(alone.pop()) if len(alone) == 1 else None


def date_in(text: str) -> datetime.date | None:
    """The first date that ``text`` says (2026-03-07, 7 March 2026, March 7th, 2026), or None."""
    found = _DATE.search(text)
    if not found:
        return None
    year = found[1] or found[6] or found[9]
    month, day = found[2] or found[5] or found[7], found[3] or found[4] or found[8]
    place = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    try:
        return datetime.date(int(year), place, int(re.sub(r"\D", "", day)))
    except ValueError:
        return None


def subtitle(title: str) -> str:
    """What a session's title says beside its number and date; '' where that is nothing."""
    rest = _DATE.sub("", _SESSION.sub("", title, count=1))
    return re.sub(r"\(\s*\)|\[\s*\]", "", rest).strip(" \t:-–—|,.#·")
