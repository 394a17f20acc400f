"""Where sentences end: behind a mark that ends one and what closes with it, and at line ends.

A full stop ends none behind an initial, "Dr." and the like, and none of them ends where a small
letter follows ("3 ft. away", "Who goes? he asks").
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_SHORTENED: Final = ("Mr", "Mrs", "Ms", "Dr", "St", "Prof", "Capt", "Sgt", "Lt", "Col", "Gen",
                     "Rev", "Hon", "Fr", "Mme", "Mlle", "vs", "[A-HJ-Z]")
_END: Final = re.compile(
    "".join(rf"(?<!\b{word}\.)" for word in _SHORTENED)
    + r"(?:(?<=[.!?…])[\"'”’»)\]*_]*\s+|\n\s*)(?![\sa-zß-ÿ])"
    + "|(?<=[\u3002\uff01\uff1f])[\u300d\u300f”\uff09]*\\s*"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text with the white space behind each: joined they are the text."""
    ends = (0, *(match.end() for match in _END.finditer(text)), len(text))
    return [text[start:end] for start, end in pairwise(ends) if start < end]
