"""Which mode a turn is in, and whether the caller may: decided before anything is read or written.

Pure. The text chooses god mode only by its prefix, and only for an audience that is entitled;
nothing else that a player writes changes what they may do.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..assembly.request import check, check_god
from ..types import Audience, Mode
from .prefixes import asks_for_god, is_deep_think
from .types import TurnRequest


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
    check(mode, audience, ())
    if asks_for_god(request.user_input):
        check_god(audience)
        mode = "god"
    return Route(mode, audience, is_deep_think(mode, request.user_input))
