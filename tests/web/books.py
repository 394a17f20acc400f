"""A small book in our own words, and a rulebook of it that says what it was asked."""

from __future__ import annotations

from functools import cache
from typing import Any

from mvp_site.rulebook.results import RulebookResponse
from mvp_site.rulebook.rulebook import Rulebook
from tests.texts import case_text

from ..hashing import HashingEncoder

BOOK = case_text("web_book.md")
LONG = BOOK + "\n# Falls\n" + "".join(f"\n## Falling in water {n}\n\n{'A creature that falls in water by the fire is hurt. ' * 12}\n" for n in range(9))
"""The same, with more to say than fits into a small budget."""
ATTRIBUTION = "Written for the tests of this project; use it as you like."


@cache
def _read(text: str, source: str, attribution: str) -> Rulebook:
    return Rulebook.from_markdown(text, source=source, attribution=attribution, encoder=HashingEncoder())


class WordsRulebook(Rulebook):
    """The real rulebook in memory, by the encoder's double."""

    def __init__(self, text: str = BOOK, source: str = "The Little Book", attribution: str = ATTRIBUTION) -> None:
        super().__init__(_read(text, source, attribution)._source)
        self.asked: list[dict[str, Any]] = []

    def query(self, **asked: Any) -> RulebookResponse:  # type: ignore[override]
        self.asked.append(asked)
        return super().query(**asked)
