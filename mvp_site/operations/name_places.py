"""Where else a name stands: as an entity, as a section of the rulebook, as an entry of a book."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..content.captions import TITLES
from ..content.stat_block import caption
from ..content.types import EntityType
from ..content.wording import commas
from ..entities.index import MAX_LIMIT
from ..errors import MvpSiteError
from .services import Services


@dataclass(frozen=True, slots=True)
class NamePlace:
    """A place of a name: what it is, in words where it is, and its id.

    ``id`` is a slug, a section's or a source's id; ``type`` is an entity's, ``entry`` the number
    of a book's entry.
    """

    kind: Literal["entity", "rule", "book"]
    title: str
    where: str
    id: str
    type: str = ""
    entry: int = 0


def places(services: Services, name: str, entitled: bool) -> tuple[NamePlace, ...]:
    """Every place that is called ``name``, of books only those that the caller may see.

    What is not built, or cannot be served, has none.
    """
    name_places: list[NamePlace] = []
    for look in (_rules, _books, _entities):
        try:
            name_places += look(services, name, entitled)
        except MvpSiteError:
            continue
    return tuple(name_places)


def _entities(services: Services, name: str, _: bool) -> Iterator[NamePlace]:
    index = services.entities()
    for type_ in EntityType:
        # A filter by the name itself refuses names that there are not.
        filters = {"name": {"contains": name}}
        for entity in index.search_entities(type_, "", filters, MAX_LIMIT):
            if _same(str(entity["name"]), name):
                kind = caption(type_, entity).partition(" · ")[0]
                where = commas(TITLES[type_][0], kind)
                yield NamePlace("entity", str(entity["name"]), where, entity["slug"], type_)


def _rules(services: Services, name: str, _: bool) -> Iterator[NamePlace]:
    book = services.rulebook()
    for part in book.sections.titled(name):
        yield NamePlace("rule", part.title, " > ".join(part.path[:-1]) or book.source, part.id)


def _books(services: Services, name: str, entitled: bool) -> Iterator[NamePlace]:
    library = services.library()
    for source in library.sources("god" if entitled else "player"):
        if source.problem:
            continue
        book = library.book(source.id)
        for number, entry in enumerate(book.entries):
            if _same(entry.title, name):
                where = f"{source.title}, p. {entry.label}" if entry.label else source.title
                yield NamePlace("book", entry.title, where, source.id, entry=number)


def _same(title: str, name: str) -> bool:
    return " ".join(title.split()).casefold() == " ".join(name.split()).casefold()
