"""A server over small parts that are really built, and clients of the SDK's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client

from mvp_site import PromptAssembler, Settings
from mvp_site.mcp_server.server import Parts, make_server
from mvp_site.operations.operation import Operation
from mvp_site.operations.services import Services

from ..web.books import WordsRulebook
from ..web.conftest import loopback, site_assemblers, site_settings  # noqa: F401 - fixtures
from ..web.entity_doubles import WordsIndex

TOKEN = "a token of the DM's own"
Connects = Callable[..., Client]
MakeParts = Callable[..., Parts]


@pytest.fixture(autouse=True)
def anyio_backend() -> str:
    """Runs the tests that are coroutines."""
    return "asyncio"


@pytest.fixture
def make_parts(site_settings: Settings, site_assemblers: dict[str, PromptAssembler]) -> MakeParts:  # noqa: F811
    """Makes parts that are served; ``operations`` None are all."""
    def make(operations: Sequence[Operation[Any]] | None = None, **settings: Any) -> Parts:
        return Parts(lambda: Services(
            replace(site_settings, **settings), assemblers=site_assemblers, rulebook=WordsRulebook(), entities=WordsIndex(),
        ), operations)

    return make


@pytest.fixture
def connects(make_parts: MakeParts) -> Connects:
    """A client in this process, of either era of the protocol."""
    def connect(operations: Sequence[Operation[Any]] | None = None, *, entitled: bool = True, mode: str = "auto") -> Client:
        return Client(make_server(make_parts(operations), lambda _: entitled), mode=mode)

    return connect


@pytest.fixture
async def client(request: pytest.FixtureRequest, connects: Connects) -> AsyncIterator[Client]:
    """A client of all tools that may see everything; its parameter is the era of the protocol."""
    async with connects(mode=getattr(request, "param", "auto")) as client:
        yield client
