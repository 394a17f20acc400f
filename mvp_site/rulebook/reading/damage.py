"""The types of damage in a text, read from how damage is given, whatever the types are called."""

from __future__ import annotations

import re
from typing import Final

_TYPE: Final = r"([A-Za-z]{3,20})"
_AMOUNT: Final = re.compile(
    r"(?<![\w.])(?:\d{1,3}d)?\d{1,6}(?:[ ]?[+\u2212-][ ]?\d{1,6})?\)?"
    rf"\s{{1,3}}{_TYPE}\s+damage\b"
)
_EQUAL: Final = re.compile(
    rf"\b{_TYPE}\s+damage\s+(?:to [\w ]{{1,20}} )?equal\s+to\b"
)
_NO_TYPE: Final = frozenset(
    {"extra", "additional", "points", "more", "weapon", "bonus", "hit", "the", "total", "this",
     "that", "take", "takes", "half", "any", "deal", "melee", "less", "and"}
)


def damage_types(text: str) -> tuple[str, ...]:
    """The types of the damage that ``text`` gives an amount of, in lower case, each once.

    "8d6 fire damage", "5 (1d4 + 3) piercing damage", "cold damage equal to your level".
    """
    if "amage" not in text:
        return ()
    found = (match[1].lower() for at in (_AMOUNT, _EQUAL) for match in at.finditer(text))
    return tuple(dict.fromkeys(word for word in found if word not in _NO_TYPE))
