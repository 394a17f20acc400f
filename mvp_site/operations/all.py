"""All operations, in the order of the docs."""

from __future__ import annotations

from typing import Any, Final

from . import (
    asking,
    campaigns,
    entities,
    health,
    importing,
    library,
    lookups,
    needles,
    prompts,
    releases,
    rulebook,
    sessions,
    turns,
)
from .operation import Operation

OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    *prompts.OPERATIONS, *needles.OPERATIONS, *turns.OPERATIONS, *campaigns.OPERATIONS,
    *rulebook.OPERATIONS,
    *entities.OPERATIONS, *lookups.OPERATIONS, *library.OPERATIONS, *sessions.OPERATIONS,
    *asking.OPERATIONS, *releases.OPERATIONS, *health.OPERATIONS,
    *importing.OPERATIONS,
)


def operation(name: str) -> Operation[Any]:
    """The operation of a name."""
    return next(candidate for candidate in OPERATIONS if candidate.name == name)
