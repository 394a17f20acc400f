"""The six ability scores in a line or in the cells of a stat block, however they are set."""

from __future__ import annotations

import re
from typing import Final

from .fields import ABILITIES

_SHORT: Final = {name[:3]: name for name in ABILITIES}
_NAME: Final = (
    r"(?:str(?:ength)?|dex(?:terity)?|con(?:stitution)?|int(?:elligence)?|wis(?:dom)?"
    r"|cha(?:risma)?)"
)
_SCORE: Final = (
    r"(?<![\d+\u2212-])(\d{1,2})(?!\d)"
    r"(?:\s*(\([+\u2212-]?\d{1,2}\)|[+\u2212-]\d{1,2}(?!\d)))?"
)
_PAIR: Final = re.compile(rf"\b({_NAME})\b[\s.:|*_]{{0,8}}{_SCORE}", re.IGNORECASE)
_NAMES: Final = re.compile(rf"\b{_NAME}\b(?:[\s|*_,]+{_NAME}\b){{5}}[\s|*_]*", re.IGNORECASE)
_SCORES: Final = re.compile(_SCORE)
MIN_SCORES: Final = 4
"""So many of the six make a stat block; a sentence may name one or two with a number."""


def names_abilities(text: str) -> bool:
    """Whether a line has the six names and nothing else: the scores stand in the next one."""
    return _NAMES.fullmatch(text.strip(" |*_\t")) is not None


def read_abilities(text: str) -> tuple[tuple[str, str], ...]:
    """The scores in ``text`` with their modifiers, in its order; none where too few are there.

    "STR 10 (+0) DEX 14 (+2) …", or the six names in a row and then the six scores.
    """
    row = _NAMES.search(text)
    if row:
        names = re.findall(_NAME, row[0], re.IGNORECASE)
        scores = list(_SCORES.finditer(text, row.end()))[: len(names)]
        if len(scores) == len(names):
            return tuple(
                (_SHORT[name[:3].lower()], _shown(score[1], score[2]))
                for name, score in zip(names, scores, strict=True)
            )
    found = {
        _SHORT[match[1][:3].lower()]: _shown(match[2], match[3]) for match in _PAIR.finditer(text)
    }
    return tuple(found.items()) if len(found) >= MIN_SCORES else ()


def _shown(score: str, modifier: str | None) -> str:
    if not modifier:
        return score
    return f"{score} {modifier if modifier.startswith('(') else f'({modifier})'}"
