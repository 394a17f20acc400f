"""Where a game's own state says that there is combat, rest or a place: ``signals.toml``.

::

    combat = ["encounter.active", "scene.mode=fight"]
    rest = ["party.camp"]
    place = ["scene.kind", "scene.name"]
    class = ["party.*.class"]

A path leads through objects, and by ``*`` through all that one or a list has. Combat and rest are
where a path's value is the one behind ``=``, or without one true, a number above zero, or anything
that is not empty; the words of a place say what kind it is. A class is what somebody of the game
is: passages on others rank lower.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field, TypeAdapter

from .modes import toml_as

SIGNALS: Final = "signals.toml"


@dataclass(frozen=True, slots=True)
class SignalPaths:
    """The paths of a state that say something of a turn."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", populate_by_name=True)

    combat: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    place: tuple[str, ...] = ()
    classes: Annotated[tuple[str, ...], Field(alias="class")] = ()


_PATHS: Final = TypeAdapter(SignalPaths)


def read_signals(content: bytes, label: str) -> SignalPaths:
    """The paths in a file.

    Raises:
        JsonError: it does not parse, or has anything else.
    """
    return toml_as(_PATHS, content, label,
                   "it has combat, rest, place and class, each a list of paths")


def signals_of(beside: Mapping[str, bytes]) -> SignalPaths | None:
    """A version's own paths, of what stands beside its header; None where it has none."""
    return read_signals(beside[SIGNALS], SIGNALS) if SIGNALS in beside else None
