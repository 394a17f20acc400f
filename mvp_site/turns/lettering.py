"""Lettering: text as a reader takes it, so that odd letters hide no word.

Full-width, mathematical and enclosed letters become plain ones, accents and invisible characters
go, and letters of other scripts that look Latin are read as Latin. Case stays.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ..text.lookalikes import READ_AS

# Letters by name that show nothing (characters of category Cf and Mn go anyway), and signs of whole
# Arabic sentences, which hide no word and would make a text eighteen times as long.
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0\ufdfa\ufdfb")
_GONE: Final = frozenset({"Cf", "Mn", "Me", "Cs"})
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_BLANKS: Final = re.compile(r"[^\S\n]{2,}|[^\S\n ]")  # one blank alone is left as it is
_BREAKS: Final = re.compile(r"(?: ?\n ?)+")


def plain(text: str) -> str:
    """``text`` in plain letters, each run of white space as one blank or one line break."""
    if not text.isascii():
        # Marks go first: a long run of them would be sorted in quadratic time.
        bare = _shown(text).translate(READ_AS)
        text = _shown(unicodedata.normalize("NFKD", bare).translate(READ_AS))
    return _BREAKS.sub("\n", _BLANKS.sub(" ", _CONTROLS.sub("", text)))


def _shown(text: str) -> str:
    """``text`` without what shows nothing, its dashes as hyphens."""
    return _BEYOND_ASCII.sub(lambda match: "".join(
        "-" if unicodedata.category(char) == "Pd" else char for char in match[0]
        if char not in _FILLERS and unicodedata.category(char) not in _GONE
    ), text)
