"""Which session notes are of, and when it was played: by a title, a key or a file's name."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from ...content.wording import whole
from ...text.vocabulary import NUMBERS, ORDINALS
from ..intentions import MONTHS

_NUMBER: Final = r"0*(\d{1,4}(?:\.(?:0+|\d?[1-9]))?)(?![^\W_]|[./]\d|-\d+-\d)"
"""Not 1.10, which would be 1.1, and nothing of 2.1.3, 04.05.2031 or 5/6."""
_SMALL: Final = NUMBERS[:11]
_CALLED: Final = (
    r"(?<![^\W_])(?:session|sess|sitting|episode|ep|game|adventure|sitzung|s[eé]ance|sesi[oó]n|"
    r"sessione|sess[aã]o|sesja|sessie)s?")
_SESSION: Final = re.compile(
    rf"{_CALLED}(?:[\s_.:#-]|\b(?:no|nr|number)\b)*{_NUMBER}|"
    rf"{_CALLED}[\s_-]+({'|'.join(_SMALL)})(?![^\W_]|-)|(?<![^\W_])s{_NUMBER}", re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    rf"{_CALLED}(?:[\s_#]+([-\u2212])|[\s_#-]*)\d[\w./-]*"
    r"(\s*(?:,(?=\d)|[-\u2013,]\s*(?=\d+\s*(?:[,&]|and\b|\Z))|"
    r"(?:[&+/]|\b(?:and|to|und|et|y)\b)\s*)\d+)?",
    re.IGNORECASE,
)
"""A session's number with what makes it none: a sign, or another number behind it."""
_RANGE: Final = re.compile(r"\d[-\u2013]\d")
_ORDINAL: Final = re.compile(
    rf"\b(?:(\d{{1,4}})(?:st|nd|rd|th)|({'|'.join(ORDINALS[1:11])}))\s+session\b", re.IGNORECASE,
)
_ALONE: Final = re.compile(rf"(?<![^\W_])(?<!\d\.)s?{_NUMBER}", re.IGNORECASE)
_MONTHS: Final = {
    name: month for month, names in enumerate(MONTHS, 1) for name in names.split()
}
_MONTH: Final = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?![^\W\d_])\.?"
_DATE: Final = re.compile(
    r"(?<!\d)(?P<y1>\d{4})([-_./]?)(?P<m1>\d\d)\2(?P<d1>\d\d)(?!\d)|"
    r"(?<![\d.])(?P<d2>\d{1,2})\.\s?(?P<m2>\d{1,2})\.\s?(?P<y2>\d{4})(?!\d)|"
    rf"(?<!\d)(?P<d3>\d{{1,2}})(?:st|nd|rd|th|er|[.ºª])?[\s_-]+(?:(?:of|de|di)\s+)?(?P<m3>{_MONTH})"
    r"(?:,?[\s_-]+|\s+de[l]?\s+)(?P<y3>\d{4})(?!\d)|"
    rf"(?<![^\W_])(?P<m4>{_MONTH})[\s_-]+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?[\s_-]+(?P<y4>\d{{4}})"
    r"(?!\d)", re.IGNORECASE)
"""2031-05-04, 20310504, 4.5.2031, 4 May 2031, May 4th, 2031; not 5/4/2031, which says two dates."""
_UNSAID: Final = re.compile(rf"^{_CALLED}\s*(?=[:–—-]|$)", re.IGNORECASE)
_REST: Final = re.compile(r"\(\s*\)|\[\s*\]|^\s*#?\d+\s*[-–—:.]")


def number_in(text: str, name: bool = False) -> float | None:
    """The session's number that ``text`` says ("Session 3", "S00", "game 12.5"); else None.

    It is at least 0 and below 10,000. Of the ``name`` of a file its only number will do, a date
    left out ("2026-03-07 s03").
    """
    text = _DATE.sub(" ", text)
    if match := _SESSION.search(text):
        return _number(match)
    alone = {float(number) for number in _ALONE.findall(text)} if name else set()
    return whole(alone.pop()) if len(alone) == 1 else None


def unnumbered(text: str) -> str:
    """What ``text`` says as a session's number and is none ("Session -2", "game 1.10"); else ''.

    Several sessions have no number ("Sessions 23 & 24", "Session 25-26").
    """
    match = _NUMBERED.search(_DATE.sub(" ", text))
    several = match and (match[2] or _RANGE.search(match[0]))
    return match[0] if match and (match[1] or several or number_in(text) is None) else ""


def heads_session(title: str) -> str:
    """The session that a heading opens with, by its number or date; '' for none."""
    opening = title.lstrip(" #*_-")
    dated = _DATE.match(opening)
    number = None if unnumbered(title) else number_in(opening)
    if number is not None and (dated or _SESSION.match(opening)):
        return f"{number:g}"
    return str(date_in(opening) or "") if dated else ""


def numbers_in(text: str) -> set[float]:
    """The numbers of the sessions that a question names: "session 3", "the third session"."""
    return {_number(match) for match in _SESSION.finditer(text)} | {
        int(number) if number else ORDINALS.index(word.lower())
        for number, word in _ORDINAL.findall(text)
    }


def without_numbers(text: str) -> str:
    """``text`` without the sessions that :func:`numbers_in` finds in it."""
    return _ORDINAL.sub(" ", _SESSION.sub(" ", text))


def _number(match: re.Match[str]) -> float:
    digits, word, short = match.groups()
    return _SMALL.index(word.lower()) if word else whole(float(digits or short))


def dates_in(text: str) -> Iterator[datetime.date]:
    """The dates that ``text`` says, in its order."""
    for match in _DATE.finditer(text):
        form = next(form for form in "1234" if match[f"y{form}"])
        year, month, day = (match[f"{part}{form}"] for part in "ymd")
        with suppress(ValueError):
            yield datetime.date(int(year), _MONTHS.get(month.lower().rstrip(".")) or int(month),
                                int(day))


def date_in(text: str) -> datetime.date | None:
    """The first date that ``text`` says, or None."""
    return next(dates_in(text), None)


def subtitle(title: str) -> str:
    """What a session's title says beside its number and date; '' where that is nothing."""
    rest = _UNSAID.sub("", _DATE.sub("", _SESSION.sub("", title, count=1)))
    return _REST.sub("", rest).strip(" \t:-–—|,.#·")
