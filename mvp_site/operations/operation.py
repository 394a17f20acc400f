"""An operation: a name, a line about it, a request type, a response type, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from .services import Services

Q = TypeVar("Q")
Surface = Literal["api", "cli", "mcp"]
EVERYWHERE: Final[frozenset[Surface]] = frozenset({"api", "cli", "mcp"})
API: Final[frozenset[Surface]] = frozenset({"api"})
CLI: Final[frozenset[Surface]] = frozenset({"cli"})


def _nothing(_: Any) -> Iterable[str]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[Q]):
    """One thing that a user can ask.

    ``name`` is dotted: ``entities.search`` is the command ``entities search``, and where no other
    route is given the address ``/api/entities/search``. ``response`` is what the API answers: a
    type, or a union of what the DM and what a player gets. ``needs`` says in words what of a
    request only who has the DM token may ask. ``run`` takes the opened parts, the request, and
    whether the caller may see everything. ``stream``, where there is one, takes the same and tells
    of the work as it goes: events, each a name and a value, the last one what ``run`` gives.
    """

    name: str
    about: str
    request: type[Q]
    run: Callable[[Services, Q, bool], Any]
    response: Any = None
    needs: Callable[[Q], Iterable[str]] = _nothing
    surfaces: frozenset[Surface] = EVERYWHERE
    stream: Callable[[Services, Q, bool], Iterator[tuple[str, Any]]] | None = None
