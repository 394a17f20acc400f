"""What a turn's text asks for by the way it begins. Read as a person reads it. Pure."""

from __future__ import annotations

import re
from typing import Final

from .lettering import plain

_GOD: Final = re.compile(r"\s*\[?\s*god(?:[\s_-]*mode)?\s*\]?\s*:", re.IGNORECASE)
_THINK: Final = re.compile(r"\s*think\s*:", re.IGNORECASE)
_READ_CHARS: Final = 200


def asks_for_god(text: str) -> bool:
    """Whether a text begins with ``god:`` or ``GOD MODE:``, in whatever letters."""
    return bool(_GOD.match(_beginning(text)))


def asks_to_think(text: str) -> bool:
    """Whether a text begins with ``think:``."""
    return bool(_THINK.match(_beginning(text)))


def is_deep_think(mode: str, text: str) -> bool:
    """Whether a turn only thinks: in story mode alone the prefix means anything."""
    return mode == "story" and asks_to_think(text)


def _beginning(text: str) -> str:
    return plain(text.lstrip()[:_READ_CHARS])
