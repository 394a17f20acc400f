"""Names out of the state, where they can be printed as they are. Pure.

What stands in a state was written by people and models. The offline narrator prints of it only
short plain names: no markup, no digits, and no term that the contract keeps off the page.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ..lettering import plain as lettered
from ..rules.terms import terms_in

LONGEST: Final = 48
_LONGEST_HEADING: Final = 120
_SHAPE: Final = re.compile(r"[^\W\d_]+(?:[ ,'’-]{1,2}[^\W\d_]+)*")
# Stricter than the rule: a name must be harmless beside any word of a phrase.
_UNSPEAKABLE: Final = re.compile(
    r"(?<![^\W_])(?:[ei][ns][tf][jp]s?|lawful|chaotic|neutral|evil|alignment|big five|myers|briggs"
    r"|mbti|open|openness|conscientious\w*|extr[ao]ver\w*|introver\w*|agreeabl\w*|neurotic\w*)"
    r"(?![^\W_])"
)
# Words of the answer's frame: a name made of them would read as debug text.
_TECHNICAL: Final = re.compile(
    r"\b(?:[dg]m|dc|ac|hp|xp|lvl|ooc|roll\w*|dice|state|debug|json|mode|checks?|sav(?:e|ing)s?"
    r"|initiative|advantage|disadvantage|perception|experience|class|damage|bonus|slots?)\b"
)
_MARKUP: Final = frozenset("`~<>|{}[]\"\\_*#")


def plain(value: object) -> str | None:
    """``value`` where it is a short plain name, on one line; else nothing."""
    if not isinstance(value, str) or not 2 <= len(value) <= LONGEST:
        return None
    name = value.strip()
    if len(name) < 2 or not _SHAPE.fullmatch(name) or unicodedata.normalize("NFKC", name) != name:
        return None
    return name if _speakable(name) and not _TECHNICAL.search(lettered(name).casefold()) else None


def heading(text: str) -> str | None:
    """``text`` where it is a heading that anybody may read: words, digits and plain marks."""
    shown = text.strip()
    if len(shown) > _LONGEST_HEADING or not shown.isprintable() or set(shown) & _MARKUP:
        return None
    if not any(char.isalnum() for char in shown):
        return None
    return shown if _speakable(shown) else None


def _speakable(text: str) -> bool:
    return not _UNSPEAKABLE.search(lettered(text).casefold()) and not terms_in(text)
