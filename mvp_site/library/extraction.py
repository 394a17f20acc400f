"""An entry of a book as an entity.

A class or a subclass is one entity, and what it brings by level is a document of each feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..content.document import SRD
from ..content.own_model import MAX_NAME
from ..content.parsing import Parsed, gear_type, parsed
from ..content.types import EntityType
from ..retrieval.filters import fold
from ..text.normalising import clean
from .book import LibraryBook
from .types import ContentsEntry, ContentType, Text

MADE: Final[Mapping[ContentType, EntityType]] = {
    ContentType.CLASS: EntityType.CLASSES, ContentType.SUBCLASS: EntityType.SUBCLASSES,
    ContentType.RACE: EntityType.RACES, ContentType.BACKGROUND: EntityType.BACKGROUNDS,
    ContentType.FEAT: EntityType.FEATS, ContentType.SPELL: EntityType.SPELLS,
    ContentType.MONSTER: EntityType.MONSTERS, ContentType.MAGIC_ITEM: EntityType.MAGIC_ITEMS,
}
"""What entries are made, where they are no gear; all others are rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted(Parsed):
    """An entity of a book, in the form of users' own.

    ``document`` has beside its fields the title of the book, ``page`` as it is printed, and
    ``source``.
    """

    type: EntityType
    title: str
    page: str


def extract(book: LibraryBook, entry: ContentsEntry, type_: ContentType) -> Extracted:
    """The entity that ``entry`` of ``book`` is about, read as a ``type_``."""
    span = [(block.text, block.level) for block in book.text.blocks[entry.start : entry.end]]
    kind = MADE.get(type_, EntityType.RULES)
    if type_ is ContentType.EQUIPMENT:
        kind = gear_type(entry.title, span)
    read = parsed(kind, entry.title, span, _above(book.text, entry))
    title = clean(book.source.title)[:MAX_NAME]
    if fold(title) == fold(SRD):  # which is what this program brings
        title += " (book)"
    cited = {"document": title, **({"page": entry.label} if entry.label else {})}
    return Extracted({**read.document, **cited}, read.confidence, read.missing,
                     tuple({**feature, **cited} for feature in read.features),
                     type=kind, title=entry.title, page=entry.label)


def _above(text: Text, entry: ContentsEntry) -> list[str]:
    """The titles of the headings that an entry stands under, the outermost first."""
    titles: list[str] = []
    level = entry.level
    for block in reversed(text.blocks[: entry.start]):
        if 0 < block.level < level:
            titles.insert(0, block.text)
            level = block.level
    return titles
