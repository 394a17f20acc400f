"""A server over small parts that are really built, and clients of the SDK's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

import anyio
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
Connects = Callable[..., AbstractAsyncContextManager[Client]]
MakeParts = Callable[..., Parts]


def run(asked: Callable[[], Awaitable[None]]) -> None:
    """What a test asks of a server, within a minute."""
    async def within() -> None:
        with anyio.fail_after(60):
            await asked()

    anyio.run(within)


@pytest.fixture
def make_parts(site_settings: Settings, site_assemblers: dict[str, PromptAssembler]) -> MakeParts:  # noqa: F811
    """Makes parts that are served; ``operations`` None are all."""
    def make(operations: Sequence[Operation[Any]] | None = None, **settings: Any) -> Parts:
        return Parts(lambda: Services(
            replace(site_settings, **settings), assemblers=site_assemblers, rulebook=WordsRulebook(), entities=WordsIndex(),
        ), operations)

    return make


@pytest.fixture(params=["auto", "legacy"])
def connects(request: pytest.FixtureRequest, make_parts: MakeParts) -> Connects:
    """A client in this process, of either era of the protocol."""
    @asynccontextmanager
    async def connect(operations: Sequence[Operation[Any]] | None = None, *, entitled: bool = True) -> AsyncIterator[Client]:
        async with Client(make_server(make_parts(operations), lambda _: entitled), mode=request.param) as client:
            yield client

    return connect
