"""Resources: what can be read at an address, each by an operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.shared.uri_template import UriTemplate

from . import texts


@dataclass(frozen=True, slots=True)
class Resource:
    """An address whose variables are the fields of an operation's request."""

    uri: str
    operation: str
    name: str
    about: str
    text: Callable[[Any], str]

    def read(self, uri: str) -> Mapping[str, Any] | None:
        """The fields that ``uri`` gives, or None where it is another resource's."""
        found = UriTemplate.parse(self.uri).match(uri)
        return None if found is None else dict(found)


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
        "The documents that entities come from, and the types with their fields.",
        lambda found: texts.stock_text(texts.stock(found)),
    ),
    Resource(
        texts.ENTITY, "entities.show", "entity",
        "A game entity whole: a spell, a monster, an entry taken out of a book.", texts.one_entity,
    ),
)
"""Every resource. One whose operation does not exist is not offered."""
