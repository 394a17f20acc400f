"""Which mode a turn is in, and whether the caller may: decided before anything is read or written.

Pure. The text chooses god mode only by its prefix, and only for an audience that is entitled;
nothing else that a player writes changes what they may do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..assembly.request import check_god, check_mode
from ..text.lookalikes import plain
from ..types import Audience, Mode
from .types import TurnRequest

_GOD: Final = re.compile(r"\s*\[?\s*god(?:[\s_-]*mode)?\s*\]?\s*:", re.IGNORECASE)
_THINK: Final = re.compile(r"\s*think\s*:", re.IGNORECASE)
_READ_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class TurnRoute:
    """The mode and audience of a turn; ``deep_think`` for a story turn that only thinks."""

    mode: Mode
    audience: Audience
    deep_think: bool


def route(request: TurnRequest) -> TurnRoute:
    """Where a request goes.

    Raises:
        InvalidTurnError: an unknown mode or audience; lists those that exist.
        NotEntitledError: god mode, chosen or by prefix, for an audience that may not use it.
    """
    mode, audience = request.mode, request.audience
    check_mode(mode, audience)
    if _GOD.match(_beginning(request.user_input)):  # in whatever letters
        check_god(audience)
        mode = "god"
    return TurnRoute(mode, audience, is_deep_think(mode, request.user_input))


def is_deep_think(mode: str, text: str) -> bool:
    """Whether a turn begins ``think:`` and only thinks; in story mode alone that means anything."""
    return mode == "story" and bool(_THINK.match(_beginning(text)))


def _beginning(text: str) -> str:
    return plain(text.lstrip()[:_READ_CHARS])
