"""Lettering: text as a reader takes it, so that odd letters hide no word.

Full-width, mathematical and enclosed letters become plain ones, accents and invisible characters
go, and letters of other scripts that look Latin are read as Latin. Case stays.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from ..archive.lookalikes import READ_AS

# Letters by name that show nothing (characters of category Cf and Mn go anyway), and signs of whole
# Arabic sentences, which hide no word and would make a text eighteen times as long.
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0\ufdfa\ufdfb")
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
    bare = "".join(filter(_shows, run)).translate(READ_AS)
    decomposed = unicodedata.normalize("NFKD", bare).translate(READ_AS)
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
