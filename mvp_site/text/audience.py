"""Audiences: where an author says who may see a text, in whatever form it was written. Pure.

What keeps a secret is read strictly. What merely looks like it is found here, so that whoever reads
the text can refuse it instead of showing a secret to players.
"""

from __future__ import annotations

import re
from typing import Final

from rapidfuzz import fuzz

from ..types import AUDIENCES
from .hiding_keys import compatible, hiding_line

KEY: Final = "audience"
_READ: Final = 400
_MARKS: Final = r"[\s\"'`*_~]*"
_LEVEL: Final = rf"(?:{'|'.join(AUDIENCES)})(?![\w-])"
_STARTS: Final = re.compile(
    rf"[\W_]*{KEY}(?!\w){_MARKS}(?:[:=]|$|(?:-+>?|[\u2013\u2014\u2192])?[\s\"'`*_(\[]*{_LEVEL}|"
    rf"[,;]\s*{_LEVEL}\W*$)"
)
_STATES: Final = re.compile(rf"(?<![^\W_]){KEY}{_MARKS}[:=][\s\"'`*_(\[]*{_LEVEL}")
_HEADING: Final = re.compile(r"\s*#+\s")


def says_audience(line: str) -> bool:
    """Whether a line reads as a key ``audience``, or one that hides, and not as prose about one.

    It begins with the word, behind marks alone, and a colon, an equals sign, a level or nothing
    follows; or a level follows ``audience:`` anywhere. A heading ("# Audience: with the duke") must
    name a level.
    """
    text = compatible(line[:_READ])
    if _STATES.search(text) or hiding_line(line):
        return True
    return not _HEADING.match(text) and bool(_STARTS.match(text))


def is_audience_key(key: str) -> bool:
    """Whether a key is ``audience``, in any spelling (``Audience``, ``audiance``), or has it."""
    text = compatible(key[:_READ]).strip()
    words = re.split(r"[\W_]+", text)
    return any(fuzz.ratio(word, KEY) >= 75.0 for word in words)
