"""An entry of a book as an entity.

A class or a subclass is one entity, and what it brings by level is a document of each feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..content.document import SRD
from ..content.own_model import MAX_NAME
from ..content.parsing import gear_type, parsed
from ..content.types import EntityType
from ..retrieval.filters import fold
from ..text.normalising import clean
from .book import LibraryBook
from .types import ContentsEntry, ContentType

_TYPES: Final[Mapping[ContentType, EntityType]] = {
    ContentType.CLASS: EntityType.CLASSES, ContentType.SUBCLASS: EntityType.SUBCLASSES,
    ContentType.RACE: EntityType.RACES, ContentType.BACKGROUND: EntityType.BACKGROUNDS,
    ContentType.FEAT: EntityType.FEATS, ContentType.SPELL: EntityType.SPELLS,
    ContentType.MONSTER: EntityType.MONSTERS, ContentType.MAGIC_ITEM: EntityType.MAGIC_ITEMS,
}


@dataclass(frozen=True, slots=True)
class Extracted:
    """An entity of a book, in the form of users' own.

    ``document`` has beside its fields the title of the book, ``page`` as it is printed, and
    ``source``. ``missing`` are fields that such an entity states and that were not found;
    ``confidence``, in (0, 1], is that of :class:`~mvp_site.content.parsing.Parsed`. ``features``
    are documents of type ``features``.
    """

    type: EntityType
    title: str
    page: str
    document: dict[str, Any]
    confidence: float
    missing: tuple[str, ...]
    features: tuple[dict[str, Any], ...] = ()


def extract(book: LibraryBook, entry: ContentsEntry, type_: ContentType) -> Extracted:
    """The entity that ``entry`` of ``book`` is about, read as a ``type_``."""
    span = [(block.text, block.level) for block in book.text.blocks[entry.start : entry.end]]
    kind = _TYPES.get(type_, EntityType.RULES)
    if type_ is ContentType.EQUIPMENT:
        kind = gear_type(entry.title, span)
    above = book.path(book.entries.index(entry))[:-1]
    read = parsed(kind, entry.title, span, above)
    title = clean(book.source.title)[:MAX_NAME]
    if fold(title) == fold(SRD):  # which is what this program brings
        title += " (book)"
    page = entry.label or ("" if entry.page is None else str(entry.page))
    cited = {"document": title, **({"page": page} if page else {})}
    return Extracted(kind, entry.title, page, {**read.document, **cited}, read.confidence,
                     read.missing, tuple({**feature, **cited} for feature in read.features))
