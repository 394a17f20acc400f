"""Values of the library: a file's text in blocks, its entries, and what answers a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from ..types import Audience

Origin: TypeAlias = Literal["bookmark", "heading", "pages"]
"""What an entry was made of: the file's own outline, a heading in its text, or its pages."""


class ContentType(StrEnum):
    """What an entry of a book is about."""

    CLASS = "class"
    SUBCLASS = "subclass"
    RACE = "race"
    BACKGROUND = "background"
    FEAT = "feat"
    SPELL = "spell"
    MONSTER = "monster"
    MAGIC_ITEM = "magic item"
    EQUIPMENT = "equipment"
    RULE = "rule"
    ADVENTURE = "adventure"
    LORE = "lore"


@dataclass(frozen=True, slots=True)
class BookBlock:
    """A heading (``level`` from 1, the outermost) or a paragraph, list item or table (0).

    ``text`` is one line of readable text; of a table, a line a row with cells between ``|``.
    ``page`` counts from 1, and is None in formats that have no pages.
    """

    text: str
    level: int = 0
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of a file's own outline; ``level`` counts from 1, ``block`` is where it leads."""

    title: str
    level: int
    block: int


@dataclass(frozen=True, slots=True)
class Text:
    """What a file says, whatever its format.

    ``labels`` are the pages' numbers as they are printed, one a page and '' where none is; empty
    where the pages are printed as they are counted. ``notes`` are what could not be read of it,
    each a sentence for the user. ``secret`` is what it marks as the game master's.
    """

    title: str
    blocks: tuple[BookBlock, ...]
    bookmarks: tuple[Bookmark, ...] = ()
    pages: int = 0
    labels: tuple[str, ...] = ()
    audience: Audience = "player"
    notes: tuple[str, ...] = ()
    secret: Text | None = None

    def label(self, page: int | None) -> str:
        """A counted page as it is printed, or as it is counted where none is; '' for no page."""
        if page is None:
            return ""
        return next(iter(self.labels[page - 1 : page]), "") or str(page)


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """An entry of a book's contents, with all that stands below it.

    ``blocks[start:end]`` are its span, that of its children included; ``own_end`` is where the
    first child starts. ``parent`` and ``children`` are numbers of entries, which stand in the
    order of the text. ``page`` and ``end_page`` are counted from 1, ``label`` is the page's number
    as printed, or as counted where none is. ``confidence``, in (0, 1], is how sure the type is.
    """

    title: str
    level: int
    start: int
    own_end: int
    end: int
    page: int | None
    end_page: int | None
    label: str
    type: ContentType
    confidence: float
    origin: Origin
    parent: int | None = None
    children: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntry:
    """What answers, and where it stands.

    ``path`` are the titles that it stands below. ``page`` and ``end_page`` are its pages as
    printed, ``counted_page`` the first one as counted from 1; '' and None in formats without pages.
    ``extract`` is what of it shows why, at most two lines, on ``extract_page``. ``relevance`` is in
    [0, 1]. ``extracted`` says that it was made an entity.
    """

    title: str
    source_id: str
    source: str
    page: str
    end_page: str
    counted_page: int | None
    relevance: float
    extract: str
    extract_page: str
    extracted: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BookResult(FoundEntry):
    """An entry of a book that answers; ``text`` is the passage that its extract stands in."""

    type: ContentType
    confidence: float
    text: str


@dataclass(frozen=True, slots=True)
class LibraryHits:
    """The entries that answer a question, by (-relevance, source, place).

    ``tried`` says what was looked for: the question as it was read, what was taken for what, and
    the concepts that it has. ``lanes_failed`` are lanes that they were found without.
    """

    results: tuple[BookResult, ...]
    tried: tuple[str, ...] = ()
    lanes_failed: Mapping[str, str] = field(default_factory=dict)
