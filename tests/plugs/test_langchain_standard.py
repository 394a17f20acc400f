"""LangChain's own tests of a retriever (``langchain-tests``)."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site import PromptAssembler
from mvp_site.plugs import sources

from .conftest import ASKED

standard = pytest.importorskip("langchain_tests.integration_tests")
langchain = pytest.importorskip("mvp_site.plugs.langchain", exc_type=ImportError)


pytestmark = pytest.mark.anyio  # one of the tests is a coroutine


@pytest.fixture
def anyio_backend() -> str:
    """Event loops of the standard library alone."""
    return "asyncio"


class TestStandard(standard.RetrieversIntegrationTests):  # type: ignore[misc, name-defined]
    retriever_constructor = langchain.MvpSiteRetriever
    retriever_query_example = ASKED

    @pytest.fixture(autouse=True)
    def _over_the_market(self, market: PromptAssembler) -> None:
        self.search = sources.prompts(market)

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"search": self.search}
