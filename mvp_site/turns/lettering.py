"""Lettering: text as a reader takes it, so that odd letters hide no word.

Full-width, mathematical and enclosed letters become plain ones, accents and invisible characters
go, and letters of other scripts that look Latin are read as Latin. Case stays.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Cyrillic, Greek, Armenian; then Latin with strokes, without dots, and small capitals
_LOOK_ALIKES: Final = (
    ("\u0410\u0412\u0415\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0423",
     "ABEIJKMHOPCTXSY"),
    ("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0475",
     "aeopcyxijshdqwv"),
    ("\u043f\u0433\u0442\u043c\u043a\u0432\u04cf\u04c0", "nrtmkbll"),
    ("\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u037f",
     "ABEZHIKMNOPTYXJ"),
    ("\u03b1\u03bf\u03bd\u03c1\u03b9\u03c5\u03c4\u03ba\u03b7\u03f2\u03f3\u03c9", "aovpiutkncjw"),
    ("\u0585\u0578\u057d\u0570\u0581", "onuhg"),
    ("\u0131\u0269\u0261\u0142\u00f8\u0111\u0127\u0167\u0192\u0237", "iiglodhtfj"),
    ("\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d",
     "ABCDEFGHIJKLM"),
    ("\u0274\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22", "NOPRSTUVWYZ"),
    ("\u2018\u2019\u02bc\u02b9", "'" * 4),
    ("\u2212\u2800", "- "),
)
_ALPHABETS: Final = (0x1F150, 0x1F170, 0x1F1E6)  # in dark circles, in dark squares, as flags
_READ_AS: Final[dict[int, str]] = {
    ord(odd): read for odds, letters in _LOOK_ALIKES
    for odd, read in zip(odds, letters, strict=True)
} | {
    first + index: chr(ord("A") + index) for first in _ALPHABETS for index in range(26)
}
# Letters by name that show nothing; characters of category Cf and Mn go anyway.
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
_GONE: Final = frozenset({"Cf", "Mn", "Me", "Cs"})
_SPACE: Final = frozenset({"Zs", "Zl", "Zp"})
_ODD: Final = re.compile(r"[^\x00-\x7f]+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_BLANKS: Final = re.compile(r"[^\S\n]{2,}|[^\S\n ]")  # one blank alone is left as it is
_BREAKS: Final = re.compile(r"(?: ?\n ?)+")
_SHORT: Final = 8


def plain(text: str) -> str:
    """``text`` in plain letters, each run of white space as one blank or one line break."""
    if not text.isascii():
        text = _ODD.sub(_read, text)
    blanks = _BLANKS.sub(" ", _CONTROLS.sub("", text))
    return _BREAKS.sub("\n", blanks)


def _read(found: re.Match[str]) -> str:
    """A run of odd characters in plain letters: nothing beyond it changes how it is read."""
    return _known(found[0]) if len(found[0]) <= _SHORT else _plainly(found[0])


def _plainly(run: str) -> str:
    # Marks go first: a long run of them would be sorted in quadratic time.
    bare = "".join(filter(_shows, run)).translate(_READ_AS)
    decomposed = unicodedata.normalize("NFKD", bare).translate(_READ_AS)
    return "".join(map(_simple, filter(_shows, decomposed)))


# Quotation marks and dashes come in every text, and are always the same few.
_known: Final = lru_cache(maxsize=4096)(_plainly)


def _shows(char: str) -> bool:
    return char.isascii() or (
        char not in _FILLERS and unicodedata.category(char) not in _GONE
    )


def _simple(char: str) -> str:
    if char.isascii():
        return char
    category = unicodedata.category(char)
    if category == "Pd":
        return "-"
    return " " if category in _SPACE else char
