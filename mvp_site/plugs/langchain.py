"""A LangChain retriever over the prompt index, the rulebook or the entities."""

from __future__ import annotations

from typing import Any, Self

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise ImportError(
        f"LangChain needs the package {error.name}: pip install "
        "'PATH[langchain]' (PATH: a checkout of mvp-site)"
    ) from None

from ..settings import Settings
from .sources import Search, Source, found, open_source


class MvpSiteRetriever(BaseRetriever):
    """Documents for a query, the best first: none where nothing found is evidence.

    ``search`` is one of :mod:`~mvp_site.plugs.sources`; ``k`` is the most documents, by default as
    many as the source's own limits let through. :meth:`open` opens a source. It is safe to use
    from several threads; asynchronous calls search in a thread.
    """

    search: Search
    k: int | None = None

    @classmethod
    def open(cls, settings: Settings | None = None, source: Source = "prompts", *,
             k: int | None = None, **options: Any) -> Self:
        """A retriever of ``source``; ``options`` are those of its function in ``sources``.

        Raises:
            SettingsError: there is no such source or option.
            IndexLoadError, EncoderError: it cannot be opened; the message has the command.
        """
        return cls(search=open_source(source, settings, **options), k=k)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
                                k: int | None = None) -> list[Document]:
        return [
            Document(text.text, id=text.id, metadata=dict(text.metadata))
            for text in found(self.search, query, self.k if k is None else k)
        ]
