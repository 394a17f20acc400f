"""Acts: what the stand-in understands of a player's words. Their table is ``offline.json``.

The first act of which a word is found is taken; what is narrow stands before what is wide. A text
in which there is none was not understood.
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
    """Something that a player does.

    ``label`` is how it is told, ``seconds`` its time. Acts with an ``ability`` take a roll of it
    against ``dc``, with the number under ``skill`` where the sheet has one.
    """

    kind: str
    words: str
    label: str
    seconds: int
    ability: str = ""
    skill: str = ""
    dc: int = 0


ACTS: Final = tuple(Act(**row) for row in _DATA["acts"])
QUESTION: Final = Act(
    "question", r"(?:what|which|who|whose|where|when|why|how|can|could|may|does|do|did|is|are|am"
    r"|will|would|should)\b.*\?\W*", "a question", 0,
)
"""What asks the game master something, and does nothing."""
_DENIED: Final = re.compile(r"\b(?:not|never|without|no time)\b|n't\b", re.IGNORECASE)


def understood(text: str) -> Act | None:
    """The act that ``text`` is about; None where there is no word of any, or it may be denied."""
    said = text[:_READ].replace("\u2019", "'")
    if re.fullmatch(QUESTION.words, said.strip(), re.IGNORECASE | re.DOTALL):
        return QUESTION
    if _DENIED.search(said):
        return None
    return next((act for act in ACTS
                 if re.search(rf"\b(?:{act.words})\b", said, re.IGNORECASE)), None)
