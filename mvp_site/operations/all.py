"""All operations."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from . import (
    archive_usage,
    asking,
    asking_books,
    begin_campaign,
    campaigns,
    checking_models,
    entities,
    garbage,
    health,
    importing,
    library,
    lookups,
    own_evaluation,
    prompts,
    releases,
    rulebook,
    sessions,
    turns,
)
from .operation import Operation


def _operations_of(module: ModuleType) -> Iterator[Operation[Any]]:
    """What a module declares, and those that it makes of a table."""
    for name, value in vars(module).items():
        yield from value if name == "OPERATIONS" else [value] * isinstance(value, Operation)


OPERATIONS: Final[tuple[Operation[Any], ...]] = tuple(
    operation for module in (
        prompts, own_evaluation, turns, campaigns, begin_campaign, rulebook, entities, lookups,
        asking_books, library, sessions, asking, releases, health, checking_models, importing,
        archive_usage, garbage,
    ) for operation in _operations_of(module)
)


def operation(name: str) -> Operation[Any]:
    """The operation of a name."""
    return next(candidate for candidate in OPERATIONS if candidate.name == name)
