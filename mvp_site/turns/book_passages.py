"""What a look-up gives of the books that a campaign is bound to: passages, quoted and cited."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from ..archive.delimiters import CLOSING_TAG, CONTEXT_END, context_open, escape, opening_tag
from ..errors import LibraryError, MissingIndexError
from ..library.library import Library
from ..retrieval.tokens import printed_tokens
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..types import Audience

MOST: Final = 5
"""The passages of one look-up."""
LIBRARY: Final = "library"
Search = Callable[[str, int], str]
"""What is printed for a query within so many o200k tokens; '' for nothing."""


class BoundBooks:
    """The library as campaigns may use it, opened when the first look-up needs it. Thread-safe."""

    def __init__(self, settings: Settings, store: CampaignStore) -> None:
        self._settings, self._store = settings, store
        self._library: Library | None = None
        self._opening = threading.Lock()

    def search(self, campaign_id: str, audience: Audience) -> Search:
        """What searches the sources that a campaign is bound to, as ``audience`` may see them."""
        def found(query: str, tokens: int) -> str:
            bound = self._store.bound(campaign_id)
            return self._printed(query, bound, audience, tokens) if bound else ""

        return found

    def close(self) -> None:
        """Let go of the library."""
        if self._library is not None:
            self._library.close()

    def _printed(self, query: str, bound: tuple[str, ...], audience: Audience, tokens: int) -> str:
        with self._opening:
            if self._library is None:
                self._library = Library.open(self._settings)
        try:
            there = {one.id for one in self._library.sources(audience)}
            held = [one for one in bound if one in there]
            if not held:
                return ""
            found = self._library.ask(query, MOST, sources=held, audience=audience)
        except (MissingIndexError, LibraryError):
            return ""
        lines = [context_open(LIBRARY)]
        for one in found.results:
            cited = f"{one.source_id}, p. {one.extract_page}" if one.extract_page else one.source_id
            passage = (
                f"{opening_tag(cited, (one.source, *one.path, one.title))}\n{escape(one.text)}\n"
                f"{CLOSING_TAG}"
            )
            if printed_tokens("\n".join((*lines, passage, CONTEXT_END))) <= tokens:
                lines.append(passage)
        return "\n".join((*lines, CONTEXT_END)) if len(lines) > 1 else ""
