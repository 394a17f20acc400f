"""Acts: what the stand-in understands of a player's words. Their table is ``offline.json``.

The first act of which a word is found is taken; what is narrow stands before what is wide.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

_READ: Final = 4_000
_DATA: Final[dict[str, Any]] = json.loads(
    resources.files("mvp_site.turns").joinpath("offline.json").read_text("utf-8")
)
CHOICES: Final[dict[str, dict[str, Any]]] = _DATA["choices"]
"""What is offered in each mode, by key."""
EXAMPLES: Final[list[str]] = _DATA["examples"]
"""What to type: shown where a text was not understood."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something that a player does: "You ``does``", which takes ``seconds``.

    Acts with an ``ability`` take a check of it against ``dc``, with the sheet's ``skill``.
    """

    words: str
    does: str
    seconds: int
    ability: str = ""
    skill: str = ""
    dc: int = 0


ACTS: Final = tuple(Act(**row) for row in _DATA["acts"])
_DENIED: Final = re.compile(r"\b(?:not|never|without|no time)\b|n't\b|\?\W*$", re.IGNORECASE)


def understood(text: str) -> Act | None:
    """The act that ``text`` is about; None of a question, of what may be denied, or of no act."""
    plain = text[:_READ].replace("\u2019", "'")
    if _DENIED.search(plain):
        return None
    return next((act for act in ACTS
                 if re.search(rf"\b(?:{act.words})\b", plain, re.IGNORECASE)), None)
