"""What a question to the library gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .types import ContentType


@dataclass(frozen=True, slots=True)
class BookResult:
    """An entry of a book that answers.

    ``path`` are the titles that it stands below. ``page`` and ``end_page`` are its pages as
    printed, ``counted_page`` the first one as counted from 1; '' and None in formats without pages.
    ``extract`` is what of it shows why, at most two lines, on ``extract_page``; ``text`` is the
    passage that it stands in. ``relevance`` is in [0, 1]. ``extracted`` says that it was made an
    entity.
    """

    source_id: str
    source: str
    title: str
    path: tuple[str, ...]
    type: ContentType
    confidence: float
    page: str
    end_page: str
    counted_page: int | None
    relevance: float
    extract: str
    extract_page: str
    text: str
    extracted: bool = False


@dataclass(frozen=True, slots=True)
class LibraryHits:
    """The entries that answer a question, by (-relevance, source, place).

    ``tried`` says what was looked for: the question as it was read, what was taken for what, and
    the concepts that it has. ``lanes_failed`` are lanes that they were found without.
    """

    results: tuple[BookResult, ...]
    tried: tuple[str, ...] = ()
    lanes_failed: Mapping[str, str] = field(default_factory=dict)
