"""An operation: a name, a line about it, a request type, a response type, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from inspect import getdoc
from typing import Any, Final, Generic, Literal, TypeVar, get_type_hints

from .services import Services

Q = TypeVar("Q")
Surface = Literal["api", "cli", "mcp"]
EVERYWHERE: Final[frozenset[Surface]] = frozenset({"api", "cli", "mcp"})
API: Final[frozenset[Surface]] = frozenset({"api"})
CLI: Final[frozenset[Surface]] = frozenset({"cli"})
API_AND_CLI: Final = API | CLI


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

    def __call__(self, services: Services, request: Q, entitled: bool) -> Any:
        """What it gives, whoever may ask it."""
        return self.run(services, request, entitled)


def declared(name: str, *, needs: str | Callable[[Any], Iterable[str]] = _nothing,
             surfaces: frozenset[Surface] = EVERYWHERE,
             stream: Callable[[Services, Any, bool], Iterator[tuple[str, Any]]] | None = None,
             ) -> Callable[[Callable[[Services, Any, bool], Any]], Operation[Any]]:
    """What makes an operation of a function.

    The annotations of the function are the types of request and response, and the first paragraph
    of its docstring is the line about it. ``needs`` may be a text, of what any request needs.
    """
    def made(run: Callable[[Services, Any, bool], Any]) -> Operation[Any]:
        _, request, *_, response = get_type_hints(run, include_extras=True).values()
        about = " ".join((getdoc(run) or "").partition("\n\n")[0].split())
        return Operation(
            name=name, about=about, request=request, run=run, response=response, stream=stream,
            needs=(lambda _: (needs,)) if isinstance(needs, str) else needs, surfaces=surfaces,
        )
    return made
