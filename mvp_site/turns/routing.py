"""Which mode a turn is in, and whether the caller may: decided before anything is read or written.

Pure. The text chooses god mode only by its prefix, and only for an audience that is entitled;
nothing else that a player writes changes what they may do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..errors import InvalidTurnError, NotEntitledError
from ..types import AUDIENCES, MODES, Audience, Mode
from .prefixes import asks_for_god, is_deep_think
from .types import TurnRequest

GOD_AUDIENCES: Final = ("dm", "god")


@dataclass(frozen=True, slots=True)
class Route:
    """The mode and audience of a turn; ``deep_think`` for a story turn that only thinks."""

    mode: Mode
    audience: Audience
    deep_think: bool


def route(request: TurnRequest) -> Route:
    """Where a request goes.

    Raises:
        InvalidTurnError: an unknown mode or audience; lists those that exist.
        NotEntitledError: god mode, chosen or by prefix, for an audience that may not use it.
    """
    mode, audience = request.mode, request.audience
    if mode not in MODES:
        raise InvalidTurnError(f"unknown mode {mode!r}; the modes are {', '.join(MODES)}")
    if audience not in AUDIENCES:
        raise InvalidTurnError(
            f"unknown audience {audience!r}; the audiences are {', '.join(AUDIENCES)}"
        )
    prefixed = asks_for_god(request.user_input)
    if (prefixed or mode == "god") and audience not in GOD_AUDIENCES:
        asked = "a turn that begins `god:`" if prefixed else "mode god"
        raise NotEntitledError(
            f"{asked} is not for audience {audience!r}: it needs "
            f"{' or '.join(GOD_AUDIENCES)}, which the caller states and the text never does"
        )
    if prefixed:
        mode = "god"
    return Route(mode, audience, is_deep_think(mode, request.user_input))
