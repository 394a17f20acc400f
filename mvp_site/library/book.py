"""A source of the library, its book, and the passages that are indexed of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..retrieval.index import Passage
from ..types import Audience
from .types import ContentsEntry, Text

DM_PART: Final = "--dm"
"""The end of the id of what a file keeps for the game master; no other id has two hyphens."""
PASSAGE_WORDS: Final = 200
"""A passage ends with the paragraph that brings it to so many words."""


@dataclass(frozen=True, slots=True)
class LibrarySource:
    """A file of the library.

    ``id`` stays the same for as long as the file or its content does. ``file`` is its path below
    the folder ``root``. ``problem`` says why it could not be read, '' where it was; ``notes`` are
    what could not be read of it. ``pages`` is 0 in formats that have none.
    """

    id: str
    title: str
    file: str
    root: str
    format: str
    digest: str = ""
    pages: int = 0
    entries: int = 0
    audience: Audience = "player"
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryBook:
    """A source with its text and its contents."""

    source: LibrarySource
    text: Text
    entries: tuple[ContentsEntry, ...]

    def path(self, number: int) -> tuple[str, ...]:
        """The titles of an entry and of all that it stands below, the outermost first."""
        return tuple(self.entries[at].title for at in lineage(self.entries, number))


def lineage(entries: Sequence[ContentsEntry], number: int | None) -> list[int]:
    """An entry and all that it stands below, the outermost first, by their numbers."""
    numbers: list[int] = []
    while number is not None:
        numbers.insert(0, number)
        number = entries[number].parent
    return numbers


@dataclass(frozen=True, slots=True)
class BookPlace:
    """Where a passage stands: ``blocks[start:end]`` of an entry of a book, each by its number."""

    book: int
    entry: int
    start: int
    end: int


def places(book: LibraryBook, number: int) -> Iterator[BookPlace]:
    """The passages of a book, the ``number``-th, in order; each entry has at least one."""
    for at, entry in enumerate(book.entries):
        first = entry.start
        if first < entry.own_end and book.text.blocks[first].level:
            first += 1  # its own heading, which each passage has as its title
        start, words = first, 0
        for block in range(first, entry.own_end):
            words += len(book.text.blocks[block].text.split())
            if words >= PASSAGE_WORDS:
                yield BookPlace(number, at, start, block + 1)
                start, words = block + 1, 0
        if start < entry.own_end or start == first:
            yield BookPlace(number, at, start, max(start, entry.own_end))


def passage_of(book: LibraryBook, place: BookPlace) -> Passage:
    """What is indexed of a passage: its text below the book's title and its entry's path."""
    entry = book.entries[place.entry]
    return Passage(f"{book.source.id}/{place.entry}/{place.start}",
                   (book.source.title, *book.path(place.entry)), text_of(book, place),
                   stressed=(entry.title, entry.type))


def text_of(book: LibraryBook, place: BookPlace) -> str:
    """A passage's own text, a line a block."""
    return "\n".join(block.text for block in book.text.blocks[place.start : place.end])


def texts_of(book: LibraryBook) -> list[str]:
    """Every title and text of a book."""
    return [book.source.title, *(entry.title for entry in book.entries),
            *(block.text for block in book.text.blocks)]
