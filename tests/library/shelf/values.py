"""What the shelf hands over: a book, and the truth of where its things stand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mvp_site.library.types import ContentType


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing stands: ``page`` and ``end_page`` counted from 1, ``printed`` as on the page.

    Pages are None, and ``printed`` is '', in formats without pages. ``parents`` are the titles
    above it, the outermost first; titles alone are not unique. ``bookmarked``: the file's own
    outline leads to it.
    """

    title: str
    parents: tuple[str, ...]
    type: ContentType
    page: int | None = None
    printed: str = ""
    end_page: int | None = None
    bookmarked: bool = False


@dataclass(frozen=True, slots=True)
class ShelfBook:
    """A book's file, and its truth in the order of the text; ``pages`` is 0 where it has none."""

    key: str
    title: str
    path: Path
    places: tuple[Place, ...]
    pages: int = 0


def named(places: tuple[Place, ...], name: str) -> tuple[Place, ...]:
    """The places whose titles, the outermost first and joined by `` > ``, end in ``name``."""
    titles = tuple(name.split(" > "))
    return tuple(one for one in places if (*one.parents, one.title)[-len(titles):] == titles)
