"""A Haystack component over the prompt index, the rulebook or the entities."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise ImportError(
        f"Haystack needs the package {error.name}: pip install "
        "'PATH[haystack]' (PATH: a checkout of mvp-site)"
    ) from None

from ..settings import Settings
from .sources import Search, Source, found, open_source

# Not the component's own: pipelines copy components, and a lock cannot be copied.
_OPENING = threading.Lock()


@component
class MvpSiteRetriever:
    """Documents for a query, the best first: none where nothing found is evidence.

    ``top_k`` is the most documents, by default as many as the source's own limits let through;
    ``options`` are those of the source's function in :mod:`~mvp_site.plugs.sources`. Settings come
    from the environment when the source is opened, at the first use; only what is given here is
    written by ``to_dict``, and none of it is a secret.
    """

    def __init__(self, source: Source = "prompts", top_k: int | None = None,
                 version: str | None = None, options: dict[str, Any] | None = None) -> None:
        self.source: Source = source
        self.top_k = top_k
        self.version = version
        self.options = options or {}
        self._search: Search | None = None

    def warm_up(self) -> None:
        """Open the source; there is nothing to do where it is open.

        Raises:
            SettingsError: there is no such source or option.
            IndexLoadError, EncoderError: it cannot be opened; the message has the command.
        """
        with _OPENING:
            if self._search is None:
                own = None if self.version is None else Settings(prompt_version=self.version)
                self._search = open_source(self.source, own, **self.options)

    def to_dict(self) -> dict[str, Any]:
        """The component as plain values."""
        return default_to_dict(
            self, source=self.source, top_k=self.top_k, version=self.version, options=self.options
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MvpSiteRetriever:
        """The component of what :meth:`to_dict` gave."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The documents for ``query``, at most ``top_k``."""
        self.warm_up()
        assert self._search is not None
        return {"documents": [
            Document(id=text.id, content=text.text, score=text.score, meta=dict(text.metadata))
            for text in found(self._search, query, self.top_k if top_k is None else top_k)
        ]}

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The same without blocking an event loop."""
        return await asyncio.to_thread(self.run, query, top_k)
