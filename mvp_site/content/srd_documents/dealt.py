"""The types of damage that a text deals, and whether it heals: what it does, not what it resists.

A type counts where an amount stands before it ("4d6 fire damage", "acid, cold or fire damage"
after dice) or after it ("force damage equal to ..."). What the caster suffers, and what destroys
a wall or a door ("at least 25 cold damage"), does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_AMOUNT: Final = r"\d+(?:\s*d\s*\d+)?(?:\s*\+\s*\d+|\s*\))*\s+(?:points of\s+)?(?:extra\s+)?"
_OF_THE_CASTER: Final = re.compile(
    r"at least\s\Z|more than\s\Z|\byou\b[^.,;]*(?<!or\s)\btake\s\Z", re.IGNORECASE
)
_TO_THE_CASTER: Final = re.compile(r"\s*to you\b", re.IGNORECASE)
_HEALS: Final = re.compile(
    r"(?<!can't )(?<!cannot )\bregains?\b(?! no\b)[^.]*?\bhit points?\b"
    r"|\brestores?\b[^.]*?\bhit points?\b|\brestored to life with all its hit points\b",
    re.IGNORECASE,
)


def types_dealt(text: str, kinds: Iterable[str]) -> list[str]:
    """Those of ``kinds`` that the text says are dealt, in the order of the text, each once."""
    listed, one = _patterns(tuple(kinds))
    found: list[str] = []
    for match in listed.finditer(text):
        before, after = text[:match.start()], text[match.end():]
        if _OF_THE_CASTER.search(before[-120:]) or _TO_THE_CASTER.match(after):
            continue
        found += [kind.group().capitalize() for kind in one.finditer(match.group())]
    return list(dict.fromkeys(found))


def heals(text: str) -> bool:
    """Whether the text says that someone gets hit points back."""
    return _HEALS.search(text) is not None


@lru_cache(maxsize=4)
def _patterns(kinds: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    kind = rf"\b(?:{'|'.join(map(re.escape, kinds))})\b"
    several = rf"{kind}(?:,?\s+(?:and|or)\s+{kind}|,\s+{kind})*"
    behind_dice = rf"{_AMOUNT}{several}\s+damage(?:\s+or\s+{kind})?"
    reckoned = rf"{several}\s+damage\s+(?=equal to|determined by)"
    listed = re.compile(f"{behind_dice}|{reckoned}", re.IGNORECASE)
    return listed, re.compile(kind, re.IGNORECASE)
