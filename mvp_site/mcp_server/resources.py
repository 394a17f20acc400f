"""Resources: what can be read at an address, each by an operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from . import texts


@dataclass(frozen=True, slots=True)
class Resource:
    """An address whose variables are the fields of an operation's request."""

    uri: str
    operation: str
    name: str
    about: str
    text: Callable[[Any], str]


RESOURCES: Final = (
    Resource(
        "mvp-site://sources", "library.list", "sources", "The books of the library.", texts.sources,
    ),
    Resource(
        "mvp-site://sources/{source_id}", "library.list", "source",
        "A book of the library: what it holds, entry by entry.", texts.sources,
    ),
    Resource(
        "mvp-site://entities", "entities.types", "entities",
        "The documents that entities come from, and the types with their fields.", texts.stock,
    ),
    Resource(
        "mvp-site://entities/{entity_type}/{slug}", "entities.show", "entity",
        "A game entity whole: a spell, a monster, an entry taken out of a book.", texts.one_entity,
    ),
)
"""Every resource. One whose operation does not exist is not offered."""
