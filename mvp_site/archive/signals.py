"""Where a game's own state says that there is combat, rest or a place: ``signals.toml``.

::

    combat = ["encounter.active", "scene.mode=fight"]
    rest = ["party.camp"]
    place = ["scene.kind", "scene.name"]

A path leads through objects. Combat and rest are where a path's value is the one behind ``=``, or
without one true, a number above zero, or anything that is not empty; the words of a place say what
kind it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from pydantic import ConfigDict, TypeAdapter

from .modes import toml_as

SIGNALS: Final = "signals.toml"


@dataclass(frozen=True, slots=True)
class SignalPaths:
    """The paths of a state that say something of a turn."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    combat: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    place: tuple[str, ...] = ()


_PATHS: Final = TypeAdapter(SignalPaths)


def read_signals(content: bytes, label: str) -> SignalPaths:
    """The paths in a file.

    Raises:
        JsonError: it does not parse, or has anything else.
    """
    return toml_as(_PATHS, content, label, "it has combat, rest and place, each a list of paths")


def signals_of(beside: Mapping[str, bytes]) -> SignalPaths | None:
    """A version's own paths, of what stands beside its header; None where it has none."""
    return read_signals(beside[SIGNALS], SIGNALS) if SIGNALS in beside else None
